package cell

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/urlcore"
)

func TestSpans(t *testing.T) {
	st := NewStyles("dark", config.Colors{}, DarkBackground, picture.TrueColor)
	name := map[Style]string{st.Dim: "dim", st.Bold: "bold", st.warning: "warn", st.Accent: "accent", st.search: "words", "": "plain"}
	for _, tt := range []struct{ in, want string }{
		{"gopher://h:7070/7/s%09a%20b", "dim:gopher dim:: dim:// bold:h dim:: warn:7070 dim:/ accent:7 plain:/s dim:%09 words:a%20b"},
		{"ftp://u@h//a;type=i", "dim:ftp dim:: dim:// warn:u dim:@ bold:h dim:/ dim:/ plain:a dim:;type= accent:i"},
		{"gopher://exam", "dim:gopher dim:: dim:// bold:exam"},
		{"GOPHER://h/1", "plain:GOPHER://h/1"},
		{"no url", "plain:no url"},
		{"", "plain:"},
	} {
		var got []string
		for _, s := range st.Spans(tt.in) {
			got = append(got, name[s.Style]+":"+s.Text)
		}
		fetchtest.Equal(t, strings.Join(got, " "), tt.want, "Spans(%q)", tt.in)
	}
}

func TestURLWithReadableHost(t *testing.T) {
	g := NewGlyphs(false, false)
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"gemini://xn--gmeaux-bva.example/a%20b", 80, "gemini://gémeaux.example/a%20b"},
		{"gopher://xn--r8jz45g.jp:7070/1", 80, "gopher://例え.jp:7070/1"},
		{"https://xn--80ak6aa92e.com/", 80, "https://аррӏе.com (xn--80ak6aa92e.com)/"},
		{"https://xn--80ak6aa92e.com/", 20, "xn--80ak6aa92e.com"},
	} {
		u, err := urlcore.Parse(tt.in)
		fetchtest.NoError(t, err)
		if got := g.URL(u, tt.width); !strings.Contains(got, tt.want) || ansi.StringWidth(got) > tt.width {
			t.Errorf("URL(%s) in %d cells = %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}
