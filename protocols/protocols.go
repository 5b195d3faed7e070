// Package protocols declares the types shared by the packages that fetch resources and the packages
// that show them. A [Fetcher] turns a URL into a [Resource]: [Line] values (a menu, a directory, a
// list of groups), the octets of a document, or an [InteractiveSession]. The package does no I/O.
package protocols

import (
	"cmp"
	"context"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"gofer/urlcore"
)

// Head describes a resource as soon as the server has answered.
type Head struct {
	// URL is the canonical URL of the resource. It may differ from the URL of the fetch:
	// an FTP URL without a type gets the type ;type=d if it leads to a directory (RFC 1738,
	// section 3.2.2).
	URL urlcore.URL
	// Fragment is the place in the resource that a redirect names, or "": the fragment of the last redirect that has one
	// (RFC 9110, section 10.2.2). It replaces the fragment of the link to the URL of the fetch.
	Fragment string
	Title    string // a name in the server's octets; may be ""
	Layout   Layout
	Parsed   bool   // the items of a list were read from a document, whose octets can be saved
	Media    string // the media type of a document, "" if unknown
	Charset  string // the charset of the lines according to the server, or ""
	// Start is the index of the line on which the cursor begins, for a list of gofer's own; 0: the first item.
	Start int
	// Drawing is set if a text is a drawing for terminals (ANSI art), whose lines must not be wrapped.
	Drawing bool
	// Converted is the name of the charset, with one octet for each character, from which the lines have been
	// converted to UTF-8, or "". The user may choose another one.
	Converted string
	Size      int64 // the size in octets that the server announced, or -1
	// Modified is the time of the last change, zero if unknown. Some schemes ask for it only
	// with [Request.Modified].
	Modified time.Time
	// Version identifies the version of a document for [Request.Version]. It is "" if the scheme or the server has no such mark.
	Version string
	// Unchanged is set if the document still has the version that the request names. Then its Body is empty.
	Unchanged bool
	// Identity identifies a directory of the server: two paths to the same directory
	// have the same Identity. It is "" without [Request.Identity], or if the server does not
	// identify directories.
	Identity string
	// Path is the path of a directory as the server writes it. It is "" without [Request.Identity].
	Path string
	// Ended is called after the last line of a menu. It reports whether the end of the menu was received:
	// the single dot (RFC 1436, section 2), or the last octet of an announced size. Ended is nil for other
	// resources.
	Ended func() bool
	// CopiedAt is the time when the resource was stored, if it is a stored copy instead of an answer of the
	// server. Otherwise CopiedAt is zero. CopiedAt is also zero for a copy stored since the program was started,
	// unless a request to the server has failed.
	CopiedAt time.Time
	// Origin is set if the resource comes from a bundle of saved pages, and not from its server.
	Origin     *Origin
	Security   Security    // the protection of the connection
	Crossposts []Crosspost // the groups of an article and its number in each group, from the header
	// Notes are messages for the user about the fetch, such as "the server refused the empty CWD and was
	// asked without it".
	Notes []string
	// FreeSpace is the space for more files in a directory, for the user who looks at it, such as "1.5 MB of 20 GB", or "".
	FreeSpace string
	// Problem says why the octets of a document cannot be shown, as the end of a sentence, or is "".
	Problem string
	// Unsaved says why the resource is shown but not saved: it is not what the URL names, but the answer of a server
	// that redirects. Otherwise it is nil.
	Unsaved error
	// Personal is set if the answer is for the user alone: it came after a login or secret input, or the server asks not to
	// store it, or knows the user. Neither a copy nor its text is kept on the disk, except of news.
	Personal bool
}

// Origin describes a resource of a bundle.
type Origin struct {
	URL     urlcore.URL // the URL that the resource had at its server; relative links are relative to it
	Bundle  string      // the file name of the bundle
	Saved   time.Time   // zero if unknown
	Damaged bool        // the octets do not fit their digest
	IsList  bool        // the octets are a page that was made of a list, as of a group
	// Lead returns the URL that a link of the resource to u opens: of the bundle, or of a question before the network.
	Lead func(u urlcore.URL) urlcore.URL
}

// Base returns the URL that the links of the resource are relative to.
func (h *Head) Base() urlcore.URL {
	if h.Origin != nil {
		return h.Origin.URL
	}
	return h.URL
}

// Lead returns the URL that a link of the resource to u opens.
func (h *Head) Lead(u urlcore.URL) urlcore.URL {
	if h.Origin == nil || u == nil {
		return u
	}
	return h.Origin.Lead(u)
}

