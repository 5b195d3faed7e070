package urlcore

import "strings"

// FTP is a file or directory on an FTP server (RFC 1738, section 3.2):
//
//	ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>
type FTP struct {
	Server
	// Path is the url-path without its leading slash and without ;type=, in canonical encoding.
	// Each "/" ends the argument of a CWD command, and "%2F" is a slash in an argument.
	Path string
	Type byte // 'a', 'i' or 'd', or 0 if there is no ;type=
	// Secure selects TLS from the first octet on. The scheme is then ftps.
	Secure bool
	// SSH selects the SSH File Transfer Protocol (draft-ietf-secsh-filexfer-02). The scheme is then sftp. The path begins at
	// the root of the server, or after a first segment "~" in the login directory. A name may contain a line end.
	SSH bool
}

func (u FTP) Scheme() string {
	if u.SSH {
		return "sftp"
	}
	return chooseScheme(u.Secure, "ftps", "ftp")
}

func (u FTP) Addr() string { return u.addr(u.Scheme()) }

func (FTP) HasWords() bool { return false }

// CWDs returns the decoded arguments of the CWD commands in order (RFC 1738, section 3.2.2). An
// argument may be empty.
func (u FTP) CWDs() []string {
	i := strings.LastIndexByte(u.Path, '/')
	if i < 0 {
		return nil
	}
	return splitPath(u.Path[:i])
}

// Name returns the decoded argument of the RETR or NLST command.
func (u FTP) Name() string {
	return unescape(u.Path[strings.LastIndexByte(u.Path, '/')+1:])
}

// Names implements [FileURL].
func (u FTP) Names() []string { return splitNames(u.Path) }

// splitPath splits the path at the slashes and decodes the parts.
func splitPath(path string) []string {
	s := strings.Split(path, "/")
	for i := range s {
		s[i] = unescape(s[i])
	}
	return s
}

// joinPath is the inverse of splitPath.
func joinPath(cwds []string, name string) string {
	var buf [bufSize]byte
	b := buf[:0]
	for _, c := range cwds {
		b = append(appendEscaped(b, c, inSegment), '/')
	}
	return string(appendEscaped(b, name, inSegment))
}

func (u FTP) String() string {
	var buf [bufSize]byte
	b := append(append(buf[:0], u.Scheme()...), "://"...)
	b = append(u.append(b), '/')
	if u.Type == 0 {
		return join(b, u.Path)
	}
	b = append(append(b, u.Path...), ";type="...)
	return string(append(b, u.Type))
}

// NewFTP returns the URL of the item with the given name. The arguments of the CWD commands, cwds,
// lead to its directory. The strings contain no escapes. The parameter typ is 'a', 'i', 'd' or 0.
func NewFTP(s Server, cwds []string, name string, typ byte) (FTP, error) {
	return FTP{Server: s}.With(cwds, name, typ)
}

// With returns the URL of another item on the server of u. [NewFTP] explains the parameters.
func (u FTP) With(cwds []string, name string, typ byte) (FTP, error) {
	u.Path, u.Type = joinPath(cwds, name), typ
	v, err := u.canon()
	if err != nil {
		return FTP{}, err
	}
	return v.(FTP), nil
}

// parseFTP parses ftpurl (RFC 1738, section 5).
func (st *state) parseFTP(name, s string, off int) *Error {
	u := FTP{Secure: name == "ftps", SSH: name == "sftp"}
	path, err := st.parseLogin(&u.Server, s, off, u.Scheme())
	if err != nil {
		return err
	}
	if path != "" {
		if u.Path, u.Type, err = st.parseFTPPath(path[1:], off+len(s)-len(path)+1, u.SSH); err != nil {
			return err
		}
	}
	st.url = u
	return nil
}

