package about

import (
	"net"
	"strconv"
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// The widths of a row and of the URL in brackets at its end, in characters. A row and the sign before
// it fit into 80 columns.
const (
	rowWidth      = 76
	maxPlaceWidth = 44
)

// detail is the part of the URL that an item shows.
type detail uint8

const (
	detailServer detail = iota // the server
	detailPlace                // the URL without its scheme
	detailURL                  // the URL
	detailAll                  // only the URL, of any length
)

// entryRows returns the lines of bookmarks or visits. If an item has a time, its line begins with the
// result of calling when for this time. Lines of different URLs differ: if items have the same title, their
// lines show more of the URLs.
func entryRows(items []Item, when func(time.Time) string) []protocols.Line {
	times, width := make([]string, len(items)), 0
	for i, it := range items {
		if !it.At.IsZero() {
			times[i] = when(it.At)
			width = max(width, len(times[i]))
		}
	}
	texts, details := make([]string, len(items)), make([]detail, len(items))
	room := rowWidth
	if width > 0 {
		room -= width + 2
	}
	for i, it := range items {
		texts[i] = it.text(detailServer, room)
	}
	for more := true; more; {
		more = false
		first := make(map[string]int, len(items))
		ambiguous := make(map[int]bool)
		for i, s := range texts {
			if j, seen := first[s]; !seen {
				first[s] = i
			} else if items[i].URL != items[j].URL {
				ambiguous[i], ambiguous[j] = true, true
			}
		}
		for i := range ambiguous {
			if details[i] < detailAll {
				details[i]++
				texts[i], more = items[i].text(details[i], room), true
			}
		}
	}
	lines := make([]protocols.Line, len(items))
	for i, it := range items {
		if width > 0 {
			texts[i] = strings.Repeat(" ", width-len(times[i])) + times[i] + "  " + texts[i]
		}
		if lines[i] = link(texts[i], it.URL); it.Fragment != "" {
			lines[i].Note = &protocols.Hypertext{Links: []protocols.Hyperlink{{URL: it.URL, Fragment: it.Fragment, To: len(texts[i])}}}
		}
	}
	return lines
}

// text returns the title and, in brackets, the part d of the URL. If d is detailAll, or if there is no
// title, it returns only the URL.
func (it Item) text(d detail, room int) string {
	parts := urlcore.Parts(it.URL)
	room -= 2 * strings.Count(strings.TrimSuffix("/"+it.Folder, "/"), "/") // for the indent inside folders
	switch {
	case d == detailAll:
		return it.URL.String()
	case it.Title == "":
		return shorten(parts, room)
	case d == detailServer:
		parts = []urlcore.Part{{Name: "host", Text: serverName(it.URL)}}
	case d == detailPlace:
		parts = parts[2:] // without the scheme and its colon
		if len(parts) > 0 && parts[0].Text == "//" {
			parts = parts[1:]
		}
	}
	place := "  (" + shorten(parts, maxPlaceWidth) + ")"
	return cut(it.Title, room-len([]rune(place))) + place
}

// serverName returns the host of u, with the port if it is not the default port, or the scheme if u
// has no host.
func serverName(u urlcore.URL) string {
	addr, _ := urlcore.Addr(u)
	switch host, port, err := net.SplitHostPort(addr); {
	case err != nil || host == "":
		return u.Scheme()
	case port != strconv.Itoa(int(urlcore.DefaultPort(u.Scheme()))):
		return addr
	default:
		return host
	}
}

// cutMark replaces omitted text.
const cutMark = "..."

// cut shortens s to n characters.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimRight(string(r[:n-len(cutMark)]), " ") + cutMark
}

// shorten shortens a URL to n characters. It cuts the host last.
func shorten(parts []urlcore.Part, n int) string {
	var b strings.Builder
	for _, p := range urlcore.Shorten(parts, n, cutMark) {
		b.WriteString(p.Text)
	}
	return b.String()
}

func clock(t time.Time) string { return t.Format("15:04") }

// relativeTime formats t in a few characters: as a time of day if t is today, as a day if t is in this
// year, and otherwise as a month.
func relativeTime(t, now time.Time) string {
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return clock(t)
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("Jan 2006")
}
