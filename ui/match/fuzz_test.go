package match

import (
	"testing"

	"gofer/internal/text/clean"
)

// FuzzPattern searches a text for a typed pattern. It checks that the marks are in order and in the text, that
// a text with a mark matches, and that a pattern that narrows another finds no further lines.
func FuzzPattern(f *testing.F) {
	f.Add("b c", "a b C", true)
	f.Add(`\v(a|b)+$`, "xab", false)
	f.Add("İ", "aİi̇", false)
	f.Add("ſS", "ſsſs\xff", true)
	f.Add(`\v[[:upper:]]\x41`, "A", false)
	f.Fuzz(func(t *testing.T, typed, text string, words bool) {
		p, err := New(typed, words)
		if p == nil || err != nil {
			return
		}
		at, ok := p.Match(clean.Reading{}, text, nil)
		if at < 0 || at > len(text) {
			t.Errorf("%q matches %q at %d", typed, text, at)
		}
		end := 0
		marks := p.Marks(text)
		for _, m := range marks {
			if m[0] < end || m[1] <= m[0] || m[1] > len(text) {
				t.Errorf("the marks of %q in %q are %v", typed, text, marks)
			}
			end = m[1]
		}
		if len(marks) > 0 && !ok && (!words || len(p.words) < 2) {
			t.Errorf("%q has the marks %v in %q, but does not match", typed, marks, text)
		}
		for i := range typed {
			shorter, err := New(typed[:i], words)
			if err != nil || shorter == nil || !ok || !p.Narrows(shorter) {
				continue
			}
			if _, found := shorter.Match(clean.Reading{}, text, nil); !found {
				t.Errorf("%q matches %q, but %q, which it narrows, does not", typed, text, typed[:i])
			}
		}
	})
}
