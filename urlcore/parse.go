package urlcore

import (
	"strings"
	"unicode/utf8"
)

// state is the state of a parser. All offsets are offsets in the field input.
type state struct {
	input      string
	newsHost   string
	fragment   string
	fragmentAt int // the offset of the fragment
	url        URL
	dialect    Dialect
	warnings   Warnings // warnings that [WarningsOf] does not find
	strict     bool
	inText     bool
	mailFields bool
	ownNNTP    bool
	plainHosts bool  // hosts have only characters that RFC 1738 allows
	marks      uint8 // the marks of the octets of the text, see scan
}

// parse parses a full URL. If the URL has several faults, the order of the checks decides which
// fault is reported.
func (st *state) parse(s string) error {
	if err := st.checkFull(s); err != nil {
		err.Input, err.Offset = st.input, min(err.Offset, len(st.input))
		return err
	}
	return nil
}

func (st *state) checkFull(s string) *Error {
	if s == "" {
		return fail(Empty, 0, "the URL is empty")
	}
	st.marks = scan(s)
	if st.marks&markControl != 0 {
		i := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F })
		return fail(IllegalChar, i, "a control character must be encoded")
	}
	off := 0
	var err *Error
	if st.marks&markUnsafe != 0 || s[0]|0x20 == 'u' || st.strict {
		if s, off, err = st.unwrap(s); err != nil {
			return err
		}
	}
	if st.marks&markHash != 0 {
		if s, err = st.cutFragment(s, off); err != nil {
			return err
		}
	}
	colon := prefixLength(s, inScheme)
	if colon == 0 || colon == len(s) || s[colon] != ':' {
		return schemeError(s, colon, off)
	}
	name := s[:colon]
	if st.dialect != RFC1738 {
		if err := st.checkDraftScheme(name, off); err != nil {
			return err
		}
	}
	if st.marks&markOdd != 0 || st.strict && st.dialect != RFC1738 {
		if s, err = st.checkCharacters(s, colon+1, off); err != nil {
			return err
		}
		if err := st.checkFragment(); err != nil {
			return err
		}
	}
	if err := st.parseScheme(name, s[colon+1:], off+colon+1); err != nil {
		return err
	}
	if st.strict && st.dialect == Draft199403 {
		return checkDraftHost(s, off)
	}
	return nil
}

// checkDraftHost returns an error if a label of the host in the URL s does not begin with a letter, as the March 1994 draft
// requires (BNF: hostname).
func checkDraftHost(s string, off int) *Error {
	_, rest, _ := strings.Cut(s, ":")
	host := authorityOf(rest)
	host = host[strings.LastIndexByte(host, '@')+1:]
	host, _, _ = strings.Cut(host, ":")
	if host == "" || prefixLength(host[strings.LastIndexByte(host, '.')+1:], inScheme) == 0 || isDigit(host[strings.LastIndexByte(host, '.')+1]) {
		return nil // no host, or an address
	}
	for label := range strings.SplitSeq(host, ".") {
		if label != "" && isDigit(label[0]) {
			return fail(BadHost, off+strings.Index(s, host), "in the March 1994 draft a part of a host name begins with a letter")
		}
	}
	return nil
}

// unwrap removes surrounding blanks, angle brackets and "URL:" (RFC 1738, appendix).
func (st *state) unwrap(s string) (string, int, *Error) {
	off := 0
	if !st.strict && st.marks&markUnsafe != 0 {
		s, off = trimBlanks(s, 0)
		if len(s) >= 2 && s[0] == '<' && s[len(s)-1] == '>' {
			s, off = trimBlanks(s[1:len(s)-1], off+1)
		}
	}
	if !hasURLPrefix(s) {
		if st.strict && st.dialect == Draft199403 && !st.inText {
			return s, off, fail(BadPrefix, off, `the March 1994 draft requires "URL:" in front`)
		}
		if s == "" {
			return s, off, fail(Empty, off, "the URL is empty")
		}
		return s, off, nil
	}
	if st.strict && st.dialect != Draft199403 {
		return s, off, fail(BadPrefix, off, `"URL:" is not part of the URL`)
	}
	s, off = s[4:], off+4
	if !st.strict {
		s, off = trimBlanks(s, off)
	}
	if hasURLPrefix(s) {
		return s, off, fail(BadPrefix, off, `there are two "URL:"`)
	}
	if s == "" {
		return s, off, fail(Empty, off, `nothing follows "URL:"`)
	}
	return s, off, nil
}

