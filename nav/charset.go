package nav

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// pageCharset is the charset of a page as far as it is known. The charset may change while the page
// loads, because the lines hold the undecoded octets of the server.
type pageCharset struct {
	evidence       charset.Evidence
	choice         charset.Choice
	chosen         bool
	invalidLines   int             // number of lines that were not UTF-8 when the charset was chosen
	final          bool            // the choice no longer changes
	forced         charset.Charset // see ForceCharset
	remembered     charset.Charset // see RememberCharset
	severalAuthors bool            // the items may have several authors
}

// setDeclaredCharset sets the charset of the page to the one that the server declares. The page has
// this charset until learnCharset chooses one by the lines.
func (p *Page) setDeclaredCharset() {
	if declared, ok := charset.Parse(p.Charset); ok {
		p.charset.choice = p.charset.evidence.Choose(declared, false)
	}
}

// learnCharset examines the lines from index start on. It chooses the charset at the first text
// that is not ASCII, and again at the first text that is not UTF-8. It chooses for the last time
// when there is enough evidence, or when no more lines follow (the parameter whole). So the charset
// changes at most twice after the first choice.
func (p *Page) learnCharset(start int, whole bool) {
	c := &p.charset
	if c.final || p.Layout == protocols.LayoutPage {
		return
	}
	c.severalAuthors = c.severalAuthors || p.Lines.MayHaveSeveralAuthors(&p.Head, start)
	p.Lines.AddEvidence(&c.evidence, start)
	c.final = whole || c.evidence.IsFull()
	_, invalid := c.evidence.Counts()
	first := !c.chosen && c.evidence.HasNonASCII() || c.invalidLines == 0 && invalid > 0
	if !first && !c.final {
		return
	}
	declared, _ := charset.Parse(p.Charset)
	c.chosen, c.invalidLines = true, invalid
	c.choice = c.evidence.Choose(declared, c.severalAuthors || p.Layout == protocols.LayoutMenu && c.evidence.Disagree())
}

// MayHaveSeveralAuthors reports whether the texts of a page may have several authors with different
// charsets. It is true for a directory, a list of groups or articles, and the results of a search. It
// is also true for a menu if a line from index start on, in the order of arrival, is not ASCII and
// leads to another server.
func (l *Lines) MayHaveSeveralAuthors(h *protocols.Head, start int) bool {
	switch h.Layout {
	case protocols.LayoutDirectory, protocols.LayoutGroups, protocols.LayoutArticles:
		return true
	case protocols.LayoutMenu:
	default:
		return false
	}
	switch u := h.URL.(type) {
	case urlcore.Gopher:
		if u.Search != "" {
			return true
		}
	case urlcore.WAIS:
		return u.HasSearch
	case urlcore.Z3950:
		return u.Verb == urlcore.Z3950Search
	}
	server, _ := urlcore.Addr(h.URL)
	for c, k := range l.nonPlainLines(start) {
		if charset.IsPlain(c.withoutLink(k).Text) {
			continue
		}
		if addr, ok := urlcore.Addr(c.url(k)); ok && addr != server {
			return true
		}
	}
	return false
}

// Reading returns how the octets of the page are decoded.
func (p *Page) Reading() clean.Reading { return ReadingFor(&p.Head, p.reading()) }

// ReadingFor returns r, the charset of the lines of a page with the head h, with what the head says about the lines.
func ReadingFor(h *protocols.Head, r clean.Reading) clean.Reading {
	r.Source, _ = charset.Parse(h.Converted)
	if r.Stripped = h.Layout == protocols.LayoutText || h.Layout == protocols.LayoutMenu; r.Stripped {
		r.Joiners = clean.JoinersInWords
	}
	return r
}

func (p *Page) reading() clean.Reading {
	c := &p.charset
	valid, invalid := c.evidence.Counts()
	switch {
	case p.Converted != "":
		return clean.Reading{Charset: p.ChosenCharset()}
	case c.forced != charset.Auto:
		return clean.Reading{Charset: c.forced, AllLines: valid == 0 || invalid == 0}
	case c.remembered != charset.Auto:
		return clean.Reading{Charset: c.remembered}
	}
	return clean.Reading{Charset: c.choice.EightBit(), Items: c.choice.Items}
}

// CharsetChoice returns the charset of the page and the reason for it. The result ok is false for a
// page in ASCII and for gofer's own pages.
func (p *Page) CharsetChoice() (c charset.Choice, ok bool) {
	c = p.foundCharset()
	_, invalid := p.charset.evidence.Counts()
	declared, known := charset.Parse(p.Charset)
	switch {
	case document.IsConverted(p.Media) && known && declared != charset.Auto: // the lines of a hypertext were converted to UTF-8
		c = charset.Choice{Charset: declared, Sure: true, Why: "declared by the page or its server"}
	case charset.IsWide(p.Charset) && p.Layout == protocols.LayoutText:
		c = charset.Choice{Charset: charset.UTF8, Sure: true, Why: "converted from " + strings.ToUpper(p.Charset) + ", which the server declares"}
	case p.charset.forced != charset.Auto:
		c.Charset, c.Sure, c.Why, c.Mixed = p.charset.forced, true, "chosen for this page", false
	case p.charset.remembered != charset.Auto && (invalid > 0 || p.Converted != ""):
		c.Charset, c.Sure, c.Why, c.Mixed = p.charset.remembered, true, "chosen for another page of this server", false
	}
	return c, p.charset.evidence.HasNonASCII()
}

