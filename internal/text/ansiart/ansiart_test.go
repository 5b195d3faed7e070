package ansiart

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"gofer/internal/testbed/fetchtest"
)

// TestRender checks what a terminal of 80 columns shows.
func TestRender(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"", 0, ""},
		{"a\r\nb\nc", 0, "a|b|c"},
		{"a\x1b[5Cb", 0, "a     b"},
		{"a\x1b[Cb\x1b[2Dc", 0, "acb"},
		{strings.Repeat("x", 85), 0, strings.Repeat("x", 80) + "|xxxxx"},
		{strings.Repeat("x", 80) + "\r\ny", 0, strings.Repeat("x", 80) + "|y"},
		{strings.Repeat("x", 45), 40, strings.Repeat("x", 40) + "|xxxxx"},
		{"abc\x1b[H\x1b[31mZ\x1b[m", 0, "\x1b[31mZ\x1b[mbc"},
		{"\x1b[2;3Hx\x1b[1;1Hy", 0, "y|  x"},
		{"a\x1b[s\x1b[3Bb\x1b[uc", 0, "ac||| b"},
		{"one\x1b[2Jtwo", 0, "two"},
		{"one\r\ntwo\x1b[s\x1b[2J\x1b[ux", 0, "|   x"},
		{"a\x1b[250Bb\x1b[s\x1b[2J\x1b[uc", 0, strings.Repeat("|", 200) + "  c"},
		{strings.Repeat("x", 80) + "\x1b[s\r\n\x1b[uy", 0, strings.Repeat("x", 80) + "|y"},
		{"one\r\ntwo\r\nthree\x1b[H\x1b[Jfour\r\n\nfive", 0, "four||five"},
		{"a\x1b[Bb\x1b[Ac\x1b[K", 0, "a c| b"},
		{"abc\x1b[2D\x1b[K", 0, "a"},
		{"\xb0\xb1\xdb\xc9\xcd\xbb", 0, "░▒█╔═╗"},
		{"é░", 0, "é░"},
		{"\x1b[1;33;44m  \x1b[0m  ", 0, "\x1b[1;33;44m  \x1b[m"},
		{"a\x1ahidden", 0, "a"},
		{"a\x1b[9999999Cb\x1b[99999999999999999999Dc", 0, "c" + strings.Repeat(" ", 78) + "b"},
		{"a\x1b]0;t\a", 0, "a←]0;t•"},
		{"a\tb", 0, "a       b"},
	} {
		lines, whole := render(tt.in, tt.width)
		fetchtest.Equal(t, strings.Join(lines, "|"), tt.want, "%q", tt.in)
		fetchtest.Equal(t, whole, true, "%q: whole", tt.in)
	}
}

// render renders a drawing in UTF-8 or CP437.
func render(in string, width int) (lines []string, whole bool) {
	var high *[128]rune
	if !utf8.ValidString(in) {
		high = new([128]rune)
		for i := range high {
			high[i] = charmap.CodePage437.DecodeByte(byte(0x80 + i))
		}
	}
	return Render([]byte(in), width, high)
}

// TestLastRow checks that the rows below the last one are left out, and that the last row stays as it is.
func TestLastRow(t *testing.T) {
	for _, tt := range []struct {
		rows  int
		after string
		whole bool
	}{
		{MaxRows, "", true},
		{MaxRows, "\x1b[1Ax", true},
		{MaxRows + 1, "", false},
		{2 * MaxRows, "", false},
	} {
		lines, whole := render(strings.Repeat("row\r\n", tt.rows)+tt.after, 0)
		last := "row"
		if tt.after != "" {
			last = "xow"
		}
		if len(lines) != MaxRows || lines[MaxRows-1] != last || whole != tt.whole {
			t.Errorf("%d rows, %q: got %d lines, the last one %q, whole %v", tt.rows, tt.after, len(lines), lines[len(lines)-1], whole)
		}
	}
}

