package ui

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/mattn/go-runewidth"
	"github.com/rivo/uniseg"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/ui/cell"
)

// runeWidths is a table of character widths, sorted by range.
type runeWidths []struct {
	from, to rune
	width    int
}

// readWidths reads a table of testdata/widths.
func readWidths(t testing.TB, name string) runeWidths {
	t.Helper()
	f := fetchtest.Must(os.Open("testdata/widths/" + name))(t)
	defer f.Close()
	var table runeWidths
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		table = append(table, struct {
			from, to rune
			width    int
		}{})
		r := &table[len(table)-1]
		if _, err := fmt.Sscanf(sc.Text(), "%X-%X %d", &r.from, &r.to, &r.width); err != nil {
			t.Fatalf("%s: %q: %v", name, sc.Text(), err)
		}
	}
	return table
}

func (w runeWidths) width(s string) int {
	n := 0
	for _, r := range s {
		i, found := slices.BinarySearchFunc(w, r, func(e struct {
			from, to rune
			width    int
		}, r rune,
		) int {
			switch {
			case e.to < r:
				return -1
			case e.from > r:
				return 1
			}
			return 0
		})
		if found {
			n += w[i].width
		} else {
			n++
		}
	}
	return n
}

// terminals measures the width of text with several terminals and libraries.
type terminals struct {
	emu    *vt.Emulator                // measures grapheme clusters
	others map[string]func(string) int // functions, most of which measure single characters
}

// maxEmulated is the width of the emulator.
const maxEmulated = 300

func newTerminals(t testing.TB) *terminals {
	t.Helper()
	tmux, glibc := readWidths(t, "tmux-3.3a.txt"), readWidths(t, "glibc-2.36.txt")
	return &terminals{vt.NewEmulator(maxEmulated, 1), map[string]func(string) int{
		"tmux": tmux.width, "glibc": glibc.width, "uniseg": uniseg.StringWidth,
		"runewidth": (&runewidth.Condition{StrictEmojiNeutral: true}).StringWidth,
	}}
}

// check fails the test if a terminal needs more than n cells for s. If method is
// ansi.GraphemeWidth it uses only the emulator, because the screen uses that method only in
// terminals that measure grapheme clusters.
func (w *terminals) check(t testing.TB, method ansi.Method, s string, n int) {
	t.Helper()
	_, _ = w.emu.WriteString("\r" + s)
	if got := w.emu.CursorPosition().X; got > n {
		t.Errorf("x/vt takes %d cells for %q, want at most %d", got, s, n)
	}
	if method == ansi.GraphemeWidth {
		return
	}
	for name, width := range w.others {
		if got := width(s); got > n {
			t.Errorf("%s takes %d cells for %q, want at most %d", name, got, s, n)
		}
	}
}

// TestNoCharacterIsWiderInATerminal measures all characters above ASCII that gofer shows, except 99 of 100
// ideographs and Hangul syllables.
func TestNoCharacterIsWiderInATerminal(t *testing.T) {
	w := newTerminals(t)
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		c := cell.Cells{Method: method}
		for r := rune(0xa0); r < 0x20000; r++ { // above are only ideographs and characters that gofer drops
			switch {
			case r >= 0x3400 && r < 0x9fff, r >= 0xac00 && r < 0xd7a3, r >= 0x17000 && r < 0x18cff:
				r += 99
			case r == 0xe000:
				r = 0xf900 // the private use area ends here
			}
			s := clean.Line("a" + string(r))
			w.check(t, method, s, c.Width(s))
		}
	}
}

func FuzzCells(f *testing.F) {
	w := newTerminals(f)
	for i, s := range hostileTexts() {
		f.Add(s[:min(len(s), 300)], i, 7+i)
	}
	f.Add("㉈\U0001d15f\U0001d165\U0001d16e", 0, 4)
	f.Add(strings.Repeat("ᄀ", 500), 0, 80)
	f.Add(strings.Repeat("क्", 500), 0, 80)
	f.Add("a🇩b🇪🇫🇷", 0, 5)
	f.Add("\u0d4ea", 0, 1)
	f.Fuzz(func(t *testing.T, s string, left, width int) {
		width = max(0, width) % 200
		s = clean.Line(s)
		for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
			c := cell.Cells{Method: method}
			seen, taken, _ := c.Cut(s, max(0, left)%100, width)
			if taken > width || c.Width(seen) != taken {
				t.Errorf("Cut(%q, %d, %d) = %q, %d; the text has %d cells", s, left, width, seen, taken, c.Width(seen))
			}
			if got := method.StringWidth(seen); got > taken {
				t.Errorf("the renderer takes %d cells for %q, want at most %d", got, seen, taken)
			}
			if n := 32 * max(1, taken); len(seen) > n {
				t.Errorf("Cut(%q, %d, %d) returned %d octets, want at most %d", s, left, width, len(seen), n)
			}
			w.check(t, method, seen, taken)
		}
	})
}
