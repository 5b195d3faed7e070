package nav

import (
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// Page is what has come of a URL, and the place in it where the reader is.
// After a reload the place may for a while be beyond the lines that have come.
type Page struct {
	protocols.Head
	Lines Lines
	// Content is what the page holds in place of lines, or nil.
	Content Content
	Cursor  int // index of the line the cursor is on
	Top     int // first visible line
	TopRow  int // first visible row of that line, when it is wrapped
	Left    int // columns scrolled to the right
	Zoom    int // how often a picture has been magnified
	// Link is which link of the cursor's line in a text the cursor is on,
	// counted from 1; 0: on none.
	Link int
	// Filter are the only lines that are shown; nil is all. Cursor and Top are
	// indexes of lines with and without it.
	Filter *Matches
	// Err is nil while the page is loading, io.EOF when it is whole, else why
	// it ended early: [ErrStopped], an *[protocols.Error].
	Err error
	// Asked is the URL that was asked for; nil for a page that was not loaded.
	Asked urlcore.URL
	// Started is when that was. Progress and Transcript tell how it went since.
	Started    time.Time
	Progress   *protocols.Progress
	Transcript *protocols.Transcript
	// SearchTerms are the words that were typed for it.
	SearchTerms string
	// Failed is the error that an error page tells of, nil on any other page.
	Failed error
	// Dropped is set when the lines were let go to save memory: the page is
	// to be fetched again with [Session.Reload], which keeps the place.
	Dropped bool

	kept    bool // the place is that of the page it reloads
	charset charset
}

// Loading reports whether more lines may come.
func (p *Page) Loading() bool { return p.Err == nil && !p.Dropped }

// bytes returns the memory that the page takes, in octets.
func (p *Page) bytes() int64 {
	n := p.Lines.Bytes() + p.Transcript.Bytes()
	if p.Content != nil {
		n += p.Content.Memory()
	}
	return n
}

// drop lets the lines or the content go and returns what they took.
func (p *Page) drop() (octets int64) {
	octets = p.bytes()
	p.Lines, p.Content, p.Transcript = Lines{}, nil, nil
	p.Filter = p.Filter.again()
	p.Dropped = true
	return octets
}

// keepPlace makes the reader's place in old, which p is to replace, that in p.
func (p *Page) keepPlace(old *Page) {
	p.kept = true
	p.charset.forced, p.charset.remembered = old.charset.forced, old.charset.remembered
	p.Cursor, p.Link, p.Top, p.TopRow, p.Left, p.Zoom = old.Cursor, old.Link, old.Top, old.TopRow, old.Left, old.Zoom
	p.SearchTerms = old.SearchTerms
	p.Filter = old.Filter.again()
}
