package nav

import (
	"slices"
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// Place is where in a page its reader is. A reload, going back and the record of
// the tabs keep it as one value, so that none of them forgets a part of it. After a
// reload it may for a while be beyond the lines that have come.
type Place struct {
	Cursor int `json:"cursor,omitempty"` // index of the line the cursor is on
	Link   int `json:"link,omitempty"`   // which link of that line of a text it is on, counted from 1; 0: on none
	Top    int `json:"top,omitempty"`    // first visible line
	TopRow int `json:"row,omitempty"`    // first visible row of that line, when it is wrapped
	Left   int `json:"left,omitempty"`   // columns scrolled to the right
	Zoom   int `json:"zoom,omitempty"`   // how often a picture has been magnified
	Rows   int `json:"-"`                // of the screen where it was shown last; 0: nowhere yet

	Order Order `json:"order,omitzero"` // how the lines are sorted, or will be when the page is whole
	Dots  bool  `json:"dots,omitempty"` // the names of a directory that begin with a dot are shown

	Folded bool `json:"folded,omitempty"` // the threads of a list of articles are
	Killed bool `json:"killed,omitempty"` // articles of a list that are killed are shown

	ROT13 bool `json:"rot13,omitempty"` // the letters of a text are shifted
}

// onLine reports whether the cursor is on one of the lines: it may be beyond them, and
// is -1 where the reader has none.
func (p Place) onLine(lines *Lines) bool { return p.Cursor >= 0 && p.Cursor < lines.Len() }

// Bounded is the place without negative numbers, which no page has.
func (p Place) Bounded() Place {
	return Place{max(p.Cursor, 0), max(p.Link, 0), max(p.Top, 0), max(p.TopRow, 0), max(p.Left, 0), max(p.Zoom, 0), max(p.Rows, 0), p.Order, p.Dots, p.Folded, p.Killed, p.ROT13}
}

// Page is the content of a URL, and the place of the reader in it.
type Page struct {
	protocols.Head
	Place
	Lines Lines
	// WithUnread, unless it is nil, returns the note of a group with its unread articles,
	// and any other note as it is: the page is sorted by that.
	WithUnread func(protocols.Note) protocols.Note
	// Hidden is how many names that begin with a dot, or articles that are killed,
	// are not shown.
	Hidden int
	// Content is the content of a page without lines, or nil.
	Content Content
	// Tags counts the tagged items.
	Tags Tags
	// Filter are the only lines that are shown; nil is all. Cursor and Top are
	// indexes of lines with and without it.
	Filter *Matches
	// Folds are the lines outside of folded threads; nil is all. See [Page.Shown].
	Folds *Matches
	// Err is nil while the page is loading, io.EOF when it is whole, else why
	// it ended early: [ErrStopped], an *[protocols.Error].
	Err error
	// LinkTitle is the clean text of the link that led to the page, or "".
	LinkTitle string
	// FirstWords is set where the title is the first words of the page itself.
	FirstWords bool
	// Asked is the URL that was asked for; nil for a page that was not loaded.
	Asked urlcore.URL
	// Typed is set if the reader has typed the URL that was asked for ([protocols.WithTyped]).
	Typed bool
	// Started is the time of the request. Progress and Transcript record its course.
	Started    time.Time
	Progress   *protocols.Progress
	Transcript *protocols.Transcript
	// SearchTerms are the words that were typed for it.
	SearchTerms string
	// Failed is the error of an error page, nil on any other page.
	Failed error
	// Dropped is set when the lines were let go to save memory: the page is
	// to be fetched again with [Session.Reload], which keeps the place.
	Dropped bool

	under     *Page // the page that this one covers, see [Session.PushOverlay]
	placeKept bool  // the place was copied from the page it reloads
	anchor    anchor
	charset   pageCharset
	memory    *Memory // of its session; or nil
}

// Loading reports whether more lines may come.
func (p *Page) Loading() bool { return p.Err == nil && !p.Dropped }

// IndexID returns the first line, from line i on, that is the place of a
// hypertext with that name, or -1. The name "top" is the beginning, unless it
// is another's.
func (p *Page) IndexID(id string, from int) int {
	for i := from; i < p.Lines.Len(); i++ {
		if note, ok := p.Lines.WithoutLink(i).Note.(*protocols.Hypertext); ok && slices.Contains(note.IDs, id) {
			return i
		}
	}
	if strings.EqualFold(id, "top") && !p.Loading() {
		return 0
	}
	return -1
}

// bytes returns the memory that the page takes, in octets.
func (p *Page) bytes() int64 {
	n := p.Lines.Bytes() + p.Transcript.Bytes()
	if p.Content != nil {
		n += p.Content.Memory()
	}
	return n
}

// drop frees the lines or the content and returns their size.
func (p *Page) drop() (octets int64) {
	octets = p.bytes()
	p.anchor, p.Tags = p.anchorHere(), tagsOf(p)
	p.Lines, p.Content, p.Transcript = Lines{}, nil, nil
	p.Filter, p.Folds, p.Hidden = p.Filter.again(), nil, 0
	p.Dropped = true
	return octets
}

// keepPlace copies the reader's place in old, which p replaces, to p.
func (p *Page) keepPlace(old *Page) {
	p.placeKept = true
	p.charset.forced, p.charset.remembered = old.charset.forced, old.charset.remembered
	p.Place, p.SearchTerms, p.LinkTitle = old.Place, old.SearchTerms, old.LinkTitle
	p.Filter = old.Filter.again()
	p.anchor, p.Tags = old.anchorHere(), tagsOf(old)
}
