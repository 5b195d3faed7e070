package document

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html/atom"

	"gofer/internal/text/charset"
	"gofer/internal/text/feed"
	"gofer/protocols"
	"gofer/urlcore"
)

// detectFeed sets the media type, charset and title of a feed.
func (d *Document) detectFeed() {
	if d.Layout != protocols.LayoutText || d.URL != nil && d.URL.Scheme() == "finger" { // a plan may quote a feed
		return
	}
	block := d.first
	if e := wideEncoding(d.Media, block); e != nil {
		block, _ = e.NewDecoder().Bytes(block)
	}
	media, _ := feed.Detect(essence(d.Media), block)
	if media == "" {
		return
	}
	_, parameters, hasParameters := strings.Cut(d.Media, ";")
	if d.Media = media; hasParameters {
		d.Media += ";" + parameters
	}
	if d.Charset == "" && media != feed.MediaJSON {
		d.noteUnknownCharset(feed.Charset(d.first))
	}
	if d.Charset = htmlCharset(d.Charset, feed.Charset(d.first), d.first); media == feed.MediaJSON {
		d.Charset = "utf-8" // RFC 8259, section 8.1
	}
	src := &Document{Head: d.Head, first: d.first, err: io.EOF}
	if f, err := src.parseFeed(); err == nil && f.Title != "" {
		d.Title = f.Title
	}
}

// readFeed parses octets, which were read from d and are at most [feed.MaxSize].
func (d *Document) readFeed(octets []byte) (*feed.Feed, error) {
	src := &Document{Head: d.Head, first: octets, err: io.EOF}
	f, err := src.parseFeed()
	if err == nil && len(octets) == feed.MaxSize && f.Problem != "" {
		f.Problem = "The feed is larger than " + formatSize(feed.MaxSize) + ": entries may be missing."
	}
	return f, err
}

func (d *Document) parseFeed() (*feed.Feed, error) {
	text, err := io.ReadAll(utf8Reader(d))
	if err != nil {
		return nil, err
	}
	return feed.Parse(charset.ToUTF8(string(text), ""))
}

// feedLines returns the lines of a feed: its title, and a heading, the date and the summary of each entry. It
// returns an invalid feed as a text.
func feedLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		octets, err := io.ReadAll(io.LimitReader(d, feed.MaxSize))
		f, parseErr := d.readFeed(octets)
		if parseErr != nil {
			d.first, d.err = octets, cmp.Or(err, d.err)
			textLines(d)(yield)
			return
		}
		p := &feedPage{feed: f, url: d.URL, tableWidth: d.TableWidth, yield: func(l protocols.Line) bool { return yield(l, nil) }}
		if p.write(); err != nil && !p.stopped {
			yield(protocols.Line{}, err)
		}
	}
}

// feedPage writes a feed as lines of hypertext.
type feedPage struct {
	feed       *feed.Feed
	url        urlcore.URL // of the feed, or nil
	tableWidth int
	yield      func(protocols.Line) bool
	stopped    bool
	begun      bool
}

func (p *feedPage) write() {
	f := p.feed
	h := p.newReader(f.Bases, nil)
	h.writeHeading(1, f.Title, f.URL)
	h.base = p.resolveBases(f.TextBases)
	h.writeHTML(f.Description)
	p.writeNote(f.Problem)
	for i := range f.Entries {
		if p.stopped {
			return
		}
		p.writeEntry(&f.Entries[i])
	}
	if len(f.Entries) == 0 && f.Problem == "" {
		p.writeNote("The feed has no entries.")
	}
}

// entryLevel is the level of the headings of entries.
const entryLevel = 2

// resolveBases returns the URL to which the references in the feed with these bases are relative.
func (p *feedPage) resolveBases(bases []string) urlcore.URL {
	base := p.url
	for _, b := range bases {
		u, _ := resolve(base, b)
		switch u.(type) {
		case urlcore.HTTP, urlcore.FTP, urlcore.Gopher, urlcore.File: // these have paths
			base = u
		}
	}
	return base
}

// newReader returns a reader of hypertext in the feed. The parameter entry describes the entry that begins with the
// first line of the reader, or is nil.
func (p *feedPage) newReader(bases []string, entry *protocols.FeedEntry) *htmlReader {
	h := newHTMLReader(p.resolveBases(bases), func(l protocols.Line) bool {
		if note, ok := l.Note.(*protocols.Hypertext); ok && entry != nil {
			note.Entry, entry = entry, nil
		} else if ok && note.Level > 0 && p.begun { // a heading of a summary
			note.Level = min(note.Level+entryLevel, 6)
		}
		p.begun = true
		p.stopped = p.stopped || !p.yield(l)
		return !p.stopped
	})
	h.tableWidth, h.begun, h.gap, h.stopped = p.tableWidth, p.begun, true, p.stopped
	return h
}

func (p *feedPage) writeNote(text string) {
	if text != "" {
		h := p.newReader(nil, nil)
		h.addText([]byte(text))
		h.breakLine()
	}
}

func (p *feedPage) writeEntry(e *feed.Entry) {
	h := p.newReader(e.URLBases, &protocols.FeedEntry{Date: e.Date, DateText: protocols.UnreadDate(e.DateText), Author: e.Author, ID: e.ID})
	to := e.URL
	if to == "" && len(e.Enclosures) > 0 {
		to, h.base = e.Enclosures[0].URL, p.resolveBases(e.Bases)
	}
	h.writeHeading(entryLevel, e.Title, to)
	h.base = p.resolveBases(e.Bases)
	about := slices.DeleteFunc([]string{cmp.Or(formatFeedDate(e.Date), e.DateText), e.Author}, func(s string) bool { return s == "" })
	h.addText([]byte(strings.Join(about, ", ")))
	h.breakLine()
	for _, x := range e.Enclosures {
		about := []string{cmp.Or(fileNameOf(x.URL), x.URL)}
		if x.Media != "" {
			about = append(about, x.Media)
		}
		if x.Size >= 0 {
			about = append(about, formatSize(x.Size))
		}
		h.writeLink("["+strings.Join(about, ", ")+"]", x.URL)
		h.breakLine()
	}
	h = p.newReader(e.SummaryBases, nil)
	h.writeHTML(e.Summary)
}

// formatFeedDate returns a date in UTC. Midnight is the time of dates without a time.
func formatFeedDate(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.UTC().Format(time.DateOnly)
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// writeHeading writes a heading that links to the reference href, if it is not "".
func (h *htmlReader) writeHeading(level int, text, href string) {
	h.level = level
	h.writeLink(text, href)
	h.breakLine()
	h.level = 0
}

// writeLink writes text that links to the reference href, if it is not "".
func (h *htmlReader) writeLink(text, href string) {
	if href != "" {
		h.beginLink(attributes{{atom.Href, href}})
	}
	h.addText([]byte(text))
	h.endLink()
}

// maxSummary is the largest size of the HTML of a summary that is shown, in octets.
const maxSummary = 64 << 10

// writeHTML reads a part of a page that is complete in itself.
func (h *htmlReader) writeHTML(text string) {
	cutShort := len(text) > maxSummary
	if cutShort {
		text = text[:cut([]byte(text), maxSummary)]
	}
	if err := h.read(strings.NewReader(text)); err != nil && !errors.Is(err, io.EOF) {
		return
	}
	if cutShort {
		h.addText([]byte("…"))
		h.breakLine()
	}
}
