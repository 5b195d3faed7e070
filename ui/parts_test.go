package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/urlcore"
)

func TestSpans(t *testing.T) {
	st := newStyles(true, true)
	name := map[style]string{st.dim: "dim", st.bold: "bold", st.warn: "warn", st.accent: "accent", st.words: "words", "": "plain"}
	for _, tt := range []struct{ in, want string }{
		{"gopher://h:7070/7/s%09a%20b", "dim:gopher dim:: dim:// bold:h dim:: warn:7070 dim:/ accent:7 plain:/s dim:%09 words:a%20b"},
		{"ftp://u@h//a;type=i", "dim:ftp dim:: dim:// warn:u dim:@ bold:h dim:/ dim:/ plain:a dim:;type= accent:i"},
		{"gopher://exam", "dim:gopher dim:: dim:// bold:exam"},
		{"GOPHER://h/1", "plain:GOPHER://h/1"},
		{"no url", "plain:no url"},
		{"", "plain:"},
	} {
		var got []string
		for _, s := range st.spans(tt.in) {
			got = append(got, name[s.look]+":"+s.text)
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("spans(%q) = %s, want %s", tt.in, g, tt.want)
		}
	}
}

// TestTheHostIsShown: a long user name that looks like a host takes the place
// of the host nowhere.
func TestTheHostIsShown(t *testing.T) {
	const evil = "evil.example"
	u, err := urlcore.Parse("ftp://ftp.gnu.org%2Fgnu%2Femacs%2Femacs-30.tar.gz" + strings.Repeat("%2Femacs", 20) + "@" + evil + "/a/" + strings.Repeat("emacs/", 20) + "emacs.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	w := web{}
	w.page(item('1', "/"), protocols.MediaMenu, "Menu", link(protocols.Archive, "emacs.tar.gz", u))
	w.page(u, protocols.MediaMenu, "", info("here"))
	row := func(d *driver, y int) string { return ansi.Strip(strings.Split(d.View().Content, "\n")[y]) }
	for width := 20; width <= 220; width++ {
		const height = 10
		d := drive(t, w, Options{}, width, height)
		shown := map[string]string{"status row": row(d, height-1)}
		d.press("y")
		shown["notice"] = row(d, height-1)
		d.bookmarked(bookmarkedMsg{url: u})
		d.drawn = false
		shown["bookmark"] = row(d, height-1)
		d.quiet(quietMsg{d.noticeID})
		tr := &transfer{url: u, size: -1}
		d.saves.add(tr)
		d.drawn = false
		if width >= 40 {
			shown["download"] = row(d, height-1)
		}
		d.saves.remove(tr)
		d.prompt = newLogin(&protocols.Login{Server: evil + ":21", User: strings.Repeat("ftp.gnu.org/", 20)}, u, false, "")
		d.drawn = false
		if got, want := row(d, height-2), " "+evil+":"; !strings.Contains(got, want) {
			t.Errorf("%d cells: the prompt begins %q, want %q", width, got, want)
		}
		shown["prompt's bar"] = row(d, 0)
		d.send(tea.WindowSizeMsg{Width: width, Height: 2})
		shown["prompt without a rule"] = row(d, 1) + "@" // only half of the row is for the label
		d.send(tea.WindowSizeMsg{Width: width, Height: height})
		d.prompt = nil
		d.run(d.visit(u))
		d.wantURL(u)
		shown["bar"] = row(d, 0)
		shown["window"] = d.View().WindowTitle
		for where, got := range shown {
			if where == "prompt without a rule" && width < 26 {
				continue
			}
			if !strings.Contains(got, evil) {
				t.Errorf("%d cells: the %s is %q", width, where, got)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func TestTheEndOfALongHostIsShown(t *testing.T) {
	u := urlcore.FTP{Path: "a"}
	u.Host = "ftp.gnu.org." + strings.Repeat("gnu.", 50) + "evil.example"
	w := web{}
	w.page(u, protocols.MediaMenu, "", info("here"))
	for width := 16; width <= 220; width += 12 {
		d := drive(t, w, Options{Home: u}, width, 10)
		bar := ansi.Strip(strings.Split(d.View().Content, "\n")[0])
		if got := strings.TrimSpace(bar); !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "evil.example") {
			t.Errorf("%d cells: the bar is %q", width, bar)
		}
	}
}

func TestPartsKeepTheirColoursWhenCut(t *testing.T) {
	d := drive(t, web{}, Options{}, 40, 10)
	u := urlcore.FTP{Path: strings.Repeat("a/", 30), Type: 'd'}
	u.Host, u.Port, u.User, u.HasUser = "h.example", 2121, strings.Repeat("u", 30), true
	var got []string
	for _, s := range d.urlSpans(u, 40) {
		if s.look != "" && s.look != d.styles.dim {
			got = append(got, s.text)
		}
	}
	if want := `["uu…uu" "h.example" "2121" "d"]`; fmt.Sprintf("%q", got) != want {
		t.Errorf("coloured are %q, want %s", got, want)
	}
}
