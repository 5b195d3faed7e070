package demo

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
)

// LDAPServer is a directory server (RFC 4511) on a free port of 127.0.0.1. It answers binds and searches, lists entries in portions
// (RFC 2696), and has no TLS. The entries below [LDAPStaff] are shown to [LDAPUser] only.
type LDAPServer struct {
	server

	entries []ldapEntry // in the order of the answers; guarded by mu
}

// The login of an LDAPServer, and the entries that need it.
const (
	LDAPBase     = "o=Gopher Hole"
	LDAPUser     = "cn=Mary Moss,ou=People," + LDAPBase
	LDAPPassword = "moss"
	LDAPStaff    = "ou=Staff," + LDAPBase
	LDAPMany     = "ou=Many," + LDAPBase // has 1500 entries, each with a description of 6000 octets
)

const (
	ldapMany        = 1500
	ldapDescription = 6000
	ldapLargest     = 64 << 10 // octets of the largest request
	ldapPaging      = "1.2.840.113556.1.4.319"
)

// ldapEntry is an entry. Its attributes are alternately a name and a value.
type ldapEntry struct {
	dn         string
	attributes []string
}

// The results of the server (RFC 4511, appendix A).
const (
	ldapSuccess            = 0
	ldapProtocolError      = 2
	ldapNoSuchObject       = 32
	ldapInvalidCredentials = 49
	ldapNoAccess           = 50
)

// StartLDAP starts a server that runs until Close. The function replace is applied to the values.
func StartLDAP(replace func(string) string) (*LDAPServer, error) {
	s := &LDAPServer{entries: ldapEntries(ldapMany, replace)}
	return s, s.start(s.serve)
}

// fill replaces the entries.
func (s *LDAPServer) fill(entries []ldapEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = entries
}

func (s *LDAPServer) contents() []ldapEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries
}

// URL returns the URL of an entry.
func (s *LDAPServer) URL(dn string) string {
	return "ldap://" + s.hostInURLs() + "/" + strings.ReplaceAll(dn, " ", "%20")
}

func (s *LDAPServer) serve(c net.Conn) {
	in := bufio.NewReader(c)
	out := bufio.NewWriterSize(idleWriter{c}, 32<<10)
	user := ""
	for {
		_ = c.SetReadDeadline(time.Now().Add(gopherIdle))
		request, err := ber.ReadPacket(io.LimitReader(in, ldapLargest))
		if err != nil || len(request.Children) < 2 {
			return
		}
		id, op := request.Children[0], request.Children[1]
		switch {
		case op.Tag == 0 && len(op.Children) == 3: // BindRequest
			name, password := op.Children[1].Data.String(), op.Children[2].Data.String()
			code := ldapSuccess
			if user = ""; name != "" {
				if user = name; !strings.EqualFold(name, LDAPUser) || password != LDAPPassword {
					code, user = ldapInvalidCredentials, ""
				}
			}
			writeLDAP(out, id, ldapResult(1, code, "", ""), nil)
		case op.Tag == 3 && len(op.Children) == 8: // SearchRequest
			s.search(out, request, user)
		case op.Tag == 2: // UnbindRequest
			return
		case op.Tag == 23: // ExtendedRequest
			writeLDAP(out, id, ldapResult(24, ldapProtocolError, "", "unsupported extended operation"), nil)
		default:
			return
		}
		if out.Flush() != nil {
			return
		}
	}
}

// search answers a SearchRequest.
func (s *LDAPServer) search(out *bufio.Writer, request *ber.Packet, user string) {
	id, op := request.Children[0], request.Children[1]
	base, scope, filter := op.Children[0].Data.String(), op.Children[1].Data.String(), op.Children[6]
	var wanted []string
	for _, a := range op.Children[7].Children {
		wanted = append(wanted, a.Data.String())
	}
	size, start := ldapPortion(request)
	entries := s.contents()
	i := slices.IndexFunc(entries, func(e ldapEntry) bool { return strings.EqualFold(e.dn, base) })
	switch {
	case i < 0:
		writeLDAP(out, id, ldapResult(5, ldapNoSuchObject, LDAPBase, ""), nil)
		return
	case isLDAPBelow(entries[i].dn, LDAPStaff, "\x02") && !strings.EqualFold(user, LDAPUser):
		writeLDAP(out, id, ldapResult(5, ldapNoAccess, "", "the staff is shown to Mary only"), nil)
		return
	}
	cookie, sent := "", 0
	for n := start; n < len(entries); n++ {
		e := entries[n]
		hidden := isLDAPBelow(e.dn, LDAPStaff, "\x02") && user == ""
		if !isLDAPBelow(e.dn, entries[i].dn, scope) || hidden || !e.matches(filter) {
			continue
		}
		if size > 0 && sent == size {
			cookie = strconv.Itoa(n)
			break
		}
		sent++
		writeLDAP(out, id, e.packet(wanted), nil)
	}
	if start == 0 && scope != "\x00" && base == LDAPBase {
		reference := berElement(ber.ClassApplication, 19, ldapText("ldap://directory.example.invalid/ou=Guests,o=Gopher%20Hole"))
		writeLDAP(out, id, reference, nil)
	}
	var control *ber.Packet
	if size > 0 {
		value := berElement(ber.ClassUniversal, ber.TagSequence, ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, 0, ""), ldapText(cookie))
		control = berElement(ber.ClassContext, 0, berElement(ber.ClassUniversal, ber.TagSequence, ldapText(ldapPaging), ldapText(string(value.Bytes()))))
	}
	writeLDAP(out, id, ldapResult(5, ldapSuccess, "", ""), control)
}

