package ldap

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/ber"
	"gofer/protocols"
	"gofer/urlcore"
)

// The limits of a list.
const (
	portion       = 200 // entries requested at once
	emptyPortions = 20  // portions without an entry, after which a server is not asked for more
)

// commonName is the attribute that is shown beside entries whose names are logins or numbers.
const commonName = "cn"

// isList reports whether u is a search for several entries.
func isList(u urlcore.LDAP) bool { return u.Scope != "" }

// listQuery returns the query for a list.
func listQuery(u urlcore.LDAP) query {
	q := query{base: u.DN, scope: scopeBelow, filter: u.Filter, attributes: attributesOf(u), portion: portion}
	if u.Scope == "one" {
		q.scope = scopeOne
	}
	if len(q.attributes) == 0 {
		q.attributes = []string{commonName}
	}
	return q
}

// childrenQuery returns the query for the names of the entries directly below the entry of u.
func childrenQuery(u urlcore.LDAP) query {
	return query{base: u.DN, scope: scopeOne, attributes: []string{commonName}, portion: portion}
}

// openList asks for a list. It returns when the first entry has arrived.
func (s *session) openList() (*protocols.Resource, error) {
	q := listQuery(s.url)
	if err := s.search(q); err != nil {
		return nil, err
	}
	a, err := s.next()
	if err != nil {
		return nil, err
	}
	if a.op.Tag == tagDone {
		switch r, err := a.result(tagDone, s.mask); {
		case err != nil:
			return nil, err
		case r.code != success && r.code != referral:
			return nil, s.failure(r, "search "+cmp.Or(s.url.DN, "the server"))
		}
	}
	return s.newPage(func(yield func(protocols.Line, error) bool) {
		if !yield(s.searchLine(), nil) || !yield(protocols.Line{}, nil) {
			return
		}
		s.peeked = &a
		p := &list{session: s, query: q, yield: yield}
		switch err := p.run(); {
		case err != nil:
			yield(protocols.Line{}, err)
		case !p.stopped && p.shown > 0 && !yield(protocols.Line{}, nil):
		case !p.stopped:
			yield(protocols.Line{Text: countEntries(p.entries)}, nil)
		}
	}), nil
}

// countEntries returns the line below the entries that a search has found.
func countEntries(n int) string {
	switch n {
	case 0:
		return "No entry matches."
	case 1:
		return "1 entry matches."
	}
	return strconv.Itoa(n) + " entries match."
}

// yieldChildren asks for the entries directly below the entry and yields their lines.
func (s *session) yieldChildren(yield func(protocols.Line, error) bool) {
	p := &list{session: s, query: childrenQuery(s.url), yield: yield}
	err := s.search(p.query)
	if err == nil {
		err = p.run()
	}
	if err != nil {
		yield(protocols.Line{}, err)
	}
}

// list yields the entries that a search finds.
type list struct {
	*session
	query   query
	yield   func(protocols.Line, error) bool
	shown   int  // lines
	entries int  // lines of entries
	empty   int  // portions without a line, one after the other
	stopped bool // no more lines are wanted
}

// run reads the answers. It requests the next portion when the lines of the last one have been taken. It ends without an error at the
// end of the list, or when no more lines are wanted.
func (p *list) run() error {
	for {
		before := p.shown
		r, err := p.readPortion()
		switch p.empty++; {
		case err != nil:
			return err
		case r.code == referral:
			p.writeReferrals(r.referrals)
			return nil
		case r.code != success:
			return p.listError(r)
		case r.cookie == "":
			return nil
		case p.shown > before:
			p.empty = 0
		case p.empty == emptyPortions:
			return ber.Malformed(fmt.Errorf("%d portions of the list have no entry", emptyPortions))
		}
		p.query.cookie = r.cookie
		if err := p.search(p.query); err != nil {
			return err
		}
	}
}

// readPortion yields the lines of a portion. The result is the zero value if no more lines are wanted.
func (p *list) readPortion() (r result, err error) {
	for more := true; more; {
		a, err := p.next()
		if err != nil {
			return r, err
		}
		switch a.op.Tag {
		case tagEntry:
			e, err := a.entry()
			if err != nil {
				return r, err
			}
			p.entries++
			more = p.write(p.foundLine(e))
		case tagReference:
			more = p.writeReferrals(a.op)
		default:
			return a.result(tagDone, p.mask)
		}
	}
	return r, nil
}

// writeReferrals yields a line for each URL in a referral, and reports whether more lines are wanted.
func (p *list) writeReferrals(urls ber.Element) bool {
	for part := range urls.Children() {
		if part.Tag == ber.Octets && !p.write(p.referralLine(part.Text())) {
			return false
		}
	}
	return true
}

func (p *list) write(l protocols.Line) bool {
	p.shown++
	p.stopped = !p.yield(l, nil)
	return !p.stopped
}

// listError returns the error for a list that ends before its end.
func (p *list) listError(r result) error {
	err := p.failure(r, "list all entries below "+cmp.Or(p.url.DN, p.url.Addr()))
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		return e
	}
	return &protocols.Error{Reason: protocols.Denied, Op: "list the entries", Code: r.code, Text: r.text, Err: errors.New("the server requires a login"), Lines: []protocols.Line{p.loginLine()}}
}

// foundLine returns the line of an entry. Its description is made of the requested attributes, or else of its common name and its place
// below the base of the search. It repeats no name.
func (p *list) foundLine(e entry) protocols.Line {
	l := p.itemLine(e.dn, itemText(e.dn))
	item, ok := l.Note.(*Item)
	if !ok {
		return l
	}
	texts, place := e.texts(), ""
	switch {
	case p.url.Attributes != "":
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == l.Text })
	case slices.Contains(texts, l.Text): // the entry is named by its common name
		texts = nil
	default:
		texts = texts[:min(len(texts), 1)]
	}
	if p.url.Attributes == "" && p.query.scope == scopeBelow {
		_, place = urlcore.CutDN(e.dn)
		place = strings.TrimSuffix(strings.TrimSuffix(place, p.query.base), ",")
	}
	if place != "" {
		texts = append(texts, place)
	}
	item.Description = strings.Join(texts, "; ")
	return l
}

// texts returns the first values that are texts, each as one line.
func (e entry) texts() (texts []string) {
	for _, values := range e.attributes() {
		for child := range values.Children() {
			if value := child.Octets(); isText(value) && len(texts) < maxDescribed {
				texts = append(texts, strings.Join(strings.Fields(string(value[:min(len(value), maxName)])), " "))
			}
		}
	}
	return texts
}

// maxDescribed is the number of values in the description of an item.
const maxDescribed = 8
