package ldap

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	goldap "github.com/go-ldap/ldap/v3"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// nameWidth is the width of the names of attributes on a page.
const nameWidth = 20

// attributesOf returns the attributes that u names.
func attributesOf(u urlcore.LDAP) []string {
	return slices.DeleteFunc(strings.Split(u.Attributes, ","), func(a string) bool { return a == "" })
}

// entryQuery returns the query for the entry of u. All of what the server says about itself are operational attributes (RFC 4512,
// section 5.1).
func entryQuery(u urlcore.LDAP) query {
	q := query{base: u.DN, scope: scopeEntry, filter: u.Filter, attributes: attributesOf(u)}
	if u.DN == "" && u.Attributes == "" {
		q.attributes = []string{"*", "+"}
	}
	return q
}

// hasChildren reports whether the page of u lists the entries below: u names an entry and nothing else.
func hasChildren(u urlcore.LDAP) bool {
	return u.DN != "" && u.Attributes+u.Scope+u.Filter == ""
}

// entryURL returns the URL of another entry on the server of u. It has the user of u.
func entryURL(u urlcore.LDAP, dn string) urlcore.LDAP {
	e := urlcore.LDAP{Name: u.Name, HostPort: u.HostPort, DN: dn}
	if accountOf(u).HasUser {
		e.Extensions = u.Extensions
	}
	return e
}

// newEntryPage returns the page of an entry.
func (s *session) newEntryPage(e *entry) *protocols.Resource {
	return s.newPage(func(yield func(protocols.Line, error) bool) {
		for l := range s.entryLines(e) {
			if !yield(l, nil) {
				return
			}
		}
		if !hasChildren(s.url) || !yield(protocols.Line{}, nil) || s.key.Login.User != "" && !yield(s.loginLine(), nil) {
			return
		}
		if yield(s.searchLine(), nil) {
			s.yieldChildren(yield)
		}
	})
}

// newPage returns a page with the lines. The session is kept after them.
func (s *session) newPage(lines iter.Seq2[protocols.Line, error]) *protocols.Resource {
	lease := &wire.Lease{Keep: s.keep, Drop: s.Drop}
	return &protocols.Resource{
		Head: protocols.Head{URL: s.url, Title: titleOf(s.url), Layout: protocols.LayoutMenu, Charset: "utf-8", Size: -1},
		Lines: func(yield func(protocols.Line, error) bool) {
			defer lease.Done()
			lines(yield)
		},
		Closer: lease,
	}
}

// searchLine returns the link to a search below the entry.
func (s *session) searchLine() protocols.Line {
	u := entryURL(s.url, s.url.DN)
	u.Extensions = strings.TrimPrefix(u.Extensions+","+urlcore.LDAPWords, ",")
	return protocols.Line{Kind: protocols.Search, Text: "Search below this entry", Link: canonical(u)}
}

// entryLines yields the lines for the attributes of e. On the page of the server itself, the names where its directory begins
// come first.
func (s *session) entryLines(e *entry) iter.Seq[protocols.Line] {
	return func(yield func(protocols.Line) bool) {
		if s.url.DN == "" && s.url.Attributes == "" && !s.yieldContexts(e, yield) {
			return
		}
		for name, values := range e.attributes() {
			name, next := cutRange(name)
			first := true
			for value := range values.Children() {
				for _, l := range s.valueLines(name, value.Octets(), first) {
					if !yield(l) {
						return
					}
				}
				first = false
			}
			if next != "" {
				l := protocols.Line{Text: label("") + "more values of " + shorten(name, maxLabel), Link: s.attributeURL(next)}
				if l.Kind = protocols.KindOf(l.Link); !yield(l) {
					return
				}
			}
		}
	}
}

// yieldContexts yields items for the naming contexts of the server (RFC 4512, section 5.1).
func (s *session) yieldContexts(e *entry, yield func(protocols.Line) bool) bool {
	for name, values := range e.attributes() {
		if !strings.EqualFold(name, "namingContexts") {
			continue
		}
		for value := range values.Children() {
			if dn := value.Text(); dn != "" && !yield(s.itemLine(dn, dn)) {
				return false
			}
		}
	}
	return yield(s.loginLine()) && yield(protocols.Line{})
}

// The limits of texts, in octets. What a page may repeat for each short value of an answer is limited more, so that a page stays in
// proportion to the answer.
const (
	maxName     = 8 << 10 // of the name of an entry in a link
	maxLabel    = 64      // of the name of an attribute before a value
	maxRepeated = 1 << 10 // of the parts of the URL of a page in each link on it
)

// itemLine returns a line with a link to an entry.
func (s *session) itemLine(dn, text string) protocols.Line {
	if len(dn) > maxName {
		return protocols.Line{Kind: protocols.Problem, Text: shorten(text, wire.MaxLine)}
	}
	u := canonical(entryURL(s.url, dn))
	return protocols.Line{Kind: protocols.KindOf(u), Text: text, Link: u, Note: &Item{DN: dn}}
}

