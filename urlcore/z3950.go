package urlcore

import (
	"slices"
	"strconv"
	"strings"
)

// Z3950 is a Z39.50 server, its databases, or a record (RFC 2056, sections 3 to 5):
//
//	z39.50s://<host>:<port>/<database>+<database>?<docid>;esn=<elementset>;rs=<recordsyntax>+<recordsyntax>
//	z39.50r://<host>:<port>/<database>?<docid>;esn=<elementset>;rs=<recordsyntax>
//
// RFC 2056 has no URL for a search. Gofer writes one as a session with further parameters:
//
//	z39.50s://<host>:<port>/<database>;search=<field>=<words>&<field>=<words>;record=<number>
//	z39.50s://<host>:<port>/<database>;scan=<field>=<term>
type Z3950 struct {
	Name string // the scheme: "z39.50r", "z39.50s" or "z39.50", which RFC 1738 reserves and which is read as a session
	HostPort
	Databases  string // canonical text with "+" between the names; may be empty
	DocID      string // decoded octets
	HasDocID   bool
	ElementSet string // decoded octets; "" for the default
	Syntaxes   string // canonical text with "+" between the names of record syntaxes; may be empty
	Verb       string // "search", "scan", or "" if the URL has neither
	Query      string // canonical text of the search or scan
	Record     int    // the number of a record in the result of the search, from 1 on, or 0 for the whole result
}

// The verbs of a [Z3950].
const (
	Z3950Search = "search"
	Z3950Scan   = "scan"
)

func (u Z3950) Scheme() string { return u.Name }
func (u Z3950) Addr() string   { return u.addr(u.Name) }

func (u Z3950) HasWords() bool { return u.Verb != "" || u.HasDocID }

func (u Z3950) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// DatabaseNames returns the decoded names of the databases.
func (u Z3950) DatabaseNames() []string { return splitPlus(u.Databases) }

// SyntaxNames returns the decoded names of the record syntaxes.
func (u Z3950) SyntaxNames() []string { return splitPlus(u.Syntaxes) }

func splitPlus(text string) (names []string) {
	for name := range strings.SplitSeq(text, "+") {
		if name != "" {
			names = append(names, unescape(name))
		}
	}
	return names
}

// Session returns the session URL of the databases with the decoded names, without further parts.
func (u Z3950) Session(names ...string) Z3950 {
	var list []string
	for _, name := range names {
		list = append(list, escape(name, inDatabase))
	}
	return Z3950{Name: "z39.50s", HostPort: u.HostPort, Databases: strings.Join(list, "+"), ElementSet: u.ElementSet, Syntaxes: u.Syntaxes}
}

// Kind returns "text" for a record, "menu" for a page of items, and "search" if the user must enter words or a place first.
func (u Z3950) Kind() string {
	switch {
	case u.HasDocID || u.Record > 0:
		return "text"
	case u.Databases == "", u.Verb == Z3950Search && !u.hasWords(), u.Verb == Z3950Scan && u.Query == "":
		return "search"
	}
	return "menu"
}

// hasWords reports whether a search has words in a field.
func (u Z3950) hasWords() bool {
	for part := range strings.SplitSeq(u.Query, "&") {
		if _, words, ok := strings.Cut(part, "="); words != "" || !ok && part != "" {
			return true
		}
	}
	return false
}

// FileName returns the last name in the id of a record, or its number in a result, or the name of the first database.
func (u Z3950) FileName() string {
	switch {
	case u.HasDocID:
		return lastName(u.DocID)
	case u.Record > 0:
		return "record-" + strconv.Itoa(u.Record)
	}
	if names := u.DatabaseNames(); len(names) > 0 {
		return lastName(names[0])
	}
	return ""
}

// Up returns the search that found a record, the databases of a search or a record, or the server.
func (u Z3950) Up() (URL, bool) {
	switch {
	case u.Record > 0:
		u.Record = 0
		return u, true
	case u.HasDocID || u.Verb != "":
		return u.Session(u.DatabaseNames()...), true
	}
	return u, false // a URL without a database only asks for one
}

// parameters returns the names and texts of the parameters, in the order of the canonical text.
func (u Z3950) parameters() (list [][2]string) {
	add := func(name, text string, is bool) {
		if is {
			list = append(list, [2]string{name, text})
		}
	}
	add("esn", escape(u.ElementSet, inText), u.ElementSet != "")
	add("rs", u.Syntaxes, u.Syntaxes != "")
	add(u.Verb, u.Query, u.Verb != "")
	add("record", strconv.Itoa(u.Record), u.Record > 0)
	return list
}

func (u Z3950) String() string {
	var buf [bufSize]byte
	b := append(append(u.append(append(append(buf[:0], u.Name...), "://"...)), '/'), u.Databases...)
	if u.HasDocID {
		b = appendEscaped(append(b, '?'), u.DocID, inText)
	}
	for _, p := range u.parameters() {
		b = append(append(append(append(b, ';'), p[0]...), '='), p[1]...)
	}
	return string(b)
}

