package textquery

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct{ typed, text, want string }{
		{"fox", "The quick brown FOX.", "FOX"},
		{"fox", "a foxglove", "foxglove"}, // the last word may go on
		{"fox x", "a foxglove", ""},
		{`"fox"`, "a foxglove", ""},
		{"own", "brown", ""},
		{`"brown fox"`, "a brown-fox, Brown Fox", "brown-fox"},
		{`"fox brown"`, "a brown fox brown", "fox brown"},
		{`"a a b"`, "a a a b", "a a b"},
		{"cafe", "un Cafe\u0301 noir", "Cafe\u0301"},
		{"m\u00f6we", "MOWE", "MOWE"},
		{"\u672c\u8a9e", "\u65e5\u672c\u8a9e\u306e", "\u672c\u8a9e"},
		{"\u8a9e\u672c", "\u65e5\u672c\u8a9e\u306e", ""},
		{"x", "\xff\x00 \u0301 x", "x"},
		{"fox", "", ""},
	} {
		found := ""
		if from, to := Parse(tt.typed).Wanted[0].Find(tt.text); from >= 0 {
			found = tt.text[from:to]
		}
		fetchtest.Equal(t, found, tt.want, "%s in %q", tt.typed, tt.text)
	}
}

func TestParse(t *testing.T) {
	fetchtest.Equal(t, fmt.Sprint(Parse(`Caf`+"\u00e9"+` "two words" -no - last -`)), "{[{[cafe] false} {[two words] false} {[last] true}] [{[no] false}]}")
	fetchtest.Equal(t, len(Parse(strings.Repeat("a ", 100)).Wanted), maxTerms, "terms of a long search")
	fetchtest.Equal(t, len(Parse("-a +++ \x00").Wanted), 0, "without a word")
}

// TestFindIsLinear finds all words of a long line one after another, which would take hours if each search read the whole line.
func TestFindIsLinear(t *testing.T) {
	text, term, n := strings.Repeat("a ", 1<<19), Parse("a").Wanted[0], 0
	for _, to := term.Find(text); to >= 0; _, to = term.Find(text) {
		text = text[to:]
		n++
	}
	fetchtest.Equal(t, n, 1<<19, "words found")
}