// valueLines returns the lines for a value of an attribute. The first value of an attribute such as jpegPhoto is a link to its octets.
func (s *session) valueLines(name string, value []byte, first bool) []protocols.Line {
	shown := shorten(name, maxLabel)
	if !isText(value) {
		l := protocols.Line{Text: fmt.Sprintf("%sbinary, %d octets", label(shown), len(value)), Note: &Value{Attribute: shown, Size: int64(len(value))}}
		if kind := protocols.KindOf(s.attributeURL(name)); first && kind != protocols.Menu && kind != protocols.Other {
			l.Kind, l.Link = kind, s.attributeURL(name)
		}
		return []protocols.Line{l}
	}
	var lines []protocols.Line
	text, head := shorten(string(value), wire.MaxLine), label(shown)
	for part := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		l := protocols.Line{Text: head + strings.TrimSuffix(part, "\r")}
		l.Note = &Value{Attribute: shown, Text: l.Text[len(head):], Size: -1}
		lines, head = append(lines, l), label("")
	}
	s.linkValue(&lines[0], name, text)
	return lines
}

// attributeURL returns the URL of an attribute of the entry, or nil if it is too long.
func (s *session) attributeURL(attribute string) urlcore.URL {
	u := entryURL(s.url, s.url.DN)
	if u.Attributes = attribute; len(u.DN)+len(attribute) > maxRepeated {
		return nil
	}
	return canonical(u)
}

// cutRange splits the range off the name of an attribute, such as "member;range=0-1499": Active Directory sends the first values of
// many only. The parameter next names the other ones, or is "" if there are none (MS-ADTS, section 3.1.1.3.1.3.3).
func cutRange(name string) (attribute, next string) {
	attribute, values, _ := strings.Cut(name, ";range=")
	_, last, _ := strings.Cut(values, "-")
	if n, err := strconv.ParseUint(last, 10, 31); err == nil {
		next = fmt.Sprintf("%s;range=%d-*", attribute, n+1)
	}
	return attribute, next
}

// label returns the name of an attribute before its value.
func label(name string) string {
	return name + strings.Repeat(" ", max(nameWidth-utf8.RuneCountInString(name), 1))
}

// linkValue makes l a link if the value is the name of an entry, or begins with a URL or a mail address (labeledURI: RFC 2079).
func (s *session) linkValue(l *protocols.Line, attribute, value string) {
	if isDN(attribute, value) {
		l.Link = canonical(entryURL(s.url, value))
		l.Kind = protocols.KindOf(l.Link)
		return
	}
	if name := knownOIDs[value]; name != "" {
		l.Text += "  " + name
		return
	}
	first, _, _ := strings.Cut(value, " ")
	*l = l.WithLink(strings.TrimSpace(first))
}

// isText reports whether a value is text in UTF-8.
func isText(value []byte) bool {
	return utf8.Valid(value) && !slices.ContainsFunc(value, func(c byte) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' })
}

// shorten cuts a text that is longer than limit octets, and says so.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for !utf8.RuneStart(text[end]) && end > limit-utf8.UTFMax {
		end--
	}
	return text[:end] + fmt.Sprintf(" ... (%d octets)", len(text))
}

// nameAttributes are attributes whose values are names of entries (RFC 4519, RFC 4512, RFC 2798, and Active Directory), in lower
// case.
var nameAttributes = strings.Fields("member uniquemember memberof manager secretary owner roleoccupant seealso aliasedobjectname aliasedentryname " +
	"creatorsname modifiersname subschemasubentry namingcontexts entrydn distinguishedname documentauthor assistant directreports " +
	"defaultnamingcontext rootdomainnamingcontext configurationnamingcontext schemanamingcontext")

// isDN reports whether the value of an attribute is the name of an entry: by the attribute, or because it has at least two parts of
// usual types.
func isDN(attribute, value string) bool {
	if value == "" || len(value) > maxName || !strings.Contains(value, "=") {
		return false
	}
	dn, err := goldap.ParseDN(value)
	if err != nil {
		return false
	}
	attribute, _, _ = strings.Cut(strings.ToLower(attribute), ";")
	if slices.Contains(nameAttributes, attribute) {
		return true
	}
	for _, part := range dn.RDNs {
		for _, a := range part.Attributes {
			if !slices.Contains([]string{"cn", "ou", "o", "c", "dc", "l", "st", "uid"}, strings.ToLower(a.Type)) {
				return false
			}
		}
	}
	return len(dn.RDNs) > 1
}

// knownOIDs has the names of frequent features in the lists of servers.
var knownOIDs = map[string]string{
	oidStartTLS:               "StartTLS",
	oidPaging:                 "portions (RFC 2696)",
	"1.2.840.113556.1.4.473":  "sorting (RFC 2891)",
	"1.3.6.1.1.8":             "cancel (RFC 3909)",
	"1.3.6.1.1.14":            "modify-increment (RFC 4525)",
	"1.3.6.1.4.1.4203.1.5.1":  "all operational attributes (RFC 3673)",
	"1.3.6.1.4.1.4203.1.5.3":  "filters that are true or false (RFC 4526)",
	"1.3.6.1.4.1.4203.1.11.1": "change of passwords (RFC 3062)",
	"1.3.6.1.4.1.4203.1.11.3": "who am I (RFC 4532)",
	"2.16.840.1.113730.3.4.2": "referrals as entries (RFC 3296)",
}

// itemText returns the text of an item for an entry: the values of the first part of its name.
func itemText(dn string) string {
	first, _ := urlcore.CutDN(dn)
	_, value, _ := strings.Cut(first, "=")
	return cmp.Or(urlcore.UnescapeDN(value), dn, "(no name)")
}
