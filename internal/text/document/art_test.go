package document

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestArt checks that drawings are rendered, and that SAUCE records become notes.
func TestArt(t *testing.T) {
	pad := func(s string, n int) string { return s + strings.Repeat(" ", n-len(s)) }
	recordOf := func(fileType string) string {
		return "\x1aSAUCE00" + pad("A title", 35) + pad("Ann", 20) + pad("", 20) + "19960504\x00\x00\x00\x00\x01" + fileType +
			"\x28\x00\x19\x00" + strings.Repeat("\x00", 28)
	}
	text, ansi := recordOf("\x00"), recordOf("\x01")
	const note = "“A title” by Ann, 1996-05-04"
	long := strings.Repeat("a line of a text\r\n", 1000)
	logged := strings.Repeat("\x1b[35m\x1b[Ka.go\x1b[m\x1b[K:\x1b[1A\x1b[Kx\n", 12000)
	for _, tt := range []struct{ name, in, want, notes string }{
		{"a.ans", "\x1b[31m" + strings.Repeat("\xdb", 85), "\x1b[31m" + strings.Repeat("█", 80) + "\x1b[m|\x1b[31m█████\x1b[m", ""},
		{"a.ans", strings.Repeat("x", 45) + text, strings.Repeat("x", 40) + "|xxxxx", note},
		{"a.txt", "a\x1b[5Cb\x1b[Hc", "c     b", ""},
		{"a.txt", "\x1b[1mbold\x1b[m " + strings.Repeat("word ", 100), "\x1b[1mbold\x1b[m " + strings.Repeat("word ", 100), ""},
		{"a.txt", "\x1b[Hone move\r\n", "\x1b[Hone move", ""},
		{"a.txt", logged, strings.ReplaceAll(strings.TrimSuffix(logged, "\n"), "\n", "|"), ""},
		{"a.txt", strings.Repeat("x", 45) + ansi, strings.Repeat("x", 40) + "|xxxxx", note},
		{"a.txt", strings.Repeat("x", 45) + text, strings.Repeat("x", 45), note},
		{"a.ans", strings.Repeat("x\n", 10001), strings.Repeat("x|", 9999) + "x", "the drawing is shown up to line 10000"},
		{"a.nfo", "a\r\nb\r\n" + text, "a|b", note},
		{"a.txt", long + text, strings.ReplaceAll(strings.TrimSuffix(long, "\r\n"), "\r\n", "|"), note},
		{"a.txt", "about SAUCE00 and more\r\n", "about SAUCE00 and more", ""},
		{"a.txt", "the end: SAUC", "the end: SAUC", ""},
		{"a.txt", long + "\x1aSAUCE00" + long, strings.ReplaceAll(strings.TrimSuffix(long+"\x1aSAUCE00"+long, "\r\n"), "\r\n", "|"), ""},
		{"a.txt", "\x1b[31mred\x1b[m\r\n", "\x1b[31mred\x1b[m", ""},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.HalfReader(strings.NewReader(tt.in))} {
			head := protocols.Head{URL: fetchtest.Parse(t, "gopher://h.example/9/"+tt.name), Size: -1}
			d := fetchtest.Must(Open(head, r))(t)
			var lines []string
			for l, err := range d.Lines() {
				fetchtest.NoError(t, err)
				lines = append(lines, l.Text)
			}
			got := strings.Join(lines, "|")
			if got != tt.want {
				t.Errorf("%s, %.40q: got %d lines, %.300q; want %.300q", tt.name, tt.in, len(lines), got, tt.want)
			}
			fetchtest.Equal(t, strings.Join(d.LateNotes(), "|"), tt.notes, "%s, %.40q: the notes", tt.name, tt.in)
		}
	}
}
