package nav

import (
	"slices"

	"gofer/protocols"
	"gofer/urlcore"
)

// ways are the links that lead on from an error.
func (w *errorWriter) ways(again bool) {
	w.info("")
	var ways []way
	if w.url != nil && !w.noServer {
		ways = alternatives(w.url)
		if u, ok := usualPort(w.url); ok && w.wrongPort {
			ways = append(ways, way{u, "The same at the usual port"})
		}
	}
	ways = slices.DeleteFunc(ways, func(a way) bool { return a.url == w.url })
	if again && w.url != nil {
		ways = slices.Insert(ways, 0, way{w.url, "Try again (press r)"})
	}
	for i, a := range ways {
		if !slices.ContainsFunc(ways[:i], func(b way) bool { return a.url == b.url }) {
			w.line(protocols.KindOf(a.url), a.text, a.url)
		}
	}
	if len(ways) > 0 {
		w.info("")
	}
	w.info("Press g or Ctrl-L to edit the URL, Backspace for the page before.")
}

// way is another URL that may work.
type way struct {
	url  urlcore.URL
	text string
}

// alternatives are the URLs worth trying when u does not work.
func alternatives(u urlcore.URL) (ways []way) {
	if up, ok := urlcore.Up(u); ok {
		text := "One level up (press u)"
		if n, ok := up.(urlcore.News); ok && n.Group == "*" {
			text = "All groups of the news server (press u)"
		}
		ways = append(ways, way{up, text})
	}
	switch u := u.(type) {
	case urlcore.Gopher:
		if u.Type != '1' && u.Type != '7' {
			menu := u
			menu.Type = '1'
			ways = append(ways, way{menu, "The same selector as a menu"})
		}
		ways = append(ways, way{urlcore.Gopher{HostPort: u.HostPort, Type: '1', Secure: u.Secure}, "The server's main menu"})
	case urlcore.FTP:
		if u.Type == 'd' {
			ways = append(ways, way{urlcore.FTP{Server: u.Server, Path: u.Path, Type: 'i', Secure: u.Secure}, "The same as a file"})
		} else {
			ways = append(ways, way{urlcore.FTP{Server: u.Server, Path: u.Path, Type: 'd', Secure: u.Secure}, "The same as a directory"})
		}
		ways = append(ways, way{urlcore.FTP{Server: u.Server, Type: 'd', Secure: u.Secure}, "The directory one is in after the login"})
	}
	return ways
}

// usualPort returns u at its scheme's own port, if it names another.
func usualPort(u urlcore.URL) (urlcore.URL, bool) {
	switch u := u.(type) {
	case urlcore.Gopher:
		other := u.Port != 0
		u.Port = 0
		return u, other
	case urlcore.FTP:
		other := u.Port != 0
		u.Port = 0
		return u, other
	case urlcore.NNTP:
		other := u.Port != 0
		u.Port = 0
		return u, other
	}
	return u, false
}
