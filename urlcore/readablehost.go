package urlcore

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// ReadableHost returns a host name with the characters for which its labels in ASCII stand (RFC 5891,
// section 5: "xn--"). The result mixed reports whether the characters are of scripts that are not usually
// written together, so that a name may look like another one (UTS #39, section 5.2: highly restrictive).
// The whole name is examined, since a label of Cyrillic letters before ".com" may look like one of Latin letters.
func ReadableHost(host string) (name string, mixed bool) {
	if !strings.Contains(host, "xn--") {
		return host, false
	}
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if !strings.HasPrefix(label, "xn--") {
			continue
		}
		readable, err := idna.Display.ToUnicode(label)
		if again, back := idna.Lookup.ToASCII(readable); err != nil || back != nil || again != label {
			return host, false
		}
		labels[i] = readable
	}
	name = strings.Join(labels, ".")
	return name, mixesScripts(name)
}

// writtenTogether are the scripts that a name may have together.
var writtenTogether = [...][]string{
	{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Bopomofo"}, {"Latin", "Han", "Hangul"},
}

func mixesScripts(name string) bool {
	var scripts []string
	for _, r := range name {
		if s := scriptOf(r); s != "" && !slices.Contains(scripts, s) {
			scripts = append(scripts, s)
		}
	}
	return len(scripts) > 1 && !slices.ContainsFunc(writtenTogether[:], func(allowed []string) bool {
		return !slices.ContainsFunc(scripts, func(s string) bool { return !slices.Contains(allowed, s) })
	})
}

// scriptOf returns the script of r, or "" if r belongs to several.
func scriptOf(r rune) string {
	for name, table := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && unicode.Is(table, r) {
			return name
		}
	}
	return ""
}
