package wais

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gofer/internal/text/waissource"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// page yields the result of a search as lines.
type page struct {
	client      *Client
	url         urlcore.WAIS
	query       query
	answer      answer
	lease       *wire.Lease
	session     *session
	sources     int   // the number of source descriptions fetched
	err         error // the first error of fetching a source description; no more are fetched after it
	yield       func(protocols.Line, error) bool
	ended       bool   // the reader wants no more lines
	hasScreen   bool   // the user can request more documents
	omittedNote string // a note that documents are missing on the page
}

func (p *page) writeLine(l protocols.Line) {
	p.ended = p.ended || !p.yield(l, nil)
}

func (p *page) writeInfo(text string) { p.writeLine(protocols.Line{Text: text}) }

// yieldLines yields the lines of the page. Each source description among the documents costs
// another exchange with the server.
func (p *page) yieldLines(yield func(protocols.Line, error) bool) {
	p.yield = yield
	p.writeHead()
	shown := 0
	for _, r := range p.answer.records {
		if p.ended {
			return
		}
		switch {
		case r.isHit() || p.query.isEmpty():
			shown++
		case len(p.answer.diagnostics) == 0:
			p.writeInfo("No document matches.")
			p.writeInfo("")
		}
		p.writeRecord(r)
	}
	p.writeTail(shown)
	p.writeMore(shown)
	switch {
	case p.ended:
	case p.err != nil:
		yield(protocols.Line{}, p.err)
	case p.answer.err != nil:
		yield(protocols.Line{}, p.answer.err)
	case len(p.answer.diagnostics) > 0 && !p.query.isEmpty() && !p.hasScreen && !slices.ContainsFunc(p.answer.records, record.isHit):
		p.lease.Done()
		yield(protocols.Line{}, p.answer.diagnostics[0].toError(searchOp(p.url, p.query)))
	default:
		p.lease.Done()
	}
}

// writeHead writes the lines above the documents.
func (p *page) writeHead() {
	text := "Search " + databaseName(p.url)
	if !p.query.isEmpty() {
		text += " again"
	}
	p.writeLine(protocols.Line{Kind: protocols.Search, Text: text, Link: searchURL(p.url, query{})})
	for _, d := range p.query.examples {
		u := d.urlIn(p.url)
		p.writeLine(protocols.Line{Kind: protocols.KindOf(u), Text: "Documents like " + d.name(p.url), Link: u})
	}
	p.writeInfo("")
	if p.answer.word != "" {
		p.writeInfo("The server requires a word besides the documents: \"" + p.answer.word + "\" was sent.")
	}
	switch {
	case len(p.answer.records) > 0:
	case p.query.isEmpty():
		p.writeInfo("The server has no description of this database.")
	default:
		p.writeInfo("No document matches.")
	}
}

// writeTail writes the lines below the documents. These are diagnostics, the databases of the
// documents, and a link to a search for similar documents.
func (p *page) writeTail(shown int) {
	for _, d := range p.answer.diagnostics {
		p.writeLine(protocols.Line{Kind: protocols.Failure, Text: cmp.Or(d.text, "WAIS diagnostic "+d.code)})
	}
	p.writeDatabases()
	if p.query.isEmpty() || shown == 0 {
		if p.url.Database != "" && p.query.isEmpty() {
			p.writeInfo("")
			p.writeLine(protocols.Line{Kind: protocols.Directory, Text: "Databases of this server", Link: urlcore.WAIS{HostPort: p.url.HostPort}})
		}
		return
	}
	next := p.query
	next.choosing = true
	p.writeInfo("")
	p.writeLine(protocols.Line{Kind: protocols.Search, Text: "More documents like these", Link: searchURL(p.url, next)})
}

// isCatalog reports whether r is the catalog of the database. freeWAIS sends the catalog if no
// document matches.
func (r record) isCatalog() bool {
	return r.score <= 0 && strings.HasPrefix(r.headline, "Search produced no result")
}

// writeDatabases writes which of several databases the documents come from, and which databases have no
// documents. Some servers search only the first database.
func (p *page) writeDatabases() {
	names := strings.Split(p.url.Database, unitSeparator)
	found := make(map[string]bool)
	for _, r := range p.answer.records {
		found[databaseOf(p.url, r.id).Database] = true
	}
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return found[name] })
	if len(names) < 2 || len(found) == 0 || len(missing) == 0 {
		return
	}
	present := slices.DeleteFunc(names, func(name string) bool { return !found[name] })
	p.writeInfo("")
	p.writeInfo("These are from " + strings.Join(present, ", ") + ". None are from " + strings.Join(missing, ", ") + ": the server may not search several databases at once.")
}

// notes returns the note that documents are missing. It must be called after the lines were read.
func (p *page) notes() []string {
	if p.hasScreen || p.omittedNote == "" {
		return nil
	}
	return []string{p.omittedNote}
}

