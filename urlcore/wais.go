package urlcore

import "strings"

// WAIS is a database, a search in a database, or a document of a database (RFC 1738, section 3.9):
//
//	wais://<host>:<port>/<database>
//	wais://<host>:<port>/<database>?<search>
//	wais://<host>:<port>/<database>/<wtype>/<wpath>
//
// The strings contain decoded octets.
type WAIS struct {
	HostPort
	Database    string
	Search      string
	Type        string // the wtype
	Document    string // the wpath, which is opaque
	HasSearch   bool
	HasDocument bool // the URL has Type and Document, and no search
}

func (WAIS) Scheme() string { return "wais" }
func (u WAIS) Addr() string { return u.addr(u.Scheme()) }

func (u WAIS) HasWords() bool { return u.HasSearch }

func (u WAIS) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// Kind returns "search" for a database and "menu" for a search in it. The type of a document
// decides its kind.
func (u WAIS) Kind() string {
	switch {
	case !u.HasDocument && u.Search == "":
		return "search"
	case !u.HasDocument:
		return "menu"
	}
	switch wtype, _, _ := strings.Cut(strings.ToUpper(u.Type), ","); wtype {
	case "TEXT", "TEXT-FTP", "TEXT-TREE", "MAIL", "NETNEWS", "WSRC", "URL":
		return "text"
	case "HTML":
		return "html"
	case "GIF", "JPEG", "JPG", "PNG", "TIFF", "PICT":
		return "image"
	case "PS", "PDF", "DVI":
		return "document"
	}
	return "file"
}

func (u WAIS) String() string {
	var buf [bufSize]byte
	b := append(u.append(append(buf[:0], "wais://"...)), '/')
	b = appendEscaped(b, u.Database, inText)
	if u.HasDocument {
		b = appendEscaped(append(b, '/'), u.Type, inText)
		b = appendEscaped(append(b, '/'), u.Document, inText)
	}
	if u.HasSearch {
		b = appendEscaped(append(b, '?'), u.Search, inWords)
	}
	return string(b)
}

// parseWAIS parses waisurl (RFC 1738, section 5).
func (st *state) parseWAIS(s string, off int) *Error {
	u := WAIS{}
	path, err := st.parseHost(&u.HostPort, s, off, u.Scheme(), false)
	if err != nil {
		return err
	}
	off += len(s) - len(path)
	if path == "" {
		return fail(BadPath, off, `"/" and a database must follow the host`)
	}
	path, off = path[1:], off+1
	search := ""
	if path, search, u.HasSearch = strings.Cut(path, "?"); u.HasSearch {
		err = st.parseWAISSearch(&u, path, search, off)
	} else {
		err = st.parseWAISPath(&u, path, off)
	}
	if err != nil {
		return err
	}
	st.url = u
	return nil
}

// reservedInWAIS returns the characters that database and wtype must not contain without an escape.
func (st *state) reservedInWAIS() string {
	if st.dialect == RFC1738 {
		return "/;:@&=?"
	}
	return st.missingInXalphas()
}

func (st *state) parseWAISSearch(u *WAIS, database, search string, off int) *Error {
	if i := strings.IndexByte(database, '/'); i >= 0 && i == strings.LastIndexByte(database, '/') {
		return documentError(off + i + 1)
	}
	if err := st.checkReserved(database, off, st.reservedInWAIS()); err != nil {
		return err
	}
	if err := st.checkReserved(search, off+len(database)+1, "/?"+st.reservedIn1994("=;:")); err != nil {
		return err
	}
	if st.dialect != RFC1738 {
		search = strings.ReplaceAll(search, "+", " ")
	}
	u.Database, u.Search = unescape(database), unescape(search)
	return nil
}

func (st *state) parseWAISPath(u *WAIS, path string, off int) *Error {
	database, rest, ok := strings.Cut(path, "/")
	if err := st.checkReserved(database, off, st.reservedInWAIS()); err != nil {
		return err
	}
	u.Database = unescape(database)
	if !ok {
		return nil
	}
	off += len(database) + 1
	wtype, wpath, ok := strings.Cut(rest, "/")
	if !ok {
		return documentError(off)
	}
	if err := st.checkReserved(wtype, off, st.reservedInWAIS()); err != nil {
		return err
	}
	off += len(wtype) + 1
	u.Type, u.HasDocument = unescape(wtype), true
	var err *Error
	u.Document, err = st.parseWAISDocument(wpath, off)
	return err
}

func documentError(off int) *Error {
	return fail(BadPath, off, "a document needs a type and an id after the database, and cannot be searched")
}

