package upload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxRemoved and maxDepth bound a [Removal]: a server can show endless directories.
const (
	maxRemoved = 200_000
	maxDepth   = 250
)

// Removal removes an item of a server, and the content of a directory. Links are removed, not
// followed.
type Removal struct {
	Files, Dirs int  // Files includes the links
	Incomplete  bool // the server lists a part of a directory: there are more items

	filter mirror.Filter // selects the items to remove; the directories of other items stay
	list   func(ctx context.Context, u urlcore.URL) (_ map[string]*remote, place string, _ error)
	root   item
	items  []item // directories after their content
	next   int    // the first one that is not removed
	heir   *item  // that takes the place of a clashing item
	moved  string // the name of root on the server meanwhile, or ""
}

// ListRemoval lists the content of a directory of a server.
func ListRemoval(ctx context.Context, server Server, dir urlcore.FTP) (*Removal, error) {
	r := &Removal{list: (&Tree{Server: server, Retry: mirror.Retry{Tries: 1}}).list}
	parent, _ := dir.Up()
	_, place, err := r.list(ctx, parent)
	if errors.Is(err, errIncomplete) {
		err = nil
	}
	if err != nil && !fatal(ctx, err) {
		if _, at, _ := r.list(ctx, dir); at == "" { // the server never sends paths
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s may be a link, because the directory that it is in cannot be listed: %w", clean.Name(dir.FileName()), err)
	}
	return r, r.add(ctx, dir.FileName(), &remote{url: dir, dir: true}, place)
}

// add appends the content of an item, and the item. parent is the path of its directory at the server,
// or "". A link that the server lists as a directory is not followed.
func (r *Removal) add(ctx context.Context, at string, i *remote, parent string) error {
	var content map[string]*remote
	if i.dir {
		if len(i.url.CWDs()) > maxDepth {
			return protocols.NewError(protocols.TooBig, "list the items", fmt.Sprintf("there are more than %d levels of directories", maxDepth))
		}
		items, place, err := r.list(ctx, i.url)
		if errors.Is(err, errIncomplete) {
			r.Incomplete, err = true, nil
		}
		if err != nil {
			return err
		}
		if elsewhere(parent, place, i.url.FileName()) {
			i.dir, i.url.Type = false, 0
		} else {
			content, parent = items, place
		}
	}
	// The files come before the directories, which change the directory of the session.
	for _, dirs := range []bool{false, true} {
		for _, name := range slices.Sorted(maps.Keys(content)) {
			if content[name].dir != dirs {
				continue
			}
			below := path.Join(at, name)
			if content[name].stays = !r.filter.Selects(below, dirs, time.Time{}); !content[name].stays {
				if err := r.add(ctx, below, content[name], parent); err != nil {
					return err
				}
			}
			i.stays = i.stays || content[name].stays
		}
	}
	if i.stays {
		return nil
	}
	if i.dir {
		r.Dirs++
	} else {
		r.Files++
	}
	if len(r.items) == maxRemoved {
		return protocols.NewError(protocols.TooBig, "list the items", fmt.Sprintf("there are more than %d", maxRemoved))
	}
	r.items = append(r.items, item{path: at, url: i.url})
	return nil
}

// Run removes the items. It stops at the first error, which says how many were removed before. After
// a question Run can be called again.
func (r *Removal) Run(ctx context.Context, remove func(path string, c *protocols.Change) error) error {
	for ; r.next < len(r.items); r.next++ {
		i := r.items[r.next]
		err := remove(i.path, &protocols.Change{Kind: protocols.Remove, URL: r.now(i.url)})
		switch {
		case err != nil && (protocols.QuestionOf(err) != nil || len(r.items) == 1):
			return err
		case err != nil:
			return fmt.Errorf("%d of %d items removed, then %s: %w", r.next, len(r.items), clean.Name(i.path), err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
	return nil
}

// keepRenamed cancels the removal of items that the server may have stored under another name: their
// directory lacks an item of the same kind, and of the same size if it is a file. In a dry run, which
// stores nothing, the letters of both names must be the same too.
func (t *Tree) keepRenamed(ctx context.Context) error {
	describe := func(at string, isDir bool, size int64) string {
		name := ""
		if t.DryRun {
			name = strings.ToLower(strings.Join(strings.FieldsFunc(path.Base(at), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), ""))
		}
		if isDir {
			size = -1
		}
		return fmt.Sprint(path.Dir(at), "/", size, name)
	}
	dirs, missing := make(map[string]bool), make(map[string]bool)
	for _, r := range t.surplus {
		dirs[path.Dir(r.root.path)] = true
	}
	for _, i := range slices.Concat(t.files, t.dirs) {
		if i.path == "" || !dirs[path.Dir(i.path)] {
			continue
		}
		items, err := t.listAfter(ctx, t.parent(i))
		if err != nil {
			return err
		}
		if items[i.url.FileName()] == nil {
			missing[describe(i.path, i.info.IsDir(), i.info.Size())] = true
		}
	}
	t.surplus = slices.DeleteFunc(t.surplus, func(r *Removal) bool {
		there := r.root.remote
		doubtful := there.note.Target == "" && missing[describe(r.root.path, there.dir, there.note.Size)]
		if doubtful {
			t.leave(&r.root, errMayBeStored)
		}
		return doubtful
	})
	return nil
}

// temporaryName begins the names of clashing items while they are replaced.
const temporaryName = ".gofer-mirror-"

// moveClashing renames the clashing items. A dry run prints their removal.
func (t *Tree) moveClashing(ctx context.Context) error {
	if t.DryRun || t.unread || t.empty() {
		return t.removeAll(ctx, t.clashing)
	}
	for _, r := range t.clashing {
		if r.moved != "" || r.heir.state == omitted {
			continue
		}
		name := temporaryName + rand.Text()
		err := t.change(ctx, &protocols.Change{Kind: protocols.Rename, URL: r.root.remote.url, Name: name, Replace: true})
		if err == nil {
			r.moved = name
		} else if protocols.QuestionOf(err) == nil {
			t.leave(&r.root, fmt.Errorf("it could not be renamed to %s: %s", name, nav.Sentence(err)))
			r.heir.state, t.unstored = omitted, true
		}
		if err != nil && fatal(ctx, err) {
			return err
		}
	}
	return nil
}

// settleClashing removes the renamed items that were replaced, and renames the others back. It takes at most
// ten seconds if cause ended the transfers early.
func (t *Tree) settleClashing(ctx context.Context, cause error) {
	if cause != nil {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		ctx = limited
	}
	for _, r := range t.clashing {
		var err error
		switch h := r.heir; {
		case r.moved == "":
		case h.state == sent, h.state == unchanged, h.state == waiting && h.remote != nil:
			err = r.Run(ctx, t.remove(ctx))
		default:
			if h.remote == nil && !h.info.IsDir() { // a part of it may be there
				_ = t.change(ctx, &protocols.Change{Kind: protocols.Remove, URL: h.url})
			}
			err = t.change(ctx, &protocols.Change{Kind: protocols.Rename, URL: r.now(r.root.remote.url), Name: r.root.remote.url.FileName()})
		}
		if err != nil {
			t.leave(&r.root, fmt.Errorf("its name on the server is %s now: %s", r.moved, nav.Sentence(err)))
		}
		r.moved = ""
	}
}

// now returns the URL of an item of r after root was renamed.
func (r *Removal) now(u urlcore.FTP) urlcore.FTP {
	if r.moved != "" {
		names := append(u.CWDs(), u.Name())
		names[len(r.root.remote.url.CWDs())] = r.moved
		u, _ = u.With(names[:len(names)-1], names[len(names)-1], u.Type)
	}
	return u
}

// removeAll makes removals, unless a part of the content of Dir may be missing.
func (t *Tree) removeAll(ctx context.Context, removals []*Removal) error {
	for _, r := range removals {
		if t.unread || t.empty() {
			break
		}
		err := r.Run(ctx, t.remove(ctx))
		switch {
		case err != nil && fatal(ctx, err):
			return err
		case err != nil:
			t.leave(&r.items[len(r.items)-1], err)
		}
	}
	return nil
}

// empty reports whether Dir has no content: perhaps it is not mounted.
func (t *Tree) empty() bool { return len(t.local) == 1 }

func (t *Tree) remove(ctx context.Context) func(path string, c *protocols.Change) error {
	return func(path string, c *protocols.Change) error {
		if !t.act("remove %s", path) {
			return nil
		}
		tries := 0
		err := t.try(ctx, func() (bool, error) {
			tries++
			_, err := t.Server.Change(ctx, c)
			return false, err
		})
		if u := c.URL.(urlcore.FTP); tries > 1 && err != nil && !fatal(ctx, err) {
			parent, _ := u.Up()
			if items, _, failed := t.list(ctx, parent); failed == nil && items[u.FileName()] == nil {
				err = nil // an attempt before removed it
			}
		}
		if err == nil {
			t.update(func(p *Progress) { p.Removed++ })
		}
		return err
	}
}
