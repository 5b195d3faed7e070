package across

import (
	"context"
	"path"
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/transfer"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxItems and maxDepth limit a Copy, because a server can list endless directories.
const (
	maxItems = 200_000
	maxDepth = 250
)

// Plan lists the directories of both sides. If the error is a [protocols.Question], Plan can be called again after the answer.
func (c *Copy) Plan(ctx context.Context) error {
	c.entries, c.next, c.leaving, c.leftOut, c.progress, c.replaced, c.octets = nil, 0, nil, nil, Progress{}, false, 0
	c.planned = false
	there, err := c.list(ctx, c.To)
	if err != nil {
		return err
	}
	for i := range c.Items {
		if err := c.add(ctx, nil, c.Items[i], there); err != nil {
			return err
		}
	}
	c.planned = true
	return nil
}

// planAgain plans what an earlier Run has left to do.
func (c *Copy) planAgain(ctx context.Context) error {
	c.again = true
	if _, ok := c.From.(Directory); ok {
		lines, _, err := c.read(ctx, c.From)
		if err != nil {
			return err
		}
		listed := make(map[urlcore.URL]protocols.Line, len(lines))
		for _, l := range lines {
			listed[urlcore.Redact(l.Link)] = l
		}
		var items []protocols.Line
		for _, l := range c.Items {
			now, ok := listed[urlcore.Redact(l.Link)]
			if ok {
				l = now
			}
			if ok || !c.Move { // an item that is not there was moved
				items = append(items, l)
			}
		}
		c.mu.Lock()
		c.Items = items
		c.mu.Unlock()
	}
	return c.Plan(ctx)
}

// list returns the items of a directory by name. Of two lines with the same name it returns the first.
func (c *Copy) list(ctx context.Context, u urlcore.URL) (map[string]*protocols.Line, error) {
	lines, _, err := c.read(ctx, u)
	items := make(map[string]*protocols.Line)
	for i := range lines {
		if name := nameOf(lines[i].Link); items[name] == nil {
			items[name] = &lines[i]
		}
	}
	return items, err
}

// read returns the items of a directory, also the hidden ones, and the lines of items whose names cannot be requested.
func (c *Copy) read(ctx context.Context, u urlcore.URL) (items, unnamed []protocols.Line, err error) {
	err = c.retry(ctx, func() (bool, error) {
		head, lines, err := transfer.ReadAll(ctx, c.Server, protocols.Request{URL: u, Hidden: true, Fresh: true})
		if err == nil && head.Layout != protocols.LayoutDirectory {
			err = protocols.NewError(protocols.NotFound, "list the directory", "it is not a directory")
		}
		items, unnamed = nil, nil
		for _, l := range lines {
			switch _, isFile := l.Note.(*protocols.FileNote); {
			case isFile && l.Link != nil:
				items = append(items, l)
			case isFile:
				unnamed = append(unnamed, l)
			}
		}
		return false, err
	})
	return items, unnamed, err
}

// nameOf returns the name of an item in the octets of its server.
func nameOf(u urlcore.URL) string {
	if f, ok := u.(urlcore.FTP); ok && f.Name() != "" { // it may be a path, whose last name is that of another item
		return f.Name()
	}
	switch u := u.(type) {
	case Directory:
		if n, ok := u.(interface{ FileName() string }); ok {
			return strings.TrimSuffix(n.FileName(), "/")
		}
	case nil:
		return ""
	}
	return download.FileName(u) // of a scheme without directories
}

// add plans the copy of an item. The parameter there has the items of the directory at the target.
func (c *Copy) add(ctx context.Context, parent *entry, line protocols.Line, there map[string]*protocols.Line) error {
	e := &entry{name: nameOf(line.Link), line: line, parent: parent}
	if e.path = e.name; parent != nil {
		e.path = path.Join(parent.path, e.name)
	}
	if len(c.entries) == maxItems || strings.Count(e.path, "/") > maxDepth {
		return protocols.NewError(protocols.TooBig, "list the items", "there are too many items, or too many levels of directories")
	}
	c.entries = append(c.entries, e)
	if err := e.check(there[e.name]); err != nil {
		c.leaveOut(e, err)
		return nil
	}
	if e.there = there[e.name]; e.there == nil { // the next item of the same name meets this one
		there[e.name] = &protocols.Line{}
	}
	switch {
	case c.Move && parent == nil && e.there == nil && c.sameServer(line.Link):
		e.whole = true
		return nil
	case line.Kind == protocols.Directory:
		return c.addDirectory(ctx, e)
	}
	c.addFile(e)
	return nil
}

// check returns the reason why an item is left out, or nil. The parameter there is the item of this name at the target, or nil.
func (e *entry) check(there *protocols.Line) error {
	isDir := e.line.Kind == protocols.Directory
	switch {
	case e.name == "", e.name == ".", e.name == "..", strings.ContainsAny(e.name, "/\x00\r\n"):
		return errName
	case isDir && isLink(&e.line):
		return errLinkedDir
	case !isDir && protocols.KindOf(e.line.Link).Saving() != protocols.SavedAsFile:
		return errNotFile
	case there == nil:
		return nil
	case there.Link == nil:
		return errTwice
	case urlcore.Redact(there.Link) == urlcore.Redact(e.line.Link):
		return errSame
	case (there.Kind == protocols.Directory) != isDir, isDir && isLink(there):
		return errKind
	}
	return nil
}

// isLink reports whether an item is a symbolic link, as far as the listing shows.
func isLink(l *protocols.Line) bool {
	n, ok := l.Note.(*protocols.FileNote)
	return ok && n.Target != ""
}

// addDirectory plans the copy of a directory with all that is below it.
func (c *Copy) addDirectory(ctx context.Context, e *entry) error {
	if urlcore.Redact(e.line.Link) == urlcore.Redact(c.To) {
		c.leaveOut(e, errInside)
		return nil
	}
	there := make(map[string]*protocols.Line)
	if e.there == nil {
		c.update(func(p *Progress) { p.Dirs++ })
	} else {
		var err error
		if there, err = c.list(ctx, e.there.Link); err != nil {
			return c.leaveOutUnlessFatal(ctx, e, err)
		}
	}
	lines, unnamed, err := c.read(ctx, e.line.Link)
	if err != nil {
		return c.leaveOutUnlessFatal(ctx, e, err)
	}
	for _, line := range unnamed {
		c.leaveOut(&entry{path: e.path + "/" + clean.Text(line.Text), line: line, parent: e}, errName)
	}
	for _, line := range lines {
		if err := c.add(ctx, e, line, there); err != nil {
			return err
		}
	}
	return nil
}

// leaveOutUnlessFatal leaves e out because of err, or returns err if it ends the transfer.
func (c *Copy) leaveOutUnlessFatal(ctx context.Context, e *entry, err error) error {
	if isFatal(ctx, err) {
		return err
	}
	c.leaveOut(e, err)
	return nil
}

// addFile counts a file.
func (c *Copy) addFile(e *entry) {
	size := sizeOf(&e.line)
	if c.begun != nil && c.begun.path == e.path {
		e.begun = c.begun
	}
	c.update(func(p *Progress) {
		p.TotalFiles++
		if size < 0 {
			p.Unsized++
		}
		p.Size += max(size, 0)
		if e.there != nil {
			p.Existing++
			if isNewer(e.there, &e.line) {
				p.Newer++
			}
		}
	})
}

// sizeOf returns the exact size of a file, or -1.
func sizeOf(l *protocols.Line) int64 {
	if n, ok := l.Note.(*protocols.FileNote); ok {
		return n.ExactSize()
	}
	return -1
}

// isNewer reports whether the file a is newer than b, as far as the listings show.
func isNewer(a, b *protocols.Line) bool {
	na, okA := a.Note.(*protocols.FileNote)
	nb, okB := b.Note.(*protocols.FileNote)
	return okA && okB && compareDates(na, nb) > 0
}

// sameServer reports whether an item may be moved by renaming it.
func (c *Copy) sameServer(u urlcore.URL) bool {
	return u.Scheme() == c.To.Scheme() && urlcore.Host(u) == urlcore.Host(c.To)
}
