package across

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Run copies what Plan found. The error is a *[mirror.PartialError] if items were left out. If it is a [protocols.Question],
// Run can be called again after the answer, and goes on with the same item.
func (c *Copy) Run(ctx context.Context) error {
	for ; c.next < len(c.entries); c.next++ {
		e := c.entries[c.next]
		if e.failed {
			continue
		}
		err := c.runEntry(ctx, e)
		switch {
		case err == nil:
			continue
		case protocols.QuestionOf(err) != nil && !isExisting(err):
			return err
		case isFatal(ctx, err):
			return c.partial(err)
		case isExisting(err):
			err = errExists
		}
		c.leaveOut(e, err)
	}
	return c.partial(c.removeEmptied(ctx))
}

// partial returns the error of a Copy that ended because of cause, or at its end if cause is nil.
func (c *Copy) partial(cause error) error {
	if cause == nil && len(c.leftOut) == 0 {
		return nil
	}
	left := c.LeftOut()
	if len(left) == 0 {
		return cause
	}
	return &mirror.PartialError{LeftOut: left, Total: len(c.entries), Verb: "copied", Cause: cause}
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
		e.whole = false
		return c.walkLate(ctx, e)
	}
	if e.line.Kind == protocols.Directory {
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
	u, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Rename, URL: e.line.Link, Dir: c.To})
	switch protocols.ReasonOf(err) {
	case protocols.NotSupported, protocols.BadURL:
		return false, nil
	}
	if err == nil {
		c.renamed = append(c.renamed, Renamed{e.line.Link, u})
		c.update(func(p *Progress) { p.Files, p.TotalFiles = p.Files+1, p.TotalFiles+1 })
	}
	return err == nil, err
}

// walkLate plans the copy of an item that could not be renamed, in its place, and begins with it.
func (c *Copy) walkLate(ctx context.Context, e *entry) error {
	rest := slices.Clone(c.entries[c.next+1:])
	c.entries = c.entries[:c.next+1]
	var err error
	if e.line.Kind == protocols.Directory {
		err = c.addDirectory(ctx, e)
	} else {
		c.addFile(e)
	}
	c.entries = append(c.entries, rest...)
	if err != nil || e.failed {
		return err
	}
	return c.runEntry(ctx, e)
}

// enter makes a directory at the target, unless it exists.
func (c *Copy) enter(ctx context.Context, e *entry) (err error) {
	u := urlcore.URL(nil)
	if e.there != nil {
		u = e.there.Link
	} else if u, err = c.Server.Change(ctx, &protocols.Change{Kind: protocols.MakeDirectory, URL: c.target(e), Name: e.name}); err != nil {
		return err
	}
	dir, ok := u.(Directory)
	if !ok {
		return errKind
	}
	if e.there == nil {
		e.made = u
	}
	if e.dir = dir; c.Move {
		c.leaving = append(c.leaving, e)
	}
	return nil
}

// copyFile copies a file, unless the target has it and keeps it. After the copy, a move removes the file.
func (c *Copy) copyFile(ctx context.Context, e *entry) error {
	if e.there != nil && (c.Existing == Skip || c.Existing == Newer && !isNewer(&e.line, e.there)) {
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
	if err := c.retry(ctx, func() error { return c.stream(ctx, e, u) }); err != nil {
		c.removePart(ctx, e, u)
		return err
	}
	c.update(func(p *Progress) { p.Files++ })
	if e.made = u; e.there != nil {
		e.made, c.replaced = nil, true
	}
	if c.Move {
		_, err = c.Server.Change(ctx, &protocols.Change{Kind: protocols.Remove, URL: e.line.Link})
		if err != nil && !isFatal(ctx, err) {
			err = fmt.Errorf("copied, but not removed: %w", err)
		}
	}
	return err
}

// removePart removes the part of a new file that was not copied, which would look like the file. It takes at most ten seconds.
func (c *Copy) removePart(ctx context.Context, e *entry, u urlcore.URL) {
	if !e.begun || e.there != nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if _, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Remove, URL: u}); err == nil {
		e.begun = false
	}
}

// stream fetches the file of e and stores it under u while it arrives.
func (c *Copy) stream(ctx context.Context, e *entry, u urlcore.URL) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r, w := io.Pipe()
	heads, saved := make(chan protocols.Head, 1), make(chan error, 1)
	req := protocols.Request{URL: e.line.Link, Fresh: true, Modified: true}
	if n, ok := e.line.Note.(*protocols.FileNote); ok {
		req.Known = &protocols.FileFacts{Size: n.ExactSize()}
		if !n.DateOnly && !n.Local && n.Modified.Second() != 0 {
			req.Known.Modified = n.Modified
		}
	}
	go func() {
		_, err := transfer.Save(ctx, c.Server, req, w, func(h protocols.Head) error { heads <- h; return nil })
		_ = w.CloseWithError(err) // nil is the end of the file
		saved <- err
	}()
	var head protocols.Head
	select {
	case head = <-heads:
	case err := <-saved:
		return err
	}
	if n, ok := e.line.Note.(*protocols.FileNote); ok && head.Modified.IsZero() && !n.DateOnly && !n.Local {
		head.Modified = n.Modified
	}
	var received int64
	up := &protocols.Upload{
		Body: &meter{r, func(n int) { received += int64(n); c.update(func(p *Progress) { p.Octets += int64(n) }) }},
		Size: head.Size, Modified: head.Modified, Mode: modeOf(&e.line), Replace: e.there != nil || e.begun, Listed: true,
	}
	err := c.Server.Put(ctx, u, up)
	_ = r.CloseWithError(errStopped) // ends the fetch if Put has not read it to its end
	fetchErr := <-saved
	if err != nil {
		e.begun = e.begun || up.Sent > 0
		c.update(func(p *Progress) { p.Octets -= received })
	}
	e.size = received
	if err == nil && !up.DateKept && !up.Modified.IsZero() {
		c.update(func(p *Progress) { p.Undated++ })
	}
	switch {
	case fetchErr != nil && ctx.Err() == nil && !errors.Is(fetchErr, errStopped): // the cause of err
		return fetchErr
	case err == nil && fetchErr != nil:
		return errStopped
	}
	return err
}

// errStopped ends the fetch of a file that was not stored.
var errStopped = errors.New("the file was not read to its end")

// modeOf returns the octal permissions of a file whose owner may execute it, and otherwise "", for the usual mode.
func modeOf(l *protocols.Line) string {
	n, ok := l.Note.(*protocols.FileNote)
	if !ok || !strings.HasPrefix(n.Mode, "rwx") {
		return ""
	}
	bits, ok := protocols.ParsePermissions(n.Mode)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%03o", bits&0o777)
}

// removeEmptied removes the directories whose content was moved, the deepest first. A directory that has kept an item stays.
func (c *Copy) removeEmptied(ctx context.Context) error {
	for _, e := range slices.Backward(c.leaving) {
		if e.keeps {
			continue
		}
		_, err := c.Server.Change(ctx, &protocols.Change{Kind: protocols.Remove, URL: e.line.Link})
		if err != nil && isFatal(ctx, err) {
			return err
		} else if err != nil {
			c.leaveOut(e, fmt.Errorf("copied, but not removed: %w", err))
		}
	}
	c.leaving = nil
	return nil
}
