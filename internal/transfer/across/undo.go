package across

import (
	"context"
	"errors"
	"slices"

	"gofer/protocols"
	"gofer/urlcore"
)

// ErrChanged reports that a copied file was changed since, and is not removed.
var ErrChanged = errors.New("a copy was changed since")

// CanUndo reports whether Undo leaves the target as it was before a copy: no file was replaced, and nothing was moved.
func (c *Copy) CanUndo() bool {
	return !c.Move && !c.replaced && slices.ContainsFunc(c.entries, func(e *entry) bool { return e.made != nil })
}

// Undo removes what Run has made at the target. It stops at a file that was changed since, by its size.
func (c *Copy) Undo(ctx context.Context) error {
	listed := make(map[urlcore.URL]map[string]*protocols.Line)
	for _, e := range slices.Backward(c.entries) {
		if e.made == nil {
			continue
		}
		if dir := c.target(e); e.line.Kind != protocols.Directory {
			if listed[dir] == nil {
				items, err := c.list(ctx, dir)
				if err != nil {
					return err
				}
				listed[dir] = items
			}
			if there := listed[dir][e.name]; there != nil && sizeOf(there) != e.size {
				return ErrChanged
			}
		}
		if _, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Remove, URL: e.made}); err != nil {
			return err
		}
		e.made = nil
	}
	return nil
}
