package mimeheader

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"net/mail"
	"strings"
	"unicode/utf8"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

// MailboxName returns the name in a decoded From field, or the address if there is no name. It
// accepts the form of RFC 5322, section 3.4, and the older form "address (name)".
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

// Author returns the name in field, a raw From field, or the address if there is no name. It
// decodes the field like [Text].
func Author(r clean.Reading, field string) string {
	return MailboxName(Text(r, field[:min(len(field), 4*clean.MaxShort)]))
}

// NameFirst converts the older form of a From field, "address (Name)", to "Name <address>" (RFC
// 5322). It returns any other field unchanged.
func NameFirst(s string) string {
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

// Addresses parses a field of addresses (RFC 5322, section 3.4). Names may be in any charset. For
// an invalid field, Addresses guesses one address.
func Addresses(s string) []protocols.Address { return parseAddresses(s, Decode) }

// UndecodedAddresses is like [Addresses], but octets that are neither UTF-8 nor in encoded words stay
// unchanged.
func UndecodedAddresses(s string) []protocols.Address {
	return parseAddresses(s, func(s string) string {
		if IsEncoded(s) {
			return Decode(s)
		}
		return s
	})
}

func parseAddresses(s string, decode func(string) string) (list []protocols.Address) {
	if s == "" {
		return nil
	}
	words := &mime.WordDecoder{CharsetReader: func(name string, r io.Reader) (io.Reader, error) {
		octets, err := io.ReadAll(r)
		return strings.NewReader(charset.ToUTF8(string(octets), name)), err
	}}
	parser := mail.AddressParser{WordDecoder: words}
	all, err := parser.ParseList(s)
	comment := ""
	if err != nil || !utf8.ValidString(s) { // the parser replaces octets in comments
		var bare string
		bare, comment = cutComments(s)
		all, err = parser.ParseList(bare)
	}
	if err == nil {
		for _, a := range all {
			name := a.Name
			if len(all) == 1 {
				name = cmp.Or(name, decode(comment))
			}
			if IsEncoded(name) { // some software quotes encoded words
				name = Decode(name)
			}
			list = append(list, protocols.Address{Name: OneLine(name), Address: a.Address})
		}
		return list
	}
	s = OneLine(decode(s))
	a := protocols.Address{Name: MailboxName(s), Address: s}
	if i, j := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>'); i >= 0 && i < j {
		a.Address = s[i+1 : j]
	} else if i := strings.IndexByte(s, '('); i > 0 {
		a.Address = s[:i]
	}
	if a.Address = strings.TrimSpace(a.Address); a.Name == a.Address {
		a.Name = ""
	}
	return append(list, a)
}

// cutComments returns a field of addresses without its comments (RFC 5322, section 3.2.2), without the blanks beside
// the dots and the @ of addresses (section 4.4), and its first comment.
func cutComments(s string) (bare, comment string) {
	var b, c []byte
	depth, isQuoted, inAddress, ended := 0, false, !strings.Contains(s, "<"), false
	for i := 0; i < len(s); i++ {
		char := s[i : i+1]
		switch {
		case char == `\` && i+1 < len(s):
			char = s[i : i+2]
			i++
		case depth == 0 && char == `"`:
			isQuoted = !isQuoted
		case isQuoted:
		case char == "(":
			if depth++; depth == 1 {
				continue
			}
		case char == ")" && depth > 0:
			if depth--; depth == 0 {
				ended = true
				continue
			}
		case depth > 0:
		case char == "<" || char == ">":
			inAddress = char == "<"
		case inAddress && (char == " " || char == "\t") && (len(b) == 0 || strings.ContainsRune(" .@<", rune(b[len(b)-1]))):
			continue
		case inAddress && (char == "." || char == "@"):
			b = bytes.TrimRight(b, " \t")
		}
		switch {
		case depth == 0:
			b = append(b, char...)
		case !ended:
			c = append(c, char[len(char)-1])
		}
	}
	return string(b), string(c)
}
