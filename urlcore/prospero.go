package urlcore

import "strings"

// Prospero is an object of the Prospero directory service (RFC 1738, section
// 3.11):
//
//	prospero://<host>:<port>/<hsoname>;<field>=<value>
type Prospero struct {
	HostPort
	Object string // the hsoname, octets
	// Fields is the canonical text of the fields, each ";field=value". See FieldValues.
	Fields string
}

func (Prospero) Scheme() string { return "prospero" }
func (u Prospero) Addr() string { return u.addr(u.Scheme()) }

func (Prospero) HasWords() bool { return false }

// FieldValues returns the fields in order, with decoded names and values.
func (u Prospero) FieldValues() [][2]string {
	var f [][2]string
	for s := u.Fields; s != ""; {
		var one string
		one, s, _ = strings.Cut(strings.TrimPrefix(s, ";"), ";")
		name, value, _ := strings.Cut(one, "=")
		f = append(f, [2]string{unescape(name), unescape(value)})
	}
	return f
}

func (u Prospero) String() string {
	var buf [bufSize]byte
	b := append(u.append(append(buf[:0], "prospero://"...)), '/')
	return join(appendEscaped(b, u.Object, inObject), u.Fields)
}

// NewProspero returns a Prospero URL. The object and the fields are octets without escapes.
func NewProspero(h HostPort, object string, fields [][2]string) (Prospero, error) {
	u, err := Prospero{HostPort: h, Object: object, Fields: fieldText(fields)}.canon()
	if err != nil {
		return Prospero{}, err
	}
	return u.(Prospero), nil
}

func fieldText(fields [][2]string) string {
	var buf [bufSize]byte
	b := buf[:0]
	for _, f := range fields {
		b = appendEscaped(append(b, ';'), f[0], inField)
		b = appendEscaped(append(b, '='), f[1], inField)
	}
	return string(b)
}

// parseProspero parses prosperourl (RFC 1738, section 5).
func (st *state) parseProspero(s string, off int) *Error {
	u := Prospero{}
	path, err := st.parseHost(&u.HostPort, s, off, u.Scheme(), false)
	if err != nil {
		return err
	}
	off += len(s) - len(path)
	if path == "" {
		return fail(BadPath, off, `"/" and a name must follow the host`)
	}
	path, off = path[1:], off+1
	if st.dialect == RFC1738 {
		u.Object, u.Fields, err = st.parseProsperoPath(path, off)
	} else {
		u.Object, u.Fields, err = st.parseProsperoDraft(path, off)
	}
	if err != nil {
		return err
	}
	if st.marks&markPercent != 0 {
		if err := u.checkOctets(off); err != nil {
			err.Offset += escapeIndex(path, "\r\n")
			return err
		}
	}
	st.url = u
	return nil
}

// parseProsperoPath parses ppath *[ fieldspec ] and makes the fields canonical.
func (st *state) parseProsperoPath(path string, off int) (object, fields string, err *Error) {
	object, _, _ = strings.Cut(path, ";")
	fields, err = st.parseProsperoFields(path[len(object):], off+len(object))
	return unescape(object), fields, err
}

// parseProsperoFields parses s, which is empty or begins with ";".
func (st *state) parseProsperoFields(s string, off int) (string, *Error) {
	var fields [][2]string
	canonical := true
	for rest := s; rest != ""; {
		at := off + len(s) - len(rest) + 1
		one, _, _ := strings.Cut(rest[1:], ";")
		rest = rest[1+len(one):]
		name, value, ok := strings.Cut(one, "=")
		if !ok || st.strict && strings.IndexByte(value, '=') >= 0 {
			return "", fail(BadPath, at, `";" must be followed by field=value`)
		}
		if err := st.checkReserved(one, at, "/"); err != nil {
			return "", err
		}
		if canonical && hasOnly(name, inField) && hasOnly(value, inField) {
			continue
		}
		if canonical {
			canonical = false
			fields = Prospero{Fields: s[:at-1-off]}.FieldValues()
		}
		fields = append(fields, [2]string{unescape(name), unescape(value)})
	}
	if canonical {
		return s, nil
	}
	return fieldText(fields), nil
}

// parseProsperoDraft parses hsoname [ "%00" version [ "%00" attributes ] ].
func (st *state) parseProsperoDraft(path string, off int) (object, fields string, err *Error) {
	if err := st.checkReserved(path, off, "?"+st.reservedIn1994("=;:")); err != nil {
		return "", "", err
	}
	object, rest, has := strings.Cut(unescape(path), "\x00")
	if !has {
		return object, "", nil
	}
	version, _, attributes := strings.Cut(rest, "\x00")
	if version != "" && !isDigits(version) {
		return "", "", fail(BadPath, off, "%00 must be followed by a version number")
	}
	if attributes {
		return "", "", fail(Unrepresentable, off, "RFC 1738 has no form for the attributes of a Prospero link")
	}
	if version == "" {
		return object, "", nil
	}
	return object, ";OBJECT-VERSION=" + version, nil
}

func (u Prospero) checkOctets(off int) *Error {
	if hasLineEnd(u.Object) || hasEscapedLineEnd(u.Fields) {
		return fail(IllegalOctet, off, "a Prospero name cannot contain a line end")
	}
	return nil
}

func (u Prospero) canon() (URL, *Error) {
	var err *Error
	if u.HostPort, err = u.HostPort.canon("prospero"); err != nil {
		return nil, err
	}
	if u.Fields != "" {
		if u.Fields[0] != ';' || badEscapeIndex(u.Fields) >= 0 {
			return nil, fail(BadPath, 0, "fields are ;field=value")
		}
		st := state{}
		if u.Fields, err = st.parseProsperoFields(u.Fields, 0); err != nil {
			return nil, err
		}
	}
	if err := u.checkOctets(0); err != nil {
		return nil, err
	}
	return u, nil
}

func (u Prospero) At(host string, port uint16) URL {
	u.Host, u.Port = host, port
	return u
}

// FileName returns the last name in the hsoname, which may be empty.
func (u Prospero) FileName() string { return lastName(u.Object) }

// Kind returns "directory" for the root and otherwise "file". Only the server knows which objects
// are directories.
func (u Prospero) Kind() string {
	if u.Object == "" {
		return "directory"
	}
	return "file"
}

func (u Prospero) Up() (URL, bool) {
	path, ok := parentPath("/" + u.Object)
	u.Object, u.Fields = path[1:], ""
	return u, ok
}

func (u Prospero) warnings() Warnings {
	return u.warn(u.Scheme()) | warnOctets(u.Object) | warnText(u.Fields)
}

func (u Prospero) parts(b *partList) {
	b.addHost(u.HostPort, u.Scheme(), "3.11")
	b.addOctets("hsoname", u.Object, inObject, "3.11", "the name of the object on the host")
	if u.Fields == "" {
		return
	}
	for field := range strings.SplitSeq(u.Fields[1:], ";") {
		name, value, _ := strings.Cut(field, "=")
		b.addDelimiter(";", "3.11", "begins a field")
		b.addEncoded("field", name, "3.11", "the name of a field")
		b.addDelimiter("=", "3.11", "ends the name of a field")
		b.addEncoded("value", value, "3.11", "the value of a field")
	}
}
