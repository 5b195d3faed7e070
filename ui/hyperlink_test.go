package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"gofer/protocols"
)

// TestHyperlinksOnScreens checks that each link of a menu is written as a hyperlink that ends. In a
// text, each piece of a wrapped link is a hyperlink.
func TestHyperlinksOnScreens(t *testing.T) {
	o := Options{Env: envOf(map[string]string{"TERM": "xterm-256color"}), Home: item('0', "/links")}
	d := drive(t, linkedWeb(), o, 80, 24)
	d.press("tab")
	plainScreen := d.screen()
	content := d.View().Content
	for url, want := range map[string]int{
		"gopher://gopher.example.org/0/a": 1, "ftp://ftp.example.org/b": 1,
		"gopher://gopher.example.org/1/menu": 2, "http://www.example.org/page.html": 2,
	} {
		if n := strings.Count(content, ansi.SetHyperlink(url)); n != want {
			t.Errorf("%s: got %d hyperlinks, want %d", url, n, want)
		}
	}
	o.Config.Hyperlinks = "never"
	d = drive(t, linkedWeb(), o, 80, 24)
	d.press("tab")
	if d.screen() != plainScreen || strings.Contains(d.View().Content, "\x1b]8") {
		t.Errorf("without hyperlinks:\n%s\nwith:\n%s", d.screen(), plainScreen)
	}
	o.Config.Hyperlinks, o.Home = "always", item('1', "/")
	content = drive(t, library(), o, 80, 24).View().Content
	if n, ends := strings.Count(content, "\x1b]8;;g"), strings.Count(content, ansi.ResetHyperlink()); n != 5 || ends != 6 {
		t.Errorf("a menu has %d links to Gopher and %d ends, want 5 and 6", n, ends)
	}
	w := web{}
	addHostilePage(w, item('1', "/"), protocols.LayoutMenu, hostileTexts())
	d = drive(t, w, o, 80, 24)
	for line := range strings.Lines(d.View().Content) {
		if strings.Count(line, "\x1b]8;;\a") != strings.Count(line, "\x1b]8;")/2 {
			t.Errorf("a hyperlink does not end in its row: %q", line)
		}
	}
}
