package about

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// Data is a set of kinds of the user's data.
type Data uint16

// The kinds of data. ReadMarks is which articles are read, and which groups are subscribed. Entries are those of the
// pages that the user follows.
const (
	Visits Data = 1 << iota
	Bookmarks
	Downloads
	Drafts
	Settings
	ReadMarks
	Entries
	Later // pages to read later
	Identities
)

// OwnPage describes a page of gofer's own.
type OwnPage struct {
	Name  string // in the URL, after "about:"
	Entry string // its description on about:about; "": it is not listed
	Items Data   // what the items of the page are, for the keys that change or remove one; 0: none of the user's data
	Shows Data   // all data on the page: when some of it changes, the page is loaded again

	title string
	// link returns the text of a link to the page on the start page, or ""; nil: there is none.
	link  func(c *Client) string
	owner bool                 // it has data of the owner: in restricted mode it is denied
	has   func(c *Client) bool // whether the Client has the data; nil: always
	words form                 // forms of the URL that have words, see [Words]
	// startsBelowSearch is set if the cursor begins on the first item below the rows for searches.
	startsBelowSearch bool

	fetch fetchFunc
}

// fetchFunc makes a page.
type fetchFunc = func(c *Client, ctx context.Context, r request) (*protocols.Resource, error)

// form is a set of forms of the URL of a page.
type form uint8

const (
	bare     form = 1 << iota // name
	part                      // name/part
	query                     // name?query
	partOf                    // name/part?query
	subPages = bare | part
	searched = bare | query
)

// request is a request for a page of gofer's own.
type request struct {
	protocols.Request
	page    *OwnPage
	part    string // what follows the slash after the name, escaped
	query   string // what follows the question mark, escaped
	queried bool   // the URL has a question mark
}

// OwnPages returns the pages of gofer's own. Listed pages are in the order of about:about.
func OwnPages() []OwnPage {
	return slices.Concat(listedPages(), []OwnPage{
		{
			Name: "demo", title: "The demonstration world", words: bare,
			has: func(c *Client) bool { return c.StartDemo != nil }, fetch: lines((*Client).demoPage),
		},
		{
			Name: "tour", words: bare,
			has: func(c *Client) bool { return c.StartDemo != nil && c.Open != nil }, fetch: (*Client).openTour,
		},
		{
			Name: "compose", words: partOf,
			has: func(c *Client) bool { return c.Compose != nil }, fetch: (*Client).compose,
		},
		{Name: "attachment", words: partOf, has: opens, fetch: (*Client).openAttachment},
		{Name: "join", words: partOf, has: opens, fetch: (*Client).joinParts},
		{
			Name: "signature", title: "Signature",
			has: func(c *Client) bool { return opens(c) && c.Verify != nil }, fetch: (*Client).verifySignature,
		},
		{Name: "archive", words: query, has: opens, fetch: (*Client).openArchive},
		{Name: "entry", words: partOf, has: opens, fetch: func(c *Client, ctx context.Context, r request) (*protocols.Resource, error) {
			return c.openEntry(ctx, r, false)
		}},
		{Name: "message", words: partOf, has: opens, fetch: func(c *Client, ctx context.Context, r request) (*protocols.Resource, error) {
			return c.openEntry(ctx, r, true)
		}},
		{Name: "bundle", words: partOf, has: opens, fetch: (*Client).openBundle},
		{Name: "link", fetch: func(_ *Client, _ context.Context, r request) (*protocols.Resource, error) {
			return nil, document.UnopenedError(unescape(r.query))
		}},
	})
}

