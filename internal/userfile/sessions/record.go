package sessions

import (
	"bytes"
	"encoding/json"
	"errors"

	"gofer/nav"
	"gofer/urlcore"
)

// Record holds the tabs of one gofer process.
type Record struct {
	Quit      bool  `json:"quit"`           // the user has quit the program; false after a crash
	Shown     int   `json:"shown"`          // index of the tab on the screen
	ListWidth int   `json:"list,omitempty"` // the width of the list beside the pane in cells, or 0
	Tabs      []Tab `json:"tabs"`
}

// Tab holds the pages of the history of a tab.
type Tab struct {
	At    int    `json:"at"` // index of the current page
	Find  string `json:"find,omitempty"`
	Pages []Page `json:"pages"`
}

// Page is a page and the position of the screen in it. Its URL has no password.
type Page struct {
	URL         urlcore.URL `json:"-"`
	Text        string      `json:"url"` // the canonical URL
	Title       string      `json:"title,omitempty"`
	LinkTitle   string      `json:"link,omitempty"`
	SearchTerms string      `json:"search,omitempty"`
	nav.Place
	InSight bool `json:"in_sight,omitempty"` // the cursor was on the screen
}

const (
	maxRecord = 1 << 20 // bounds a record, in octets
	maxPages  = 64      // bounds the pages of a tab; the pages nearest to the current one stay
	maxText   = 4 << 10 // bounds a URL; a page with a longer URL is omitted
	maxTabs   = 100     // bounds the tabs
)

// filter returns r with the pages for which keep returns true, within the bounds. It omits standard
// input, and tabs that contain only gofer's own pages.
func (r Record) filter(keep func(urlcore.URL) bool) Record {
	out := Record{Quit: r.Quit, ListWidth: r.ListWidth}
	for i, t := range r.limitPages(maxPages).Tabs {
		k := Tab{Find: t.Find}
		worth := false
		for j, p := range t.Pages {
			p.URL = urlcore.Redact(p.URL)
			p.Text = p.URL.String()
			if len(p.Text) > maxText || urlcore.IsStandardInput(p.URL) || keep != nil && !keep(p.URL) {
				continue
			}
			if j <= t.At {
				k.At = len(k.Pages)
			}
			k.Pages = append(k.Pages, p)
			worth = worth || p.URL.Scheme() != "about"
		}
		if !worth || len(out.Tabs) >= maxTabs {
			continue
		}
		if i <= r.Shown {
			out.Shown = len(out.Tabs)
		}
		out.Tabs = append(out.Tabs, k)
	}
	return out
}

// limitPages returns r with at most n pages of each tab, around the current one.
func (r Record) limitPages(n int) Record {
	tabs := make([]Tab, len(r.Tabs))
	for i, t := range r.Tabs {
		t.At = min(max(t.At, 0), max(0, len(t.Pages)-1))
		from := min(max(0, t.At-n/2), max(0, len(t.Pages)-n))
		t.Pages = t.Pages[from:min(len(t.Pages), from+n)]
		t.At -= from
		tabs[i] = t
	}
	r.Tabs = tabs
	return r
}

func encode(r Record) ([]byte, error) {
	for n := maxPages; n > 0; n /= 2 {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(r.limitPages(n)); err != nil {
			return nil, err
		}
		if b.Len() <= maxRecord {
			return b.Bytes(), nil
		}
	}
	return nil, errors.New("the tabs take too much room")
}

// decode parses the output of encode. It omits invalid pages.
func decode(data []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, err
	}
	for i := range r.Tabs {
		for j := range r.Tabs[i].Pages {
			p := &r.Tabs[i].Pages[j]
			u, err := urlcore.Parse(p.Text)
			if err != nil {
				u = urlcore.Generic{Name: "about", Rest: "error"}
			}
			p.URL = u
			p.Place = p.WithoutNegatives()
		}
	}
	return r.filter(func(u urlcore.URL) bool { return u != urlcore.Generic{Name: "about", Rest: "error"} }), nil
}
