package across

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Run copies what Plan found, and plans it first if the last Plan was of an earlier Run. It implements [download.Task]. The error is
// a *[mirror.PartialError] if only some items were left out. After another error Run can be called again, and goes on with the
// same item.
func (c *Copy) Run(ctx context.Context, w *download.Work) error {
	c.work = w
	if c.invalid != nil {
		return c.invalid
	}
	if !c.planned {
		if err := c.planAgain(ctx); err != nil {
			return err
		}
	}
	for ; c.next < len(c.entries); c.next++ {
		e := c.entries[c.next]
		if ctx.Err() != nil { // a change of a directory does not ask for it
			return context.Cause(ctx)
		}
		if e.failed {
			continue
		}
		err := c.runEntry(ctx, e)
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isFatal(ctx, err):
			return err
		case isExisting(err):
			err = errExists
		}
		c.leaveOut(e, err)
	}
	if err := c.removeEmptied(ctx); err != nil {
		return err
	}
	if err := c.finishDirectories(ctx); err != nil {
		return err
	}
	if c.Progress().Undated > 0 && c.CanUndo() {
		c.recordDates(ctx)
	}
	if left := c.LeftOut(); len(left) > 0 {
		c.planned = false
		return &mirror.PartialError{LeftOut: left, Total: len(c.entries), Verb: c.verb()}
	}
	return nil
}

func (c *Copy) runEntry(ctx context.Context, e *entry) error {
	if e.parent != nil && e.parent.failed {
		return errParent
	}
	if e.whole {
		moved, err := c.rename(ctx, e)
		if moved || err != nil {
			return err
		}
		return c.walkLate(ctx, e)
	}
	switch {
	case e.asLink:
		return c.copyLink(ctx, e)
	case e.line.Kind == protocols.Directory:
		return c.enter(ctx, e)
	}
	return c.copyFile(ctx, e)
}

// target returns the directory at the target for e.
func (c *Copy) target(e *entry) Directory {
	if e.parent == nil {
		return c.To
	}
	return e.parent.dir
}

// rename moves an item of the same server by renaming it. The result moved is false if it has to be copied, because the
// directories are on different file systems, or of different users.
func (c *Copy) rename(ctx context.Context, e *entry) (moved bool, err error) {
	u, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Rename, URL: e.line.Link, Dir: c.To, Listed: true})
	switch protocols.ReasonOf(err) {
	case protocols.NotSupported, protocols.BadURL:
		return false, nil
	}
	if err == nil {
		c.renamed = append(c.renamed, Renamed{e.line, u})
		c.update(func(p *Progress) { p.Files, p.TotalFiles, p.Whole = p.Files+1, p.TotalFiles+1, p.Whole-1 })
	}
	return err == nil, err
}

// walkLate plans the copy of an item that could not be renamed, in its place, and begins with it. After an error nothing of it is
// planned, so that another Run begins with it again.
func (c *Copy) walkLate(ctx context.Context, e *entry) error {
	rest := slices.Clone(c.entries[c.next+1:])
	c.entries = c.entries[:c.next+1]
	drop := c.mark()
	var err error
	switch {
	case isLink(&e.line): // see planLinks
	case e.line.Kind == protocols.Directory:
		err = c.addDirectory(ctx, e)
	default:
		c.addFile(e)
	}
	if c.planLinks(c.entries[c.next:], rest); err != nil {
		drop(0)
	} else {
		e.whole = false
		c.update(func(p *Progress) { p.Whole-- })
	}
	c.entries = append(c.entries, rest...)
	if err != nil || e.failed {
		return err
	}
	return c.runEntry(ctx, e)
}

// enter makes a directory at the target, unless it exists.
func (c *Copy) enter(ctx context.Context, e *entry) (err error) {
	u := e.made
	if e.there != nil {
		u = e.there.Link
	} else if u != nil { // made by an attempt that was stopped
	} else if u, err = c.makeDirectory(ctx, e); err != nil {
		return err
	}
	dir, ok := u.(Directory)
	if !ok {
		return errKind
	}
	if e.there == nil {
		e.made = u
		if err := c.protect(ctx, e); err != nil {
			return err
		}
	}
	if e.dir = dir; c.Move {
		c.leaving = append(c.leaving, e)
	}
	return nil
}

