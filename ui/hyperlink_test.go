package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"gofer/internal/fetchtest"
	"gofer/protocols"
	"gofer/ui/cell"
)

func TestHyperlinksOf(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want cell.Hyperlinks
	}{
		{Options{}, cell.NoHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "xterm-256color"})}, cell.AllHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "xterm-256color"}), Remote: true}, cell.WebHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "xterm-256color"}), Remote: true, Hyperlinks: "always"}, cell.AllHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "xterm-256color"}), Hyperlinks: "never"}, cell.NoHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "xterm-256color"}), ASCIIOnly: true}, cell.NoHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "screen", "TMUX": "/tmp/x"})}, cell.AllHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "screen.xterm-256color", "STY": "1"})}, cell.NoHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "linux"})}, cell.NoHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "dumb"})}, cell.NoHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "vt220"})}, cell.NoHyperlinks},
		{Options{Env: envOf(map[string]string{"TERM": "linux"}), Hyperlinks: "always"}, cell.AllHyperlinks},
	} {
		fetchtest.Equal(t, New(tt.o).hyperlinks, tt.want, "%+v", tt.o)
	}
}

// TestHyperlinksOnScreens: a link of a menu and each piece of one in a text has
// its URL, and each ends.
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
			t.Errorf("%s: %d pieces are links, want %d", url, n, want)
		}
	}
	o.Hyperlinks = "never"
	d = drive(t, linkedWeb(), o, 80, 24)
	d.press("tab")
	if d.screen() != plainScreen || strings.Contains(d.View().Content, "\x1b]8") {
		t.Errorf("without hyperlinks:\n%s\nwith:\n%s", d.screen(), plainScreen)
	}
	o.Hyperlinks, o.Home = "always", item('1', "/")
	content = drive(t, library(), o, 80, 24).View().Content
	if n, ends := strings.Count(content, "\x1b]8;;g"), strings.Count(content, ansi.ResetHyperlink()); n != 5 || ends != 6 {
		t.Errorf("a menu has %d links to Gopher and %d ends, want 5 and 6", n, ends)
	}
	w := web{}
	hostilePage(w, item('1', "/"), protocols.LayoutMenu, hostileTexts())
	d = drive(t, w, o, 80, 24)
	for line := range strings.Lines(d.View().Content) {
		if strings.Count(line, "\x1b]8;;\a") != strings.Count(line, "\x1b]8;")/2 {
			t.Errorf("a link does not end: %q", line)
		}
	}
}
