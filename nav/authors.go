package nav

import (
	"maps"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// author is somebody who posts to a group.
type author struct{ group, address string }

// maxAuthors is the largest number of authors whose charset is remembered. maxAuthorGroups is the
// largest number of groups of one article. maxAuthorName is the largest size of an address or a
// group, in octets.
const maxAuthors, maxAuthorGroups, maxAuthorName = 10_000, 20, 256

// learnAuthor remembers the charset that an article declares, for its author and its groups. Texts
// of the author without a declaration, such as raw subjects, are probably in the same charset.
func (m *Memory) learnAuthor(h *protocols.ArticleHeader) {
	c, ok := charset.Parse(h.Charset)
	if m == nil || !ok || c == charset.UTF8 || len(h.From) == 0 || len(h.From[0].Address) > maxAuthorName {
		return
	}
	if m.authors == nil || len(m.authors)+maxAuthorGroups > maxAuthors {
		m.authors = make(map[author]charset.Charset)
	}
	for _, u := range h.Newsgroups[:min(len(h.Newsgroups), maxAuthorGroups)] {
		if group := urlcore.NewsGroup(u).Group; len(group) <= maxAuthorName {
			m.authors[author{group, strings.ToLower(h.From[0].Address)}] = c
		}
	}
}

// ReadingOf returns the Reading for the texts of an item of the page. An article has the charset
// that its author has declared in another article of the group, if any.
func (p *Page) ReadingOf(note protocols.Note) clean.Reading {
	if p.memory == nil {
		return p.Reading()
	}
	return readingOf(p.Reading(), p.URL, p.memory.authors, note)
}

// Readings returns a function like [Page.ReadingOf] that may be called in any goroutine. The function does
// not reflect later changes of the page or of the charsets of authors.
func (p *Page) Readings() func(protocols.Note) clean.Reading {
	r, u := p.Reading(), p.URL
	var authors map[author]charset.Charset
	if p.memory != nil {
		authors = maps.Clone(p.memory.authors)
	}
	return func(note protocols.Note) clean.Reading { return readingOf(r, u, authors, note) }
}

func readingOf(page clean.Reading, u urlcore.URL, authors map[author]charset.Charset, note protocols.Note) clean.Reading {
	a, ok := note.(*protocols.ArticleNote)
	if !ok || page.Items == nil || len(authors) == 0 || charset.IsASCII(a.From) && charset.IsASCII(a.Subject) {
		return page
	}
	if from := mimeheader.Addresses(a.From); len(from) > 0 {
		if c, ok := authors[author{urlcore.NewsGroup(u).Group, strings.ToLower(from[0].Address)}]; ok {
			return clean.Reading{Charset: c}
		}
	}
	return page
}
