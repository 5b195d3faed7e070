package upload

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxRemoved and maxDepth bound what is removed at once: a server can show endless directories.
const (
	maxRemoved = 200_000
	maxDepth   = 250
)

// Removal removes an item of a server with all that is in it. Links are removed, not followed.
type Removal struct {
	// Files includes the links.
	Files, Dirs int

	list  func(ctx context.Context, u urlcore.URL) (map[string]*there, error)
	names []string      // of the items, for people
	items []urlcore.FTP // in an order in which they can be removed
	next  int           // the first one that is not removed
	early bool          // it goes before anything is stored
}

// ListRemoval lists what is in a directory of a server, which need not be empty.
func ListRemoval(ctx context.Context, server protocols.Fetcher, dir urlcore.FTP) (*Removal, error) {
	r := &Removal{list: func(ctx context.Context, u urlcore.URL) (map[string]*there, error) { return list(ctx, server, u) }}
	return r, r.add(ctx, dir.FileName(), &there{url: dir, dir: true})
}

// add appends an item after what is in it.
func (r *Removal) add(ctx context.Context, name string, item *there) error {
	if !item.dir {
		r.Files++
	} else {
		if len(item.url.CWDs()) > maxDepth {
			return protocols.NewError(protocols.TooBig, "list what is in it", fmt.Sprintf("there are more than %d levels of directories", maxDepth))
		}
		inside, err := r.list(ctx, item.url)
		if err != nil {
			return err
		}
		// The files come before the directories, which change the directory of the session.
		for _, dirs := range []bool{false, true} {
			for _, n := range slices.Sorted(maps.Keys(inside)) {
				if inside[n].dir != dirs {
					continue
				}
				if err := r.add(ctx, path.Join(name, n), inside[n]); err != nil {
					return err
				}
			}
		}
		r.Dirs++
	}
	if len(r.items) == maxRemoved {
		return protocols.NewError(protocols.TooBig, "list what is in it", fmt.Sprintf("there are more than %d items", maxRemoved))
	}
	r.names, r.items = append(r.names, name), append(r.items, item.url)
	return nil
}

// Run removes the items. It stops at the first failure; the error says how far it came. After
// a question it can be called again.
func (r *Removal) Run(ctx context.Context, remove func(name string, c *protocols.Change) error) error {
	for ; r.next < len(r.items); r.next++ {
		err := remove(r.names[r.next], &protocols.Change{Kind: protocols.Remove, URL: r.items[r.next]})
		switch {
		case err != nil && (protocols.QuestionOf(err) != nil || len(r.items) == 1):
			return err
		case err != nil:
			return fmt.Errorf("%d of %d items removed, then %s: %w", r.next, len(r.items), clean.Name(r.names[r.next]), err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
	return nil
}

// findSurplus lists what is in a directory of the server and not in the one here.
func (t *Tree) findSurplus(ctx context.Context, d *item, items map[string]*there) error {
	if !t.Delete {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(items)) {
		at, item := path.Join(d.path, name), items[name]
		if t.here[at] != nil || !t.Filter.Selects(at, item.dir, time.Time{}) {
			continue
		}
		// A server that ignores case stores the item here in the one that goes.
		r := &Removal{list: t.list, early: t.folded[strings.ToLower(at)]}
		if err := r.add(ctx, at, item); err != nil {
			return err
		}
		t.surplus = append(t.surplus, r)
		d.touched = true
	}
	return nil
}

// removeSurplus removes what is not here, unless the list of what is here may lack something.
func (t *Tree) removeSurplus(ctx context.Context, early bool) error {
	for _, r := range t.surplus {
		if t.unread || t.empty() || r.early != early {
			continue
		}
		if err := t.remove(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// empty reports whether the directory here has nothing in it: perhaps it is not mounted.
func (t *Tree) empty() bool { return len(t.here) == 1 }

func (t *Tree) remove(ctx context.Context, r *Removal) error {
	return r.Run(ctx, func(name string, c *protocols.Change) error {
		if !t.act("remove %s", name) {
			return nil
		}
		again := false
		err := t.try(ctx, func() (bool, error) {
			_, err := t.Server.Change(ctx, c)
			if again && protocols.ReasonOf(err) == protocols.NotThere {
				err = nil // by the attempt before
			}
			again = true
			return false, err
		})
		if err == nil {
			t.update(func(p *Progress) { p.Removed++ })
		}
		return err
	})
}
