package demo

import (
	"bufio"
	"net"
	"strings"
)

// LookupServer is a finger, whois, whois++ or dict server on a free port of 127.0.0.1. Its methods are
// safe for concurrent use.
type LookupServer struct {
	server
	scheme string
}

// URL returns the canonical URL of a query.
func (s *LookupServer) URL(query string) string {
	return s.scheme + "://" + s.hostInURLs() + "/" + query
}

// lookupMany is a query whose answer has lookupLines lines, about 10 MB.
const (
	lookupMany  = "many"
	lookupLines = 120_000
)

// startLookup starts a server that answers from the map answers. The function parse returns the
// name that a query asks for, and the answer if the map does not contain the name. The answer to
// [lookupMany] repeats manyLine.
func startLookup(scheme string, answers map[string]string, manyLine string, parse func(query string) (name, missing string)) (*LookupServer, error) {
	s := &LookupServer{scheme: scheme}
	return s, s.start(func(c net.Conn) {
		serveLines(c, "", func(w *bufio.Writer, query string) bool {
			name, missing := parse(query)
			text, ok := answers[name]
			switch {
			case name == lookupMany:
				text = strings.Repeat(manyLine+"\n", lookupLines)
			case !ok:
				text = missing
			}
			_, _ = w.WriteString(strings.ReplaceAll(text, "\n", "\r\n"))
			return false
		})
	})
}

// addLookup adds a server to the World that start makes. It answers from a map that the function fill fills later,
// because the texts contain the addresses of all servers. Clients may use the server only after the call of fill.
func (w *World) addLookup(name, port string, texts map[string]string, start func(answers map[string]string) (*LookupServer, error), page, title string) (fill func(replace func(string) string)) {
	answers := map[string]string{}
	var s *LookupServer
	startServer(w, name, port, &s, func() (*LookupServer, error) { return start(answers) })
	return func(replace func(string) string) {
		for query, text := range texts {
			answers[query] = replace(text)
		}
		w.addStartPage(s.URL(page), title)
	}
}
