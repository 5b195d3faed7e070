package match

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

func TestPattern(t *testing.T) {
	article := &protocols.ArticleNote{Subject: "x", From: "=?UTF-8?Q?J=C3=BCrgen?= <j@example.org>", MessageID: "42@example.org"}
	for _, tt := range []struct {
		typed string
		words bool
		text  string
		note  protocols.Note
		want  int // start of the match, or -1
	}{
		{"needle", false, "A Needle in it", nil, 2},
		{"Needle", false, "A needle in it", nil, -1},
		{"Needle", false, "A Needle in it", nil, 2},
		{"äh", false, "x ÄH", nil, 2},
		{"in needle", false, "needle in it", nil, -1},
		{"in it", false, "needle in it", nil, 7},
		{"it needle", true, "needle in it", nil, 10},
		{"it  Needle", true, "needle in it", nil, -1},
		{"it pin", true, "needle in it", nil, -1},
		{`\vn.e+d`, false, "A NEEDLE", nil, 2},
		{`\vN.e+d`, false, "A NEEDLE", nil, -1},
		{`\v\Sneed`, false, "XNEEDLE", nil, 0},
		{`\v^need|it$`, true, "A needle in it", nil, 12},
		{`\v\p{Lu}x`, false, "aÄx", nil, 1},
		{`\v\x41`, false, "xA", nil, 1},
		{`\v^$`, false, "", nil, 0},
		{`\v^$`, false, "x", nil, -1},
		{"می\u200cخواهم", false, "می\u200cخواهم", nil, 0},
		{"میخواهم", false, "x می\u200cخواهم", nil, 2},
		{"می\u200cخواهم", false, "x میخواهم", nil, 2},
		{"میخ\u200cواهم", true, "x می\u200cخواهم", nil, 2},
		{"Wörter", false, "die Wör\u00adter", nil, 4},
		{"hyphen", false, "soft hy\u00adphen", nil, 5},
		{"description", false, "name", &protocols.GroupNote{Description: "A Description"}, 0},
		{"moderated", false, "name", &protocols.GroupNote{Status: 'm'}, 0},
		{"target", false, "link", &protocols.FileNote{Target: "the/target"}, 0},
		{"jürgen", false, "subject", article, 0},
		{"jürgen subj", true, "the subject", article, 4},
		{"j@example.org", false, "subject", article, 0},
		{"jürgen <j@", false, "subject", article, 0},
		{"<42@example.org>", false, "subject", article, 0},
		{"43@example.org", false, "subject", article, -1},
		{"jürgen nobody", true, "the subject", article, -1},
		{`\v^j.rgen$`, false, "the subject", article, 0},
	} {
		p, err := New(tt.typed, tt.words)
		if err != nil {
			t.Errorf("New(%q): %v", tt.typed, err)
			continue
		}
		got, ok := p.Match(clean.Reading{}, tt.text, tt.note)
		if !ok {
			got = -1
		}
		fetchtest.Equal(t, got, tt.want, "%q in %q", tt.typed, tt.text)
	}
	for _, typed := range []string{"", `\v`} {
		if p, err := New(typed, true); p != nil || err != nil {
			t.Errorf("New(%q) = %v, %v; want nil, nil", typed, p, err)
		}
	}
	if p, _ := New("  ", true); p != nil {
		t.Error("New of two blanks returned a pattern, want nil")
	}
}

func TestWrongRegexp(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{`\v(a`, "missing closing ): (a"},
		{`\va**`, "invalid nested repetition operator: **"},
		{`\v(.?){900}z`, "expression too complex"},
		{`\v[z-a]`, "invalid character class range: z-a"},
		{`\v(` + strings.Repeat("long", 20), "missing closing )"},
	} {
		if _, err := New(tt.typed, false); fmt.Sprint(err) != tt.want {
			t.Errorf("New(%q): got the error %v, want %s", tt.typed, err, tt.want)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, tt := range []struct {
		typed, text, want string
	}{
		{"a", "banana", "[[1 2] [3 4] [5 6]]"},
		{"ana nan", "banana", "[[1 5]]"},
		{"ana nan", "Banana NAN", "[[1 5] [7 10]]"},
		{"ab b", "ab b", "[[0 2] [3 4]]"},
		{`\vx*`, "axxa", "[[1 3]]"},
		{`\v^a`, "aa", "[[0 1]]"},
		{"z", "banana", "[]"},
		{"hyphen", "a hy\u00adphen, hyphen", "[[2 10] [12 18]]"},
		{"Hyphen", "a Hy\u00adphen", "[[2 10]]"},
	} {
		p, _ := New(tt.typed, true)
		fetchtest.Equal(t, fmt.Sprint(p.Marks(tt.text)), tt.want, "%q in %q", tt.typed, tt.text)
	}
}

func TestNarrows(t *testing.T) {
	for _, tt := range []struct {
		old, typed string
		want       bool
	}{
		{"ca", "cat", true},
		{"cat", "cat dog", true},
		{"cat", "catD", true},
		{"cat", "ca", false},
		{"cat", "bcat", false},
		{`\`, `\vx`, false},
		{`\vx`, `\vxy*`, false},
		{`\va|b`, `\va|bc`, false},
	} {
		old, _ := New(tt.old, true)
		p, _ := New(tt.typed, true)
		fetchtest.Equal(t, p.Narrows(old), tt.want, "%q after %q", tt.typed, tt.old)
	}
	if p, _ := New("x", true); p.Narrows(nil) {
		t.Error("Narrows(nil) = true; want false")
	}
}

// TestLongLine checks that a regular expression matches only in the first maxRegexpLine octets of a line.
func TestLongLine(t *testing.T) {
	p := fetchtest.Must(New(`\vne+dle`, false))(t)
	for _, before := range []int{10, maxRegexpLine - 6, maxRegexpLine} {
		line := strings.Repeat("x", before) + "needle" + strings.Repeat("x", maxRegexpLine)
		if at, n := p.find(0, line); (at == before && n == 6) != (before < maxRegexpLine) {
			t.Errorf("a match at %d: find returned the offset %d and the length %d", before, at, n)
		}
	}
}

// TestNewFound matches and marks the words of a search in texts.
func TestNewFound(t *testing.T) {
	for _, tt := range []struct {
		typed, text, all, one string
	}{
		{"brown fox", "A Brown dog and brown foxes", "2-7 16-21 22-27", "2-7 16-21 22-27"},
		{"brown fox", "a brown crown", "", "2-7"},
		{"cafe", "Caf\u00e9 noir", "0-5", "0-5"},
		{"fox -brown", "fox", "0-3", "0-3"},
		{"note", "x", "0-0", "0-0"}, // only the note matches
		{"-brown", "brown", "", ""},
	} {
		marks := func(anyTerm bool) string {
			p := NewFound(tt.typed, anyTerm)
			if p == nil {
				return ""
			}
			if _, ok := p.Match(clean.Reading{}, tt.text, &protocols.FileNote{Target: "the note"}); !ok {
				return ""
			}
			var marks []string
			for _, m := range p.Marks(tt.text) {
				marks = append(marks, fmt.Sprintf("%d-%d", m[0], m[1]))
			}
			return cmp.Or(strings.Join(marks, " "), "0-0")
		}
		fetchtest.Equal(t, marks(false), tt.all, "%q with all of %q", tt.text, tt.typed)
		fetchtest.Equal(t, marks(true), tt.one, "%q with one of %q", tt.text, tt.typed)
	}
}