// parseFTPPath parses a url-path and its type. Its names may contain line ends if the parameter lineEnds is true.
func (st *state) parseFTPPath(path string, off int, lineEnds bool) (_ string, typ byte, err *Error) {
	if n := len(path) - len(";type=a"); st.marks&markSemicolon != 0 && n >= 0 && st.dialect == RFC1738 &&
		path[n:n+6] == ";type=" && (path[n+6] == 'a' || path[n+6] == 'i' || path[n+6] == 'd') {
		path, typ = path[:n], path[n+6]
	} else if st.marks&markSemicolon != 0 && !st.dialect.is1993() {
		if path, typ, err = st.cutFTPType(path, off); err != nil {
			return "", 0, err
		}
	}
	if err := st.checkReserved(path, off, st.reservedInFTP()); err != nil {
		return "", 0, err
	}
	if st.dialect == Draft199403 && typ == 0 && strings.HasSuffix(path, "/") {
		path, typ = path[:len(path)-1], 'd'
	}
	if st.marks&(markOdd|markQuestion) != 0 || st.marks&markSemicolon != 0 && strings.IndexByte(path, ';') >= 0 {
		given := path
		path = recodePath(path)
		if st.marks&markPercent == 0 || lineEnds {
			return path, typ, nil
		}
		if err := checkLineEnds(path, off); err != nil {
			err.Offset += escapeIndex(given, "\r\n")
			return "", 0, err
		}
	}
	return path, typ, nil
}

// reservedInFTP returns the characters that a path must not contain without an escape.
func (st *state) reservedInFTP() string {
	switch st.dialect {
	case RFC1738:
		return ";"
	case Draft199403:
		return "=;?:"
	}
	return "?"
}

// checkLineEnds returns an error if a canonical path contains an escaped line end.
func checkLineEnds(path string, off int) *Error {
	if hasEscapedLineEnd(path) {
		return fail(IllegalOctet, off, "an FTP name cannot contain a line end")
	}
	return nil
}

// cutFTPType removes the type from the last segment (RFC 1738, section 3.2.2).
func (st *state) cutFTPType(path string, off int) (string, byte, *Error) {
	i := strings.LastIndexByte(path, ';')
	if i < 0 || strings.IndexByte(path[i:], '/') >= 0 {
		return path, 0, nil
	}
	suffix := path[i+1:]
	if !st.strict && !strings.HasPrefix(suffix, "type=") {
		suffix = unescape(suffix)
		if len(suffix) >= 5 && strings.EqualFold(suffix[:5], "type=") {
			suffix = "type=" + suffix[5:]
		}
	}
	code, ok := strings.CutPrefix(suffix, "type=")
	if !ok {
		return path, 0, nil
	}
	if !st.strict && st.marks&markPercent != 0 {
		code = unescape(code)
	}
	t, err := st.parseTypeCode(code, off+i+6)
	return path[:i], t, err
}

// parseTypeCode parses a type code of RFC 1738, such as "a". In the dialect of March 1994, a type code
// is written as in RFC 959 without the space, such as "AN". The text of the draft allows "A" alone, its grammar
// does not. The lenient parser accepts "a", "A" and "AN" in both dialects.
func (st *state) parseTypeCode(code string, off int) (byte, *Error) {
	draft := st.dialect == Draft199403
	switch unused := isUnusedFTPType(code); {
	case code == "AN" && (draft || st.acceptsExtensions()):
		return 'a', nil
	case code == "I" && draft:
		return 'i', nil
	case unused && draft:
		return 0, fail(Unrepresentable, off, unusedFTPType(code))
	case unused && st.acceptsExtensions():
		return 0, fail(BadType, off, unusedFTPType(code))
	case code == "A" && draft && st.strict:
		return 0, fail(BadType, off, "in the grammar of the March 1994 draft a form follows the type A: write AN")
	}
	if len(code) == 1 && (st.dialect == RFC1738 || !st.strict) {
		switch t := code[0] | 0x20; {
		case isLetter(code[0]) && (t == 'a' || t == 'i' || t == 'd'):
			return t, nil
		}
	}
	if draft {
		return 0, fail(BadType, off, "the FTP types are AN and I, and types of RFC 959 that RFC 1738 lacks")
	}
	return 0, fail(BadType, off, "the FTP types are a, i and d")
}

func unusedFTPType(code string) string {
	return "RFC 1738 has no FTP type " + code + ": write a for text, or i for the octets of the file"
}

