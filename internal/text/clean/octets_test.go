package clean

import (
	"strconv"
	"strings"
	"testing"
)

func TestOctets(t *testing.T) {
	for octets, want := range map[string]string{
		"":               "",
		"plain ~":        "plain ~",
		"a\tb\r\n":       `a\tb\r\n`,
		`\t`:             `\\t`,
		"\x00\x1b\x7f":   `\x00\x1B\x7F`,
		"\xe9\xc3\xa9":   `\xE9\xC3\xA9`,
		"\u202e\u009b2J": `\xE2\x80\xAE\xC2\x9B2J`,
	} {
		if got := Octets(octets); got != want {
			t.Errorf("Octets(%q) = %s, want %s", octets, got, want)
		}
	}
}

// FuzzOctets checks that a C or Go compiler would read the result as the original octets.
func FuzzOctets(f *testing.F) {
	f.Add("a\tb\r\n\\\x00\xff\"")
	f.Fuzz(func(t *testing.T, s string) {
		back, err := strconv.Unquote(`"` + strings.ReplaceAll(Octets(s), `"`, `\"`) + `"`)
		if err != nil || back != s {
			t.Errorf("Octets(%q) = %s, which reads %q (%v)", s, Octets(s), back, err)
		}
	})
}