// ldapPortion returns the size and the start of the portion that the request asks for, or 0.
func ldapPortion(request *ber.Packet) (size, start int) {
	if len(request.Children) < 3 {
		return 0, 0
	}
	for _, c := range request.Children[2].Children {
		if len(c.Children) < 2 || c.Children[0].Data.String() != ldapPaging {
			continue
		}
		value, err := ber.DecodePacketErr(c.Children[len(c.Children)-1].Data.Bytes())
		if err == nil && len(value.Children) == 2 {
			n, _ := value.Children[0].Value.(int64)
			size = int(n)
			start, _ = strconv.Atoi(value.Children[1].Data.String())
		}
	}
	return size, start
}

// isLDAPBelow reports whether an entry is in the scope of a search from base: "\x00" is base itself, "\x01" the entries directly below
// it, "\x02" both and all below. The entry of the server itself, "", is in no search but its own.
func isLDAPBelow(dn, base, scope string) bool {
	if scope == "\x00" || dn == "" || base == "" {
		return dn == base && scope != "\x01"
	}
	above, found := strings.CutSuffix(dn, ","+base)
	switch {
	case dn == base:
		return scope == "\x02"
	case scope == "\x01":
		return found && !strings.Contains(strings.ReplaceAll(above, `\,`, ""), ",")
	}
	return found
}

func (e ldapEntry) values(name string) (values []string) {
	for i := 0; i < len(e.attributes); i += 2 {
		if strings.EqualFold(e.attributes[i], name) {
			values = append(values, e.attributes[i+1])
		}
	}
	if strings.HasSuffix(e.dn, ","+LDAPMany) && strings.EqualFold(name, "description") {
		values = append(values, strings.Repeat("one of many ", ldapDescription/12))
	}
	return values
}

// packet encodes the entry with the wanted attributes.
func (e ldapEntry) packet(wanted []string) *ber.Packet {
	all := len(wanted) == 0 || slices.Contains(wanted, "*")
	if all {
		wanted = nil
		for i := 0; i < len(e.attributes); i += 2 {
			if !slices.Contains(wanted, e.attributes[i]) {
				wanted = append(wanted, e.attributes[i])
			}
		}
	}
	attributes := berElement(ber.ClassUniversal, ber.TagSequence)
	for _, name := range wanted {
		values := berElement(ber.ClassUniversal, ber.TagSet)
		for _, v := range e.values(name) {
			values.AppendChild(ldapText(v))
		}
		if len(values.Children) > 0 {
			attributes.AppendChild(berElement(ber.ClassUniversal, ber.TagSequence, ldapText(name), values))
		}
	}
	return berElement(ber.ClassApplication, 4, ldapText(e.dn), attributes)
}

// matches reports whether the entry matches a filter (RFC 4511, section 4.5.1.7).
func (e ldapEntry) matches(f *ber.Packet) bool {
	switch {
	case f.Tag == 0: // and
		return !slices.ContainsFunc(f.Children, func(c *ber.Packet) bool { return !e.matches(c) })
	case f.Tag == 1: // or
		return slices.ContainsFunc(f.Children, e.matches)
	case f.Tag == 2 && len(f.Children) == 1: // not
		return !e.matches(f.Children[0])
	case f.Tag == 7: // present
		name := f.Data.String()
		return strings.EqualFold(name, "objectClass") || len(e.values(name)) > 0
	case len(f.Children) != 2:
		return false
	}
	return slices.ContainsFunc(e.values(f.Children[0].Data.String()), func(value string) bool {
		value = strings.ToLower(value)
		if f.Tag != 4 { // equal
			return value == strings.ToLower(f.Children[1].Data.String())
		}
		for _, part := range f.Children[1].Children { // substrings: the first, others, and the last
			text := strings.ToLower(part.Data.String())
			i := strings.Index(value, text)
			if i < 0 || part.Tag == 0 && i > 0 || part.Tag == 2 && !strings.HasSuffix(value, text) {
				return false
			}
			value = value[i+len(text):]
		}
		return true
	})
}

func ldapText(s string) *ber.Packet {
	return ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, s, "")
}

// ldapResult encodes the end of an operation.
func ldapResult(tag ber.Tag, code int, matched, text string) *ber.Packet {
	return berElement(ber.ClassApplication, tag, ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, code, ""), ldapText(matched), ldapText(text))
}

// writeLDAP writes a message. controls may be nil.
func writeLDAP(w io.Writer, id, op, controls *ber.Packet) {
	number, _ := id.Value.(int64)
	m := berElement(ber.ClassUniversal, ber.TagSequence, ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, number, ""), op)
	if controls != nil {
		m.AppendChild(controls)
	}
	_, _ = w.Write(m.Bytes())
}
