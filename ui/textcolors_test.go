package ui

import (
	"strings"
	"testing"
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
