package ldap

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"strings"

	"gofer/internal/ber"
)

// The tags of the parts of messages (RFC 4511, appendix B).
const (
	tagBind          = ber.Application + 0
	tagBindReply     = ber.Application + 1
	tagUnbind        = ber.Application + 2
	tagSearch        = ber.Application + 3
	tagEntry         = ber.Application + 4
	tagDone          = ber.Application + 5
	tagReference     = ber.Application + 19
	tagExtended      = ber.Application + 23
	tagExtendedReply = ber.Application + 24
	tagIntermediate  = ber.Application + 25

	tagSimple       = 0  // the password of a bind
	tagExtendedName = 0  // the name of an extended request
	tagReplyName    = 10 // the name of an extended reply
	tagControls     = 0
	tagReferrals    = 3
)

// The sizes of the buffer of a connection and of the largest message, which is an entry with all its values, in octets.
const (
	readAhead  = 16 << 10
	maxMessage = 8 << 20
)

// newReader returns the reader of messages: each is a SEQUENCE. The advice is that of a [ber.Reader].
func newReader(conn io.Reader, advice string) *ber.Reader {
	begins := func(octet byte) bool { return octet == 0x30 }
	return &ber.Reader{In: bufio.NewReaderSize(conn, readAhead), Protocol: "LDAP", Advice: advice, Begins: begins, Limit: maxMessage}
}

// The object identifiers of LDAP.
const (
	oidStartTLS   = "1.3.6.1.4.1.1466.20037" // RFC 4511, section 4.14
	oidDisconnect = "1.3.6.1.4.1.1466.20036" // RFC 4511, section 4.4.1
	oidPaging     = "1.2.840.113556.1.4.319" // RFC 2696
)

const version = 3

// The scopes of a search (RFC 4511, section 4.5.1.2).
const (
	scopeEntry = iota
	scopeOne
	scopeBelow
)

// query is a search. The zero value asks for the root DSE.
type query struct {
	base       string
	scope      int
	filter     string // "" for everything
	attributes []string
	portion    int    // the number of entries in a portion; 0 for no portions
	cookie     string // the place after the last portion
}

// message encodes a request.
func message(id int, parts ...string) string {
	return ber.Group(ber.Sequence, ber.Number(ber.Integer, id), strings.Join(parts, ""))
}

func startTLSRequest(id int) string {
	return message(id, ber.Group(tagExtended, ber.Leaf(tagExtendedName, oidStartTLS)))
}

func bindRequest(id int, name, password string) string {
	return message(id, ber.Group(tagBind, ber.Number(ber.Integer, version), ber.Leaf(ber.Octets, name), ber.Leaf(tagSimple, password)))
}

func unbindRequest(id int) string { return message(id, ber.Leaf(tagUnbind, "")) }

// searchRequest encodes q.
func searchRequest(id int, q query) string {
	filter, _ := compileFilter(q.filter) // checkURL has checked it
	var attributes []string
	for _, a := range q.attributes {
		attributes = append(attributes, ber.Leaf(ber.Octets, a))
	}
	const never = 0 // aliases are shown as links and not followed
	request := ber.Group(tagSearch,
		ber.Leaf(ber.Octets, q.base), ber.Number(ber.Enumerated, q.scope), ber.Number(ber.Enumerated, never), ber.Number(ber.Integer, 0), ber.Number(ber.Integer, 0),
		ber.Leaf(ber.Boolean, "\x00"), filter, ber.Group(ber.Sequence, attributes...))
	if q.portion == 0 {
		return message(id, request)
	}
	paging := ber.Group(ber.Sequence, ber.Number(ber.Integer, q.portion), ber.Leaf(ber.Octets, q.cookie))
	control := ber.Group(ber.Sequence, ber.Leaf(ber.Octets, oidPaging), ber.Leaf(ber.Octets, paging))
	return message(id, request, ber.Group(tagControls, control))
}

// answer is a message of the server.
type answer struct {
	id       int
	op       ber.Element
	controls ber.Element
}

// readAnswer reads the parts of a message.
func readAnswer(m ber.Element) answer {
	a := answer{id: m.Find(ber.Integer).Number(), controls: m.Find(tagControls)}
	for part := range m.Children() {
		if part.Tag > ber.Application {
			a.op = part
			break
		}
	}
	return a
}

// readCookie returns the place after a portion (RFC 2696, section 2), or "".
func readCookie(controls ber.Element) string {
	for control := range controls.Children() {
		if texts := textsOf(control); len(texts) > 1 && texts[0] == oidPaging {
			value, _ := ber.Parse([]byte(texts[1]))
			return value.Find(ber.Octets).Text()
		}
	}
	return ""
}

// result is the end of an operation (RFC 4511, section 4.1.9).
type result struct {
	code      int
	matched   string      // the nearest entry above that exists, if an entry does not exist
	text      string      // the message of the server
	referrals ber.Element // URLs of other servers
	name      string      // of an extended reply
	cookie    string      // the place after this portion; "" if it is the last one
}

// result returns the result in a, which must have the tag want. The function mask hides passwords in the texts of the server.
func (a answer) result(want int, mask func(text string) string) (r result, err error) {
	texts, code := textsOf(a.op), a.op.Find(ber.Enumerated)
	if a.op.Tag != want || len(texts) < 2 || len(code.Content) == 0 || code.Number() < 0 {
		return r, ber.Malformed(ber.ErrDamaged)
	}
	referrals := a.op.Find(tagReferrals)
	referrals.Content = bytes.Clone(referrals.Content)
	return result{code.Number(), mask(texts[0]), mask(texts[1]), referrals, a.op.Find(tagReplyName).Text(), readCookie(a.controls)}, nil
}

// textsOf returns the first two strings in e.
func textsOf(e ber.Element) (texts []string) {
	for part := range e.Children() {
		if len(texts) < 2 && part.Tag == ber.Octets {
			texts = append(texts, part.Text())
		}
	}
	return texts
}

// entry is an entry of the directory. Its attributes stay encoded, because they may be many.
type entry struct {
	dn  string
	raw ber.Element
}

// entry returns the entry in a.
func (a answer) entry() (e entry, err error) {
	dn, raw := a.op.Find(ber.Octets), a.op.Find(ber.Sequence)
	if a.op.Tag != tagEntry || !dn.Exists() || !raw.Exists() {
		return e, ber.Malformed(ber.ErrDamaged)
	}
	return entry{dn.Text(), raw}, nil
}

// attributes yields the names and the values of the attributes (RFC 4511, section 4.1.7).
func (e entry) attributes() iter.Seq2[string, ber.Element] {
	return func(yield func(string, ber.Element) bool) {
		for a := range e.raw.Children() {
			if !yield(a.Find(ber.Octets).Text(), a.Find(ber.Set)) {
				return
			}
		}
	}
}

// isEmpty reports whether the entry has no values.
func (e entry) isEmpty() bool {
	for _, values := range e.attributes() {
		if values.First().Exists() {
			return false
		}
	}
	return true
}
