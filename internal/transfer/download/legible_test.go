package download

import (
	"strings"
	"testing"
	"unicode"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestLegibleNames checks that no number of blanks, invisible or replaced characters moves the suffix of a saved name out
// of sight, and that a name that shows nothing is not used.
func TestLegibleNames(t *testing.T) {
	signs := []rune{
		' ', '\t', '\r', '\n', 0x1, 0x7f, 0x85, 0xa0, 0xad, 0x2800, 0x3000, 0x13441, 0x13442, 0x16fe4, 0x1d159, 0xe0000,
		0xe0001, 0xe0020, 0xe007f, 0xe0fff, 0xfff0,
	}
	for _, table := range []*unicode.RangeTable{
		unicode.Z, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	} {
		for _, r := range table.R16 {
			signs = append(signs, rune(r.Lo), rune(r.Hi))
		}
		for _, r := range table.R32 {
			signs = append(signs, rune(r.Lo), rune(r.Hi))
		}
	}
	nameOf := func(name string) string {
		return FileName(urlcore.FTP{Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "host.example"}}, Path: name})
	}
	for _, r := range signs {
		many := strings.Repeat(string(r), 62)
		if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			continue // visible
		}
		for _, got := range []string{harmlessName("invoice.pdf"+many+".exe", ""), treeName("invoice.pdf" + many + ".exe")} {
			if got != "invoice.pdf.exe" && got != "invoice.pdf .exe" && got != "invoice.pdf_.exe" {
				t.Errorf("name with 62 times %U: got %q, want the suffix after at most one character", r, got)
			}
		}
		fetchtest.Equal(t, harmlessName(many, ""), "", "name of 62 times %U", r)
	}
	fetchtest.Equal(t, nameOf("\u2800\u2800"), "host.example", "name of a file without a name")
	for _, tt := range []struct{ name, want string }{
		{"a b.txt", "a b.txt"},
		{"a  b.txt", "a b.txt"},
		{"a\u3000b.txt", "a\u3000b.txt"},
		{"a\u3000\u3000b", "a b"},
		{"a\u00a0 b", "a b"},
		{"a\u2800b", "a b"},
		{"a\u200bb", "ab"},
		{"gpj\u202eexe.jpg", "gpjexe.jpg"},
		{"\u3164.txt", "txt"},
		{"a\u115f\u1160b", "ab"},
		{"\u0301\u0301", "\u25cc\u0301\u0301"},
		{"a__b", "a__b"},
	} {
		fetchtest.Equal(t, harmlessName(tt.name, ""), tt.want, "harmlessName(%q)", tt.name)
	}
	for _, tt := range []struct{ name, want string }{
		{"a b", "a b"}, {"a  b", "a  b"}, {"a   b", "a   b"}, {"a    b", "a b"}, {"a\u3000b", "a\u3000b"}, {" a", " a"},
	} {
		fetchtest.Equal(t, treeName(tt.name), tt.want, "treeName(%q)", tt.name)
	}
}
