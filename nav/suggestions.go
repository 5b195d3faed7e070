package nav

import (
	"net"
	"slices"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// writeSuggestions writes the links that may help after an error. If retry is set, one of them tries the
// URL again.
func (w *errorWriter) writeSuggestions(retry bool) {
	w.addInfo("")
	list := slices.Concat(w.elsewhereLinks(), w.hostLinks(), w.guessLinks())
	tls := w.tlsLink()
	if !w.byTLS {
		list = append(list, tls...)
	}
	list = slices.DeleteFunc(list, func(l protocols.Line) bool { return l.Link == w.url })
	if retry && w.url != nil {
		list = slices.Insert(list, 0, link("Try again", w.url))
		list[0].Note = protocols.ActionReload
	}
	if w.byTLS { // the only link that will work
		list = slices.Insert(list, 0, tls...)
	}
	if w.addLinks(list) {
		w.addInfo("")
	}
	w.addAction("Edit the URL", protocols.ActionEditURL)
	if _, hasServer := urlcore.Addr(w.url); hasServer && (w.reason == protocols.Offline || w.reason.Is(protocols.NotConnected)) {
		w.addAction("Read it later", protocols.ActionLater)
	}
	w.addAction("Go back", protocols.ActionBack)
}

// addLinks adds the links that are not on the page yet. It reports whether it has added any.
func (w *errorWriter) addLinks(list []protocols.Line) (added bool) {
	for _, l := range list {
		if !slices.Contains(w.links, l.Link) {
			w.page.Lines.Append(l)
			w.links, added = append(w.links, l.Link), true
		}
	}
	return added
}

// elsewhereLinks returns links to other URLs that the user may mean, and to mirrors of the item.
func (w *errorWriter) elsewhereLinks() (list []protocols.Line) {
	for _, u := range w.others {
		list = append(list, link("Or: "+clean.Text(urlcore.Redact(u).String()), u))
	}
	for _, l := range w.mirrors {
		l.Text = "At another server: " + clean.Text(l.Text)
		list = append(list, l)
	}
	return list
}

// isHostUnreachable reports whether no URL at the host works.
func (w *errorWriter) isHostUnreachable() bool {
	return w.reason == protocols.NameNotFound || w.reason == protocols.Unreachable
}

// hostLinks returns links to other URLs at the host.
func (w *errorWriter) hostLinks() (list []protocols.Line) {
	if w.url == nil || w.reason == protocols.NoServer {
		return nil
	}
	insecure := w.reason == protocols.Insecure
	if !w.isHostUnreachable() && !insecure && w.reason != protocols.Unsupported {
		list = suggestionLines(w.url)
	}
	if f, ok := w.url.(urlcore.FTP); ok && insecure && f.Secure {
		f.Secure = false
		if u, err := urlcore.Parse(f.String()); err == nil { // Parse drops the usual port
			list = append(list, link("Try ftp:, with TLS if the server offers it", u))
		}
	}
	if u, ok := atDefaultPort(w.url); ok && w.reason.Is(protocols.WrongPort) {
		list = append(list, link("Try the default port", u))
	}
	return list
}

// guessLinks returns links to other readings of the URL, if it may be wrong.
func (w *errorWriter) guessLinks() (list []protocols.Line) {
	switch w.reason {
	case protocols.NameNotFound, protocols.Unreachable, protocols.NoServer, protocols.NotFound, protocols.Unsupported:
	default:
		if !w.mayBeGuess && !w.reason.Is(protocols.WrongPort) {
			return nil
		}
	}
	for _, a := range urlcore.OtherGuesses(w.url, w.guessed) {
		if !w.isHostUnreachable() || urlcore.Host(a.URL) != urlcore.Host(w.url) {
			list = append(list, link(a.Text, a.URL))
		}
	}
	return list
}

// tlsLink returns a link to the URL by TLS, if the server may expect TLS.
func (w *errorWriter) tlsLink() []protocols.Line {
	t, ok := w.url.(interface{ ByTLS() (urlcore.URL, bool) })
	if !ok || !w.byTLS && !w.reason.Is(protocols.NeedsTLS) {
		return nil
	}
	if u, ok := t.ByTLS(); ok {
		return []protocols.Line{link("Try with TLS", u)}
	}
	return nil
}

// suggestionLines returns links to other URLs to try: the URL one level above u, and the results of
// the method Alternatives of u, if there is one.
func suggestionLines(u urlcore.URL) (list []protocols.Line) {
	up, ok := urlcore.Up(u)
	if ok {
		list = append(list, link("One level up", up))
		list[0].Note = protocols.ActionUp
	}
	if a, has := u.(interface{ Alternatives() []urlcore.Alternative }); has {
		for _, a := range a.Alternatives() {
			if ok && a.URL == up {
				list[0].Text = a.Text
			}
			list = append(list, link(a.Text, a.URL))
		}
	}
	return list
}

// link returns a link that gofer offers. If only the name of a file could show the kind of the item and does not, the item may
// be a directory, and the link is not marked as a file for another program.
func link(text string, u urlcore.URL) protocols.Line {
	kind := protocols.KindOf(u)
	if f, ok := u.(interface {
		Kind() string
		FileName() string
	}); ok && f.Kind() == "file" {
		if _, known := protocols.BySuffix(f.FileName()); known == protocols.Other {
			kind = protocols.Text
		}
	}
	return protocols.Line{Kind: kind, Text: text, Link: u}
}

// atDefaultPort returns u at the default port of its scheme, if u has another port.
func atDefaultPort(u urlcore.URL) (urlcore.URL, bool) {
	m, ok := u.(interface {
		At(host string, port uint16) urlcore.URL
	})
	if !ok {
		return u, false
	}
	addr, _ := urlcore.Addr(u)
	host, _, err := net.SplitHostPort(addr)
	usual := m.At(host, 0)
	return usual, err == nil && usual != u
}

// maxMirrors is the largest number of mirrors that are offered.
const maxMirrors = 16

// mirrorLines returns the lines of p that lead to the item of u at other servers. The user followed a link
// to u on the page p. The lines around the cursor must be marked as mirrors of the same item.
func mirrorLines(p *Page, u urlcore.URL) (list []protocols.Line) {
	if p == nil || !p.isOnLine(&p.Lines) || p.Lines.At(p.Cursor).Link != u {
		return nil
	}
	isMirror := func(i int) bool {
		n, ok := p.Lines.WithoutLink(i).Note.(*protocols.ItemNote)
		return ok && n.Mirror
	}
	first := p.Cursor
	for first > 0 && p.Cursor-first < maxMirrors && isMirror(first) {
		first--
	}
	for i := first; i < min(p.Lines.Len(), first+maxMirrors) && (i == first || isMirror(i)); i++ {
		if l := p.Lines.At(i); l.Link != nil && i != p.Cursor {
			l.Note = nil
			list = append(list, l)
		}
	}
	return list
}
