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

	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxRemoved and maxDepth limit a [Removal], because a server can list endless directories.
const (
	maxRemoved = 200_000
	maxDepth   = 250
)

// Removal removes an item of a server, with its content if it is a directory. Links are removed, not
// followed.
type Removal struct {
	Files, Dirs int  // Files includes the links
	Incomplete  bool // the server did not list all items

	filter      mirror.Filter // selects the items to remove; a directory with an item to keep is kept, too
	list        func(ctx context.Context, u urlcore.URL) (_ map[string]*remote, place string, _ error)
	root        item
	items       []item // each directory after its content
	next        int    // index of the next item to remove
	replacement *item  // the local item that replaces root, or nil
	newName     string // temporary name of root on the server, or ""
}

// ListRemoval returns the removal of the directory dir of a server. It lists the content of dir.
func ListRemoval(ctx context.Context, server Server, dir urlcore.FTP) (*Removal, error) {
	r := &Removal{list: (&Tree{Server: server, Retry: mirror.Retry{Tries: 1}}).list}
	parent, _ := dir.Up()
	siblings, serverPath, err := r.list(ctx, parent)
	if errors.Is(err, errIncomplete) {
		err = nil
	}
	if err != nil && !isFatal(ctx, err) {
		if _, dirPath, _ := r.list(ctx, dir); dirPath == "" { // the server does not report the paths of directories
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s may be a link: its parent directory cannot be listed: %w", clean.Name(dir.FileName()), err)
	}
	root := siblings[dir.FileName()]
	if root == nil || !root.note.IsLink() {
		root = &remote{url: dir, dir: true}
	}
	return r, r.addItem(ctx, dir.FileName(), root, serverPath)
}

// addItem appends the content of an item, and then the item. The parameter parent is the path that the server
// reports for the directory of the item, or "". A link that the server lists as a directory is not followed.
func (r *Removal) addItem(ctx context.Context, itemPath string, i *remote, parent string) error {
	var content map[string]*remote
	if i.dir {
		if len(i.url.CWDs()) > maxDepth {
			return protocols.NewError(protocols.TooBig, "list the items", fmt.Sprintf("there are more than %d levels of directories", maxDepth))
		}
		items, serverPath, err := r.list(ctx, i.url)
		if errors.Is(err, errIncomplete) {
			r.Incomplete, err = true, nil
		}
		if err != nil {
			return err
		}
		if isLinkedDir(parent, serverPath, i.url.FileName()) {
			i.dir, i.url.Type = false, 0
		} else {
			content, parent = items, serverPath
		}
	}
	// Files come first, because Run changes the working directory of the FTP session for each subdirectory.
	for _, dirs := range []bool{false, true} {
		for _, name := range slices.Sorted(maps.Keys(content)) {
			if content[name].dir != dirs {
				continue
			}
			childPath := path.Join(itemPath, name)
			if content[name].keep = !r.filter.Selects(childPath, dirs, time.Time{}); !content[name].keep {
				if err := r.addItem(ctx, childPath, content[name], parent); err != nil {
					return err
				}
			}
			i.keep = i.keep || content[name].keep
		}
	}
	if i.keep {
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
	r.items = append(r.items, item{path: itemPath, url: i.url})
	return nil
}

// Count returns the number of files and directories, and whether the server did not list all items.
func (r *Removal) Count() (files, dirs int, incomplete bool) { return r.Files, r.Dirs, r.Incomplete }

// Run calls the function remove for each item, see [mirror.Removal].
func (r *Removal) Run(ctx context.Context, remove func(path string, c *protocols.Change) error) error {
	item := func(i int) (string, urlcore.URL) { return r.items[i].path, r.currentURL(r.items[i].url) }
	return mirror.Removal{Count: len(r.items), Item: item, Next: &r.next}.Run(ctx, remove)
}

// keepUncertain cancels the removal of each item that may be a stored item whose name the server has changed.
// This is possible if this run has stored an item that the server does not list under its name, and both
// items have the same directory, the same kind and, for files, the same size. In a dry run, which stores
// nothing, the letters and digits of both names must also be equal.
func (t *Tree) keepUncertain(ctx context.Context) error {
	describe := func(itemPath string, isDir bool, size int64) string {
		name := ""
		if t.DryRun {
			name = strings.ToLower(strings.Join(strings.FieldsFunc(path.Base(itemPath), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), ""))
		}
		if isDir {
			size = -1
		}
		return fmt.Sprint(path.Dir(itemPath), "/", size, name)
	}
	dirs, missing := make(map[string]bool), make(map[string]bool)
	for _, r := range t.surplus {
		dirs[path.Dir(r.root.path)] = true
	}
	for _, i := range slices.Concat(t.files, t.dirs) {
		if i.path == "" || !dirs[path.Dir(i.path)] {
			continue
		}
		items, err := t.listAgain(ctx, t.parent(i))
		if err != nil {
			return err
		}
		if items[i.url.FileName()] == nil {
			missing[describe(i.path, i.info.IsDir(), i.info.Size())] = true
		}
	}
	t.surplus = slices.DeleteFunc(t.surplus, func(r *Removal) bool {
		listed := r.root.remote
		uncertain := !listed.note.IsLink() && missing[describe(r.root.path, listed.dir, listed.note.Size)]
		if uncertain {
			t.leaveOut(&r.root, errMayBeStored)
		}
		return uncertain
	})
	return nil
}

// temporaryPrefix is the beginning of the temporary names of clashing items. A local item will get the old
// name of the clashing item (see plan.clashing).
const temporaryPrefix = ".gofer-mirror-"

// renameClashing gives the clashing items temporary names. In a dry run it renames nothing and only prints
// the removals.
func (t *Tree) renameClashing(ctx context.Context) error {
	if t.DryRun || t.scanIncomplete || t.isEmpty() {
		return t.removeAll(ctx, t.clashing)
	}
	for _, r := range t.clashing {
		if r.newName != "" || r.replacement.state == leftOut {
			continue
		}
		name := temporaryPrefix + rand.Text()
		err := t.makeChange(ctx, &protocols.Change{Kind: protocols.Rename, URL: r.root.remote.url, Name: name, Replace: true})
		if err == nil {
			r.newName = name
		} else if protocols.QuestionOf(err) == nil {
			t.leaveOut(&r.root, fmt.Errorf("it could not be renamed to %s: %s", name, sentence.Of(err)))
			r.replacement.state, t.storeFailed = leftOut, true
		}
		if err != nil && isFatal(ctx, err) {
			return err
		}
	}
	return nil
}

// finishClashing removes the renamed items whose replacements are stored, and gives the other renamed items their
// old names. The parameter cause is the error that ended the transfers early, or nil. After such an error,
// finishClashing takes at most ten seconds.
func (t *Tree) finishClashing(ctx context.Context, cause error) {
	if cause != nil {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		ctx = limited
	}
	for _, r := range t.clashing {
		var err error
		switch h := r.replacement; {
		case r.newName == "":
		case h.state == sent, h.state == unchanged, h.state == waiting && h.remote != nil:
			err = r.Run(ctx, t.remover(ctx))
		default:
			if h.remote == nil && !h.info.IsDir() { // a part of the replacement may be stored
				_ = t.makeChange(ctx, &protocols.Change{Kind: protocols.Remove, URL: h.url})
			}
			err = t.makeChange(ctx, &protocols.Change{Kind: protocols.Rename, URL: r.currentURL(r.root.remote.url), Name: r.root.remote.url.FileName()})
		}
		if err != nil {
			t.leaveOut(&r.root, fmt.Errorf("it is now named %s on the server: %s", r.newName, sentence.Of(err)))
		}
		r.newName = ""
	}
}

// currentURL returns the URL of an item of r, with the temporary name of root if it has one.
func (r *Removal) currentURL(u urlcore.FTP) urlcore.FTP {
	if r.newName != "" {
		names := append(u.CWDs(), u.Name())
		names[len(r.root.remote.url.CWDs())] = r.newName
		u, _ = u.With(names[:len(names)-1], names[len(names)-1], u.Type)
	}
	return u
}

// removeAll runs the removals. It does nothing if Dir is empty or was not read completely.
func (t *Tree) removeAll(ctx context.Context, removals []*Removal) error {
	for _, r := range removals {
		if t.scanIncomplete || t.isEmpty() {
			break
		}
		err := r.Run(ctx, t.remover(ctx))
		switch {
		case err != nil && isFatal(ctx, err):
			return err
		case err != nil:
			t.leaveOut(&r.items[len(r.items)-1], err)
		}
	}
	return nil
}

// isEmpty reports whether Dir is empty, perhaps because its file system is not mounted.
func (t *Tree) isEmpty() bool { return len(t.localItems) == 1 }

// remover returns a function that makes a change of the kind Remove and counts it. In a dry run the function only
// prints the removal.
func (t *Tree) remover(ctx context.Context) func(path string, c *protocols.Change) error {
	return func(path string, c *protocols.Change) error {
		if !t.printAction("remove %s", path) {
			return nil
		}
		tries := 0
		err := t.retry(ctx, func() (bool, error) {
			tries++
			_, err := t.Server.Change(ctx, c)
			return false, err
		})
		if u := c.URL.(urlcore.FTP); tries > 1 && err != nil && !isFatal(ctx, err) {
			parent, _ := u.Up()
			if items, _, listErr := t.list(ctx, parent); listErr == nil && items[u.FileName()] == nil {
				err = nil // an earlier attempt removed the item
			}
		}
		if err == nil {
			t.update(func(p *Progress) { p.Removed++ })
		}
		return err
	}
}
