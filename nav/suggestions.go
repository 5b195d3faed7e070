package nav

import (
	"net"
	"slices"

	"gofer/protocols"
	"gofer/urlcore"
)

// suggestion is something to do about an error: a link, the action that has the
// same effect, or both.
type suggestion struct {
	urlcore.Alternative
	action protocols.Action
}

// suggest writes what leads on from an error.
func (w *errorWriter) suggest(again bool) {
	w.info("")
	var list []suggestion
	if w.url != nil && !w.noServer {
		list = suggestions(w.url)
		if u, ok := usualPort(w.url); ok && w.wrongPort {
			list = append(list, suggestion{Alternative: urlcore.Alternative{URL: u, Text: "The same at the usual port"}})
		}
	}
	list = slices.DeleteFunc(list, func(a suggestion) bool { return a.URL == w.url })
	if again && w.url != nil {
		list = slices.Insert(list, 0, suggestion{urlcore.Alternative{URL: w.url, Text: "Try again"}, protocols.ActionReload})
	}
	for i, a := range list {
		if !slices.ContainsFunc(list[:i], func(b suggestion) bool { return a.URL == b.URL }) {
			w.suggestion(a)
		}
	}
	if len(list) > 0 {
		w.info("")
	}
	w.suggestion(suggestion{urlcore.Alternative{Text: "Edit the URL"}, protocols.ActionEditURL})
	w.suggestion(suggestion{urlcore.Alternative{Text: "Go back"}, protocols.ActionBack})
}

func (w *errorWriter) suggestion(s suggestion) {
	line := protocols.Line{Text: s.Text, Link: s.URL}
	if s.URL != nil {
		line.Kind = protocols.KindOf(s.URL)
	}
	if s.action != "" {
		line.Note = s.action
	}
	w.page.Lines.Append(line)
}

// suggestions are the URLs worth trying when u does not work: one level up, and
// what the method Alternatives() of its type returns, if there is one.
func suggestions(u urlcore.URL) (list []suggestion) {
	if a, ok := u.(interface{ Alternatives() []urlcore.Alternative }); ok {
		for _, a := range a.Alternatives() {
			list = append(list, suggestion{Alternative: a})
		}
	}
	if up, ok := urlcore.Up(u); ok {
		level := suggestion{urlcore.Alternative{URL: up, Text: "One level up"}, protocols.ActionUp}
		if i := slices.IndexFunc(list, func(a suggestion) bool { return a.URL == up }); i >= 0 {
			level.Text = list[i].Text
		}
		list = slices.Insert(list, 0, level)
	}
	return list
}

// usualPort returns u at its scheme's own port, if it names another.
func usualPort(u urlcore.URL) (urlcore.URL, bool) {
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
