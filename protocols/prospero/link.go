package prospero

import (
	"strconv"
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// The limits for the attributes of a link.
const (
	maxAttributes      = 256
	maxAttributeOctets = 64 << 10
)

// place says where an object is: host type, host, hsoname type and hsoname.
type place struct{ hostType, host, nameType, object string }

func placeOf(tokens []string) place {
	s := statement{tokens: tokens}
	return place{s.token(0), s.token(1), s.token(2), s.token(3)}
}

// withDefaults returns p with the host of q if p has no host, and the object of q if p has no object.
func (p place) withDefaults(q place) place {
	if p.host == "" {
		p.hostType, p.host = q.hostType, q.host
	}
	if p.object == "" {
		p.nameType, p.object = q.nameType, q.object
	}
	return p
}

// link is an entry of a directory: a LINK and the attributes after it.
type link struct {
	union   bool
	hidden  bool
	target  string // DIRECTORY, FILE, EXTERNAL, ...
	name    string
	place   place
	version string
	expires string
	attributes
}

// parseLink parses
//
//	LINK <L|U|I> <target> <name> <host-type> <host> <hsoname-type> <hsoname> <version> [DEST-EXP <time>]
func parseLink(s statement) (*link, bool) {
	if s.keyword() != "LINK" || len(s.tokens) < 9 || s.truncated {
		return nil, false
	}
	l := &link{
		union: strings.EqualFold(s.token(1), "U"), hidden: strings.EqualFold(s.token(1), "I"), target: strings.ToUpper(s.token(2)), name: s.token(3),
		place: placeOf(s.tokensFrom(4)), version: s.token(8),
	}
	if strings.EqualFold(s.token(9), "DEST-EXP") {
		l.expires = s.token(10)
	}
	return l, true
}

// isDirectory reports whether the target of the link is a directory.
func (l *link) isDirectory() bool { return strings.HasPrefix(l.target, "DIRECTORY") }

// attribute is an attribute of an object or a link.
type attribute struct {
	name   string
	values []string
}

type attributes []attribute

// add adds the attribute of the statement
//
//	ATTRIBUTE <applies-to> <FIELD|INTRINSIC|APPLICATION> <name> [SEQUENCE|LINK|FILTER] <value> ...
//
// It ignores a statement without a value, a truncated one, and attributes beyond the limits.
func (a *attributes) add(s statement) {
	if len(*a) >= maxAttributes || s.truncated || len(s.tokens) < 5 {
		return
	}
	values := s.tokensFrom(4)
	switch values[0] {
	case "SEQUENCE", "LINK", "FILTER":
		values = values[1:]
	}
	size := 0
	for _, v := range append(*a, attribute{"", values}) {
		for _, value := range v.values {
			size += len(value) + 1
		}
	}
	if len(values) > 0 && size <= maxAttributeOctets {
		*a = append(*a, attribute{strings.ToUpper(s.token(3)), values})
	}
}

func isAttribute(s statement) bool {
	name, _, _ := strings.Cut(s.keyword(), ">")
	return name == "ATTRIBUTE"
}

// firstValue returns the value of the first attribute with the name.
func (a attributes) firstValue(name string) string {
	for _, v := range a {
		if v.name == name {
			return strings.Join(v.values, " ")
		}
	}
	return ""
}

// allValues returns the values of the attributes with the name, each as one text.
func (a attributes) allValues(name string) []string {
	var list []string
	for _, v := range a {
		if v.name == name {
			list = append(list, strings.Join(v.values, " "))
		}
	}
	return list
}

// size returns the size in an attribute such as SIZE "20 bytes", or -1.
func (a attributes) size() int64 {
	number, unit, _ := strings.Cut(a.firstValue("SIZE"), " ")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || unit != "" && !strings.HasPrefix(strings.ToLower(unit), "byte") {
		return -1
	}
	return n
}

// modTime returns the time in an attribute such as LAST-MODIFIED "20261121052759Z", or the zero
// time.
func (a attributes) modTime() time.Time {
	t, err := time.Parse("20060102150405Z", a.firstValue("LAST-MODIFIED"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// note is the [protocols.Note] of a link.
type note struct {
	protocols.FileNote
	description string
	attributes  []protocols.Attribute
	hidden      bool
}

// Hidden reports whether the link is invisible, for [protocols.IsHiddenLine].
func (n *note) Hidden() (hidden bool, entries string) { return n.hidden, "invisible links" }

func (n *note) Row() protocols.Row {
	return protocols.Row{Description: n.description, TextWidth: 24}
}

func (n *note) Attributes() []protocols.Attribute {
	return append(n.FileNote.Attributes(), n.attributes...)
}

func (n *note) Memory() int {
	size := n.FileNote.Memory() + len(n.description)
	for _, a := range n.attributes {
		size += 48
		switch v := a.Value.(type) {
		case string:
			size += len(v)
		case []string:
			for _, s := range v {
				size += 16 + len(s)
			}
		}
	}
	return size
}

// makeNote returns the note of the link. The parameter links is the list of its URLs, and why is a
// remark or "".
func (l *link) makeNote(links []urlcore.URL, why string) *note {
	n := &note{FileNote: protocols.FileNote{Size: l.size(), Modified: l.modTime()}, hidden: l.hidden}
	var others []string
	for _, u := range links[min(1, len(links)):] {
		others = append(others, u.String())
	}
	filters := l.allValues("FILTER")
	item := l.firstValue("MENU-ITEM-DESCRIPTION")
	var parts []string
	for _, part := range [...]struct{ head, text string }{
		{"", why},
		{"", l.instructions()},
		{"", item},
		{"filter: ", strings.Join(filters, "; ")},
		{"expires ", l.expires},
		{"also ", strings.Join(others, " ")},
	} {
		if part.text != "" && part.text != l.name {
			parts = append(parts, part.head+part.text)
		}
	}
	n.description = strings.Join(parts, "; ")
	add := func(name string, value any) {
		n.attributes = append(n.attributes, protocols.Attribute{Name: name, Value: value})
	}
	add("target_type", strings.ToLower(l.target))
	add("union", trueOrNil(l.union))
	add("invisible", trueOrNil(l.hidden))
	add("permissions", l.firstValue("UNIX-MODES"))
	add("owner", l.firstValue("NATIVE-OWNER"))
	add("interpretation", l.firstValue("OBJECT-INTERPRETATION"))
	add("description", item)
	add("filters", filters)
	add("expires", l.expires)
	add("other_urls", others)
	add("remark", why)
	return n
}

// instructions returns the instructions for a telnet session that the link opens, or "".
func (l *link) instructions() string {
	for _, v := range l.attributes {
		if v.name == "ACCESS-METHOD" && v.values[0] == "TELNET" {
			return statement{tokens: v.values}.token(5)
		}
	}
	return ""
}

func trueOrNil(ok bool) any {
	if ok {
		return true
	}
	return nil
}
