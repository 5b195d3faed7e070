// Package about makes gofer's own pages, which have URLs of the scheme "about". They are
// listed in [OwnPages], and most of them on about:about. Some are parts of articles and entries of archives and
// mailboxes, which have URLs such as "about:attachment/2/name.png?news%3Aid%40host".
//
// Since lists and help are pages, no other code is needed to show them, to go back to them, or for
// "gofer dump about:history".
package about

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"gofer/internal/userfile/config"
	"gofer/internal/userfile/readlater"
	"gofer/internal/wire/identities"
	"gofer/protocols"
	"gofer/urlcore"
)

// Item is a bookmark or a visit.
type Item struct {
	URL      urlcore.URL
	Fragment string    // place in the page of a bookmark, or ""
	Title    string    // UTF-8 on one line; if it is empty, the URL is shown
	Folder   string    // folder of a bookmark, may be empty
	At       time.Time // time of a visit
	Count    int       // number of visits
}

// FoundText is a page whose remembered text has the words of a search.
type FoundText struct {
	Item
	Line string // the line with the words, or ""
}

// Demo describes the demonstration servers.
type Demo struct {
	Pages []Item // their start pages
	Tour  urlcore.URL
}

// Key is one row of the key table.
type Key struct {
	Group string // heading above the row
	Keys  []string
	Help  string
}

// SearchWord is a word that begins a search in the URL bar.
type SearchWord struct{ Name, Template string }

// ErrBusy is wrapped in the error that [Client].Visits returns while another process has locked the history.
var ErrBusy = errors.New("another program is using it")

// SkippedLines contains line numbers of the bookmark file. The first line is 1.
type SkippedLines struct {
	Invalid   []int // lines that are not a bookmark, heading, comment or blank line
	Passwords []int // bookmarks whose URL contains a password, which [Client].Bookmarks removes
}

// Client fetches about: URLs (RFC 6694). A URL is the name of a page, optionally with a slash and a
// part, and optionally with a question mark and words. If a field is nil or empty, the pages
// lack the content that it provides. Client is safe for concurrent use if its functions are.
type Client struct {
	// Visits returns at most limit visits that contain all words. The best match is first, or
	// without words the latest visit.
	Visits func(ctx context.Context, words string, limit int) ([]Item, error)
	// Texts returns at most limit pages whose remembered text has the words, the best match first. RemembersText reports
	// whether the text of pages that are read is remembered.
	Texts         func(ctx context.Context, words string, limit int) ([]FoundText, error)
	RemembersText bool
	// DamagedHistory returns the path of a damaged history that was set aside, or "".
	DamagedHistory func() string
	// Bookmarks returns the bookmarks in the order of the file at the path BookmarkFile.
	Bookmarks    func(ctx context.Context) ([]Item, error)
	BookmarkFile string
	// Open fetches an article, archive or mailbox that contains the requested part, or a group that may
	// contain the other parts of a file.
	Open func(ctx context.Context, req protocols.Request) (*protocols.Resource, error)
	// Verify checks the OpenPGP signature of text. If signature is nil, text contains the
	// signature. Verify returns the verified text and the lines of a report. Both may have control
	// characters.
	Verify func(ctx context.Context, text, signature []byte) (good bool, verified []byte, report []string, err error)
	// Followed returns the pages that the user follows, in the order in which they were added. Unread returns at most
	// limit unread entries of them, the newest first. Neither asks a server.
	Followed func(ctx context.Context) ([]Source, error)
	Unread   func(ctx context.Context, limit int) ([]Entry, error)
	// SkippedLines returns the lines of the bookmark file that Bookmarks omits, or returns without their
	// password.
	SkippedLines func() (SkippedLines, error)
	// Downloads returns the lines about the download with the given number, or about all downloads
	// if number is "". It returns nil if there is no such download. LeftDownloads returns the number
	// of unfinished downloads of processes that have ended.
	Downloads     func(number string) []protocols.Line
	LeftDownloads func() int
	// News returns the servers of the subscribed groups. The server of news: URLs is first.
	News func() []NewsServer
	// Compose returns an error that asks for a message (a [protocols.Question]), or the page after a cancel
	// was sent. [ComposeURL] describes the parameters kind and target. Post posts an article to the group
	// whose URL is target.
	Compose func(ctx context.Context, req protocols.Request, kind string, target urlcore.URL) (*protocols.Resource, error)
	Post    func(ctx context.Context, target urlcore.URL, draftURL func(kind string) urlcore.URL, article io.Reader) error
	// Drafts returns the messages that are not sent.
	Drafts func() ([]Item, error)
	// Identities are the certificates by which servers know the user.
	Identities *identities.Store
	// Later returns the pages to read later.
	Later func() ([]readlater.Item, error)
	// Settings returns the settings and the errors of their file. SettingsFile is the path of
	// the file, or "" if the settings cannot be changed.
	Settings     func() ([]config.Setting, error)
	SettingsFile string
	// MayOpen reports whether the user may open u; nil: every URL. The start page proposes only such places.
	MayOpen func(u urlcore.URL) bool
	// StartDemo starts the demonstration servers, if necessary.
	StartDemo func(ctx context.Context) (Demo, error)
	// LastSession returns how many tabs of the last session can be opened again. The result lost
	// reports whether the session ended before the user quit it.
	LastSession func() (tabs int, lost bool)
	// Explain returns clean lines that explain u. The URL u is canonical and has no password.
	Explain func(u urlcore.URL) []protocols.Line
	// SchemeState describes in a few words how u is opened: "built in", a program, a gateway.
	SchemeState func(u urlcore.URL) string
	// Keys returns the rows of the key table for pages of a kind, "group" for example. KeyPreset is the name
	// of the preset in use.
	Keys      func(kind string) []Key
	KeyPreset string
	// Search are the user's search words, sorted by name.
	Search []SearchWord
	// ConfigError is the reason why the user's settings are not used, or nil.
	ConfigError error
	// Version is the program's version as text.
	Version string
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	lastArchive keptDocument
	lastBundle  keptBundle
	leaving     sync.Map // consents to leave a bundle for a server
}

