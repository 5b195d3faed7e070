package wire

import "strings"

const shortSecret = 4 // a secret of fewer octets is masked only as a word

// Mask replaces secret by "****" in a text of a server. Blanks around the secret are ignored,
// because servers trim them.
//
// A secret of one to three octets is masked only where no letter, digit or octet beyond ASCII is
// next to it: the password "2" is masked in "login 2 failed" but not in "2026". Otherwise no date
// would be legible.
func Mask(text, secret string) string {
	const mask = "****"
	secret = strings.Trim(secret, " \t")
	if strings.Trim(secret, "*") == "" { // the secret is empty, or has only stars
		return text
	}
	if len(secret) >= shortSecret {
		return strings.ReplaceAll(text, secret, mask)
	}
	var b strings.Builder
	done := 0 // octets of text in b
	for at := 0; ; {
		i := strings.Index(text[at:], secret)
		if i < 0 {
			b.WriteString(text[done:])
			return b.String()
		}
		i += at
		end := i + len(secret)
		if i > 0 && isWord(text[i-1]) || end < len(text) && isWord(text[end]) {
			at = i + 1
			continue
		}
		b.WriteString(text[done:i])
		b.WriteString(mask)
		done, at = end, end
	}
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