func trimBlanks(s string, off int) (string, int) {
	for s != "" && s[0] == ' ' {
		s, off = s[1:], off+1
	}
	return strings.TrimRight(s, " "), off
}

func hasURLPrefix(s string) bool {
	return len(s) >= 4 && s[3] == ':' && s[0]|0x20 == 'u' && s[1]|0x20 == 'r' && s[2]|0x20 == 'l'
}

// cutFragment splits s at the first "#". The fragment is checked later, by checkFragment.
func (st *state) cutFragment(s string, off int) (string, *Error) {
	i := strings.IndexByte(s, '#')
	if i < 0 {
		return s, nil
	}
	if st.strict && !st.inText && !st.dialect.is1993() {
		return s, fail(BadFragment, off+i, `"#" must be written %23; a fragment is not part of the URL`)
	}
	st.fragment, st.fragmentAt = s[i+1:], off+i+1
	return s[:i], nil
}

// checkFragment checks the fragment and makes it canonical. A "#" in the fragment is data.
func (st *state) checkFragment() *Error {
	f, off := st.fragment, st.fragmentAt
	if f == "" {
		return nil
	}
	legal := st.dialect.legalSet() | percentSet
	for i := 0; st.strict && i < len(f); i++ {
		if octets[f[i]]&legal == 0 && f[i] != '#' {
			return fail(IllegalChar, off+i, "in the fragment the character "+charName(f[i:])+" must be encoded")
		}
	}
	if j := badEscapeIndex(f); j >= 0 {
		return fail(BadEscape, off+j, `two hexadecimal digits must follow "%"; a percent sign is written %25`)
	}
	f, err := st.encodeNonASCII(f, off)
	st.fragment = recodeText(f, 0)
	return err
}

// schemeError returns the fault of a text that does not begin with a scheme and a colon (RFC 1738,
// section 2.1). The parameter odd is the offset of the first character that a scheme cannot
// contain.
func schemeError(s string, odd, off int) *Error {
	switch i := strings.IndexAny(s, ":/"); {
	case i < 0 || s[i] == '/':
		return fail(NoScheme, off, "a scheme, such as gopher:, is missing")
	case i == 0:
		return fail(BadScheme, off, "there is no scheme before the colon")
	}
	return fail(BadScheme, off+odd, "a scheme has only letters, digits, + - and .")
}

