package across

import (
	"context"
	"errors"
	"slices"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// ErrChanged reports that a copied file was changed since, and that nothing is undone.
var ErrChanged = errors.New("a copy was changed since")

// CanUndo reports whether Undo leaves both directories as they were before: no file was replaced, and nothing was moved but by
// renaming it.
func (c *Copy) CanUndo() bool {
	if c.Move {
		return len(c.renamed) > 0
	}
	return !c.replaced && slices.ContainsFunc(c.entries, func(e *entry) bool { return e.made != nil })
}

// Undo removes what Run has made at the target, and moves back what Run has renamed. Before it does anything, it lists the directories
// again. If one of the new items was changed since, as far as the size and date show, or a new directory has another item, the
// error is ErrChanged.
func (c *Copy) Undo(ctx context.Context) error {
	listed := make(map[urlcore.URL]map[string]*protocols.Line)
	list := func(u urlcore.URL) (map[string]*protocols.Line, error) {
		if _, ok := listed[u]; !ok {
			items, err := c.list(ctx, u)
			if err != nil {
				return nil, err
			}
			listed[u] = items
		}
		return listed[u], nil
	}
	for _, r := range c.renamed {
		there, err := list(c.To)
		if err != nil {
			return err
		}
		if l := there[nameOf(r.New)]; l == nil || !isAsListed(l, &r.Old) {
			return ErrChanged
		}
	}
	if c.Move {
		return c.moveBack(ctx)
	}
	gone, err := c.checkCopies(list)
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(c.entries) {
		if e.made == nil || gone[e] {
			continue
		}
		if _, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Remove, URL: e.made}); err != nil {
			return err
		}
		e.made = nil
	}
	return nil
}

// checkCopies returns the copies that are not there any more, or ErrChanged.
func (c *Copy) checkCopies(list func(urlcore.URL) (map[string]*protocols.Line, error)) (gone map[*entry]bool, err error) {
	gone = make(map[*entry]bool)
	ours := make(map[*entry]map[string]bool) // the names of the items in each new directory
	for _, e := range c.entries {
		if e.made == nil || gone[e.parent] {
			gone[e] = e.parent != nil && gone[e.parent]
			continue
		}
		if ours[e.parent] == nil {
			ours[e.parent] = make(map[string]bool)
		}
		ours[e.parent][e.name] = true
		there, err := list(c.target(e))
		if err != nil {
			return nil, err
		}
		switch l := there[e.name]; {
		case l == nil:
			gone[e] = true
		case !e.isCopy(l):
			return nil, ErrChanged
		}
	}
	for _, e := range c.entries {
		if e.made == nil || gone[e] || e.line.Kind != protocols.Directory || e.asLink {
			continue
		}
		there, err := list(e.dir)
		if err != nil {
			return nil, err
		}
		for name := range there {
			if !ours[e][name] {
				return nil, ErrChanged
			}
		}
	}
	return gone, nil
}

// recordDates records the dates of the new files that did not keep their date, so that Undo can tell whether they were changed.
func (c *Copy) recordDates(ctx context.Context) {
	listed := make(map[*entry]map[string]*protocols.Line)
	for _, e := range c.entries {
		if !e.copied || e.made == nil || e.got.kept {
			continue
		}
		if listed[e.parent] == nil {
			there, err := c.list(ctx, c.target(e))
			if err != nil {
				return
			}
			listed[e.parent] = there
		}
		if l := listed[e.parent][e.name]; l != nil {
			if n, ok := l.Note.(*protocols.FileNote); ok && !n.Modified.IsZero() {
				e.got.modified, e.got.kept = n.Modified, true
			}
		}
	}
}

// isCopy reports whether an item of the target is what e was copied to, as far as the listing shows. Dates in listings may have no
// seconds, or be those of another time zone.
func (e *entry) isCopy(l *protocols.Line) bool {
	isDir := e.line.Kind == protocols.Directory
	n, ok := l.Note.(*protocols.FileNote)
	if e.asLink {
		return haveOneTarget(l, &e.line)
	}
	if !ok || (l.Kind == protocols.Directory) != isDir || isLink(l) {
		return false
	}
	if isDir {
		return true
	}
	want := protocols.FileNote{Modified: e.got.modified.Truncate(time.Second)}
	return (sizeOf(l) < 0 || sizeOf(l) == e.got.size) && (!e.got.kept || laterDate(n, &want) == 0)
}

// moveBack renames the items that were moved by renaming them.
func (c *Copy) moveBack(ctx context.Context) error {
	for ; len(c.renamed) > 0; c.renamed = c.renamed[:len(c.renamed)-1] {
		last := c.renamed[len(c.renamed)-1]
		if _, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Rename, URL: last.New, Dir: c.From}); err != nil {
			return err
		}
	}
	return nil
}
