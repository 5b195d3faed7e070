// Package mimeheader decodes header fields (RFC 2047), and parses names and addresses (RFC 5322, section
// 3.4), parameters (RFC 2045, section 5.1) and file names in header fields.
package mimeheader

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
)

// IsEncoded reports whether a header field may contain encoded words.
func IsEncoded(s string) bool { return strings.Contains(s, "=?") }

// Decode decodes a header field: the encoded words (RFC 2047), and 8-bit text between them. It
// joins adjacent encoded words of one charset before it converts them, because some software splits
// text inside a character. A malformed encoded word stays unchanged.
func Decode(s string) string {
	return decodeWords(s, func(s string) string { return charset.ToUTF8(s, "") })
}

// decodeWords implements [Decode]. It decodes with the function decode the text between encoded words, and the
// octets of words whose charset is unknown or wrong.
func decodeWords(s string, decode func(string) string) string {
	if !IsEncoded(s) {
		return decode(s)
	}
	var b strings.Builder
	var octets []byte // octets of the preceding encoded words
	name := ""        // name of the charset of octets
	plain := 0        // offset of the text after the last encoded word
	flush := func() {
		b.WriteString(decodeOctets(string(octets), name, decode))
		octets = octets[:0]
	}
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], "=?")
		if i < 0 {
			break
		}
		i += at
		cs, text, end, ok := parseEncodedWord(s[i:])
		if !ok {
			at = i + 2
			continue
		}
		between := s[plain:i]
		if len(octets) == 0 || strings.TrimSpace(between) != "" {
			flush()
			b.WriteString(decode(between))
		} else if !strings.EqualFold(cs, name) {
			flush()
		}
		octets, name = append(octets, text...), cs
		at, plain = i+end, i+end
	}
	flush()
	b.WriteString(decode(s[plain:]))
	return b.String()
}

// decodeOctets decodes the octets of encoded words in the named charset.
func decodeOctets(octets, name string, decode func(string) string) string {
	if charset.ByName(name) != nil {
		return charset.ToUTF8(octets, name)
	}
	if c, ok := charset.Parse(name); ok && c == charset.UTF8 && utf8.ValidString(octets) {
		return octets
	}
	return decode(octets)
}

// parseEncodedWord parses the encoded word at the start of s. It returns the charset and the octets
// of the word, and the length n of the word in s.
func parseEncodedWord(s string) (charset, octets string, n int, ok bool) {
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

// decodeQ decodes the "Q" encoding (RFC 2047, section 4.2).
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

// DecodeAs is like [Decode], but uses r to decode what is not in encoded words of known charsets.
func DecodeAs(r clean.Reading, s string) string { return decodeWords(s, r.Decode) }

// Text decodes a header field like [DecodeAs], and makes it safe to show on one row.
func Text(r clean.Reading, s string) string {
	if !IsEncoded(s) {
		return r.Text(s)
	}
	return clean.Text(DecodeAs(r, s))
}

// OneLine replaces each line end and tab with a blank.
func OneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n\t\v\f\u0085\u2028\u2029") {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '\r', '\n', '\t', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, s)
}
