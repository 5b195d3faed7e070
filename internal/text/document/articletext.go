package document

import (
	"encoding/base64"
	"strconv"
	"strings"

	"gofer/internal/text/charset"
)

// MailboxName is the name in a From field that is decoded, or the address where
// there is none (RFC 5322, section 3.4, and the older "address (name)").
func MailboxName(s string) string {
	if i := strings.LastIndexByte(s, '<'); i >= 0 {
		if name := unquote(strings.TrimSpace(s[:i])); name != "" {
			return name
		}
		return strings.TrimSuffix(strings.TrimSpace(s[i+1:]), ">")
	}
	if i := strings.IndexByte(s, '('); i > 0 && strings.HasSuffix(s, ")") {
		if name := unquote(strings.TrimSpace(s[i+1 : len(s)-1])); name != "" {
			return name
		}
	}
	return s
}

// nameFirst is a From field in the form of RFC 5322 where it is in the older one:
// "Name <address>" for "address (Name)".
func nameFirst(s string) string {
	address, _, ok := strings.Cut(s, "(")
	address = strings.TrimSpace(address)
	if !ok || strings.ContainsAny(s, "<>") || !strings.Contains(address, "@") || strings.ContainsAny(address, `" ,`) {
		return s
	}
	name := MailboxName(s)
	if name == s {
		return s
	}
	return name + " <" + address + ">"
}

func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s[1 : len(s)-1])
}

// IsEncoded reports whether there may be encoded words in a header.
func IsEncoded(s string) bool { return strings.Contains(s, "=?") }

// DecodeHeader decodes the encoded words of a header (RFC 2047) and whatever
// else is 8-bit in it. Adjacent words of one charset are joined before: there
// is software that splits them within a character. A word that is against the
// rules stays as it is.
func DecodeHeader(s string) string {
	if !IsEncoded(s) {
		return charset.ToUTF8(s, "")
	}
	var b strings.Builder
	var octets []byte // of the words before
	name := ""        // of their charset
	plain := 0        // from here on nothing is written yet
	flush := func() {
		b.WriteString(charset.ToUTF8(string(octets), name))
		octets = octets[:0]
	}
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], "=?")
		if i < 0 {
			break
		}
		i += at
		cs, text, end, ok := encodedWord(s[i:])
		if !ok {
			at = i + 2
			continue
		}
		between := s[plain:i]
		if len(octets) == 0 || strings.TrimSpace(between) != "" {
			flush()
			b.WriteString(charset.ToUTF8(between, ""))
		} else if !strings.EqualFold(cs, name) {
			flush()
		}
		octets, name = append(octets, text...), cs
		at, plain = i+end, i+end
	}
	flush()
	b.WriteString(charset.ToUTF8(s[plain:], ""))
	return b.String()
}

// encodedWord reads the encoded word at the start of s: its charset, its
// octets, its length.
func encodedWord(s string) (charset, octets string, n int, ok bool) {
	const maxWord = 4 << 10
	f := strings.SplitN(s[2:min(len(s), maxWord)], "?", 4)
	if len(f) < 4 || f[0] == "" || strings.ContainsFunc(f[0], func(r rune) bool { return r <= ' ' || r >= 0x7f }) || !strings.HasPrefix(f[3], "=") {
		return "", "", 0, false
	}
	switch f[1] {
	case "Q", "q":
		octets = decodeQ(f[2])
	case "B", "b":
		text := strings.TrimRight(f[2], "=")
		b, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil {
			return "", "", 0, false
		}
		octets = string(b)
	default:
		return "", "", 0, false
	}
	return f[0], octets, 2 + len(f[0]) + 1 + len(f[1]) + 1 + len(f[2]) + 2, true
}

// decodeQ undoes the "Q" encoding (RFC 2047, section 4.2).
func decodeQ(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '_':
			c = ' '
		case c == '=' && i+2 < len(s):
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c = byte(v)
				i += 2
			}
		}
		b = append(b, c)
	}
	return string(b)
}
