package urlcore

import (
	"cmp"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Guess returns the URL for the input s of the URL bar. The error is an *[Error] that says what to
// type.
//
// Guess parses a full URL like [Parse]. In host:port and host:/path, the first word is a host for
// Guess, although the word could be an unknown scheme. Guess also accepts these texts:
//
//	gopher.example.org  ftp.example.org/pub  www.example.org   by the first label, else gopher
//	example.org:8080  [2001:db8::1]:21                         by the port, else gopher
//	example.org:/pub/x  joe@ftp.example.org/x                  FTP
//	comp.lang.go  *                                            newsgroups, if the hierarchy is known
//	about:                                                     the list of the program's own pages
//	<x.1@example.org>  x.1@example.org                         a Message-ID
//	joe@example.org                                            a mail address, if the name has only letters and . - _
//	/etc/motd  ~/notes                                         files of this machine
//	gopher//example.org                                        a known scheme without its colon
//	gopher://example.org/1/li<newline>  brary                  a URL that is broken over lines
func Guess(s string) (URL, error) {
	f, err := GuessFound(s)
	return f.URL, err
}

// GuessFound is like [Guess]. It also returns the fragment, and the other readings of a text with
// blanks or line ends.
func GuessFound(s string) (Found, error) {
	home, _ := os.UserHomeDir()
	return guess(s, home)
}

// guess is like [GuessFound]. The parameter home is the directory for "~/".
func guess(s, home string) (Found, error) {
	text := strings.TrimSpace(s)
	if f, ok := guessBroken(text); ok {
		f.End = cmp.Or(f.End, len(text))
		return f, nil
	}
	st := state{mailFields: true, ownNNTP: true}
	u, err := st.guessText(text, home)
	if err != nil {
		err.Input = s
		err.Offset = min(err.Offset+strings.Index(s, text), len(s))
		return Found{}, err
	}
	return Found{Parsed: Parsed{URL: u, Fragment: st.fragment, HasFragment: st.fragment != ""}, End: len(text)}, nil
}

// guessBroken parses a URL with blanks, line ends or angle brackets. It reads a text with line ends as
// [Parser.Extract] does; in a line, blanks are parts of the URL.
func guessBroken(s string) (Found, bool) {
	p := Parser{MailFields: true, OwnNNTP: true, Readings: true}
	if strings.HasPrefix(s, "<") || strings.ContainsAny(s, "\r\n") && isURL(s) {
		found := p.Extract(s)
		if len(found) == 1 && found[0].Start == 0 && (s[0] != '<' || found[0].End == len(s)) {
			return found[0], true
		}
	} else if strings.ContainsAny(s, " \t") && isURL(s) {
		if _, err := p.Parse(s); err == nil {
			return p.parseTexts(append([]string{s}, p.readings(s)...))
		}
	}
	return Found{}, false
}

func (st *state) guessText(s, home string) (URL, *Error) {
	switch {
	case s == "":
		return nil, fail(Empty, 0, "the URL is empty")
	case strings.EqualFold(s, "about:"):
		return Generic{Name: "about", Rest: "about"}, nil
	case s == "*":
		return News{Group: "*"}, nil
	case s[0] == '<' && s[len(s)-1] == '>':
		return st.guessWrapped(s)
	case s[0] == '/':
		return guessFile(s)
	case s == "~" || strings.HasPrefix(s, "~/"):
		if home == "" {
			return nil, fail(BadPath, 0, "the home directory is not known")
		}
		return guessFile(strings.TrimRight(home, "/") + s[1:])
	case isURL(s):
		return st.parseLenient(s, 0)
	case strings.ContainsAny(s, " \t\r\n") && s[strings.IndexAny(s, "/ \t\r\n")] != '/':
		return nil, fail(IllegalChar, strings.IndexAny(s, " \t\r\n"), "a URL, a host or a newsgroup has no blanks")
	case strings.IndexByte(s, '@') > 0 && !strings.Contains(s[:strings.IndexByte(s, '@')], "/"):
		return st.guessAt(s)
	case isKnownGroup(s):
		return News{Group: s}.canon()
	}
	return st.guessHost(s)
}

func (st *state) parseLenient(s string, off int) (URL, *Error) {
	st.input = s
	if err := st.checkFull(s); err != nil {
		err.Offset = max(0, err.Offset-off)
		return nil, err
	}
	return st.url, nil
}

// isURL reports whether s is a full URL. A full URL starts with "URL:", with a known scheme, or
// with another scheme and "//". An unknown scheme without "//" must have text after its colon that
// is neither a port nor a path. An IPv6 address is not a URL.
func isURL(s string) bool {
	if hasURLPrefix(s) {
		return true
	}
	name, rest, ok := strings.Cut(s, ":")
	if !ok || name == "" || !hasOnly(name, inScheme) {
		return false
	}
	if isScheme(name) || strings.HasPrefix(rest, "//") {
		return true
	}
	if strings.HasPrefix(rest, "/") || rest == "" {
		return false
	}
	port, _, _ := strings.Cut(rest, "/")
	if n, err := strconv.Atoi(port); err == nil && 0 < n && n < 65536 {
		return false
	}
	_, err := netip.ParseAddr(s)
	return err != nil
}

// isScheme reports whether name is a scheme that gofer opens or explains, or a scheme for telephone
// numbers. [Guess] never reads such a name as a host if a colon or two slashes follow.
func isScheme(name string) bool {
	return schemeOf(strings.ToLower(name)) != nil
}

// guessWrapped parses a URL or a Message-ID in angle brackets.
func (st *state) guessWrapped(s string) (URL, *Error) {
	if strings.IndexByte(s, ':') < 0 || strings.IndexByte(s, '@') >= 0 && bareSchemeLength(s[1:]) == 0 && !hasURLPrefix(s[1:]) {
		return News{MessageID: s}.canon()
	}
	return st.parseLenient(s, 0)
}

// guessFile returns the URL of a path on this machine.
func guessFile(path string) (URL, *Error) {
	dirs := strings.Split(path[1:], "/")
	last := len(dirs) - 1
	return File{Path: joinPath(dirs[:last], dirs[last])}.canon()
}

// guessAt parses a text with "@", which is a Message-ID, a mail address or an FTP URL without its
// scheme.
func (st *state) guessAt(s string) (URL, *Error) {
	at := strings.LastIndexByte(s, '@')
	if host, path, ok := strings.Cut(s[at+1:], ":"); ok {
		if strings.HasPrefix(path, "/") {
			return st.parseLenient("ftp://"+s[:at+1]+host+path, 6)
		}
		return st.parseLenient("ftp://"+s, 6)
	}
	if strings.IndexByte(s[at:], '/') >= 0 || firstLabel(s[at+1:]) == "ftp" {
		return st.parseLenient("ftp://"+s, 6)
	}
	for i := range at {
		if c := s[i]; !isLetter(c) && c != '.' && c != '-' && c != '_' {
			return News{MessageID: s}.canon()
		}
	}
	return Mailto{Address: s}.canon()
}

func firstLabel(host string) string {
	label, _, _ := strings.Cut(host, ".")
	return strings.ToLower(label)
}

// isKnownGroup reports whether s looks like the name of a newsgroup. The name has a known hierarchy
// and does not end like a host.
func isKnownGroup(s string) bool {
	dot := strings.IndexByte(s, '.')
	if dot < 0 || !isGroup(s) {
		return false
	}
	switch strings.ToLower(s[strings.LastIndexByte(s, '.')+1:]) {
	case "com", "org", "net", "edu", "gov", "mil", "int", "info", "example", "test", "localhost", "local":
		return false
	}
	switch strings.ToLower(s[:dot]) {
	case "comp", "humanities", "misc", "news", "rec", "sci", "soc", "talk", "alt",
		"biz", "bionet", "bit", "clari", "control", "gnu", "ieee", "k12", "linux", "local", "microsoft", "mozilla",
		"at", "aus", "be", "ch", "cz", "de", "dk", "es", "esp", "eu", "fi", "fido7", "fj", "fr", "free", "han", "hr",
		"hun", "is", "it", "japan", "nl", "no", "nz", "pl", "pt", "relcom", "se", "swnet", "tw", "uk", "us", "z-netz",
		"ba", "ca", "can", "cern", "muc", "ny", "opennet", "school", "trial", "eunet", "gmane", "maus", "tnn", "za":
		return true
	}
	return false
}

// guessHost parses host [":" port] ["/" path], host ":/" path, or a scheme without its colon.
func (st *state) guessHost(s string) (URL, *Error) {
	if scheme, rest, ok := strings.Cut(s, "//"); ok && isScheme(scheme) {
		return st.parseLenient(scheme+"://"+rest, 1)
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Is6() {
		s = "[" + s + "]"
	}
	host, path := s, ""
	if i := strings.IndexByte(s, '/'); i >= 0 {
		host, path = s[:i], s[i:]
	}
	if h, ok := strings.CutSuffix(host, ":"); ok && path != "" {
		return st.parseLenient("ftp://"+h+path, 6)
	}
	st.input, st.marks = s, scan(s)
	h := HostPort{}
	if err := st.parseHostPort(&h, host, 0, ""); err != nil {
		err.Reason += "; type a URL, a host or a newsgroup"
		return nil, err
	}
	scheme := guessScheme(h)
	if scheme == "gopher" {
		path = gopherPath(path)
	}
	return st.parseLenient(scheme+"://"+host+path, len(scheme)+3)
}

// guessScheme returns the scheme that the first label of the host suggests. If the label suggests
// none, the port decides, and the default is gopher.
func guessScheme(h HostPort) string {
	label := firstLabel(h.Host)
	byPort := "gopher"
	for i := range schemes {
		if slices.Contains(schemes[i].labels, label) {
			return schemes[i].Name
		}
		if slices.Contains(schemes[i].ports, h.Port) {
			byPort = schemes[i].Name
		}
	}
	return byPort
}

// gopherPath returns path with an item type. If path does not begin with a type, gopherPath adds
// the type of a menu or a text.
func gopherPath(path string) string {
	if len(path) < 2 {
		return path
	}
	const types = "0123456789+gIThs;dMPi"
	if strings.IndexByte(types, path[1]) >= 0 && (len(path) == 2 || path[2] == '/') {
		return path
	}
	if looksLikeText(path) {
		return "/0" + path
	}
	return "/1" + path
}
