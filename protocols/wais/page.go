package wais

import (
	"context"
	"strings"

	"gofer/internal/waissource"
	"gofer/protocols"
	"gofer/urlcore"
)

// page makes lines of what a search has found.
type page struct {
	client  *Client
	url     urlcore.WAIS
	query   query
	answer  answer
	lease   *lease
	session *session
	sources int // source descriptions that were fetched
	yield   func(protocols.Line, error) bool
	ended   bool // no more lines are wanted
}

// line yields a line.
func (p *page) line(l protocols.Line) {
	p.ended = p.ended || !p.yield(l, nil)
}

func (p *page) info(text string) { p.line(protocols.Line{Text: text}) }

// lines yields the lines of the page. For each source description among what
// was found there is one more exchange with the server.
func (p *page) lines(yield func(protocols.Line, error) bool) {
	p.yield = yield
	p.head()
	shown := 0
	for _, r := range p.answer.records {
		if p.ended {
			return
		}
		if isCatalog(r) && !p.query.empty() {
			p.info("No document matches.")
			p.info("")
		} else {
			shown++
		}
		if err := p.record(r); err != nil {
			yield(protocols.Line{}, err)
			return
		}
	}
	p.tail(shown)
	switch {
	case p.ended:
	case p.answer.err != nil:
		yield(protocols.Line{}, p.answer.err)
	default:
		p.lease.done()
	}
}

// head is what stands above the documents.
func (p *page) head() {
	text := "Search " + databaseName(p.url)
	if !p.query.empty() {
		text += " again"
	}
	p.line(protocols.Line{Kind: protocols.Search, Text: text, Link: searchURL(p.url, query{})})
	for _, d := range p.query.like {
		p.line(protocols.Line{Kind: typeOf(d.typ).kind, Text: "Documents like " + d.name(p.url), Link: d.link(p.url)})
	}
	p.info("")
	switch {
	case len(p.answer.records) > 0:
	case p.query.empty():
		p.info("The server tells nothing of this database.")
	default:
		p.info("No document matches.")
	}
}

// tail is what stands below them: diagnostics, and the search for more.
func (p *page) tail(shown int) {
	for _, d := range p.answer.diagnostics {
		p.line(protocols.Line{Kind: protocols.Failure, Text: d.text})
	}
	if p.query.empty() || shown == 0 {
		if p.url.Database != "" && p.query.empty() {
			p.info("")
			p.line(protocols.Line{Kind: protocols.Directory, Text: "Databases of this server", Link: urlcore.WAIS{HostPort: p.url.HostPort}})
		}
		return
	}
	next := p.query
	next.choose = true
	p.info("")
	p.line(protocols.Line{Kind: protocols.Search, Text: "More documents like these", Link: searchURL(p.url, next)})
}

// isCatalog reports whether r is what freeWAIS answers when nothing matches:
// the catalog of the database.
func isCatalog(r record) bool {
	return r.score <= 0 && strings.HasPrefix(r.headline, "Search produced no result")
}

// record yields the lines of one document: itself, and each further type that
// it is offered in.
func (p *page) record(r record) error {
	typ := useful(r.types...)
	if typ == "" {
		typ = "TEXT"
	}
	if p.query.empty() {
		r.score = -1 // nothing was looked for
	}
	hit := &Hit{Score: r.score, Size: r.size, Lines: r.lines, Date: day(r.date), Types: r.types, Source: r.source, City: r.city}
	at := home(p.url, r.id)
	l := protocols.Line{Kind: typeOf(typ).kind, Text: r.headline, Link: link(at, typ, r.id), Note: hit}
	p.client.remember(l.Link, r.size)
	switch strings.ToUpper(typ) {
	case "WSRC":
		return p.source(r, l)
	case "URL", "FTP": // the headline is the URL, as some gateways have it
		text, _, _ := strings.Cut(strings.TrimSpace(r.headline), " ")
		if u, err := urlcore.Parse(text); err == nil {
			l.Kind, l.Link = protocols.KindOf(u), u
		}
	}
	p.line(l)
	for _, t := range r.types {
		if t != typ {
			p.line(protocols.Line{Kind: typeOf(t).kind, Text: "    as " + t, Link: link(at, t, r.id)})
		}
	}
	return nil
}

// source yields the lines of a source description: on the page of its database
// what it tells, elsewhere the link to the database.
func (p *page) source(r record, l protocols.Line) error {
	if p.sources++; p.sources > mostDocuments {
		p.line(l)
		return nil
	}
	text, err := p.session.text(home(p.url, r.id), "WSRC", r.id)
	if err != nil {
		return err
	}
	src, ok := waissource.Parse(text)
	if !ok {
		p.line(l)
		return nil
	}
	if p.query.empty() && p.url.Database != "" && strings.HasPrefix(r.headline, "Information on database") {
		for _, about := range src.About() {
			p.line(about)
		}
		p.line(l)
		return nil
	}
	if u := src.URL(p.url.HostPort); u != nil {
		about, _, _ := strings.Cut(src.Description, "\n")
		l = protocols.Line{Kind: protocols.Search, Text: src.Database, Link: u, Note: &Database{strings.TrimSpace(about), src.Maintainer}}
	}
	p.line(l)
	return nil
}

// home is the URL of a search with the one of its databases that a document is
// of. Its id tells which, perhaps by the name of a file.
func home(w urlcore.WAIS, id string) urlcore.WAIS {
	names := strings.Split(w.Database, choose)
	w.Database = names[0]
	for rest := []byte(id); len(names) > 1 && len(rest) > 0; {
		tag, value, after, ok := cutField(rest)
		if !ok {
			break
		}
		for _, name := range names {
			if tag == idDatabase && (string(value) == name || strings.HasSuffix(string(value), "/"+name)) {
				w.Database = name
			}
		}
		rest = after
	}
	return w
}

// title names a page.
func title(w urlcore.WAIS, q query) string {
	switch {
	case q.words != "":
		return q.words
	case len(q.like) > 0:
		return "Documents like " + q.like[0].name(w)
	}
	return databaseName(w)
}

// text fetches a short document. One that the server refuses is empty.
func (s *session) text(w urlcore.WAIS, typ, id string) (string, error) {
	size := min(s.chunk, waissource.MaxSize)
	reply, err := s.ask(retrieveRequest(w.Database, id, typ, 0, int64(size)))
	if err != nil {
		return "", err
	}
	return string(readSearch(reply).text), nil
}

// document fetches a document from an octet on.
func (c *Client) document(ctx context.Context, w urlcore.WAIS, offset int64) (*protocols.Resource, error) {
	id, _ := documentID(w.Document)
	w.Type = useful(w.Type)
	w.Document = wpath(id)
	b := &body{ctx: ctx, url: w, id: id, next: offset, size: c.size(w), lease: new(lease)}
	s, reply, err := c.start(ctx, w.Addr(), func(s *session) string { return b.request(s) })
	if err != nil {
		return nil, err
	}
	b.session, b.lease.session = s, s
	if err := b.first("fetch the document from "+w.Addr(), reply); err != nil {
		_ = b.lease.Close()
		return nil, err
	}
	size := b.size
	if size >= 0 {
		size = max(size-offset, 0)
	}
	return &protocols.Resource{
		Head:   protocols.Head{URL: w, Title: w.FileName(), Media: typeOf(w.Type).media, Size: size},
		Body:   b,
		Closer: b.lease,
	}, nil
}
