package prospero

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"gofer/protocols"
	"gofer/urlcore"
)

// The limits for directories that are merged into one listing because of union links.
const (
	maxUnions = 32
	maxDepth  = 4
)

// listDirectory requests the directory t. If t is not a directory, all results are nil. If t has moved,
// listDirectory returns the statement with the new location.
func (c *Client) listDirectory(ctx context.Context, t target) (*protocols.Resource, *statement, error) {
	ctx, cancel := context.WithCancel(ctx)
	a, err := c.ask(ctx, t, t.listRequest(""))
	if err != nil {
		cancel()
		return nil, nil, err
	}
	d := &listing{client: c, ctx: ctx, cancel: cancel, answer: a}
	d.add(t, 0)
	if d.warnings, err = a.readWarnings(); err != nil {
		_ = d.Close()
		return nil, nil, err
	}
	if !a.pending { // the directory has no entries
		t.notes, d.warnings = slices.Concat(t.notes, d.warnings), nil
	}
	if s := a.first; a.pending && s.keyword() != "LINK" {
		err := t.failureError(s)
		switch {
		case s.keyword() == "FORWARDED":
			return nil, &s, d.Close()
		case isFailure(s, "NOT-A-DIRECTORY"):
			return nil, nil, d.Close()
		case err != nil:
			_ = d.Close()
			return nil, nil, err
		case !isListStatement(s):
			_ = d.Close()
			return nil, nil, t.protocolError(s)
		}
	}
	layout := protocols.LayoutDirectory
	if strings.HasPrefix(t.url.Object, gopherGateway) {
		layout = protocols.LayoutMenu
	}
	return &protocols.Resource{
		Head:  protocols.Head{URL: t.url, Title: titleOf(t.url), Layout: layout, Size: -1, Notes: t.notes},
		Lines: d.yieldLines, Closer: d,
	}, nil, nil
}

// gopherGateway is the start of the names of Gopher menus: GOPHER-GW/host(port)/1/selector. The
// entries of such a menu are not sorted.
const gopherGateway = "GOPHER-GW/"

// titleOf returns the first of these texts that is not empty: the file name in u, the name of the
// object, and the host.
func titleOf(u urlcore.Prospero) string {
	if name := u.FileName(); name != "" {
		return name
	}
	if u.Object != "" {
		return u.Object
	}
	return u.Host
}

// isListStatement reports whether a statement is allowed in the answer to LIST.
func isListStatement(s statement) bool {
	switch s.keyword() {
	case "LINK", "UNRESOLVED", "NONE-FOUND", "SUCCESS", "WARNING":
		return true
	}
	return isAttribute(s)
}

// listing is a directory together with the directories of its union links.
type listing struct {
	client *Client
	ctx    context.Context
	cancel context.CancelFunc
	queue  []member
	seen   map[urlcore.Prospero]bool

	warnings []string // the warnings before the first entry

	mu     sync.Mutex
	answer *answer // the answer that is being read
}

// member is a directory in a listing. The field depth is the number of union links between the first
// directory and this one.
type member struct {
	target
	depth int
}

// add adds a directory to the listing unless it is already there. It returns false if the limits do
// not allow this.
func (d *listing) add(t target, depth int) bool {
	if d.seen[t.url] {
		return true
	}
	if depth > maxDepth || len(d.seen) > maxUnions {
		return false
	}
	if d.seen == nil {
		d.seen = make(map[urlcore.Prospero]bool)
	}
	d.seen[t.url] = true
	d.queue = append(d.queue, member{t, depth})
	return true
}

// Close ends the current exchange.
func (d *listing) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.cancel()
	return d.answer.Close()
}

// requestMember requests the directory m and replaces the current answer with the answer for m. It
// does nothing for the first directory, which has already been requested.
func (d *listing) requestMember(m member) error {
	if m.depth == 0 {
		return nil
	}
	a, err := d.client.ask(d.ctx, m.target, m.listRequest(""))
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.answer.Close()
	d.answer = a
	return nil
}

func (d *listing) yieldLines(yield func(protocols.Line, error) bool) {
	for _, text := range d.warnings {
		if !yield(protocols.Line{Kind: protocols.Failure, Text: text}, nil) {
			return
		}
	}
	for len(d.queue) > 0 {
		m := d.queue[0]
		d.queue = d.queue[1:]
		err := d.requestMember(m)
		if err == nil {
			var more bool
			if more, err = d.yieldEntries(m, yield); !more {
				return
			}
		}
		var e *protocols.Error
		switch {
		case err == nil:
		case m.depth > 0 && errors.As(err, &e) && d.ctx.Err() == nil:
			if !yield(protocols.Line{Kind: protocols.Failure, Text: "Union " + m.url.String() + ": " + e.Error()}, nil) {
				return
			}
		default:
			yield(protocols.Line{}, err)
			return
		}
	}
}

// yieldEntries yields the entries of one directory. The result more is false if the caller wants no
// more entries.
func (d *listing) yieldEntries(m member, yield func(protocols.Line, error) bool) (more bool, err error) {
	var l *link // the link that the next attributes belong to
	flush := func() bool {
		entry := l
		l = nil
		if entry == nil || d.mergeUnion(m, entry) {
			return true
		}
		return yield(entry.makeLine(askedServer{m.url.HostPort}), nil)
	}
	for {
		s, err := d.answer.next()
		if err == io.EOF {
			return flush(), nil
		}
		if err == nil {
			err = m.failureError(s)
		}
		switch {
		case err != nil:
			return flush(), err
		case isAttribute(s):
			if l != nil {
				l.add(s)
			}
			continue
		case !flush():
			return false, nil
		}
		l, _ = parseLink(s)
		var note protocols.Line
		switch {
		case s.keyword() == "WARNING":
			note = protocols.Line{Kind: protocols.Failure, Text: s.message()}
		case s.keyword() == "LINK" && l == nil, !isListStatement(s):
			note = protocols.Line{Kind: protocols.Problem, Text: s.words(0)}
		default:
			continue
		}
		if !yield(note, nil) {
			return false, nil
		}
	}
}

// mergeUnion adds the target of a union link to the listing. It returns false if the target cannot be
// added. It never adds a directory of another server, because the user has not agreed to a request to
// that server. The page then shows the union link itself.
func (d *listing) mergeUnion(m member, l *link) bool {
	if !l.union || !l.isDirectory() {
		return false
	}
	u, err := askedServer{m.url.HostPort}.urlOf(l.place, l.version)
	if err != nil || u.Addr() != m.url.Addr() {
		return false
	}
	t, err := targetOf(u)
	return err == nil && d.add(t, m.depth+1)
}

func (l *link) makeLine(a askedServer) protocols.Line {
	if item := l.firstValue("GOPHER-MENU-ITEM"); strings.HasPrefix(item, "i") && !l.isDirectory() {
		text, _, _ := strings.Cut(item[1:], "\t")
		return protocols.Line{Text: text}
	}
	links, why := a.urlsOf(l)
	if l.union && why == "" {
		why = "union link"
	}
	line := protocols.Line{Text: l.name, Note: l.makeNote(links, why)}
	if len(links) > 0 {
		line.Link = links[0]
	}
	line.Kind = l.kindOf(line.Link)
	return line
}
