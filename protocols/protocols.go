// Package protocols is the vocabulary shared by everything that fetches and
// everything that shows: a [Fetcher] turns a URL into a [Resource], which is
// either typed [Line] values (a menu, a directory, a list of groups), the
// octets of a document or an [InteractiveSession]. There is no I/O in this
// package.
package protocols

import (
	"io"
	"iter"
	"time"

	"gofer/urlcore"
)

// Head is what is known of a resource when the server has answered.
type Head struct {
	// URL is the canonical URL of what came. It may differ from the URL that
	// was asked for: an untyped FTP URL that names a directory comes back
	// with ;type=d (RFC 1738, section 3.2.2).
	URL urlcore.URL
	// Title is a name for people in the server's octets; it may be empty.
	Title string
	// Layout is how the page is laid out.
	Layout Layout
	// Media is the media type of a document, "" where nobody said.
	Media string
	// Charset is what the server says of the octets of the lines, "" if it
	// says nothing.
	Charset string
	// Size in octets as the server announced it, or -1. A server may lie.
	Size int64
	// Modified is when the document was changed last, as the server says; zero
	// if it does not, or if saying it takes a question of its own that nobody
	// wants asked (see [WithModified]).
	Modified time.Time
	// Identity identifies a directory of the server: two paths to the same
	// directory have the same Identity. It is "" if the server does not identify
	// directories, or without [WithIdentity].
	Identity string
	// Kept is when what comes was kept as a copy; zero if the server has sent it
	// now, or to this program before.
	Kept time.Time
	// Security is that of the connection.
	Security Security
	// Crossposts are the numbers of an article in the groups of its server, as far
	// as its header tells them.
	Crossposts []Crosspost
	// Notes are remarks for the reader about how it came ("the server refused
	// the empty CWD and was asked without it"), in our own words.
	Notes []string
}

// MediaType is the media type of what came, of lines too: for those the names
// are our own.
func (h Head) MediaType() string {
	if h.Layout.Document() {
		return h.Media
	}
	return layoutMedia[h.Layout]
}

// MediaArticle is the media type of a news article, which comes as Body.
const MediaArticle = "message/rfc822"

// Layout is how the lines of a page are laid out. A document has LayoutText
// when it is fetched and what is found by its octets when it is read.
type Layout uint8

// The layouts.
const (
	LayoutText      Layout = iota // a document: nothing but its text
	LayoutBinary                  // a document that is not for reading
	LayoutMenu                    // a Gopher menu
	LayoutDirectory               // an FTP directory
	LayoutGroups                  // a list of newsgroups
	LayoutArticles                // the articles of a group
	LayoutPage                    // a page of gofer's own
)

// Document reports whether the page is a document, whose octets can be saved.
func (l Layout) Document() bool { return l <= LayoutBinary }

// Sorted reports whether a page that is whole is put in order, by name.
func (l Layout) Sorted() bool { return l == LayoutDirectory || l == LayoutGroups }

var layoutMedia = [...]string{
	LayoutMenu:      "application/gopher-menu",
	LayoutDirectory: "text/directory-listing",
	LayoutGroups:    "application/news-groupinfo",
	LayoutArticles:  "application/news-articlelist",
	LayoutPage:      "application/gofer-page",
}

// Resource is an answer: exactly one of Lines, Body and Session is set.
type Resource struct {
	Head
	// Lines yields each line as soon as it has come. It is read at most once.
	// A non-nil error is the last thing it yields: what came before stands.
	Lines iter.Seq2[Line, error]
	// Preview, if there is one, yields some of the lines, in an order of their
	// own, while Lines waits for the last of them. Who cannot replace these
	// lines later does not read it; it is read before Lines, and at most once.
	Preview iter.Seq[Line]
	// Body is a document's exact octets. A transfer that broke off ends in an
	// *Error, never in a plain io.EOF where the protocol can tell.
	Body io.Reader
	// LateNotes returns notes beside those of the Head that are known only when
	// Body has ended. It may be nil.
	LateNotes func() []string
	// Session is connected and wants a terminal. It is run at most once.
	Session InteractiveSession
	// Closer ends the transfer at any moment and frees its connections.
	io.Closer
}

// Line is one row of a page.
type Line struct {
	Kind Kind
	// Text is what the server wrote, in its own octets: not cleaned, of no
	// known charset. Whoever shows it cleans it first.
	Text string
	// Link is where the line leads, canonical; nil if nowhere.
	Link urlcore.URL
	// Note holds what the protocol says about the item beside its text, or is
	// nil. A line of gofer's own may have an [Action].
	Note Note
}

// NewPage returns a Resource of lines that are known.
func NewPage(h Head, lines ...Line) *Resource {
	h.Size = -1
	return &Resource{
		Head: h,
		Lines: func(yield func(Line, error) bool) {
			for _, l := range lines {
				if !yield(l, nil) {
					return
				}
			}
		},
		Closer: io.NopCloser(nil),
	}
}

// NewRedirect returns a page with the link of a redirect that leads to a server
// of another scheme. h is the head of the answer.
func NewRedirect(h Head, to urlcore.URL) *Resource {
	h.Title, h.Layout = "Redirect", LayoutPage
	return NewPage(
		h,
		Line{Text: "The server sends its readers on to another kind of server:"},
		Line{},
		Line{Kind: KindOf(to), Text: urlcore.Redact(to).String(), Link: to},
	)
}