// writeMore writes that the server may have more documents than the page shows.
func (p *page) writeMore(shown int) {
	first := fmt.Sprintf("First %d of more: ", shown)
	switch {
	case !p.answer.hasMore():
	case p.answer.bufferFull:
		p.omittedNote = first + "an answer of this server has no room for more"
		p.writeInfo(p.omittedNote)
	case p.answer.limit >= maxDocuments:
		p.omittedNote = first + "a search requests at most this many"
		p.writeInfo(p.omittedNote)
	case p.hasScreen:
		p.writeLine(protocols.Line{Kind: protocols.KindOf(p.url), Text: first + "Enter for the next", Link: p.url, Note: protocols.ActionMore})
	default:
		p.omittedNote = first + protocols.OmittedResults
		p.writeInfo(p.omittedNote)
	}
}

// isHit reports whether the search found r.
func (r record) isHit() bool { return !r.isCatalog() }

func (r record) mainType() string { return cmp.Or(preferredType(r.types...), "TEXT") }

// isAbout reports whether r is the description of the database. Some servers send the description for a
// search without words.
func (r record) isAbout() bool { return strings.HasPrefix(r.headline, "Information on database") }

// writeRecord writes a line for a document, and a line for each of its other types.
func (p *page) writeRecord(r record) {
	typ := r.mainType()
	if p.query.isEmpty() {
		r.score = -1 // a search without words gives no useful score
	}
	hit := &Hit{Score: r.score, Size: r.size, Lines: r.lines, Date: parseDay(r.date), Types: r.types, Source: r.source, City: r.city}
	database := databaseOf(p.url, r.id)
	u := documentURL(database, typ, r.id)
	l := protocols.Line{Kind: protocols.KindOf(u), Text: r.headline, Link: u, Note: hit}
	p.client.rememberSize(u, r.size)
	switch strings.ToUpper(typ) {
	case "WSRC":
		p.writeSource(r, l)
		return
	case "URL", "FTP": // some gateways send the URL as the headline
		text, _, _ := strings.Cut(strings.TrimSpace(r.headline), " ")
		if u, err := urlcore.Parse(text); err == nil {
			l.Kind, l.Link = protocols.KindOf(u), u
		}
	}
	p.writeLine(l)
	for _, t := range r.types {
		if t != typ {
			u := documentURL(database, t, r.id)
			p.writeLine(protocols.Line{Kind: protocols.KindOf(u), Text: "    as " + t, Link: u})
		}
	}
}

// writeSource writes the lines of a source description. On the page of the described database, it
// writes the text of the description, and then l. On other pages it writes a link to the database.
// If the description cannot be fetched, or names no database, writeSource writes only l.
func (p *page) writeSource(r record, l protocols.Line) {
	var src waissource.Source
	ok := false
	if p.sources++; p.sources <= mostDatabases && p.err == nil {
		var text string
		text, p.err = p.session.fetchText(databaseOf(p.url, r.id), "WSRC", r.id)
		src, ok = waissource.Parse(text)
	}
	u := src.URL(p.url.HostPort)
	switch {
	case !ok:
	case p.query.isEmpty() && r.isAbout():
		for _, about := range src.About() {
			p.writeLine(about)
		}
	case u != nil:
		about, _, _ := strings.Cut(src.Description, "\n")
		l = protocols.Line{Kind: protocols.Search, Text: src.Database, Link: u, Note: &Database{strings.TrimSpace(about), src.Maintainer}}
	}
	p.writeLine(l)
}

// databaseOf returns w with Database set to the database of the document with the given id. The id
// contains the name of the database or of its file. If it names no database of w, databaseOf uses the
// first.
func databaseOf(w urlcore.WAIS, id string) urlcore.WAIS {
	names := strings.Split(w.Database, unitSeparator)
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

func titleOf(w urlcore.WAIS, q query) string {
	switch {
	case q.words != "":
		return q.words + " in " + databaseName(w)
	case len(q.examples) > 0:
		return "Documents like " + q.examples[0].name(w)
	}
	return databaseName(w)
}

// fetchText fetches the beginning of a document. It returns "" if the server refuses the document.
func (s *session) fetchText(w urlcore.WAIS, typ, id string) (string, error) {
	size := min(s.chunk, waissource.MaxSize)
	reply, err := s.ask(retrieveRequest(w.Database, id, typ, 0, int64(size)))
	if err != nil {
		return "", err
	}
	return string(readSearch(reply).text), nil
}

// fetchDocument fetches a document from the offset on.
func (c *Client) fetchDocument(ctx context.Context, w urlcore.WAIS, offset int64) (*protocols.Resource, error) {
	id, _ := documentID(w.Document)
	w.Type = preferredType(w.Type)
	w.Document = wpathOf(id)
	b := &body{ctx: ctx, url: w, id: id, next: offset, size: c.sizeOf(w)}
	s, reply, err := c.start(ctx, w.Addr(), func(s *session) string { return b.nextRequest(s) })
	if err != nil {
		return nil, err
	}
	b.session, b.lease = s, s.lease()
	s.continuesDocument = true
	if err := b.readFirst("fetch the document from "+w.Addr(), reply); err != nil {
		_ = b.lease.Close()
		return nil, err
	}
	size := b.size
	if size >= 0 {
		size = max(size-offset, 0)
	}
	return &protocols.Resource{
		Head:   protocols.Head{URL: w, Title: w.FileName(), Media: mediaOf(w.Type), Size: size},
		Body:   b,
		Closer: b.lease,
	}, nil
}