// LeadLine makes the links of a line open the URLs that the head demands.
func (h *Head) LeadLine(l *Line) {
	if h.Origin == nil {
		return
	}
	l.Link = h.Lead(l.Link)
	switch note := l.Note.(type) {
	case *Hypertext:
		leading := *note
		leading.Links = slices.Clone(note.Links)
		for i := range leading.Links {
			leading.Links[i].URL = h.Lead(leading.Links[i].URL)
		}
		l.Note = &leading
	case *ArticleHeader:
		leading := *note
		for _, urls := range []*[]urlcore.URL{&leading.Newsgroups, &leading.FollowupTo, &leading.References} {
			*urls = slices.Clone(*urls)
			for i := range *urls {
				(*urls)[i] = h.Lead((*urls)[i])
			}
		}
		l.Note = &leading
	}
}

// OmittedResults is the end of a note about search results that are omitted without [Request.Hidden].
const OmittedResults = "the others were not requested"

// MediaType returns the media type of the resource. For a page of lines, gofer defines the media type.
func (h Head) MediaType() string {
	if h.Layout.IsDocument() {
		return h.Media
	}
	return layoutMedia[h.Layout]
}

// IsDocument reports whether the resource is a document, whose octets can be saved.
func (h Head) IsDocument() bool { return h.Layout.IsDocument() || h.Parsed }

// CheckDocument returns nil if the resource is a document to save, and otherwise the reason: Unsaved or [ErrNoOctets].
func (h Head) CheckDocument() error {
	switch {
	case h.Unsaved != nil:
		return h.Unsaved
	case !h.IsDocument():
		return ErrNoOctets
	}
	return nil
}

// MediaMenu is the media type of a Gopher menu (RFC 1436, section 2) in a document, such as a file "gophermap".
const MediaMenu = "application/gopher-menu"

// MediaArticle is the media type of a news article. The Resource of an article has a Body, not Lines.
const MediaArticle = "message/rfc822"

// Layout is the layout of the lines of a page. A fetched document has LayoutText until its octets
// are read.
type Layout uint8

// The layouts.
const (
	LayoutText      Layout = iota // the text of a document
	LayoutBinary                  // a document that is not text
	LayoutMenu                    // a Gopher menu
	LayoutDirectory               // a directory, such as an FTP directory
	LayoutGroups                  // a list of newsgroups
	LayoutArticles                // the articles of a group
	LayoutPage                    // a page that gofer makes itself
)

// IsDocument reports whether the page is a document, whose octets can be saved.
func (l Layout) IsDocument() bool { return l <= LayoutBinary }

// IsSorted reports whether the lines of a complete page are sorted by name.
func (l Layout) IsSorted() bool { return l == LayoutDirectory || l == LayoutGroups }

var layoutMedia = [...]string{
	LayoutMenu:      MediaMenu,
	LayoutDirectory: "text/directory-listing",
	LayoutGroups:    "application/news-groupinfo",
	LayoutArticles:  "application/news-articlelist",
	LayoutPage:      "application/gofer-page",
}

// Resource is the answer to a fetch. Exactly one of Lines, Body and Session is set.
type Resource struct {
	Head
	// Lines yields each line as soon as the line arrives. Lines is read at most once. A non-nil error comes
	// last. The lines before the error are valid.
	Lines iter.Seq2[Line, error]
	// Preview yields some of the lines early, perhaps in another order. It is for a Resource whose Lines
	// begin only when all lines are known, and may be nil. A caller reads Preview only if it can replace
	// the lines later. It reads Preview at most once, and before Lines.
	Preview iter.Seq[Line]
	// Body yields a document's exact octets. An interrupted transfer ends in an *Error
	// if the protocol can detect the interruption.
	Body io.Reader
	// Item returns the URL of the item of a menu whose line names a selector and no server, or nil if there must be
	// no link to the item. Item is nil unless Body may be a menu of local files.
	Item func(typ byte, selector string) urlcore.URL
	// LateNotes is called after the end of Body and returns more notes for the user. LateNotes may be nil.
	LateNotes func() []string
	// Session is a connected session that needs a terminal. Session runs at most once.
	Session InteractiveSession
	// Close ends the transfer and frees its connections. It may be called at any moment.
	io.Closer
}

// Line is one row of a page.
type Line struct {
	Kind Kind
	// Text holds the server's octets and must be cleaned before it is shown.
	Text string
	Link urlcore.URL // the canonical URL of the item, or nil
	Note Note        // more data about the item, an [Action], or nil
}

// IsRealDirectory reports whether the item is a directory and no symbolic link to one, as far as the listing shows. Work on whole
// trees does not enter other directories.
func (l *Line) IsRealDirectory() bool {
	note, ok := l.Note.(*FileNote)
	return l.Kind == Directory && !(ok && note.IsLink())
}

