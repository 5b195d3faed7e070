package clean

import (
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"gofer/internal/text/charset"
)

func TestASCIILocale(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{}, false},
		{map[string]string{"LANG": "de_DE.UTF-8"}, false},
		{map[string]string{"LANG": "C.utf8"}, false},
		{map[string]string{"LANG": "C"}, true},
		{map[string]string{"LANG": "de_DE@euro", "LC_CTYPE": "de_DE.UTF-8"}, false},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "POSIX"}, true},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": ""}, false},
		{map[string]string{"LC_CTYPE": "de_DE.ISO-8859-1"}, true},
	} {
		if got := ASCIILocale(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("ASCIILocale(%v): got %v, want %v", tt.env, got, tt.want)
		}
	}
}

func TestASCII(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain \x1b[31m\t~", "plain \x1b[31m\t~"},
		{"Größe, Ærø, Łódź, ŧ", "Grose, Aro, Lodz, ?"},
		{"“quoted” – it’s… «so»", `"quoted" - it's. "so"`},
		{"┌─┬┐│ │╰═╯║▒█", "+-++| |+-+|##"},
		{"▀▟■◿─╿✀", "##**-|?"},
		{"！～ ｟", "! ~  ??"},
		{"日本 ＡＢ\u3000x", "???? A B   x"},
		{"e\u0301 Việt", "e Viet"},
		{"мир λ 👍 🇩🇪", "??? ? ?? ??"},
		{"\u021b31m\u009b31m\xff", "t31m31m?"},
		{"a\u00a0b \u2190\u2192", "a b <>"},
		{"10² ½ 5€ −1 a≠b", "10? ? 5? -1 a?b"},
	} {
		if got := ASCII(tt.in); got != tt.want {
			t.Errorf("ASCII(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		s := string(r)
		got := ASCII(s)
		if want := ansi.WcWidth.StringWidth(s); len(got) != want || !charset.IsASCII(got) {
			t.Fatalf("ASCII(%U) = %q, want %d characters of ASCII", r, got, want)
		}
		for _, c := range []byte(got) {
			if c < ' ' || c == 0x7f {
				t.Fatalf("ASCII(%U) = %q, want no control character", r, got)
			}
		}
	}
}
