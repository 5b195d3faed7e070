package ui

import (
	"strings"
	"testing"

	"gofer/protocols"
)

// TestColors checks that a key shows the colors of a text, including those set in an earlier line,
// and that other escape sequences are never shown.
func TestColors(t *testing.T) {
	w := library()
	u := item('0', "/art")
	w.addText(u, "art", "\x1b]0;pwned\a\x1b[2Jplain \x1b[31mred\r\nstill red\x1b[0m and \x1b[5;8;1mbold\x1b[m gopher://h/1\r\n")
	d := drive(t, w, Options{Start: u.String()}, 80, 24)
	for _, want := range []string{" plain red", " still red and bold gopher://h/1"} {
		d.wantShown(want)
	}
	d.wantNotShown("pwned")
	const red, bold = "\x1b[31mred", "\x1b[1mbold"
	if content := d.View().Content; strings.Contains(content, red) || strings.Contains(content, bold) {
		t.Errorf("colors are shown before the key: %q", content)
	}
	checkView(t, d, 80, 24)
	d.press("c")
	checkView(t, d, 80, 24)
	content := d.View().Content
	for _, want := range []string{red, "\x1b[31mstill red", bold} {
		if !strings.Contains(content, want) {
			t.Errorf("the screen has no %q: %q", want, content)
		}
	}
	d.submit("/", "and bold").press("c")
	if content := d.View().Content; strings.Contains(content, red) {
		t.Errorf("colors are shown after the key: %q", content)
	}
	d.wantShown("the colors of texts are hidden")
}

// TestColorsOfTitles checks that colors in the titles of a menu are hidden, or shown by a key. They end with the
// title of an item, but not with a line of text, which may be a part of a drawing.
func TestColorsOfTitles(t *testing.T) {
	w := library()
	w.addPage(item('1', "/"), protocols.LayoutMenu, "", info("\x1b[32mgreen"), info("grass"),
		link(protocols.Text, "\x1b[31mred   \x1b[2Jtitle", item('0', "/a")), link(protocols.Text, "plain", item('0', "/b")))
	w.addText(item('0', "/a"), "", "A text.\n")
	d := drive(t, w, Options{}, 80, 24)
	d.wantShown("green", " red   title", " plain").wantNotShown("31m", "2J")
	if content := d.View().Content; strings.Contains(content, "\x1b[31m") {
		t.Errorf("colors are shown before the key: %q", content)
	}
	d.press("c")
	content := d.View().Content
	for _, want := range []string{"\x1b[32mgreen", "\x1b[32mgrass", "31mred", "plain"} {
		if !strings.Contains(content, want) {
			t.Errorf("the screen has no %q: %q", want, content)
		}
	}
	if _, after, _ := strings.Cut(content, "31mred"); strings.Contains(after, "\x1b[31mplain") || strings.Contains(after, ";31mplain") {
		t.Errorf("the color goes on after the title: %q", content)
	}
	checkView(t, d, 80, 24)
	d.press("enter").wantBar("gopher://gopher.example.org/0/a red title")
}