// Texts returns the different texts of a line and of its note, undecoded, as the server sent them. Some may be "".
func (l *Line) Texts() (texts [5]string) {
	if l.Note != nil {
		r := l.Note.Row()
		texts[1], texts[2], texts[3] = r.Text, r.Target, r.Description
		if a, ok := l.Note.(*ArticleNote); ok {
			texts[4] = a.From
		}
	}
	for i, text := range texts {
		if text == l.Text {
			texts[i] = ""
		}
	}
	texts[0] = l.Text
	return texts
}

// Fragment returns the fragment of the link of the whole line, or "".
func (l *Line) Fragment() string {
	switch note := l.Note.(type) {
	case *ItemNote:
		return note.fragment()
	case *EntryNote:
		return note.Fragment
	case *Hypertext:
		if len(note.Links) == 1 && note.Links[0].URL == l.Link {
			return note.Links[0].Fragment
		}
	}
	return ""
}

// WithLink returns l with a link to value. If value is neither a URL with "://" nor a mail address, WithLink
// returns l unchanged.
func (l Line) WithLink(value string) Line {
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

// NothingFound returns the lines of the page of a search that finds nothing: a link to the search, and texts. Such a page is no
// error, unlike a URL that names an item which does not exist.
func NothingFound(search urlcore.URL, texts ...string) []Line {
	lines := []Line{{Kind: Search, Text: "Search again", Link: search}, {}}
	for _, text := range texts {
		lines = append(lines, Line{Text: text})
	}
	return lines
}

// NewPage returns a Resource with the lines.
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

// NewRedirect returns a page with a link to target, for a redirect that is not followed. The parameter h is the head of
// the answer with the fragment of the redirect, and why is a sentence that ends in a colon, or "" for a redirect to a URL
// with another scheme. The page is not saved.
func NewRedirect(h Head, why string, target urlcore.URL) *Resource {
	link := Line{Kind: KindOf(target), Text: urlcore.WithFragment(urlcore.Redact(target).String(), h.Fragment), Link: target}
	if h.Fragment != "" {
		link.Note = &Hypertext{Links: []Hyperlink{{URL: target, Fragment: h.Fragment, To: len(link.Text)}}}
	}
	h.Title, h.Layout, h.Fragment = "Redirect", LayoutPage, ""
	h.Unsaved = NewError(ServerFailed, "save "+urlcore.Redact(h.URL).String(), "the server redirects to "+urlcore.Redact(target).String()+", which is not followed")
	return NewPage(
		h,
		Line{Text: cmp.Or(why, "The server redirects to a server of another protocol:")},
		Line{},
		link,
	)
}

// Security is the protection of a connection. The zero value is a connection in the clear.
type Security struct {
	Protocol string // "TLS 1.3" or "SSH 2.0"; "" in the clear
	Proof    string // what proves the name of the server: "host key"; "": a certificate
	Trust    Trust
	// Fingerprint is that of the certificate, "SHA-256 " and hexadecimal digits, or of the host key, "SHA256:" and base64.
	Fingerprint string
	// Identity is the name of the user's certificate that the server got, or "". AsksIdentity reports whether the server
	// asked for one.
	Identity     string `json:",omitempty"`
	AsksIdentity bool   `json:",omitempty"`
}

// IsSecure reports whether the connection was encrypted, to a server whose certificate or host key was verified or pinned.
func (s Security) IsSecure() bool { return s.Protocol != "" && s.Trust != Unverified }

// Trust is how the certificate or the host key of a server was verified.
type Trust uint8

// The kinds of trust.
const (
	Unverified Trust = iota
	Verified         // verified by an issuer that the system trusts, or by known_hosts
	Pinned           // the user agreed to the certificate or the host key
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

// InteractiveSession is a connected session (RFC 1738, section 3.8). It uses the whole terminal
// while it runs.
type InteractiveSession interface {
	// Run returns when the session has ended, and does not use the terminal afterwards.
	// It returns nil if the user ended the session, io.EOF if the server ended it, else the error
	// that ended it.
	Run(ctx context.Context, t Terminal) error
}

// Terminal is the user's terminal in raw mode. The mode is restored after the session.
type Terminal struct {
	Input <-chan []byte // the typed octets; closed when the terminal is closed
	// Output is the screen. Write returns when the terminal has taken the octets or the
	// session's context has ended.
	Output  io.Writer
	Size    func() (columns, rows int)
	Resized <-chan os.Signal // receives when the size may have changed; may be nil
	Type    string           // the terminal type, as in $TERM
}