// TestIsDrawing checks that texts with colors, and the output of programs that rewrite their last lines, are no drawings.
func TestIsDrawing(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want bool
	}{
		{"\x1b[2J\x1b[5Cx\r\n\x1b[5Cy", true},
		{"\x1b[2;3Hx\x1b[1;1Hy", true},
		{"\x1b[20A\x1b[41Cos\r\n\x1b[41Chost", true},
		{"a\x1b[5Cb", false},
		{"\x1b[H\x1b[2J$ make\n", false},
		{strings.Repeat("\x1b[H\x1b[2J\x1b[3Jtop\n", 3), false},
		{strings.Repeat("\x1b[35m\x1b[Ka.go\x1b[m\x1b[K:x\n", 3), false},
		{strings.Repeat("50%\r60%\r", 3), false},
		{strings.Repeat("\x1b[1A\x1b[2Kpull\x1b[1B\x1b[0G", 9), false},
		{strings.Repeat("\x1b[1A\x1b[100D50%\n", 9), false},
		{strings.Repeat("\x1b7\x1b[24;0f\x1b[K50%\x1b8", 9), false},
		{"", false},
	} {
		fetchtest.Equal(t, IsDrawing([]byte(tt.in)), tt.want, "%q", tt.in)
	}
}

// TestBounds checks that moves of the cursor make neither a drawing large nor the work to render it, however many rows
// are erased between them. The memory that is allocated shows the work.
func TestBounds(t *testing.T) {
	deep := strings.Repeat("\n", 200) + "x"
	deep = strings.Repeat(deep, 60) + "\x1b[s"
	for _, tt := range []struct{ before, repeated string }{
		{"", "\x1b[99999999Bx\x1b[9999;9999Hy"},
		{deep, "\x1b[2J\x1b[ux"},
		{deep, "\x1b[H\x1b[J\x1b[ux"},
		{deep, "\x1b[2J\x1b[200;320Hx"},
		{deep, "\x1b[2J\x1b[999Bx\x1b[999Bx"},
		{deep, "\x1b[H\x1b[J\x1b[999;320Hx"},
		{deep, "\x1b[G\x1b[K\x1b[320Gx"},
		{deep, "\x1b[s\x1b[2J\x1b[u\x1b[999Bx"},
		{deep, "\x1b[A\x1b[J\x1b[999Bx"},
		{deep, "\x1b[9999L\x1b[9999M\x1b[9999Sx"},
		{"", "\x01"},
		{"", "\n"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lines, _ := render(tt.before+strings.Repeat(tt.repeated, (1<<20)/len(tt.repeated)), 1<<15)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; len(lines) > MaxRows || used > 150<<20 {
			t.Errorf("%q: got %d lines with %d MiB", tt.repeated, len(lines), used>>20)
		}
	}
}

// record returns a SAUCE record with comments.
func record(dataType, fileType byte, width int, comments ...string) string {
	text := "\x1a"
	for i, c := range comments {
		if i == 0 {
			text += "COMNT"
		}
		text += fmt.Sprintf("%-64s", c)
	}
	return text + "SAUCE00" + fmt.Sprintf("%-35s%-20s%-20s", "A title", "Ann", "The group") + "19960504" + "\x00\x00\x00\x00" +
		string([]byte{dataType, fileType, byte(width), byte(width >> 8), 25, 0, 0, 0, 0, 0, byte(len(comments)), 0}) + strings.Repeat("\x00", 22)
}

func TestCut(t *testing.T) {
	for _, comments := range [][]string{nil, {"One", "Two"}} {
		octets, s := Cut([]byte("text" + record(1, 1, 132, comments...)))
		if s == nil {
			t.Fatal("there is no record")
		}
		fetchtest.Equal(t, string(octets), "text", "the content")
		fetchtest.Equal(
			t, s.String(), strings.Join(append([]string{"“A title” by Ann, The group, 1996-05-04"}, comments...), ", "),
			"the description",
		)
		fetchtest.Equal(t, s.Width, 132, "the width")
	}
	for _, in := range []string{"", "SAUCE00", "text\x1aSAUCE00 of a text", record(1, 1, 80)[:100]} {
		octets, s := Cut([]byte(in))
		if s != nil || string(octets) != in {
			t.Errorf("Cut(%q): got %q, %v", in, octets, s)
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add([]byte("a\x1b[5Cb\x1b[s\x1b[u\x1b[2J"))
	f.Fuzz(func(t *testing.T, b []byte) {
		b, _ = Cut(b)
		if lines, _ := render(string(b), 0); len(lines) > MaxRows {
			t.Errorf("got %d lines", len(lines))
		}
	})
}
