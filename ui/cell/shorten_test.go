package cell

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
	}{
		{"saved /tmp/a (3 kB)", 19},
		{"saved /home/somebody/Downloads/a/b/annual-report.pdf (3 kB)", 38},
		{"not saved: open /home/somebody/Downloads/x: no space left on device", 60},
		{"not saved: open /home/somebody/Downloads/x: no space left", 38},
		{"not saved: the server of it is not one that I know of", 30},
		{"incomplete: the time limit of 60 s with no data has passed", 26},
		{"not removed: the server said 550 Couldn't delete file-0000.txt: operation not permitted", 78},
	} {
		got, n := Cells{}.Shorten(tt.text, tt.width, "…")
		if n > tt.width || n != (Cells{}).Width(got) {
			t.Errorf("Shorten(%q, %d) = %q, %d; the text takes %d cells", tt.text, tt.width, got, n, Cells{}.Width(got))
		}
		for _, word := range []string{"saved", "(3 kB)", "not", "no space left", "not permitted"} {
			if strings.Contains(tt.text, word) && !strings.Contains(got, word) {
				t.Errorf("Shorten(%q, %d) = %q; want the word %q in it", tt.text, tt.width, got, word)
			}
		}
		for _, word := range strings.Fields(got) {
			if !strings.Contains(" "+tt.text+" ", " "+word+" ") && !strings.Contains(word, "…") {
				t.Errorf("Shorten(%q, %d) = %q; the word %q is not in the text", tt.text, tt.width, got, word)
			}
		}
		if tt.width >= len(tt.text) && got != tt.text {
			t.Errorf("Shorten(%q, %d) = %q; want the whole text", tt.text, tt.width, got)
		}
	}
}

// TestShortenKeepsLastClause checks that the last clause, which often names a key, stays whole if there is room, and that a long
// one after a semicolon is left out, unless half of it has room. A key at the end stays.
func TestShortenKeepsLastClause(t *testing.T) {
	for text, want := range map[string]string{
		"mouse on; M turns it off; a click opens, the wheel scrolls, the right button goes back": "mouse on; M turns it off",
		"a filter shows single articles: Esc removes it":                                         "a filter shows …: Esc removes it",
		"killed 12 articles of \"A subject of some length\"; z undoes it":                        "killed 12 articles of …; z undoes it",
		"Averyveryverylongwordwithoutblanks: Esc removes it":                                     "Averyveryveryl…blanks: Esc removes it",
		"copied 0 files; 1 left out: the reason is that permission was denied":                   "copied 0 files; 1 left out: … denied",
		"copied 3 files and some of the others (z: undo)":                                        "copied 3 files and … others (z: undo)",
	} {
		got, n := Cells{}.Shorten(text, 37, "…")
		fetchtest.Equal(t, got, want, "%q", text)
		fetchtest.Equal(t, n, Cells{}.Width(want), "the width of %q", text)
	}
}

// TestShortenLeavesOutFolder checks that the name of a file stays whole as long as leaving out its folder makes room.
func TestShortenLeavesOutFolder(t *testing.T) {
	const saved = "saved annual-report.pdf (3 kB, in /home/somebody/Downloads); z removes it"
	for width, want := range map[int]string{
		73: saved,
		60: "saved annual-report.pdf (3 kB, in /home/so…ds); z removes it",
		40: "saved annual-report.pdf; z removes it",
		30: "saved annual…pdf; z removes it",
	} {
		got, n := Cells{}.Shorten(saved, width, "…")
		fetchtest.Equal(t, got, want, "in %d cells", width)
		fetchtest.Equal(t, n, Cells{}.Width(want), "the width in %d cells", width)
	}
}

// TestShortenName checks that only the name is cut, whatever it contains, not what says that something has failed.
func TestShortenName(t *testing.T) {
	for text, want := range map[string]string{
		"saved in part: " + OneName("Music from the year 1 by us") + ": 3 items; J lists them": "saved in part: Musi…us: 3 …; J lists them",
		"not saved: " + OneName("a; b: c (x, in y) and a long rest of it") + ": no space left": "not saved: a; b: c (x, …of it: no space left",
	} {
		got, n := Cells{}.Shorten(text, 44, "…")
		fetchtest.Equal(t, got, want, "%q", text)
		fetchtest.Equal(t, n, Cells{}.Width(want), "the width of %q", text)
	}
}
