package about

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/userfile/readlater"
	"gofer/protocols"
)

// laterPage lists the pages to read later, the newest first.
func (c *Client) laterPage(_ context.Context, r request) ([]protocols.Line, error) {
	items, err := c.Later()
	var lines []protocols.Line
	waits := false
	for i := len(items) - 1; i >= 0; i-- {
		it := items[i]
		line := link(cmp.Or(it.Title, it.URL.String()), it.URL)
		line.Note = &LaterNote{state: it.State, reason: it.Reason, added: it.Added}
		lines = append(lines, line)
		waits = waits || it.State.IsMissing()
	}
	switch {
	case err != nil:
		return append(lines, failure("The list cannot be read", err)), nil
	case len(items) == 0:
		return append(lines, text("There is nothing to read later."), actionLine("Add the item under the cursor, or the page", protocols.ActionLater, r)), nil
	}
	lines = append(lines, text(""), text("The pages that wait are fetched when the network answers, and stay readable without it."))
	if waits {
		lines = append(lines, actionLine("Fetch them now", protocols.ActionFetch, r))
	}
	return append(lines, actionLine("Remove a page from the list", protocols.ActionForget, r)), nil
}

// pagesToRead says how many pages there are to read later. It returns "" if there are none.
func (c *Client) pagesToRead() string {
	items, err := c.Later()
	items = slices.DeleteFunc(items, func(it readlater.Item) bool { return it.State == readlater.Read })
	if err != nil || len(items) == 0 {
		return ""
	}
	return english.Plural(len(items), "page", "") + " to read later"
}

// LaterNote describes a page to read later.
type LaterNote struct {
	state  readlater.State
	reason string
	added  time.Time
}

// ReadMarks reports that a page is unread if a copy is kept, see [protocols.Readable].
func (n *LaterNote) ReadMarks() (unread, read bool) {
	return n.state == readlater.Fetched, n.state == readlater.Read
}

func (n *LaterNote) Row() protocols.Row {
	return protocols.Row{Description: n.reason, TextWidth: 36, Verbatim: true}
}

func (n *LaterNote) Columns() []protocols.Column {
	return []protocols.Column{
		{Head: "state", Value: string(n.state), ColumnLayout: protocols.ColumnLayout{Width: 7, MinScreen: protocols.NarrowScreen, Left: true, Printed: 7}},
		{Head: "added", Value: protocols.Day{Time: n.added}},
	}
}

func (n *LaterNote) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "state", Value: string(n.state)}, {Name: "reason", Value: n.reason}, {Name: "added", Value: n.added}}
}

func (n *LaterNote) Memory() int { return 200 + len(n.reason) }
