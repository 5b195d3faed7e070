package mirror

import (
	"context"
	"fmt"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Removal is a run through items that are removed one after the other.
type Removal struct {
	Count int
	Item  func(i int) (path string, u urlcore.URL)
	Next  *int // index of the next item
}

// Run calls the function remove for each item. It stops at the first error, which says how many items were removed. If the
// error is a [protocols.Question], Run can be called again after the answer.
func (r Removal) Run(ctx context.Context, remove func(path string, c *protocols.Change) error) error {
	for ; *r.Next < r.Count; *r.Next++ {
		path, u := r.Item(*r.Next)
		err := remove(path, &protocols.Change{Kind: protocols.Remove, URL: u})
		switch {
		case err != nil && (protocols.QuestionOf(err) != nil || r.Count == 1):
			return err
		case err != nil:
			return fmt.Errorf("%d of %d items removed, then %s: %w", *r.Next, r.Count, clean.Name(path), err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
	return nil
}
