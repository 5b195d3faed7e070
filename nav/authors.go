package nav

import (
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// author is somebody who posts to a group.
type author struct{ group, address string }

// maxAuthors bounds the authors whose charset is remembered.
const maxAuthors = 10_000

// learnAuthor remembers the charset that an article declares for its author in the groups
// of the article: what they post without a declaration, as raw subjects, is likely in the
// same charset.
func (m *Memory) learnAuthor(h *protocols.ArticleHeader) {
	c, ok := charset.Parse(h.Charset)
	if m == nil || !ok || c == charset.UTF8 {
		return
	}
	if m.authors == nil || len(m.authors) >= maxAuthors {
		m.authors = make(map[author]charset.Charset)
	}
	for _, from := range h.From {
		for _, u := range h.Newsgroups {
			m.authors[author{urlcore.NewsGroup(u).Group, strings.ToLower(from.Address)}] = c
		}
	}
}

// ReadingOf returns how the texts of an item of the page are read: those of an article in the
// charset that its author has declared in another article of the group, if that is known.
func (p *Page) ReadingOf(note protocols.Note) clean.Reading {
	r := p.Reading()
	a, ok := note.(*protocols.ArticleNote)
	if !ok || r.Items == nil || p.memory == nil || len(p.memory.authors) == 0 || charset.IsASCII(a.From) && charset.IsASCII(a.Subject) {
		return r
	}
	for _, from := range mimeheader.Addresses(a.From) {
		if c, ok := p.memory.authors[author{urlcore.NewsGroup(p.URL).Group, strings.ToLower(from.Address)}]; ok {
			return clean.Reading{Charset: c}
		}
	}
	return r
}
