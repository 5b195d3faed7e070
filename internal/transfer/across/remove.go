package across

import (
	"context"
	"fmt"
	"path"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Removal removes a directory with its content. Links are removed, not followed.
type Removal struct {
	files, dirs int
	items       []removed // each directory after its content
	next        int
}

type removed struct {
	path string
	url  urlcore.URL
}

// ListRemoval returns the removal of an item, and lists what is in it if it is a directory.
func ListRemoval(ctx context.Context, server Server, line protocols.Line) (*Removal, error) {
	r, c := new(Removal), &Copy{Server: server}
	return r, r.add(ctx, c, "", line)
}

func (r *Removal) add(ctx context.Context, c *Copy, dir string, line protocols.Line) error {
	at := path.Join(dir, nameOf(line.Link))
	if line.IsRealDirectory() {
		lines, unnamed, err := c.read(ctx, line.Link)
		if err != nil {
			return err
		}
		if len(unnamed) > 0 {
			return fmt.Errorf("%s in %s cannot be removed: %w", clean.Name(unnamed[0].Text), clean.Name(at), errName)
		}
		for _, l := range lines {
			if err := r.add(ctx, c, at, l); err != nil {
				return err
			}
		}
		r.dirs++
	} else {
		r.files++
	}
	if len(r.items) == maxItems {
		return protocols.NewError(protocols.TooBig, "list the items", fmt.Sprintf("there are more than %d", maxItems))
	}
	r.items = append(r.items, removed{at, line.Link})
	return nil
}

// Count returns the number of files and directories. The listings are always complete.
func (r *Removal) Count() (files, dirs int, incomplete bool) { return r.files, r.dirs, false }

// Run calls the function remove for each item, see [mirror.Removal].
func (r *Removal) Run(ctx context.Context, remove func(path string, c *protocols.Change) error) error {
	item := func(i int) (string, urlcore.URL) { return r.items[i].path, r.items[i].url }
	return mirror.Removal{Count: len(r.items), Item: item, Next: &r.next}.Run(ctx, remove)
}
