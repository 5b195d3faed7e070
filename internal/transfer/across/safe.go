package across

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"gofer/internal/transfer"
	"gofer/protocols"
	"gofer/urlcore"
)

// checkSource returns errSource unless the file of e, which was copied, is still the one that was read, as far as the server tells.
func (c *Copy) checkSource(ctx context.Context, e *entry) error {
	if isLink(&e.line) {
		return c.checkLine(ctx, e)
	}
	now := facts{size: -1}
	err := c.retry(ctx, func() (bool, error) {
		req := protocols.Request{URL: e.line.Link, Facts: true, Modified: true, Fresh: true}
		_, err := transfer.Save(ctx, c.Server, req, io.Discard, func(h protocols.Head) error {
			now.size, now.modified = h.Size, h.Modified
			return errStopped // the server may send the document
		})
		if err != nil && now.size >= 0 {
			err = nil
		}
		return false, err
	})
	if err != nil && isFatal(ctx, err) {
		return err
	}
	if now.size == e.got.size && !now.modified.IsZero() && now.modified.Truncate(time.Second).Equal(e.got.modified.Truncate(time.Second)) {
		return nil
	}
	return c.checkLine(ctx, e)
}

// checkLine is like checkSource, by a list of the directory, which shows the date as the first list did.
func (c *Copy) checkLine(ctx context.Context, e *entry) error {
	lines, _, err := c.read(ctx, c.source(e))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(lines, func(l protocols.Line) bool { return l.Link == e.line.Link })
	if i < 0 || !isAsListed(&lines[i], &e.line) || sizeOf(&lines[i]) >= 0 && sizeOf(&lines[i]) != e.got.size {
		return errSource
	}
	return nil
}

// source returns the list of the source for e.
func (c *Copy) source(e *entry) urlcore.URL {
	if e.parent == nil {
		return c.From
	}
	return e.parent.line.Link
}

// isAsListed reports whether two lines show the same size and date of an item, or both a directory, whose date changes with its content.
func isAsListed(a, b *protocols.Line) bool {
	na, okA := a.Note.(*protocols.FileNote)
	nb, okB := b.Note.(*protocols.FileNote)
	if !okA || !okB || a.Kind != b.Kind || na.Target != nb.Target {
		return false
	}
	return a.Kind == protocols.Directory || na.Size == nb.Size && na.Modified.Equal(nb.Modified)
}

func haveOtherSizes(a, b *protocols.Line) bool {
	return sizeOf(a) >= 0 && sizeOf(b) >= 0 && sizeOf(a) != sizeOf(b)
}

// hasName reports whether the part has the name of its file.
func (p *part) hasName() bool { return nameOf(p.url) == path.Base(p.path) }

// isOurs reports whether a part that has the name of its file can be what this run has sent: it is not larger. Somebody else may have
// stored a file of this name since.
func (c *Copy) isOurs(ctx context.Context, p *part) (bool, error) {
	dir, ok := urlcore.Up(p.url)
	if !p.hasName() || !ok {
		return true, nil
	}
	there, err := c.list(ctx, dir)
	if err != nil {
		return false, err
	}
	l := there[nameOf(p.url)]
	return l == nil || !isLink(l) && l.Kind != protocols.Directory && sizeOf(l) <= p.sent, nil
}

// isNew reports whether the directory at the target has no item of the name of e. It decides where a server does not report whether a
// file exists, and is listed once more for this.
func (c *Copy) isNew(ctx context.Context, e *entry) (bool, error) {
	dir := urlcore.URL(c.target(e))
	if c.relisted[dir] == nil {
		there, err := c.list(ctx, dir)
		if err != nil {
			return false, err
		}
		if c.relisted == nil {
			c.relisted = make(map[urlcore.URL]map[string]*protocols.Line)
		}
		c.relisted[dir] = there
	}
	return c.relisted[dir][e.name] == nil, nil
}

// needsAside reports whether a Putter would store the octets in the file that they replace: FTP has no other way. The file may be the
// one that is read, and a lost connection would leave neither.
func needsAside(u urlcore.URL) bool {
	f, ok := u.(urlcore.FTP)
	return ok && !f.SSH
}

// asideName begins the names of files that take the place of another one when they are complete.
const asideName = ".gofer-part-"

// aside returns where the file of e is stored before it replaces another one.
func (c *Copy) aside(e *entry) (urlcore.URL, error) {
	if e.begun != nil {
		return e.begun.url, nil
	}
	return c.target(e).Child(asideName + rand.Text())
}

// takeName gives the complete file at the URL from the name of the file at to. The replaced file is there until then: where a server
// does not replace it, it gets another name, and its own name again if the new file cannot take it.
func (c *Copy) takeName(ctx context.Context, e *entry, from, to urlcore.URL) error {
	rename := func(u urlcore.URL, name string, replace bool) (urlcore.URL, error) {
		var v urlcore.URL
		err := c.retry(ctx, func() (_ bool, err error) {
			v, err = c.Server.Change(ctx, &protocols.Change{Kind: protocols.Rename, URL: u, Name: name, Replace: replace})
			return false, err
		})
		return v, err
	}
	_, err := rename(from, e.name, true)
	if err == nil || isFatal(ctx, err) {
		return err
	}
	old, oldErr := rename(to, asideName+rand.Text(), false)
	if oldErr != nil {
		return fmt.Errorf("%w (%w)", errNoAside, err)
	}
	if _, err = rename(from, e.name, false); err != nil {
		if _, backErr := rename(old, e.name, false); backErr != nil {
			return fmt.Errorf("%w; the old file is now called %s", err, nameOf(old))
		}
		return err
	}
	_, err = c.Server.Change(ctx, &protocols.Change{Kind: protocols.Remove, URL: old})
	if err != nil && !isFatal(ctx, err) {
		err = fmt.Errorf("the new file has its name, but the old one is still there as %s: %w", nameOf(old), err)
	}
	return err
}

// HasLeft reports whether u leads to a file that c has not copied completely. Such a file looks like a newer one.
func (c *Copy) HasLeft(u urlcore.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return u != nil && c.begun != nil && c.begun.url != nil && urlcore.Redact(c.begun.url) == urlcore.Redact(u)
}

// isUnderWay reports whether one of the other copies has begun to copy e, or to write it, or the item there at the target.
func (c *Copy) isUnderWay(e *entry, there *protocols.Line) bool {
	return slices.ContainsFunc(c.Others, func(o *Copy) bool {
		if o.HasLeft(e.line.Link) || there != nil && o.HasLeft(there.Link) {
			return true
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.begun != nil && o.begun.path == e.path && o.To != nil && urlcore.Redact(o.To) == urlcore.Redact(c.To)
	})
}
