package nav

import (
	"cmp"
	escapes "net/url"
	"slices"
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// Place is the position of the user in a page. It is restored as one value after a reload, after going
// back, and in stored tabs. During a reload it may be beyond the lines that have arrived.
type Place struct {
	Cursor int `json:"cursor,omitempty"` // index of the line the cursor is on
	Link   int `json:"link,omitempty"`   // in a text, the number of the link under the cursor, counted from 1 in its line; or 0
	Top    int `json:"top,omitempty"`    // first visible line
	TopRow int `json:"row,omitempty"`    // first visible row of line Top, if it is wrapped
	Left   int `json:"left,omitempty"`   // columns scrolled to the right
	Zoom   int `json:"zoom,omitempty"`   // number of times that a picture was magnified
	Rows   int `json:"-"`                // rows of the screen that showed the page last, or 0

	Order Order `json:"order,omitzero"` // order of the lines when the page is complete
	Dots  bool  `json:"dots,omitempty"` // in a directory, show the names that begin with a dot

	Folded bool `json:"folded,omitempty"` // fold the threads of a list of articles
	Killed bool `json:"killed,omitempty"` // show killed articles of a list

	ROT13 bool `json:"rot13,omitempty"` // shift the letters of a text
}

// isOnLine reports whether the cursor is on one of the lines. It may be beyond them, and is -1 if
// the page has no cursor.
func (p Place) isOnLine(lines *Lines) bool { return p.Cursor >= 0 && p.Cursor < lines.Len() }

// WithoutNegatives returns the place with 0 instead of each negative number. In a stored place, negative
// numbers are invalid.
func (p Place) WithoutNegatives() Place {
	return Place{
		Cursor: max(p.Cursor, 0), Link: max(p.Link, 0), Top: max(p.Top, 0), TopRow: max(p.TopRow, 0), Left: max(p.Left, 0),
		Zoom: max(p.Zoom, 0), Rows: max(p.Rows, 0), Order: p.Order, Dots: p.Dots, Folded: p.Folded, Killed: p.Killed, ROT13: p.ROT13,
	}
}

// Page is the content of a URL, and the place of the user in it.
type Page struct {
	protocols.Head
	Place
	Lines Lines
	// WithUnread returns the note of a group with its number of unread articles, and other notes
	// unchanged. The page is sorted by the returned notes. WithUnread may be nil.
	WithUnread func(protocols.Note) protocols.Note
	// Hidden is the number of hidden names that begin with a dot, or of hidden killed articles.
	Hidden int
	// Content is the content of a page without lines, or nil.
	Content Content
	// Source has the octets of a complete hypertext, see [KeepSource], or is nil.
	Source []byte
	// Article is the page that shows the article of this web page, or nil. ArticleOf is the web page whose article this page
	// shows, or nil.
	Article, ArticleOf *Page
	// Tags counts the tagged items.
	Tags Tags
	// Filter holds the lines that match the filter, or nil without a filter. Cursor and Top are
	// indexes in the whole page in both cases.
	Filter *Matches
	// Folds holds the lines outside of folded threads, or nil for all lines. See [Page.Shown].
	Folds *Matches
	// Err is nil while the page is loading, and io.EOF when it is complete. If the page ended
	// early, Err is the reason, such as [ErrStopped] or an *[protocols.Error].
	Err error
	// LinkTitle is the clean text of the link that led to the page, or "".
	LinkTitle string
	// FirstWords is set if the title consists of the first words of the page.
	FirstWords bool
	// Asked is the requested URL, or nil for a page that was not loaded.
	Asked urlcore.URL
	// Typed is set if the requested URL was typed or bookmarked by the user ([protocols.Request.Typed]).
	Typed bool
	// Started is the time of the request. Progress and Transcript record its progress and the
	// exchange with the server.
	Started    time.Time
	Progress   *protocols.Progress
	Transcript *protocols.Transcript
	// SearchTerms are the words of the search that led to the page.
	SearchTerms string
	// Failed is the error of an error page, nil on any other page.
	Failed error
	// Dropped is set if the lines were dropped to save memory. [Session.Reload] fetches them again
	// and keeps the place.
	Dropped bool
	// Cut is set in a list if its load was stopped only because the user left the page. [Session.Reload] fetches the
	// whole list, and keeps the place.
	Cut bool

	covered   *Page // the page that this one covers, see [Session.PushOverlay]
	placeKept bool  // the place was copied from the reloaded page
	keepsItem bool  // the cursor stays on its item also if that item is the first; see [Page.rearrange]
	anchor    anchor
	charset   pageCharset
	memory    *Memory // memory of the session, or nil
}

// IsLoading reports whether more lines may come.
func (p *Page) IsLoading() bool { return p.Err == nil && !p.Dropped }

// IndexID returns the first line of a hypertext, from line start on, that has the fragment name id, or
// -1. The escapes of id may be decoded (HTML Living Standard, section 7.4.6.4). The name "top" means the
// beginning if no line of the loaded page has this name.
func (p *Page) IndexID(id string, start int) int {
	decoded, err := escapes.PathUnescape(id)
	if err != nil {
		decoded = id
	}
	for i := start; i < p.Lines.Len(); i++ {
		note, ok := p.Lines.WithoutLink(i).Note.(*protocols.Hypertext)
		if ok && (slices.Contains(note.IDs, id) || slices.Contains(note.IDs, decoded)) {
			return i
		}
	}
	if strings.EqualFold(id, "top") && !p.IsLoading() {
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
	if p.Article != nil {
		n += p.Article.bytes()
	}
	return n + int64(len(p.Source))
}

// drop frees the lines, the content and the transcript, and returns their size.
func (p *Page) drop() (octets int64) {
	octets = p.bytes()
	p.anchor, p.Tags = p.currentAnchor(), tagsOf(p)
	p.Lines, p.Content, p.Source, p.Article, p.Transcript = Lines{}, nil, nil, nil, nil
	p.Filter, p.Folds, p.Hidden = p.Filter.Restart(), nil, 0
	p.Dropped = true
	return octets
}

// keepPlace copies to p the place in the page old, which p replaces.
func (p *Page) keepPlace(old *Page) {
	p.placeKept = true
	p.charset.forced, p.charset.remembered = old.charset.forced, old.charset.remembered
	p.Place, p.SearchTerms, p.LinkTitle, p.Fragment = old.Place, old.SearchTerms, old.LinkTitle, cmp.Or(p.Fragment, old.Fragment)
	p.Filter = old.Filter.Restart()
	p.anchor, p.Tags = old.currentAnchor(), tagsOf(old)
}
