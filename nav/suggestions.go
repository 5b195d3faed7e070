package nav

import (
	"net"
	"slices"

	"gofer/protocols"
	"gofer/urlcore"
)

// suggest writes the links that lead on from an error.
func (w *errorWriter) suggest(again bool) {
	w.info("")
	var list []urlcore.Alternative
	if w.url != nil && !w.noServer {
		list = suggestions(w.url)
		if u, ok := usualPort(w.url); ok && w.wrongPort {
			list = append(list, urlcore.Alternative{URL: u, Text: "The same at the usual port"})
		}
	}
	list = slices.DeleteFunc(list, func(a urlcore.Alternative) bool { return a.URL == w.url })
	if again && w.url != nil {
		list = slices.Insert(list, 0, urlcore.Alternative{URL: w.url, Text: "Try again (press r)"})
	}
	for i, a := range list {
		if !slices.ContainsFunc(list[:i], func(b urlcore.Alternative) bool { return a.URL == b.URL }) {
			w.line(protocols.KindOf(a.URL), a.Text, a.URL)
		}
	}
	if len(list) > 0 {
		w.info("")
	}
	w.info("Press g or Ctrl-L to edit the URL, Backspace for the page before.")
}

// suggestions are the URLs worth trying when u does not work: one level up, and
// what the method Alternatives() of its type returns, if there is one.
func suggestions(u urlcore.URL) (list []urlcore.Alternative) {
	if a, ok := u.(interface{ Alternatives() []urlcore.Alternative }); ok {
		list = a.Alternatives()
	}
	if up, ok := urlcore.Up(u); ok {
		level := urlcore.Alternative{URL: up, Text: "One level up (press u)"}
		if i := slices.IndexFunc(list, func(a urlcore.Alternative) bool { return a.URL == up }); i >= 0 {
			level.Text = list[i].Text + " (press u)"
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