// makeDirectory makes the directory for e. It may exist after a lost connection.
func (c *Copy) makeDirectory(ctx context.Context, e *entry) (u urlcore.URL, err error) {
	tries := 0
	err = c.retry(ctx, func() (bool, error) {
		tries++
		u, err = c.Server.Change(ctx, &protocols.Change{Kind: protocols.MakeDirectory, URL: c.target(e), Name: e.name, Mode: directoryMode(e)})
		if err != nil && tries > 1 && !isFatal(ctx, err) {
			if there, listErr := c.list(ctx, c.target(e)); listErr == nil && there[e.name] != nil && there[e.name].Kind == protocols.Directory {
				u, err = there[e.name].Link, nil
			}
		}
		return false, err
	})
	return u, err
}

// skips reports whether the target keeps the file that it has in place of e.
func (c *Copy) skips(e *entry) bool {
	if e.there == nil || e.begun != nil {
		return false
	}
	return c.Existing == Skip || c.Existing == Newer && !isNewer(&e.line, e.there) ||
		c.again && difference(&e.line, e.there) == Equal
}

// copyFile copies a file, unless the target has it and keeps it. After the copy, a move removes the file.
func (c *Copy) copyFile(ctx context.Context, e *entry) error {
	if c.skips(e) {
		size := max(sizeOf(&e.line), 0)
		e.keep()
		c.update(func(p *Progress) {
			p.Skipped, p.TotalFiles, p.Size = p.Skipped+1, p.TotalFiles-1, p.Size-size
		})
		return nil
	}
	u, err := c.target(e).Child(e.name)
	if err != nil {
		return err
	}
	if c.Move && e.unsure && e.there != nil && !isNewer(&e.line, e.there) && !isNewer(e.there, &e.line) && !haveOtherSizes(&e.line, e.there) {
		return errMaybeSame
	}
	if !e.copied {
		if err := c.store(ctx, e, u); err != nil {
			return err
		}
	}
	return c.removeCopied(ctx, e)
}

// removeCopied removes a file or link that a move has copied.
func (c *Copy) removeCopied(ctx context.Context, e *entry) error {
	if !c.Move {
		return nil
	}
	if e.mustStay() {
		e.keep()
		return nil
	}
	err := c.checkSource(ctx, e)
	if err == nil {
		err = c.remove(ctx, e)
	}
	if err != nil && !isFatal(ctx, err) {
		err = fmt.Errorf("copied, but not removed: %w", err)
	}
	return err
}

// remove removes an item that was moved. It may be gone after a lost connection.
func (c *Copy) remove(ctx context.Context, e *entry) error {
	tries, u := 0, e.line.Link
	if dir, ok := c.source(e).(Directory); ok && isLink(&e.line) { // its own URL may be that of a directory
		if child, err := dir.Child(e.name); err == nil {
			u = child
		}
	}
	return c.retry(ctx, func() (bool, error) {
		tries++
		_, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Remove, URL: u})
		if tries > 1 && protocols.ReasonOf(err) == protocols.NotFound {
			err = nil
		}
		return false, err
	})
}

// store stores the file of e under u. If the file is left out, its part is removed.
func (c *Copy) store(ctx context.Context, e *entry, u urlcore.URL) error {
	longest, at := int64(0), u
	if e.there != nil && needsAside(u) && (e.begun == nil || !e.begun.hasName()) {
		var err error
		if at, err = c.aside(e); err != nil {
			return err
		}
	}
	err := c.retry(ctx, func() (bool, error) {
		for {
			resumes := e.begun != nil
			sent, err := c.stream(ctx, e, at)
			if err != nil && resumes && ctx.Err() == nil && mustRestart(err) {
				_ = c.removePart(ctx, e.begun)
				e.begun.fresh = true
				continue
			}
			if isExisting(err) && e.there == nil && !e.isNew && sent == 0 && ctx.Err() == nil {
				if e.isNew, err = c.isNew(ctx, e); err == nil && !e.isNew {
					err = errExists
				} else if err == nil {
					continue
				}
			}
			progress := sent > longest
			longest = max(longest, sent)
			return progress, err
		}
	})
	if err == nil && at != u {
		err = c.takeName(ctx, e, at, u)
	}
	if err != nil {
		if !isFatal(ctx, err) {
			_ = c.removePart(ctx, e.begun)
			c.setPart(e, nil)
		}
		return err
	}
	e.copied = true
	c.octets += e.got.size
	if e.made = u; e.there != nil {
		e.made, c.replaced = nil, true
	}
	c.setPart(e, nil)
	c.update(func(p *Progress) { p.Files++ })
	return nil
}