// foundCharset returns the charset of the page if the user has chosen none.
func (p *Page) foundCharset() charset.Choice {
	source, ok := charset.Parse(p.Converted)
	if !ok {
		return p.charset.choice
	}
	c := charset.Choice{Charset: source, Why: "drawings for terminals are usually in it"}
	if declared, _ := charset.Parse(p.Charset); declared == source {
		c.Sure, c.Why = true, "the server says so"
	}
	for _, other := range charset.All() {
		if other != source {
			c.Others = append(c.Others, other)
		}
	}
	return c
}

// Charsets returns the possible charsets of the page, the detected one first, and the index of the
// current one. Auto means that the items have different charsets.
func (p *Page) Charsets() (all []charset.Charset, current int) {
	found := p.foundCharset()
	all = append([]charset.Charset{found.Charset}, found.Others...)
	if found.Mixed {
		all = slices.Insert(all, 0, charset.Auto)
	}
	return all, max(0, slices.Index(all, p.ChosenCharset()))
}

// ForceCharset sets the charset of the page to c. If c is the detected charset, later lines may change
// the charset again.
func (p *Page) ForceCharset(c charset.Charset) {
	p.charset.forced, p.charset.remembered = c, charset.Auto
	if found := p.foundCharset(); c == found.Charset && !found.Mixed {
		p.charset.forced = charset.Auto
	}
}

// CharsetSample returns the octets of a text that depends on the charset: the line under the cursor,
// or else the first line that is not UTF-8, or else the first line that is not ASCII. It returns "" if
// there is no such text.
func (p *Page) CharsetSample() (sample string) {
	if p.Cursor >= 0 && p.Cursor < p.Lines.Len() {
		line := p.Lines.WithoutLink(p.Cursor)
		for _, text := range line.Texts() {
			if !charset.IsPlain(text) {
				return text
			}
		}
	}
	for c, k := range p.Lines.nonPlainLines(0) {
		line := c.withoutLink(k)
		for _, text := range line.Texts() {
			switch {
			case !utf8.ValidString(text):
				return text
			case sample == "" && !charset.IsPlain(text):
				sample = text
			}
		}
	}
	return sample
}

// ReadingAs returns how a sample of the page is decoded in the charset c.
func (p *Page) ReadingAs(c charset.Charset) clean.Reading {
	return ReadingFor(&p.Head, clean.Reading{Charset: c, AllLines: true})
}

// ForcedCharset returns the charset that the user chose for the page, or Auto.
func (p *Page) ForcedCharset() charset.Charset { return p.charset.forced }

// ChosenCharset returns the charset that the user has chosen for the page or for its server, or Auto.
func (p *Page) ChosenCharset() charset.Charset { return cmp.Or(p.charset.forced, p.charset.remembered) }

// RememberCharset sets the charset of texts that are not UTF-8 to c, which the user chose for another
// page of the server. A charset that the user chooses for this page has priority.
func (p *Page) RememberCharset(c charset.Charset) { p.charset.remembered = c }

// isPlainNote reports whether the texts of a note are plain ASCII.
func isPlainNote(note protocols.Note) bool {
	for _, text := range (&protocols.Line{Note: note}).Texts() {
		if !charset.IsPlain(text) {
			return false
		}
	}
	return true
}

// isPlain reports whether all texts of the chunk are plain ASCII. Links are always plain ASCII.
func (c *chunk) isPlain() bool {
	if !c.nonASCII {
		c.nonASCII = !charset.IsPlain(c.octets.String()[c.examined:])
		c.examined = c.octets.Len()
	}
	return !c.nonASCII
}

// nonPlainLines yields all lines of each chunk that is not plain ASCII, from index start on, in the order
// of arrival.
func (l *Lines) nonPlainLines(start int) iter.Seq2[*chunk, int] {
	return func(yield func(*chunk, int) bool) {
		for i := max(0, sort.SearchInts(l.starts, start+1)-1); i < len(l.chunks); i++ {
			c := l.chunks[i]
			if c.isPlain() {
				continue
			}
			for k := max(0, start-l.starts[i]); k < len(c.rows); k++ {
				if !yield(c, k) {
					return
				}
			}
		}
	}
}

// AddEvidence adds the texts of the lines from index start on to the evidence about their charset.
func (l *Lines) AddEvidence(e *charset.Evidence, start int) {
	for c, k := range l.nonPlainLines(start) {
		if e.IsFull() {
			return
		}
		line := c.withoutLink(k)
		for _, text := range line.Texts() {
			e.Add(text)
		}
	}
}
