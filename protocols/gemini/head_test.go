package gemini

import "testing"

func FuzzParseHead(f *testing.F) {
	f.Add("20 text/gemini", 2)
	f.Add("3 /", 1)
	f.Add("-1 \x00", 2)
	f.Fuzz(func(t *testing.T, s string, digits int) {
		if code, _, ok := parseHead(s, digits); ok && (code < 1 || digits == 2 && code > 99) {
			t.Errorf("parseHead(%q, %d): got code %d", s, digits, code)
		}
	})
}
