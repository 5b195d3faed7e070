package urlcore

import "strings"

// Prospero is an object of the Prospero directory service (RFC 1738, section
// 3.11):
//
//	prospero://<host>:<port>/<hsoname>;<field>=<value>
type Prospero struct {
	HostPort
	Object string // the hsoname, octets
	// Fields is the canonical text ";field=value", any number of times. See
	// FieldValues.
	Fields string
}

// Scheme is "prospero".
func (Prospero) Scheme() string { return "prospero" }

// Addr is host:port for dialling.
func (u Prospero) Addr() string { return u.addr("prospero") }

// FieldValues are the fields in order, names and values decoded.
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

// String is the canonical text.
func (u Prospero) String() string {
	var b strings.Builder
	b.Grow(u.room("prospero") + len(u.Object) + len(u.Fields))
	u.write(&b)
	return b.String()
}

func (u *Prospero) write(b *strings.Builder) {
	b.WriteString("prospero://")
	u.HostPort.write(b)
	b.WriteByte('/')
	writeEscaped(b, u.Object, inObject)
	b.WriteString(u.Fields)
}

// NewProspero makes a Prospero URL from native octets.
func NewProspero(h HostPort, object string, fields [][2]string) (Prospero, error) {
	u, err := Prospero{HostPort: h, Object: object, Fields: fieldText(fields)}.canon()
	if err != nil {
		return Prospero{}, err
	}
	return u.(Prospero), nil
}

func fieldText(fields [][2]string) string {
	var b strings.Builder
	for _, f := range fields {
		b.WriteByte(';')
		writeEscaped(&b, f[0], inField)
		b.WriteByte('=')
		writeEscaped(&b, f[1], inField)
	}
	return b.String()
}

// prospero reads prosperourl (RFC 1738, section 5).
func (st *state) prospero(s string, off int) *Error {
	a, path, err := st.slashes(s, off, false)
	if err != nil {
		return err
	}
	u := Prospero{}
	if u.HostPort, err = st.hostport(a, off+2, 1525); err != nil {
		return err
	}
	off += 2 + len(a) + 1
	if path == "" {
		return fail(BadPath, off-1, `"/" and a name must follow the host`)
	}
	var fields [][2]string
	if st.dialect == RFC1738 {
		u.Object, fields, err = st.prosperoPath(path[1:], off)
	} else {
		u.Object, fields, err = st.prosperoDraft(path[1:], off)
	}
	if err != nil {
		return err
	}
	u.Fields = fieldText(fields)
	if err := u.check(off); err != nil {
		err.Offset += escapeOf(path[1:], "\r\n")
		return err
	}
	st.url = u
	return nil
}

// prosperoPath reads ppath *[ fieldspec ].
func (st *state) prosperoPath(path string, off int) (string, [][2]string, *Error) {
	object, rest, more := strings.Cut(path, ";")
	at := off + len(object)
	var fields [][2]string
	for more {
		var one string
		at++
		one, rest, more = strings.Cut(rest, ";")
		name, value, ok := strings.Cut(one, "=")
		if !ok || st.strict && strings.IndexByte(value, '=') >= 0 {
			return "", nil, fail(BadPath, at, `after ";" comes field=value`)
		}
		if err := st.reserved(one, at, "/"); err != nil {
			return "", nil, err
		}
		fields = append(fields, [2]string{unescape(name), unescape(value)})
		at += len(one)
	}
	return unescape(object), fields, nil
}

// prosperoDraft reads hsoname [ "%00" version [ "%00" attributes ] ].
func (st *state) prosperoDraft(path string, off int) (string, [][2]string, *Error) {
	chars := "?"
	if st.dialect == Draft199403 {
		chars = "=;?:"
	}
	if err := st.reserved(path, off, chars); err != nil {
		return "", nil, err
	}
	object, rest, has := strings.Cut(unescape(path), "\x00")
	if !has {
		return object, nil, nil
	}
	version, _, attributes := strings.Cut(rest, "\x00")
	if version != "" && !isDigits(version) {
		return "", nil, fail(BadPath, off, "after %00 comes a version number")
	}
	if attributes {
		return "", nil, fail(Unrepresentable, off, "RFC 1738 has no form for the attributes of a Prospero link")
	}
	if version == "" {
		return object, nil, nil
	}
	return object, [][2]string{{"OBJECT-VERSION", version}}, nil
}

func (u Prospero) check(off int) *Error {
	if hasLineEnd(u.Object) || strings.Contains(u.Fields, "%0D") || strings.Contains(u.Fields, "%0A") {
		return fail(IllegalOctet, off, "a Prospero name cannot hold a line end")
	}
	return nil
}

func (u Prospero) canon() (URL, *Error) {
	var err *Error
	if u.HostPort, err = u.HostPort.canon("prospero"); err != nil {
		return nil, err
	}
	if u.Fields != "" {
		if u.Fields[0] != ';' || badEscape(u.Fields) >= 0 {
			return nil, fail(BadPath, 0, "fields are ;field=value")
		}
		st := state{}
		_, fields, err := st.prosperoPath(u.Fields, 0)
		if err != nil {
			return nil, err
		}
		u.Fields = fieldText(fields)
	}
	if err := u.check(0); err != nil {
		return nil, err
	}
	return u, nil
}
