package cell

import (
	"strings"
	"testing"

	"gofer/internal/picture"
	"gofer/internal/testbed/fetchtest"
)

func TestSpans(t *testing.T) {
	st := NewStyles("dark", Palette{}, DarkBackground, picture.TrueColor)
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
