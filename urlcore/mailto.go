package urlcore

import "strings"

// Mailto is the mailing address of a person or service (RFC 1738, section 3.5):
//
//	mailto:<rfc822-addr-spec>
//
// In RFC 1738 it is one address without header fields. A Parser with MailFields also accepts
// several addresses with commas between them, and the header fields of RFC 6068, even without an
// address. The address may begin with "-", so a program that passes it to a mailer must write "--"
// before it.
type Mailto struct {
	Address string // octets in the original case
	Fields  string // canonical text after the "?": field=value&field=value
}

func (Mailto) Scheme() string { return "mailto" }

func (u Mailto) String() string {
	var buf [bufSize]byte
	b := append(buf[:0], "mailto:"...)
	if u.Fields == "" && hasOnly(u.Address, inSelector) {
		return join(b, u.Address)
	}
	b = appendEscaped(b, u.Address, inSelector)
	if u.Fields != "" {
		b = append(append(b, '?'), u.Fields...)
	}
	return string(b)
}

// parseMailto parses mailtourl (RFC 1738, section 5; RFC 822, section 6.1).
func (st *state) parseMailto(s string, off int) *Error {
	fields := ""
	more := st.mailFields && !st.strict && st.dialect == RFC1738
	if more && st.marks&markQuestion != 0 && !isAddrSpec(unescape(s), true) {
		s, fields, _ = strings.Cut(s, "?")
		fields = recodeText(fields, 0)
	}
	a := s
	if st.marks&markPercent != 0 {
		a = unescape(s)
	}
	if strings.HasPrefix(a, ":") && (!st.strict || st.dialect == Draft199310 || st.dialect == Draft199403) {
		a = a[1:]
	}
	if st.strict && st.dialect != RFC1738 {
		at := max(0, strings.LastIndexByte(s, '@'))
		if err := st.checkReserved(strings.TrimPrefix(s[:at], ":"), off, st.missingInXalphas()); err != nil {
			return err
		}
	}
	if err := checkAddress(a, fields, st.strict, more, off, st.marks&(markPercent|markEight) != 0); err != nil {
		return err
	}
	st.url = Mailto{a, fields}
	return nil
}

// checkAddress checks the address a. The parameter fields is the text of the header fields. If it
// is not empty, a may be empty. If the parameter several is true, a may contain several addresses
// with commas between them. The caller may set checkOctets to false if it knows that all octets are
// visible ASCII or blanks.
func checkAddress(a, fields string, strict, several bool, off int, checkOctets bool) *Error {
	for i := 0; checkOctets && i < len(a); i++ {
		if c := a[i]; c == 0 || c == '\r' || c == '\n' || c >= 0x80 {
			return fail(IllegalOctet, off, "a mail address cannot contain line ends, NUL or octets beyond ASCII")
		}
	}
	if a == "" && fields != "" || isAddrSpec(a, strict) {
		return nil
	}
	for one := range strings.SplitSeq(a, ",") {
		if !several || !isAddrSpec(one, true) || one == a {
			return fail(BadAddress, off, "a mail address has the form name@host")
		}
	}
	return nil
}

// isAddrSpec reports whether a is an addr-spec (RFC 822, section 6.1). If strict is false, the
// domain may be missing or may be invalid as a host.
func isAddrSpec(a string, strict bool) bool {
	n := localPartLength(a)
	if n == 0 {
		return false
	}
	if n == len(a) {
		return !strict && strings.IndexByte(a, '?') < 0
	}
	if a[n] != '@' {
		return false
	}
	domain := a[n+1:]
	if isDomainLiteral(domain) {
		return true
	}
	if h, err := parseOnlyHost(domain, 0); err == nil && !isDigit(h[strings.LastIndexByte(h, '.')+1]) {
		return true
	} else if strict {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if isDomainLiteral(label) {
			continue
		}
		if label == "" || !hasOnly(label, inGroup) || strings.IndexByte(label, '+') >= 0 {
			return false
		}
	}
	return true
}

// localPartLength returns the length of the local-part at the start of a, or 0 if there is none. A
// local-part consists of words with dots between them (RFC 822, section 6.1).
func localPartLength(a string) int {
	i := 0
	for {
		start := i
		if i < len(a) && a[i] == '"' {
			i = quotedEnd(a, i+1, '"')
		} else {
			i += prefixLength(a[i:], inAtom)
		}
		if i == start || i < 0 {
			return 0
		}
		if i == len(a) || a[i] != '.' {
			return i
		}
		i++
	}
}

// quotedEnd returns the index after the end of a quoted-string or domain-literal, or -1 if it is
// malformed. The parameter i is the index after its opening octet, and end is its closing octet.
func quotedEnd(a string, i int, end byte) int {
	for ; i < len(a); i++ {
		switch a[i] {
		case end:
			return i + 1
		case '\\':
			i++
		case '[', '\r':
			if a[i] == '\r' || end == ']' {
				return -1
			}
		}
	}
	return -1
}

func isDomainLiteral(s string) bool {
	return len(s) >= 2 && s[0] == '[' && quotedEnd(s, 1, ']') == len(s)
}

func (u Mailto) canon() (URL, *Error) {
	if badEscapeIndex(u.Fields) >= 0 {
		return nil, fail(BadEscape, 0, `"%" begins no escape in the fields`)
	}
	if scan(u.Fields)&(markControl|markHash) != 0 {
		return nil, fail(IllegalChar, 0, `a control character or "#" must be encoded`)
	}
	u.Fields = recodeText(u.Fields, 0)
	if err := checkAddress(u.Address, u.Fields, false, true, 0, true); err != nil {
		return nil, err
	}
	return u, nil
}

// Header returns the header fields in the order of the URL, with their names in lower case. The
// address is the field "to". The values are decoded octets, and "+" is not a blank (RFC 6068,
// section 5). Header omits malformed fields.
func (u Mailto) Header() (fields [][2]string) {
	address, rest := u.Address, u.Fields
	if a, f, ok := strings.Cut(address, "?"); ok && rest == "" {
		name, _, _ := strings.Cut(f, "=")
		switch strings.ToLower(name) {
		case "to", "cc", "bcc", "subject", "body":
			address, rest = a, escape(f, inSelector) // by RFC 1738, "?to=name@host" is a part of the address
		}
	}
	if address != "" {
		fields = append(fields, [2]string{"to", address})
	}
	for field := range strings.SplitSeq(strings.ReplaceAll(rest, "&amp;", "&"), "&") {
		if name, value, ok := strings.Cut(field, "="); ok && name != "" {
			fields = append(fields, [2]string{strings.ToLower(unescape(name)), unescape(value)})
		}
	}
	return fields
}

func (Mailto) Kind() string { return "mail" }

func (u Mailto) warnings() Warnings {
	return warnOctets(u.Address) | warnExtension(u.Fields != "" || u.Address == "" || !isAddrSpec(u.Address, false))
}

func (u Mailto) parts(b *partList) {
	b.addOctets("addr-spec", u.Address, inSelector, "3.5", "the mail address (RFC 822)")
	if u.Fields != "" {
		b.addDelimiter("?", "3.5", "begins header fields (RFC 6068)")
		b.addEncoded("fields", u.Fields, "3.5", "the header fields and the body of the message (RFC 6068)")
	}
}
