// Package protocols is the vocabulary shared by everything that fetches and everything
// that shows: a [Fetcher] turns a URL into a [Resource], which is either typed [Line]
// values (a menu, a directory, a list of groups), the octets of a document or an
// [InteractiveSession]. The package does no I/O.
package protocols

import (
	"context"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"gofer/urlcore"
)

// Head describes a resource as soon as the server has answered.
type Head struct {
	// URL is the canonical URL of the resource. It may differ from the URL of the fetch:
	// an untyped FTP URL that names a directory becomes one with ;type=d (RFC 1738,
	// section 3.2.2).
	URL     urlcore.URL
	Title   string // a name in the server's octets; may be ""
	Layout  Layout
	Media   string // the media type of a document, "" if unknown
	Charset string // the charset of the lines according to the server, or ""
	Size    int64  // the size in octets that the server announced, or -1
	// Modified is the time of the last change, zero if unknown. Some servers are asked
	// for it only with [WithModified].
	Modified time.Time
	// Identity identifies a directory of the server: two paths to the same directory
	// have the same Identity. It is "" without [WithIdentity], or if the server does not
	// identify directories.
	Identity string
	// Path is the path of a directory in the words of the server, with [WithIdentity].
	Path string
	// Ended reports, after the last line of a menu, whether its end was received: the single dot
	// (RFC 1436, section 3.9), or the last octet of an announced size. It is nil for other resources.
	Ended func() bool
	// Kept is the time of the kept copy that is returned instead of an answer; zero if
	// the server has sent the resource to this program.
	Kept       time.Time
	Security   Security    // of the connection
	Crossposts []Crosspost // the numbers of an article in its groups, as in its header
	// Notes are remarks for the reader about the fetch, in our own words: "the server
	// refused the empty CWD and was asked without it".
	Notes []string
}

// NotAsked is the end of a note about results that were left out because the fetch was not one
// [WithHidden] results.
const NotAsked = "the others were not asked for"

// MediaType returns the media type of the resource. The types of lines are our own.
func (h Head) MediaType() string {
	if h.Layout.Document() {
		return h.Media
	}
	return layoutMedia[h.Layout]
}

// MediaArticle is the media type of a news article, which is a Body.
const MediaArticle = "message/rfc822"

// Layout is how the lines of a page are laid out. A fetched document has LayoutText;
// its octets decide when it is read.
type Layout uint8

// The layouts.
const (
	LayoutText      Layout = iota // the text of a document
	LayoutBinary                  // a document that is no text
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
	// Lines yields each line as soon as it arrives. It is read at most once. A non-nil
	// error comes last and does not invalidate the lines before it.
	Lines iter.Seq2[Line, error]
	// Preview, if not nil, yields some of the lines, perhaps in another order, while
	// Lines waits for the last of them. It is read before Lines, at most once, and only
	// by a caller that can replace these lines later.
	Preview iter.Seq[Line]
	// Body yields a document's exact octets. An interrupted transfer ends in an *Error
	// if the protocol can detect the interruption.
	Body io.Reader
	// LateNotes returns additional notes when Body has ended. It may be nil.
	LateNotes func() []string
	// Session is connected and needs a terminal. It is run at most once.
	Session InteractiveSession
	// Closer ends the transfer at any moment and frees its connections.
	io.Closer
}

// Line is one row of a page.
type Line struct {
	Kind Kind
	// Text is in the server's own octets and must be cleaned before it is shown.
	Text string
	Link urlcore.URL // the canonical URL of the item, or nil
	Note Note        // further data about the item, an [Action], or nil
}

// Linked returns the line with a link to value, if that is a URL or a mail address.
func (l Line) Linked(value string) Line {
	if !strings.Contains(value, "://") {
		if strings.Count(value, "@") != 1 || strings.ContainsAny(value, " \t,;<>") {
			return l
		}
		value = urlcore.Mailto{Address: value}.String()
	}
	if u, err := urlcore.Parse(value); err == nil {
		l.Kind, l.Link = KindOf(u), u
	}
	return l
}

// NewPage returns a Resource of these lines.
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

// NewRedirect returns a page with the link of a redirect to another scheme. h is the head
// of the answer.
func NewRedirect(h Head, to urlcore.URL) *Resource {
	h.Title, h.Layout = "Redirect", LayoutPage
	return NewPage(
		h,
		Line{Text: "The server sends its readers on to another kind of server:"},
		Line{},
		Line{Kind: KindOf(to), Text: urlcore.Redact(to).String(), Link: to},
	)
}

// Security is the protection of a connection. The zero value is one in the clear.
type Security struct {
	Protocol    string // "TLS 1.3"; "" in the clear
	Trust       Trust
	Fingerprint string // of the server's certificate, "SHA-256 " and hexadecimal digits
}

// Secure reports whether the connection used TLS with a server whose certificate was
// verified or pinned.
func (s Security) Secure() bool { return s.Protocol != "" && s.Trust != Unverified }

// Trust is how the certificate of a server was verified.
type Trust uint8

// The kinds of trust.
const (
	Unverified Trust = iota
	Verified         // by an issuer that this system knows
	Pinned           // by the user, who agreed to it
)

// String returns the name in JSON output.
func (t Trust) String() string {
	switch t {
	case Verified:
		return "verified"
	case Pinned:
		return "pinned"
	}
	return "unverified"
}

// InteractiveSession is a connected session (RFC 1738, section 3.8). It has the whole
// terminal while it runs.
type InteractiveSession interface {
	// Run returns when the session has ended, and does not use the terminal afterwards.
	// It returns nil if the user ended it, io.EOF if the server did, else the cause.
	Run(ctx context.Context, t Terminal) error
}

// Terminal is the user's terminal in raw mode. It is restored after the session.
type Terminal struct {
	Input <-chan []byte // the typed octets; closed when the terminal is gone
	// Output is the screen. Write returns when the terminal has taken the octets or the
	// session's context has ended.
	Output  io.Writer
	Size    func() (columns, rows int)
	Resized <-chan os.Signal // receives when the size may have changed; may be nil
	Type    string           // as in $TERM
}
