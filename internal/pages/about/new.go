package about

import (
	"context"
	"fmt"
	"iter"

	"github.com/dustin/go-humanize/english"

	"gofer/protocols"
)

// Change is the result of comparing a bookmarked page with its last visit.
type Change struct {
	Item
	New int   // number of items that are new since the last visit
	Err error // the error of reading the page
}

// Changes is the comparison of the bookmarked pages with their last visits.
type Changes struct {
	Known   int // number of compared pages
	Unknown int // number of pages that are not compared: not visited before, or not lists of items
	// All yields the result of each compared page as soon as it is available.
	All iter.Seq[Change]
}

// newItemsPage lists the bookmarks of pages with new items, each as soon as its page has been compared.
func (c *Client) newItemsPage(ctx context.Context, r request) (*protocols.Resource, error) {
	if r.part != "" {
		return nil, c.missingPage(r.URL)
	}
	return r.resource(func(yield func(protocols.Line, error) bool) {
		for l := range c.newItemsLines(ctx) {
			if !yield(l, nil) {
				return
			}
		}
		if err := context.Cause(ctx); err != nil {
			yield(protocols.Line{}, err)
		}
	}), nil
}

// newWidth is the width of the column with the number of new items.
const newWidth = len("9999 new  ")

func (c *Client) newItemsLines(ctx context.Context) iter.Seq[protocols.Line] {
	return func(yield func(protocols.Line) bool) {
		changes, err := c.Changes(ctx)
		if err != nil {
			yield(failure("The bookmarks cannot be compared with the last visits", err))
			return
		}
		if !yield(text("Bookmarks with new items since the last visit")) || !yield(text("")) {
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
			sum += fmt.Sprintf(", %d with new items", found)
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