// parseWAISDocument parses a wpath. Its form depends on the dialect.
func (st *state) parseWAISDocument(wpath string, off int) (string, *Error) {
	switch st.dialect {
	case RFC1738:
		if err := st.checkReserved(wpath, off, "/;:@&=?"); err != nil {
			return "", err
		}
		// Programs write the form of the March 1994 draft, with or without a length and a slash
		// before it, as in the July 1993 draft. A wpath of RFC 1738 never has this form.
		path := wpath
		if length, rest, ok := strings.Cut(wpath, "/"); ok && isDigits(length) {
			path = rest
		}
		if id, ok := decodeWAISFields(path); ok {
			return strings.TrimSuffix(wpath, path) + id, nil
		}
	case Draft199403:
		if id, ok := decodeWAISFields(wpath); ok {
			return id, nil
		}
		if st.strict {
			return "", fail(BadPath, off, "in the March 1994 draft a document id is number=content; once or more")
		}
	default:
		length, path, ok := strings.Cut(wpath, "/")
		switch {
		case ok && isDigits(length):
			wpath = path
		case st.strict && st.dialect == Draft199307:
			return "", fail(BadPath, off, "in the July 1993 draft the length of the document comes before its id")
		}
	}
	return unescape(wpath), nil
}

// decodeWAISFields decodes the fields of the March 1994 draft. In a field ";" and "%" stay escaped,
// so that the id can still be split into its fields.
func decodeWAISFields(s string) (string, bool) {
	var b []byte
	for first := true; first || s != ""; first = false {
		field, rest, ok := strings.Cut(s, ";")
		number, content, eq := strings.Cut(field, "=")
		if !ok || !eq || !isDigits(number) {
			return "", false
		}
		content = strings.NewReplacer(";", "%3B", "%", "%25").Replace(unescape(content))
		b = append(append(append(append(b, number...), '='), content...), ';')
		s = rest
	}
	return string(b), true
}

func (u WAIS) canon() (URL, *Error) {
	var err *Error
	if u.HostPort, err = u.HostPort.canon("wais"); err != nil {
		return nil, err
	}
	if u.HasSearch && u.HasDocument {
		return nil, fail(BadPath, 0, "a WAIS URL is a search or a document, not both")
	}
	if !u.HasSearch && u.Search != "" || !u.HasDocument && u.Type+u.Document != "" {
		return nil, fail(BadPath, 0, "a search or document is set, but its Has field is not")
	}
	return u, nil
}

// FileName returns the last name in the id of the document, or the name of the database. If the id
// consists of fields, the name comes from field 3, which is the id on the original server.
func (u WAIS) FileName() string {
	id := u.Document
	for field := range strings.SplitSeq(id, ";") {
		if local, ok := strings.CutPrefix(field, "3="); ok {
			id = local
			break
		}
	}
	if name := lastName(id); name != "" {
		return name
	}
	return lastName(u.Database)
}

// Up returns the database if u is a search or a document in it. If u is a database, Up returns the
// list of all databases of the server.
func (u WAIS) Up() (URL, bool) {
	if u.HasSearch || u.HasDocument {
		return WAIS{HostPort: u.HostPort, Database: u.Database}, true
	}
	return WAIS{HostPort: u.HostPort}, u.Database != ""
}

// Alternatives returns the databases that a name with commas can mean. A WAIS request joins the names of several
// databases with the octet 1F, but people write commas.
func (u WAIS) Alternatives() (list []Alternative) {
	names := strings.FieldsFunc(u.Database, func(r rune) bool { return r == ',' || r == ' ' })
	if u.HasDocument || len(names) < 2 || len(names) > maxNames || !strings.Contains(u.Database, ",") {
		return nil
	}
	together := u
	together.Database = strings.Join(names, "\x1f")
	list = append(list, Alternative{together, "The databases " + strings.Join(names, " and ") + " together"})
	for _, name := range names {
		one := u
		one.Database = name
		list = append(list, Alternative{one, "The database " + name})
	}
	return list
}

// maxNames is the maximum number of names that Alternatives returns.
const maxNames = 8

func (u WAIS) warnings() Warnings {
	return u.warn(u.Scheme()) | warnOctets(u.Database) | warnOctets(u.Search) | warnOctets(u.Type) | warnOctets(u.Document)
}

func (u WAIS) parts(b *partList) {
	b.addHost(u.HostPort, u.Scheme(), "3.9")
	b.addOctets("database", u.Database, inText, "3.9", "the database")
	if u.HasDocument {
		b.addDelimiter("/", "3.9", "ends the database")
		b.addOctets("wtype", u.Type, inText, "3.9", "the type of the document")
		b.addDelimiter("/", "3.9", "ends the type")
		b.addOctets("wpath", u.Document, inText, "3.9", "the document's id, opaque")
	}
	if u.HasSearch {
		b.addDelimiter("?", "3.9", "begins the search")
		meaning := "the words to search for"
		if strings.Contains(u.Search, "+") {
			meaning += `; in the drafts of 1993 "+" stood for a blank between words`
		}
		b.addOctets("search", u.Search, inWords, "3.9", meaning)
	}
}