func listedPages() []OwnPage {
	return []OwnPage{
		{Name: "about", Entry: "these pages", title: "Pages of gofer", words: bare, fetch: lines((*Client).aboutPage)},
		{
			Name: "home", Entry: "bookmarks, latest visits, places to begin", title: "gofer", words: bare,
			Shows: Bookmarks | Drafts | Entries, fetch: lines((*Client).homePage),
		},
		{
			Name: "bookmarks", Entry: "all bookmarks", title: "Bookmarks", words: subPages | searched,
			Items: Bookmarks, Shows: Bookmarks, startsBelowSearch: true, fetch: lines((*Client).bookmarksPage),
		},
		{
			Name: "new", Entry: "new entries of the pages that you follow", title: "New entries", words: bare,
			Items: Entries, Shows: Entries, owner: true,
			has: func(c *Client) bool { return c.Followed != nil && c.Unread != nil }, fetch: (*Client).newPage,
		},
		{
			Name: "news", Entry: "the subscribed newsgroups", words: searched, Items: ReadMarks, Shows: ReadMarks,
			has: func(c *Client) bool { return c.News != nil }, fetch: (*Client).newsPage,
		},
		{
			Name: "history", Entry: "the pages visited", title: "History", words: searched,
			Items: Visits, Shows: Visits, fetch: lines((*Client).historyPage),
		},
		{
			Name: SearchName, Entry: "a search in the text of the pages that were read", title: "Search", words: searched,
			Items: Visits, Shows: Visits | Settings, owner: true,
			has: func(c *Client) bool { return c.Texts != nil }, fetch: lines((*Client).searchPage),
		},
		{
			Name: "downloads", Entry: "files being saved, saved or unfinished", title: "Downloads", words: bare,
			Items: Downloads, Shows: Downloads, owner: true,
			has: func(c *Client) bool { return c.Downloads != nil }, fetch: lines((*Client).downloadsPage), link: (*Client).unfinishedDownloads,
		},
		{
			Name: "drafts", Entry: "messages that are not sent", title: "Drafts", words: bare,
			Items: Drafts, Shows: Drafts, owner: true,
			has: func(c *Client) bool { return c.Drafts != nil }, fetch: lines((*Client).draftsPage), link: (*Client).unsentDrafts,
		},
		{
			Name: "later", Entry: "pages to read later", title: "To read later", words: bare,
			Items: Later, Shows: Later, owner: true,
			has: func(c *Client) bool { return c.Later != nil }, fetch: lines((*Client).laterPage), link: (*Client).pagesToRead,
		},
		{
			Name: "identities", Entry: "the certificates by which servers know you", title: "Identities", words: bare | part | query,
			Items: Identities, Shows: Identities, owner: true,
			has: func(c *Client) bool { return c.Identities != nil }, fetch: (*Client).identitiesPage,
		},
		{
			Name: "settings", Entry: "the settings", title: "Settings", words: bare,
			Items: Settings, Shows: Settings, owner: true,
			has: func(c *Client) bool { return c.Settings != nil }, fetch: lines((*Client).settingsPage),
		},
		{Name: "help", Entry: "the keys", title: "Keys", words: bare, Shows: Settings, fetch: lines((*Client).helpPage)},
		{Name: "manual", Entry: "the manual", words: subPages, fetch: (*Client).manualPage},
		{
			Name: "explain", Entry: "the meaning of a URL, and the commands sent for it", title: "Explanation", words: searched,
			has: func(c *Client) bool { return c.Explain != nil }, fetch: (*Client).explainPage,
		},
		{
			Name: "schemes", Entry: "the schemes of URLs", title: "Schemes", words: bare,
			has: func(c *Client) bool { return c.SchemeState != nil }, fetch: lines((*Client).schemesPage),
		},
		{Name: "version", Entry: "the version of gofer", title: "Version", words: bare, fetch: lines((*Client).versionPage)},
	}
}

// opens reports whether c can fetch documents that contain others.
func opens(c *Client) bool { return c.Open != nil }

// lines returns a function that makes a page of the lines that list returns. If list returns neither lines nor an
// error, or if only other forms of the URL have a part, there is no such page.
func lines(list func(c *Client, ctx context.Context, r request) ([]protocols.Line, error)) fetchFunc {
	return func(c *Client, ctx context.Context, r request) (*protocols.Resource, error) {
		if r.part != "" && r.page.words&part == 0 {
			return nil, c.missingPage(r.URL)
		}
		all, err := list(c, ctx, r)
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			return nil, c.missingPage(r.URL)
		}
		res := r.resource(yieldLines(ctx, all))
		if r.page.startsBelowSearch {
			res.Start = startBelowSearch(all)
		}
		return res, nil
	}
}

// startBelowSearch returns the first item below the rows for searches, which a blank line ends. It returns 0 without such rows
// or such an item.
func startBelowSearch(lines []protocols.Line) int {
	if len(lines) == 0 || lines[0].Kind != protocols.Search {
		return 0
	}
	blank := slices.IndexFunc(lines, func(l protocols.Line) bool { return l.Text == "" })
	for i := max(blank, 0); i < len(lines); i++ {
		if lines[i].Link != nil {
			return i
		}
	}
	return 0
}

// resource returns the page with these lines.
func (r *request) resource(lines iter.Seq2[protocols.Line, error]) *protocols.Resource {
	return &protocols.Resource{
		Head:   protocols.Head{URL: r.URL, Title: r.page.title, Layout: protocols.LayoutPage, Size: -1},
		Lines:  lines,
		Closer: io.NopCloser(nil),
	}
}

// requestOf returns the request for a page. It returns ok = false if the URL is not the URL of a page of gofer's own; the
// Client need not have the page.
func requestOf(req protocols.Request) (r request, ok bool) {
	g, _ := req.URL.(urlcore.Generic)
	if g.Name != "about" {
		return r, false
	}
	r.Request = req
	name, _, _ := strings.Cut(g.Rest, "?")
	_, r.query, r.queried = strings.Cut(g.Rest, "?")
	name, r.part, _ = strings.Cut(name, "/")
	r.page = pageOf(name)
	return r, r.page != nil
}

// pageOf returns the page with a name, or nil. The name "" is the start page.
func pageOf(name string) *OwnPage {
	if name == "" {
		name = "home"
	}
	all := OwnPages()
	i := slices.IndexFunc(all, func(p OwnPage) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// ListOf returns the first page with these items.
func ListOf(items Data) OwnPage {
	all := OwnPages()
	return all[slices.IndexFunc(all, func(p OwnPage) bool { return p.Items == items })]
}

// OwnPageOf returns the page of gofer's own with the URL u, and the zero value for other URLs.
func OwnPageOf(u urlcore.URL) OwnPage {
	if r, ok := requestOf(protocols.Request{URL: u}); ok {
		return *r.page
	}
	return OwnPage{}
}
