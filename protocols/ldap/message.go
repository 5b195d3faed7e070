package ldap

import (
	"iter"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"gofer/protocols"
)

// The object identifiers of LDAP.
const (
	oidStartTLS   = "1.3.6.1.4.1.1466.20037" // RFC 4511, section 4.14
	oidDisconnect = "1.3.6.1.4.1.1466.20036" // RFC 4511, section 4.4.1
	oidPaging     = "1.2.840.113556.1.4.319" // RFC 2696
)

const version = 3

// everything is the filter that every entry matches.
const everything = "(objectClass=*)"

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
	return element(tagSequence, number(tagInteger, id)+strings.Join(parts, ""))
}

func startTLSRequest(id int) string {
	return message(id, element(tagExtended, element(tagExtendedName, oidStartTLS)))
}

func bindRequest(id int, name, password string) string {
	return message(id, element(tagBind, number(tagInteger, version), element(tagOctets, name), element(tagSimple, password)))
}

func unbindRequest(id int) string { return message(id, element(tagUnbind)) }

// maxFilter limits the filter of a URL, in octets: the library encodes each level of it anew.
const maxFilter = 8 << 10

// searchRequest encodes q. It returns an error if the filter is wrong.
func searchRequest(id int, q query) (string, error) {
	filter := q.filter
	if filter == "" {
		filter = everything
	}
	if len(filter) > maxFilter {
		return "", protocols.NewError(protocols.BadURL, "send the filter", "it is too long")
	}
	compiled, err := goldap.CompileFilter(filter)
	if err != nil {
		return "", protocols.NewError(protocols.BadURL, "send the filter "+filter, "write a filter such as (cn=mary) or (&(sn=moss)(mail=*))")
	}
	var attributes strings.Builder
	for _, a := range q.attributes {
		attributes.WriteString(element(tagOctets, a))
	}
	const never = 0 // aliases are shown as links and not followed
	request := element(tagSearch,
		element(tagOctets, q.base), number(tagEnumerated, q.scope), number(tagEnumerated, never), number(tagInteger, 0), number(tagInteger, 0),
		element(tagBoolean, "\x00"), string(compiled.Bytes()), element(tagSequence, attributes.String()))
	if q.portion == 0 {
		return message(id, request), nil
	}
	paging := element(tagSequence, number(tagInteger, q.portion), element(tagOctets, q.cookie))
	control := element(tagSequence, element(tagOctets, oidPaging), element(tagOctets, paging))
	return message(id, request, element(tagControls, control)), nil
}

// answer is a message of the server.
type answer struct {
	id       int
	tag      byte
	content  []byte
	controls []byte
}

// parseAnswer reads the content of a message.
func parseAnswer(b []byte) (a answer, ok bool) {
	id, rest, ok := cutTag(b, tagInteger)
	if !ok {
		return a, false
	}
	a.id = parseNumber(id)
	a.tag, a.content, rest, ok = cut(rest)
	if controls, _, has := cutTag(rest, tagControls); has {
		a.controls = controls
	}
	return a, ok && a.id >= 0
}

// result is the end of an operation (RFC 4511, section 4.1.9).
type result struct {
	code      int
	matched   string // the nearest entry above that exists, if an entry does not exist
	text      string // the message of the server
	referrals []string
	cookie    string // the place after this portion; "" if it is the last one
	name      string // of an extended reply
}

// result reads the content of a result and the control with the place of the portion.
func (a answer) result() (r result, ok bool) {
	code, rest, ok := cutTag(a.content, tagEnumerated)
	if !ok {
		return r, false
	}
	matched, rest, ok := cutTag(rest, tagOctets)
	if !ok {
		return r, false
	}
	text, rest, ok := cutTag(rest, tagOctets)
	r = result{code: parseNumber(code), matched: string(matched), text: string(text)}
	for ok && len(rest) > 0 {
		var tag byte
		var content []byte
		tag, content, rest, ok = cut(rest)
		switch tag {
		case tagReferrals:
			r.referrals = textsOf(content)
		case tagExtendedReplyOID:
			r.name = string(content)
		}
	}
	r.cookie = a.cookie()
	return r, ok && r.code >= 0
}

// cookie returns the place after the portion (RFC 2696, section 2), or "".
func (a answer) cookie() string {
	for rest := a.controls; ; {
		control, next, ok := cutTag(rest, tagSequence)
		if !ok {
			return ""
		}
		rest = next
		name, value, ok := cutTag(control, tagOctets)
		if !ok || string(name) != oidPaging {
			continue
		}
		if tag, _, after, ok := cut(value); ok && tag == tagBoolean { // the criticality
			value = after
		}
		value, _, _ = cutTag(value, tagOctets)
		value, _, _ = cutTag(value, tagSequence)
		_, value, _ = cutTag(value, tagInteger)
		cookie, _, _ := cutTag(value, tagOctets)
		return string(cookie)
	}
}

// maxReferrals limits the URLs of one referral.
const maxReferrals = 100

// textsOf returns the strings in a sequence, at most maxReferrals.
func textsOf(b []byte) (texts []string) {
	for len(texts) < maxReferrals {
		text, rest, ok := cutTag(b, tagOctets)
		if !ok {
			break
		}
		texts, b = append(texts, string(text)), rest
	}
	return texts
}

// entry is an entry of the directory. Its attributes stay encoded, because they may be many.
type entry struct {
	dn  string
	raw []byte
}

// entry reads the content of an entry and checks that all of it is whole.
func (a answer) entry() (e entry, ok bool) {
	dn, rest, ok := cutTag(a.content, tagOctets)
	if !ok {
		return e, false
	}
	if e.raw, _, ok = cutTag(rest, tagSequence); !ok {
		return e, false
	}
	e.dn = string(dn)
	for raw := e.raw; len(raw) > 0; {
		var values []byte
		if _, values, raw, ok = cutAttribute(raw); !ok {
			return e, false
		}
		for len(values) > 0 {
			if _, values, ok = cutTag(values, tagOctets); !ok {
				return e, false
			}
		}
	}
	return e, true
}

// cutAttribute splits b after its first attribute (RFC 4511, section 4.1.7).
func cutAttribute(b []byte) (name, values, rest []byte, ok bool) {
	attribute, rest, ok := cutTag(b, tagSequence)
	if !ok {
		return nil, nil, nil, false
	}
	if name, values, ok = cutTag(attribute, tagOctets); !ok {
		return nil, nil, nil, false
	}
	values, _, ok = cutTag(values, tagSet)
	return name, values, rest, ok
}

// attributes yields the names and the encoded values of the attributes.
func (e entry) attributes() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for raw := e.raw; len(raw) > 0; {
			var name, values []byte
			if name, values, raw, _ = cutAttribute(raw); !yield(string(name), values) {
				return
			}
		}
	}
}

// valuesOf yields the values of an attribute.
func valuesOf(values []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(values) > 0 {
			var value []byte
			if value, values, _ = cutTag(values, tagOctets); !yield(value) {
				return
			}
		}
	}
}
