package cli

import (
	"fmt"
	"strings"
	"unicode"

	"gofer/internal/text/clean"
	"gofer/urlcore"
)

// isShellPlain reports whether neither bash, zsh, fish nor PowerShell gives c a meaning inside a word. A comma and
// typographic quotes have a meaning in PowerShell, "~" has one after ":" and "=". The word begins with a letter or with
// the text typed, so that completions do not begin it with "-", "=", "@" or "%".
func isShellPlain(c rune) bool {
	return c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("-._/:@%+=", c))
}

// shellURL returns a text of the canonical URL u that a shell leaves as it is: the other characters are escaped. It
// returns false if that would be another URL, as with "?" and "&" in the query of an HTTP URL.
func shellURL(u string) (text string, ok bool) {
	want, err := urlcore.Parse(u)
	if err != nil {
		return "", false
	}
	if f, ok := want.(urlcore.FTP); ok && f.Type != 0 { // ";type=": for a directory a slash says the same
		if f.Type == 'd' && f.Path != "" && !strings.HasSuffix(f.Path, "/") {
			f.Path += "/"
		}
		f.Type = 0
		want = f
	}
	var b strings.Builder
	for _, c := range []byte(want.String()) {
		if isShellPlain(rune(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	same, err := urlcore.Parse(b.String())
	return b.String(), err == nil && same == want
}

// unescapeShellURL undoes the escapes that only shellURL writes in the text typed, so that the history finds it.
func unescapeShellURL(typed string) string {
	const escaped = "!$&'()*,;?"
	var pairs []string
	for _, c := range []byte(escaped) {
		pairs = append(pairs, fmt.Sprintf("%%%02X", c), string(rune(c)))
	}
	return strings.NewReplacer(pairs...).Replace(typed)
}

// shellTitle returns a title as the description of a completion. Even descriptions reach the command line: a shell that
// ignores case inserts them after two URLs that differ only in case.
func shellTitle(title string) string {
	plain := strings.Map(func(c rune) rune {
		if isShellPlain(c) || c >= 0x80 && (unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c)) {
			return c
		}
		return ' '
	}, clean.Text(title))
	return strings.Join(strings.Fields(plain), " ")
}