// checkDraftScheme returns an error if name is not a scheme in the drafts.
func (st *state) checkDraftScheme(name string, off int) *Error {
	switch {
	case !isLetter(name[0]):
		return fail(BadScheme, off, "in the drafts a scheme begins with a letter")
	case strings.EqualFold(name, "urn"):
		return fail(NotAURL, off, "urn: is reserved for names in the drafts")
	}
	return nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// checkCharacters checks the characters and escapes of s[start:]. In a draft of 1993 it also
// converts characters beyond ASCII to ISO Latin 1.
func (st *state) checkCharacters(s string, start, off int) (string, *Error) {
	rest := s[start:]
	if st.strict {
		if bad := prefixLength(rest, st.dialect.legalSet()|percentSet); bad < len(rest) {
			a := authorityOf(rest)
			if st.dialect.is1993() {
				a, _, _ = strings.Cut(a, "?")
			}
			if strings.ContainsAny(a, "[]") {
				return s, fail(BadHost, off+start+strings.IndexAny(rest, "[]"), "RFC 1738 does not allow addresses in brackets")
			}
			return s, fail(IllegalChar, off+start+bad, "the character "+charName(rest[bad:])+" must be encoded")
		}
	}
	if st.marks&markPercent != 0 {
		if i := badEscapeIndex(rest); i >= 0 {
			return s, fail(BadEscape, off+start+i, `two hexadecimal digits must follow "%"; a percent sign is written %25`)
		}
	}
	return st.encodeNonASCII(s, off)
}

// charName returns the first character of s for an error message.
func charName(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError || r >= 0x80 && r < 0xA0 {
		return "that is not ASCII"
	}
	return `"` + s[:n] + `"`
}

// authorityOf returns the text between "//" and the next "/".
func authorityOf(s string) string {
	if !strings.HasPrefix(s, "//") {
		return ""
	}
	authority, _, _ := strings.Cut(s[2:], "/")
	return authority
}

// encodeNonASCII converts characters beyond ASCII to ISO Latin 1 if the dialect is a draft of 1993.
// Octets that are not UTF-8 are unchanged. In other dialects encodeNonASCII returns s.
func (st *state) encodeNonASCII(s string, off int) (string, *Error) {
	if st.marks&markEight == 0 || !st.dialect.is1993() {
		return s, nil
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, s[i])
		case r > 0xFF:
			return s, fail(IllegalChar, off+i, "the character "+charName(s[i:])+" has no ISO Latin 1 code")
		default:
			b = append(b, byte(r))
		}
		i += n
	}
	return string(b), nil
}

// parseScheme parses the text s after the scheme and its colon. The name of the scheme may contain
// upper case.
func (st *state) parseScheme(name, s string, off int) *Error {
	k := schemeOf(name)
	if k == nil {
		if lower := strings.ToLower(name); lower != name {
			return st.parseScheme(lower, s, off)
		}
	}
	if k == nil || k.recent && st.dialect != RFC1738 {
		return st.parseGeneric(name, s, off)
	}
	switch k.form {
	case formGopher:
		return st.parseGopher(name, s, off)
	case formHTTP:
		return st.parseHTTP(name, s, off)
	case formFTP:
		return st.parseFTP(name, s, off)
	case formNews:
		return st.parseNews(name, s, off)
	case formNNTP:
		return st.parseNNTP(name, s, off)
	case formTelnet:
		return st.parseTelnet(name, s, off)
	case formMailto:
		return st.parseMailto(s, off)
	case formWAIS:
		return st.parseWAIS(s, off)
	case formFile:
		return st.parseFile(s, off)
	case formProspero:
		return st.parseProspero(s, off)
	case formLookup:
		return st.parseLookup(name, s, off)
	case formLDAP:
		return st.parseLDAP(name, s, off)
	case formPhonebook:
		return st.parsePhonebook(s, off)
	case formZ3950:
		return st.parseZ3950(name, s, off)
	case formNFS:
		return st.parseNFS(name, s, off)
	}
	return st.parseGeneric(name, s, off)
}

// checkReserved returns an error if st is strict and s contains a character of the parameter chars.
func (st *state) checkReserved(s string, off int, chars string) *Error {
	if st.strict {
		return findReserved(s, off, chars)
	}
	return nil
}

func findReserved(s string, off int, chars string) *Error {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return fail(ReservedChar, off+i, "the character "+charName(s[i:])+" is reserved here; as data it must be encoded")
	}
	return nil
}

// reservedIn1994 returns the parameter chars in the dialect of March 1994, and otherwise "". The
// productions "path" and "xalphas" of this draft lack these characters.
func (st *state) reservedIn1994(chars string) string {
	if st.dialect == Draft199403 {
		return chars
	}
	return ""
}

// missingInXalphas returns the legal characters that the drafts' production xalphas lacks.
func (st *state) missingInXalphas() string {
	switch st.dialect {
	case RFC1738:
		return ""
	case Draft199403:
		return "=;/?:"
	}
	return "/?+"
}