// Fetch makes the page with the URL of the request. For about:history?, about:search? and about:bookmarks? it asks for words, and
// for about:explain for a URL: the error is a *[protocols.Ask]. For an unknown name the error is a
// *[protocols.Error] with the reason NotFound. If about:explain gets a text that is not a URL, the
// error is an *[urlcore.Error].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	r, ok := requestOf(req)
	if !ok && req.URL.Scheme() != "about" {
		return nil, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + req.URL.Scheme() + ": as a page of gofer's own"}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !ok || !c.hasPage(*r.page) {
		return nil, c.missingPage(req.URL)
	}
	return r.page.fetch(c, ctx, r)
}

// yieldLines yields lines until ctx ends.
func yieldLines(ctx context.Context, lines []protocols.Line) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		for _, l := range lines {
			if err := context.Cause(ctx); err != nil {
				yield(protocols.Line{}, err)
				return
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// Plan returns no steps, because gofer makes these pages itself.
func (*Client) Plan(urlcore.URL) ([]protocols.Step, error) { return nil, nil }

// hasPage reports whether c has the data for a page.
func (c *Client) hasPage(p OwnPage) bool { return p.has == nil || p.has(c) }

// pages returns the listed pages that c has.
func (c *Client) pages() []OwnPage {
	return slices.DeleteFunc(listedPages(), func(p OwnPage) bool { return !c.hasPage(p) })
}

// Names returns the names of the pages that c has, without "about:".
func (c *Client) Names() (names []string) {
	for _, p := range c.pages() {
		names = append(names, p.Name)
	}
	return names
}

// missingPage returns the error for a page that c does not have. In restricted mode c does not have
// the pages about the user's files.
func (c *Client) missingPage(u urlcore.URL) error {
	g, _ := u.(urlcore.Generic)
	name, _, _ := strings.Cut(g.Rest, "?")
	if p := pageOf(name); p != nil && p.owner && !c.hasPage(*p) {
		return &protocols.Error{Reason: protocols.Denied, Op: "open " + u.String(), Err: protocols.ErrRestricted}
	}
	list := "about:about"
	if strings.HasPrefix(g.Rest, "manual/") {
		list = "about:manual"
	}
	return protocols.NewError(protocols.NotFound, "open "+u.String(), "no such page: "+list+" lists the pages")
}

// askWords asks for the words of a search through the history, the bookmarks or what was read.
func askWords(r *request, title string) *protocols.Ask {
	name := r.page.Name
	return ask(r.URL, title, "Words", func(answer string) (urlcore.URL, error) {
		words := strings.Join(strings.Fields(answer), " ")
		if words == "" {
			return Page(name), nil
		}
		return urlcore.Parse("about:" + name + "?" + urlcore.EscapeQuery(words))
	})
}

// ask returns a form with one field for the page u. The user's answer leads to the URL that urlOf
// returns.
func ask(u urlcore.URL, title, label string, urlOf func(answer string) (urlcore.URL, error)) *protocols.Ask {
	return &protocols.Ask{
		URL: u, Title: title, Fields: []protocols.Field{{Label: label}},
		With: func(answers []string) (urlcore.URL, error) { return urlOf(strings.Join(answers, "")) },
	}
}

func unescape(query string) string {
	if words, err := url.PathUnescape(query); err == nil {
		return words
	}
	return query
}

// Page returns the URL of a page by its name: "home", "help", ...
func Page(name string) urlcore.URL { return urlcore.Generic{Name: "about", Rest: name} }
