package demo

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/textproto"
	"slices"
	"strings"
)

// nntpMaxArticle is the maximum size of a posted article, in octets.
const nntpMaxArticle = 1 << 20

// post answers the command POST (RFC 3977, section 6.3.1): it reads an article and adds it. It
// returns false if the connection ends before the article does.
func (r *nntpConn) post(in *bufio.Reader) bool {
	r.printLine("340 send it")
	if r.w.Flush() != nil {
		return false
	}
	text := textproto.NewReader(in).DotReader()
	article, err := io.ReadAll(io.LimitReader(text, nntpMaxArticle))
	more, _ := io.Copy(io.Discard, text)
	switch {
	case err != nil:
		return false
	case more > 0:
		r.printLine("441 it is too large")
	default:
		r.printLine("%s", r.server.addArticle(parseNNTPArticle(string(article))))
	}
	return true
}

// addArticle adds an article to its groups and returns the answer to POST. It does not change the
// old spool, which connections use until their next command, but replaces it with a copy.
func (s *NNTPServer) addArticle(a *nntpArticle) string {
	for _, name := range []string{"From", "Newsgroups", "Subject", "Message-ID", "Date"} {
		if a.field(name) == "" {
			return "441 there is no " + name
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.spool.Load()
	if old.byID[a.id] != nil {
		return "441 435 duplicate"
	}
	spool := &nntpSpool{groups: slices.Clone(old.groups), byName: maps.Clone(old.byName), byID: maps.Clone(old.byID)}
	xref := "Xref: loopback"
	var groups []*nntpGroup
	for name := range strings.SplitSeq(a.field("Newsgroups"), ",") {
		g := old.byName[strings.TrimSpace(name)]
		if g == nil {
			continue
		}
		updated := &nntpGroup{name: g.name, description: g.description, articles: slices.Clone(g.articles)}
		spool.byName[g.name], spool.groups[slices.Index(spool.groups, g)] = updated, updated
		groups = append(groups, updated)
		xref += fmt.Sprintf(" %s:%d", g.name, len(g.articles)+1)
	}
	if len(groups) == 0 {
		return "441 no such group"
	}
	a.head = append(a.head, xref)
	for _, g := range groups {
		g.articles = append(g.articles, a)
	}
	spool.byID[a.id] = a
	s.spool.Store(spool)
	return "240 posted"
}

// refresh switches to the current spool, which contains the articles that other connections have
// posted.
func (r *nntpConn) refresh() {
	if spool := r.server.spool.Load(); spool != r.spool {
		r.spool = spool
		if r.group != nil {
			r.group = spool.byName[r.group.name]
		}
	}
}
