package about

import (
	"context"
	"fmt"
	"iter"

	"github.com/dustin/go-humanize/english"

	"gofer/protocols"
)

// Change is what was found on a bookmarked page.
type Change struct {
	Item
	New int   // entries that were not there at the last visit
	Err error // why it could not be read
}

// Changes are the bookmarked pages as they are now.
type Changes struct {
	Known   int // pages that can be compared with the last visit
	Unknown int // those that cannot: not visited yet, or no list of items
	// All yields what was found on each that is known, as soon as it is found.
	All iter.Seq[Change]
}

// news tells which bookmarks have new entries, each as soon as it is known.
func (c *Client) news(ctx context.Context) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		for l := range c.newsLines(ctx) {
			if !yield(l, nil) {
				return
			}
		}
		if err := context.Cause(ctx); err != nil {
			yield(protocols.Line{}, err)
		}
	}
}

// newWidth is the room for the number of new entries.
const newWidth = len("9999 new  ")

func (c *Client) newsLines(ctx context.Context) iter.Seq[protocols.Line] {
	return func(yield func(protocols.Line) bool) {
		changes, err := c.Changes(ctx)
		if err != nil {
			yield(failure("The bookmarks cannot be compared with the last visits", err))
			return
		}
		if !yield(text("Bookmarks with entries that were not there at the last visit")) || !yield(text("")) {
			return
		}
		found := 0
		var end []protocols.Line
		for change := range changes.All {
			switch {
			case change.Err != nil:
				end = append(end, failure(change.text(detailServer, rowWidth), change.Err))
			case change.New > 0:
				found++
				if !yield(link(fmt.Sprintf("%4d new  ", change.New)+change.text(detailServer, rowWidth-newWidth), change.URL)) {
					return
				}
			}
		}
		if ctx.Err() != nil {
			return
		}
		sum := english.Plural(changes.Known-len(end), "bookmark", "") + " compared"
		if found == 0 {
			sum += ", nothing new"
		} else {
			sum += fmt.Sprintf(", %d with new entries", found)
		}
		if found > 0 || len(end) > 0 {
			end = append(end, text(""))
		}
		end = append(end, text(sum+"."))
		if changes.Unknown > 0 {
			end = append(end, text("Not compared: "+english.Plural(changes.Unknown, "bookmark", "")+", not a menu or directory or not visited yet."))
		}
		for _, l := range end {
			if !yield(l) {
				return
			}
		}
	}
}