// mustRestart reports whether err means that a part cannot be continued.
func mustRestart(err error) bool {
	r := protocols.ReasonOf(err)
	return errors.Is(err, errChanged) || (r == protocols.Unsupported || r == protocols.NotSupported || r.IsServerFailure()) && !mirror.IsTemporary(err)
}

// setPart records the part of e that the target has, and calls the queue if it is a new one.
func (c *Copy) setPart(e *entry, p *part) {
	c.mu.Lock()
	isNew := p != nil && (c.begun == nil || c.begun.path != p.path || c.begun.url != p.url)
	e.begun, c.begun = p, p
	c.mu.Unlock()
	if isNew && c.work != nil {
		c.work.Record()
	}
}

// removePart removes the part of a file that was not copied, which would look like the file. It takes at most ten seconds. The
// error is errPart if the part has the name of the file, and may be a file that was there before.
func (c *Copy) removePart(ctx context.Context, p *part) error {
	switch {
	case p == nil || p.url == nil || p.fresh:
		return nil
	case (p.replaces || !p.ours) && p.hasName():
		return fmt.Errorf("%s: %w", p.path, errPart)
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if ours, err := c.isOurs(ctx, p); !ours {
		return cmp.Or(err, fmt.Errorf("%s: %w", p.path, errPart))
	}
	_, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Remove, URL: p.url})
	return err
}

// stream fetches the file of e and stores it under u while it arrives. It returns the number of octets from the beginning of the
// file that were sent.
func (c *Copy) stream(ctx context.Context, e *entry, u urlcore.URL) (sent int64, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	isAside := nameOf(u) != e.name
	up := &protocols.Upload{Mode: modeOf(e), Listed: e.there != nil || e.isNew, KeepPart: true, Replace: e.there != nil && !isAside}
	src := &source{c: c, ctx: ctx, e: e, up: up, isAside: isAside}
	p := e.begun
	if p != nil {
		up.Replace = p.replaces || isAside
		if !up.Replace && p.ours {
			if up.Replace, err = c.isOurs(ctx, p); err != nil {
				return 0, err
			}
		}
	}
	if p == nil || p.fresh {
		if err := src.open(0); err != nil {
			return 0, err
		}
	} else {
		src.size, src.modified, up.Resume, up.Part, up.Sent, up.SizeBefore = p.size, p.modified, true, p.url, p.sent, p.before
	}
	up.Body, up.Size, up.Modified = src, src.size, src.modified
	err = c.Server.Put(ctx, u, up)
	fetchErr := src.close()
	switch {
	case err == nil:
	case up.Part != nil:
		c.setPart(e, src.part(up.Sent))
	case e.begun != nil && !e.begun.fresh: // what the target has is of somebody else
		c.setPart(e, nil)
	}
	e.got = facts{src.next, src.modified, up.DateKept}
	if err == nil && !up.DateKept && !up.Modified.IsZero() {
		c.update(func(p *Progress) { p.Undated++ })
	}
	if err == nil && !up.ModeKept && isPrivate(up.Mode) {
		c.update(func(p *Progress) { p.Exposed++ })
	}
	switch {
	case fetchErr != nil && ctx.Err() == nil && !errors.Is(fetchErr, errStopped): // the cause of err
		return up.Sent, fetchErr
	case err == nil && fetchErr != nil:
		return up.Sent, errStopped
	}
	return up.Sent, err
}

// removeEmptied removes the directories whose content was moved, the deepest first. A directory that has kept an item stays.
func (c *Copy) removeEmptied(ctx context.Context) error {
	for _, e := range slices.Backward(c.leaving) {
		if e.keeps || e.mustStay() {
			continue
		}
		err := c.remove(ctx, e)
		if err != nil && isFatal(ctx, err) {
			return err
		} else if err != nil {
			c.leaveOut(e, fmt.Errorf("copied, but not removed: %w", err))
		}
	}
	c.leaving = nil
	return nil
}