// isUnusedFTPType reports whether code is a type of RFC 959, section 4.1.2, that RFC 1738 lacks: text with print
// controls, EBCDIC, or bytes of another size.
func isUnusedFTPType(code string) bool {
	switch code {
	case "AT", "AC", "E", "EN", "ET", "EC":
		return true
	}
	return len(code) > 1 && code[0] == 'L' && isDigits(code[1:])
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (u FTP) canon() (URL, *Error) {
	var err *Error
	if u.Server, err = u.Server.canon(u.Scheme()); err != nil {
		return nil, err
	}
	switch u.Type {
	case 'A', 'I', 'D':
		u.Type |= 0x20
	case 0, 'a', 'i', 'd':
	default:
		return nil, fail(BadType, 0, "the FTP types are a, i and d")
	}
	if i := badEscapeIndex(u.Path); i >= 0 {
		return nil, fail(BadEscape, 0, `"%" begins no escape in the path`)
	}
	u.Path = recodePath(u.Path)
	if u.SSH {
		return u, nil
	}
	if err := checkLineEnds(u.Path, 0); err != nil {
		return nil, err
	}
	return u, nil
}

// Kind returns "directory" for the type code d and for a path that is empty or ends in a slash. For
// the type code a it returns "text", and otherwise "file".
func (u FTP) Kind() string {
	switch {
	case u.Type == 'd' || u.Path == "" || strings.HasSuffix(u.Path, "/"):
		return "directory"
	case u.Type == 'a':
		return "text"
	}
	return "file"
}

func (u FTP) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// Alternatives returns a URL with the same path and the other kind: a file for a directory, and a
// directory for a file. It also returns the URL of the login directory.
func (u FTP) Alternatives() []Alternative {
	same, text, login := u, "Try as a directory", u
	same.Type, login.Path, login.Type = 'd', "", 'd'
	if u.SSH {
		login.Path = loginDirectory
	}
	if u.Kind() == "directory" {
		same.Type, same.Path, text = 'i', strings.TrimRight(u.Path, "/"), "Try as a file"
	}
	alternatives := []Alternative{{same, text}, {login, "The login directory"}}
	if same.Path == "" || same.Path == login.Path { // the root and the login directory are not files
		return alternatives[1:]
	}
	return alternatives
}

// FileName returns the decoded last name in the path, which may be empty.
func (u FTP) FileName() string { return lastName(unescape(u.Path)) }

// Child returns the URL of an item in the directory u.
func (u FTP) Child(name string) (URL, error) {
	cwds := u.CWDs()
	if last := u.Name(); last != "" {
		cwds = append(cwds, last)
	}
	if u.SSH && len(cwds) == 0 && name == "~" { // as the first name of a path it would be the login directory
		cwds = []string{"."}
	}
	return u.With(cwds, name, 0)
}

func (u FTP) Up() (URL, bool) {
	path, ok := parentFTPPath(u.Path)
	if u.SSH && strings.TrimSuffix(u.Path, "/") == loginDirectory {
		path, ok = u.Path, false
	}
	u.Path, u.Type = path, 'd'
	return u, ok
}

// loginDirectory is the canonical path of the login directory in an sftp URL.
const loginDirectory = "%7E"

// parentFTPPath returns the path one level up. This is "a" for "a/b" and "a/b/", and the root "%2F"
// for "%2Fa".
func parentFTPPath(path string) (string, bool) {
	path = strings.TrimSuffix(path, "/")
	if path == "" || path == "%2F" {
		return path, false
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], true
	}
	path = strings.TrimSuffix(path, "%2F")
	if i := strings.LastIndex(path, "%2F"); i > 0 {
		return path[:i], true
	} else if i == 0 {
		return "%2F", path != "%2F"
	}
	return "", true
}

// Redact returns the URL without its password.
func (u FTP) Redact() URL {
	u.Server = u.withoutPassword()
	return u
}

func (u FTP) warnings() Warnings {
	return u.warn(u.Scheme()) | warnExtension(u.Secure || u.SSH) | u.warnLogin() | warnText(u.Path)
}

func (u FTP) parts(b *partList) {
	b.addLogin(u.Server, u.Scheme())
	if u.SSH {
		b.addPath(u.Path, "cwd", "name", "3.2.2", "a directory of the path", "the name of the file or directory")
	} else {
		b.addPath(u.Path, "cwd", "name", "3.2.2", "the argument of a CWD command", "the argument of RETR, or of NLST for a directory")
	}
	if u.Type != 0 {
		b.addDelimiter(";type=", "3.2.2", "begins the type code")
		b.addText("typecode", string(rune(u.Type)), "3.2.2", ftpTypeMeaning(u.Type))
	}
}

func ftpTypeMeaning(t byte) string {
	switch t {
	case 'a':
		return "transfer as text"
	case 'i':
		return "transfer unchanged"
	}
	return "list the directory"
}
