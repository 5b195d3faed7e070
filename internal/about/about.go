// Package about makes the program's own pages, the URLs of the scheme "about":
// about:home, about:bookmarks, about:history, about:help, about:version and,
// if there is one, about:demo.
package about

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// Item is a place to go: a bookmark or a visit.
type Item struct {
	URL    urlcore.URL
	Title  string    // UTF-8 on one line; the URL stands in for an empty one
	Folder string    // of a bookmark, perhaps empty
	At     time.Time // of a visit
	Count  int       // how many visits
}

// Key is one row of the key table.
type Key struct {
	Group string // the heading it stands under; "" is that of the row before
	Keys  string
	Help  string
}

// Client fetches about: URLs (as RFC 6694 has them: a page's name, perhaps a
// question mark and words). A field that is nil or empty leaves its part of
// the pages out. It is safe for concurrent use if its functions are.
type Client struct {
	// Visits returns the latest visits that hold all of the words, the latest
	// first.
	Visits func(ctx context.Context, words string, limit int) ([]Item, error)
	// Bookmarks returns the bookmarks in their order; File tells where they
	// are kept.
	Bookmarks func(ctx context.Context) ([]Item, error)
	File      string
	// Demo starts the demonstration servers, if they do not run yet, and
	// returns the URLs of their start pages, the best one first.
	Demo func(ctx context.Context) ([]Item, error)
	Keys []Key
	// Version is the program's version as text.
	Version string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Home is the URL of the start page.
func Home() urlcore.URL { return page("home") }

// Fetch makes the page that u names. The page about:history? asks for words
// (*[protocols.Ask]). An unknown name is an *[protocols.Error] with reason
// NotThere.
func (c *Client) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	g, ok := u.(urlcore.Generic)
	if !ok || g.Name != "about" {
		return nil, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + u.Scheme() + ": as a page of gofer's own"}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	name, query, asked := strings.Cut(g.Rest, "?")
	var title string
	var lines []protocols.Line
	var err error
	switch {
	case name == "home" || name == "":
		title, lines = "gofer", c.home(ctx)
	case name == "bookmarks":
		title, lines = "Bookmarks", c.bookmarks(ctx)
	case name == "history" && asked && query == "":
		return nil, askHistory(u)
	case name == "history":
		title, lines = "History", c.history(ctx, unescape(query))
	case name == "help":
		title, lines = "Keys", c.help()
	case name == "version":
		title, lines = "Version", c.version()
	case name == "demo" && c.Demo != nil:
		title = "The demonstration world"
		lines, err = c.demo(ctx)
	default:
		err = &protocols.Error{Reason: protocols.NotThere, Op: "open " + u.String(),
			Err: errors.New("gofer has the pages about:home, about:bookmarks, about:history, about:help and about:version")}
	}
	if err != nil {
		return nil, err
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: u, Title: title, Media: protocols.MediaAbout, Size: -1},
		Lines: func(yield func(protocols.Line, error) bool) {
			for _, l := range lines {
				if err := context.Cause(ctx); err != nil {
					yield(protocols.Line{}, err)
					return
				}
				if !yield(l, nil) {
					return
				}
			}
		},
		Closer: io.NopCloser(nil),
	}, nil
}

// askHistory asks for the words of a search through the history.
func askHistory(u urlcore.URL) *protocols.Ask {
	return &protocols.Ask{
		URL:    u,
		Title:  "Search the history",
		Fields: []protocols.Field{{Label: "Words"}},
		With: func(answers []string) (urlcore.URL, error) {
			words := ""
			if len(answers) > 0 {
				words = strings.Join(strings.Fields(answers[0]), " ")
			}
			if words == "" {
				return page("history"), nil
			}
			return urlcore.Parse("about:history?" + escape(words))
		},
	}
}

// escape writes words so that only letters, digits and a few marks stay as
// they are (RFC 1738, section 2.2).
func escape(words string) string {
	return strings.ReplaceAll(url.QueryEscape(words), "+", "%20")
}

func unescape(query string) string {
	if words, err := url.PathUnescape(query); err == nil {
		return words
	}
	return query
}

func page(name string) urlcore.URL { return urlcore.Generic{Name: "about", Rest: name} }

// kind says what u leads to, as well as the URL alone can tell.
func kind(u urlcore.URL) protocols.Kind {
	switch u := u.(type) {
	case urlcore.Gopher:
		if k, ok := gopherKinds[u.Type]; ok {
			return k
		}
		return protocols.Other
	case urlcore.FTP:
		switch {
		case u.Type == 'd', u.Path == "", strings.HasSuffix(u.Path, "/"):
			return protocols.Directory
		case u.Type == 'a':
			return protocols.Text
		}
		return protocols.Binary
	case urlcore.News:
		if u.MessageID != "" {
			return protocols.Article
		}
		return protocols.Group
	case urlcore.NNTP:
		if u.HasArticle {
			return protocols.Article
		}
		return protocols.Group
	}
	switch u.Scheme() {
	case "about":
		return protocols.Menu
	case "http", "https":
		return protocols.HTML
	case "telnet", "tn3270", "rlogin":
		return protocols.Session
	case "mailto":
		return protocols.Mail
	}
	return protocols.Other
}

// gopherKinds are the item types of RFC 1436, section 3.8, and the usual others.
var gopherKinds = map[byte]protocols.Kind{
	'0': protocols.Text, '1': protocols.Menu, '2': protocols.Phonebook,
	'4': protocols.Archive, '5': protocols.Archive, '6': protocols.Archive,
	'7': protocols.Search, '9': protocols.Binary, 'g': protocols.Image,
	'I': protocols.Image, 'p': protocols.Image, 's': protocols.Sound,
	';': protocols.Movie, 'd': protocols.Document, 'h': protocols.HTML,
}

// host names the server of u, or is "".
func host(u urlcore.URL) string {
	switch u := u.(type) {
	case urlcore.Gopher:
		return u.Host
	case urlcore.FTP:
		return u.Host
	case urlcore.NNTP:
		return u.Host
	}
	return ""
}
