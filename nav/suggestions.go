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
	var list []protocols.Line
	noHost, insecure := w.reason == protocols.NameNotFound || w.reason == protocols.Unreachable, w.reason == protocols.Insecure
	wrongPort, mayBeTLS := w.reason.Is(protocols.WrongPort), w.reason.Is(protocols.NeedsTLS)
	if w.url != nil && w.reason != protocols.NoServer {
		if !noHost && !insecure { // other URLs at the host may work
			list = suggestionLines(w.url)
		}
		if f, ok := w.url.(urlcore.FTP); ok && insecure && f.Secure {
			f.Secure = false
			if u, err := urlcore.Parse(f.String()); err == nil { // Parse drops the usual port
				list = append(list, link("Try ftp:, with TLS if the server offers it", u))
			}
		}
		if u, ok := atDefaultPort(w.url); ok && wrongPort {
			list = append(list, link("Try the default port", u))
		}
	}
	if w.mayBeGuess || wrongPort || noHost || w.reason == protocols.NoServer || w.reason == protocols.NotFound || w.reason == protocols.Unsupported {
		for _, a := range urlcore.OtherGuesses(w.url) {
			if !noHost || urlcore.Host(a.URL) != urlcore.Host(w.url) {
				list = append(list, link(a.Text, a.URL))
			}
		}
	}
	var byTLS urlcore.URL
	if t, ok := w.url.(interface{ ByTLS() (urlcore.URL, bool) }); ok && (mayBeTLS || w.byTLS) {
		if byTLS, ok = t.ByTLS(); ok && mayBeTLS {
			list = append(list, link("Try with TLS", byTLS))
		}
	}
	for i, l := range w.mirrors {
		l.Text = "At another server: " + clean.Text(l.Text)
		list = slices.Insert(list, i, l)
	}
	for i, u := range w.others {
		list = slices.Insert(list, i, link("Or: "+clean.Text(urlcore.Redact(u).String()), u))
	}
	list = slices.DeleteFunc(list, func(l protocols.Line) bool { return l.Link == w.url })
	if retry && w.url != nil {
		list = slices.Insert(list, 0, link("Try again", w.url))
		list[0].Note = protocols.ActionReload
	}
	if w.byTLS && byTLS != nil { // the only link that will work
		list = slices.Insert(list, 0, link("Try with TLS", byTLS))
	}
	for i, l := range list {
		if !slices.ContainsFunc(list[:i], func(before protocols.Line) bool { return before.Link == l.Link }) {
			w.page.Lines.Append(l)
		}
	}
	if len(list) > 0 {
		w.addInfo("")
	}
	w.addAction("Edit the URL", protocols.ActionEditURL)
	w.addAction("Go back", protocols.ActionBack)
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

func link(text string, u urlcore.URL) protocols.Line {
	return protocols.Line{Kind: protocols.KindOf(u), Text: text, Link: u}
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