// parseZ3950 parses a z39.50s or z39.50r URL. Without a host it is a name of which nothing is known.
func (st *state) parseZ3950(name, s string, off int) *Error {
	if !strings.HasPrefix(s, "//") {
		return st.parseGeneric(name, s, off)
	}
	u := Z3950{Name: name}
	// RFC 2056, section 5: a parameter may follow the host.
	end := len(s)
	if i := strings.IndexAny(s[2:], "/;?"); i >= 0 && s[2+i] != '/' {
		end = 2 + i
	}
	path, err := st.parseHost(&u.HostPort, s[:end], off, name, false)
	if err != nil {
		return err
	}
	path += s[end:]
	off += len(s) - len(path)
	if strings.HasPrefix(path, "/") {
		path, off = path[1:], off+1
	}
	path, parameters, _ := strings.Cut(path, ";")
	databases, id, ok := strings.Cut(path, "?")
	if err := st.checkReserved(databases, off, "/:@&="); err != nil {
		return err
	}
	if err := st.checkReserved(id, off+len(databases)+1, "/:@&=?"); err != nil {
		return err
	}
	u.Databases, u.DocID, u.HasDocID = recode(databases, inText, inDatabase, 0), unescape(id), ok
	if err := u.parseParameters(parameters); err != nil {
		err.Offset = off + len(path) + 1
		return err
	}
	canonical, err := u.canon()
	if err != nil {
		err.Offset = off
		return err
	}
	st.url = canonical
	return nil
}

func (u *Z3950) parseParameters(s string) *Error {
	var seen []string
	for s != "" {
		var parameter string
		parameter, s, _ = strings.Cut(s, ";")
		name, value, ok := strings.Cut(parameter, "=")
		name = strings.ToLower(name)
		if !ok || slices.Contains(seen, name) {
			return parameterError()
		}
		seen = append(seen, name)
		switch name {
		case "esn":
			u.ElementSet = unescape(value)
		case "rs":
			u.Syntaxes = recode(value, inText, inDatabase, 0)
		case Z3950Search, Z3950Scan:
			if u.Verb != "" {
				return parameterError()
			}
			u.Verb, u.Query = name, recodeText(value, 0)
		case "record":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return parameterError()
			}
			u.Record = n
		default:
			return parameterError()
		}
	}
	return nil
}

func parameterError() *Error {
	return fail(BadPath, 0, `after ";" follow esn=, rs=, search= or scan=, and record= with a number from 1 on, each once`)
}

func (u Z3950) canon() (URL, *Error) {
	if k := schemeOf(u.Name); k == nil || k.form != formZ3950 {
		return nil, fail(BadScheme, 0, "a Z39.50 URL is z39.50s, z39.50r or z39.50")
	}
	var err *Error
	if u.HostPort, err = u.HostPort.canon(u.Name); err != nil {
		return nil, err
	}
	for _, text := range []string{u.Databases, u.Syntaxes, u.Query} {
		if badEscapeIndex(text) >= 0 {
			return nil, fail(BadEscape, 0, `"%" begins no escape`)
		}
		if scan(text)&(markControl|markHash|markSemicolon) != 0 {
			return nil, fail(IllegalChar, 0, `a control character, "#" or ";" must be encoded`)
		}
	}
	u.Databases, u.Syntaxes = recode(u.Databases, inText, inDatabase, 0), recode(u.Syntaxes, inText, inDatabase, 0)
	u.Query = recodeText(u.Query, 0)
	if hasEscapedLineEnd(u.Query) {
		return nil, fail(IllegalOctet, 0, "a search cannot contain a line end")
	}
	return u, u.check()
}

// check returns an error if u has parts that do not belong together.
func (u Z3950) check() *Error {
	switch isDocument := u.HasDocID && u.Databases != ""; {
	case u.HasDocID && u.Databases == "":
		return fail(BadPath, 0, "a database comes before the id of a document")
	case u.Name == "z39.50r" && !isDocument:
		return fail(BadPath, 0, `in z39.50r a database, "?" and the id of a document must follow the host; z39.50s needs no id`)
	case u.HasDocID && u.Verb != "", !u.HasDocID && u.DocID != "", u.Verb == "" && u.Query != "":
		return fail(BadPath, 0, "a URL has either the id of a document, or a search, or a scan")
	case u.Verb != "" && u.Verb != Z3950Search && u.Verb != Z3950Scan, u.Record < 0:
		return parameterError()
	case u.Record > 0 && (u.Verb != Z3950Search || u.Query == ""):
		return fail(BadPath, 0, "the number of a record needs a search")
	}
	return nil
}

func (u Z3950) warnings() Warnings {
	w := u.warn(u.Name) | warnExtension(true) | warnOctets(u.DocID) | warnOctets(u.ElementSet)
	return w | warnText(u.Databases) | warnText(u.Syntaxes) | warnText(u.Query)
}

func (u Z3950) parts(b *partList) {
	b.addHost(u.HostPort, u.Name, "3.1")
	b.rule = "RFC 2056, section 5"
	if u.Databases != "" {
		b.addEncoded("databases", u.Databases, "", `the databases, with "+" between them`)
	}
	if u.HasDocID {
		b.addDelimiter("?", "", "begins the id of a document")
		b.addOctets("docid", u.DocID, inText, "", "the document's id, opaque")
	}
	meanings := map[string]string{
		"esn": "the element set: how much of the record is sent", "rs": `the record syntaxes, the preferred one first`,
		Z3950Search: "the search, by fields; only gofer reads it", Z3950Scan: "the place in the index of a field; only gofer reads it",
		"record": "the number of a record in the result; only gofer reads it",
	}
	for _, p := range u.parameters() {
		b.addDelimiter(";"+p[0]+"=", "", "begins a parameter")
		b.addEncoded(p[0], p[1], "", meanings[p[0]])
	}
}
