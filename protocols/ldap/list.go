package ldap

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// The limits of a list.
const (
	portion       = 200 // entries requested at once
	emptyPortions = 20  // portions without an entry, after which a server is not asked for more
)

// noAttributes requests only the names of entries (RFC 4511, section 4.5.1.8).
const noAttributes = "1.1"

// isList reports whether u is a search for several entries.
func isList(u urlcore.LDAP) bool { return u.Scope != "" }

// listQuery returns the query for a list.
func listQuery(u urlcore.LDAP) query {
	q := query{base: u.DN, scope: scopeBelow, filter: u.Filter, attributes: attributesOf(u), portion: portion}
	if u.Scope == "one" {
		q.scope = scopeOne
	}
	if len(q.attributes) == 0 {
		q.attributes = []string{noAttributes}
	}
	return q
}

// childrenQuery returns the query for the names of the entries directly below the entry of u.
func childrenQuery(u urlcore.LDAP) query {
	return query{base: u.DN, scope: scopeOne, attributes: []string{noAttributes}, portion: portion}
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
	if a.tag == tagDone {
		r, ok := a.result()
		switch {
		case !ok:
			return nil, malformed(errDamaged)
		case r.code == referral:
			return s.newReferral(r), nil
		case r.code != success:
			return nil, s.failure(r, "search "+cmp.Or(s.url.DN, "the server"))
		}
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: s.url, Title: titleOf(s.url), Layout: protocols.LayoutMenu, Charset: "utf-8", Size: -1},
		Lines: func(yield func(protocols.Line, error) bool) {
			if !yield(s.searchLine(), nil) || !yield(protocols.Line{}, nil) {
				return
			}
			p := &list{session: s, query: q, yield: yield}
			if p.run(&a) && p.shown == 0 {
				yield(protocols.Line{Text: "No entry matches."}, nil)
			}
		},
		Closer: s.conn,
	}, nil
}

// yieldChildren asks for the entries directly below the entry and yields their lines.
func (s *session) yieldChildren(yield func(protocols.Line, error) bool) {
	p := &list{session: s, query: childrenQuery(s.url), yield: yield}
	if err := s.search(p.query); err != nil {
		yield(protocols.Line{}, err)
		return
	}
	p.run(nil)
}

// list yields the entries that a search finds.
type list struct {
	*session
	query query
	yield func(protocols.Line, error) bool
	shown int // lines
	empty int // portions without a line, one after the other
}

// run reads the answers, beginning with first unless it is nil. It requests the next portion when the lines of the last one have been
// taken. It reports whether the list is complete.
func (p *list) run(first *answer) bool {
	for before := 0; ; before = p.shown {
		r, ok := p.runPortion(first)
		first = nil
		if !ok {
			return false
		}
		switch p.empty++; {
		case r.code != success:
			p.yield(protocols.Line{}, p.listError(r))
			return false
		case r.cookie == "":
			p.end()
			return true
		case p.shown > before:
			p.empty = 0
		case p.empty == emptyPortions:
			p.yield(protocols.Line{}, malformed(fmt.Errorf("%d portions of the list have no entry", emptyPortions)))
			return false
		}
		p.query.cookie = r.cookie
		if err := p.search(p.query); err != nil {
			p.yield(protocols.Line{}, err)
			return false
		}
	}
}

// runPortion yields the lines of a portion. It returns false if the list has ended before the end of the portion.
func (p *list) runPortion(first *answer) (r result, ok bool) {
	for {
		var a answer
		var err error
		if first != nil {
			a, first = *first, nil
		} else if a, err = p.next(); err != nil {
			p.yield(protocols.Line{}, err)
			return r, false
		}
		more, whole := true, true
		switch a.tag {
		case tagEntry:
			var e entry
			if e, whole = a.entry(); whole {
				more = p.write(p.foundLine(e))
			}
		case tagReference:
			for _, text := range textsOf(a.content) {
				more = more && p.write(p.referralLine(text))
			}
		case tagDone:
			if r, whole = a.result(); whole {
				return r, true
			}
		default:
			whole = false
		}
		if !whole {
			p.yield(protocols.Line{}, malformed(errDamaged))
		}
		if !more || !whole {
			return r, false
		}
	}
}

func (p *list) write(l protocols.Line) bool {
	p.shown++
	return p.yield(l, nil)
}

// listError returns the error for a list that ends before its end.
func (p *list) listError(r result) error {
	err := p.failure(r, "list all entries below "+cmp.Or(p.url.DN, p.url.Addr()))
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		return e
	}
	return &protocols.Error{Reason: protocols.Denied, Op: "list the entries", Code: r.code, Text: p.mask(r.text), Err: errors.New("the server requires a login"), Lines: []protocols.Line{p.loginLine()}}
}

// foundLine returns the line of an entry. Its description is made of the requested attributes, or else the place of the entry below the
// base of the search.
func (p *list) foundLine(e entry) protocols.Line {
	l := p.itemLine(e.dn, itemText(e.dn))
	item, ok := l.Note.(*Item)
	if !ok {
		return l
	}
	if p.query.attributes[0] == noAttributes {
		_, above := urlcore.CutDN(e.dn)
		if above = strings.TrimSuffix(strings.TrimSuffix(above, p.query.base), ","); p.query.scope == scopeBelow {
			item.Description = above
		}
		return l
	}
	var texts []string
	for _, values := range e.attributes() {
		for value := range valuesOf(values) {
			if isText(value) && len(texts) < maxDescribed {
				texts = append(texts, strings.Join(strings.Fields(string(value[:min(len(value), maxName)])), " "))
			}
		}
	}
	item.Description = strings.Join(texts, "; ")
	return l
}

// maxDescribed is the number of values in the description of an item.
const maxDescribed = 8
