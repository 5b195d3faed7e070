package across

import (
	"cmp"
	"context"
	"errors"
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
	c.entries, c.next, c.leaving, c.leftOut, c.progress, c.replaced, c.octets, c.relisted = nil, 0, nil, nil, Progress{}, false, 0, nil
	c.planned = false
	if _, ok := c.Server.(within); !ok {
		c.Server = Within(c.Server, c.From, c.To)
	}
	items, gone, err := c.listItems(ctx)
	if err != nil {
		return err
	}
	to, err := c.openTarget(ctx, c.From, c.To)
	if err != nil {
		return err
	}
	for i := range items {
		if err := c.addWhole(ctx, items[i], to, gone[i]); err != nil {
			return err
		}
	}
	c.planLinks(c.entries, nil)
	c.planned = true
	return nil
}

// planAgain plans what an earlier Run has left to do.
func (c *Copy) planAgain(ctx context.Context) error {
	c.again = true
	return c.Plan(ctx)
}

// listItems returns the items as their directory has them now, and which are not there any more. A move that goes on does not
// return those: they were moved.
func (c *Copy) listItems(ctx context.Context) (items []protocols.Line, gone []bool, err error) {
	if _, ok := c.From.(Directory); !ok {
		return c.Items, make([]bool, len(c.Items)), nil
	}
	lines, _, err := c.read(ctx, c.From)
	if err != nil {
		return nil, nil, err
	}
	listed := make(map[urlcore.URL]protocols.Line, len(lines))
	for _, l := range lines {
		listed[urlcore.Redact(l.Link)] = l
	}
	for _, l := range c.Items {
		now, ok := listed[urlcore.Redact(l.Link)]
		if ok {
			l = now
		} else if c.again && c.Move {
			continue
		}
		_, isFile := l.Note.(*protocols.FileNote)
		items, gone = append(items, l), append(gone, !ok && isFile)
	}
	return items, gone, nil
}

// target is a directory at the target.
type target struct {
	items  map[string]*protocols.Line // by name
	same   bool                       // it is the directory of the source
	unsure bool                       // it may be that directory
}

// openTarget lists the directory of the target for the items of the directory from.
func (c *Copy) openTarget(ctx context.Context, from, to urlcore.URL) (t target, err error) {
	var known bool
	if t.same, known, err = c.isSame(ctx, from, to); err == nil {
		t.unsure = !known || needsAside(to) // not every FTP server shows where links lead
		t.items, err = c.list(ctx, to)
	}
	return t, err
}

// isSame reports whether two directories are the same one, by whatever names. It may not be known.
func (c *Copy) isSame(ctx context.Context, a, b urlcore.URL) (same, known bool, err error) {
	err = c.retry(ctx, func() (bool, error) {
		same, known, err = c.Server.SameItem(ctx, a, b)
		return false, err
	})
	if err != nil && !isFatal(ctx, err) {
		return false, false, nil
	}
	return same, known, err
}

// addWhole plans the copy of one of Items. It is left out with all that is below it if that is too much.
func (c *Copy) addWhole(ctx context.Context, line protocols.Line, to target, gone bool) error {
	if gone {
		e := &entry{name: nameOf(line.Link), path: nameOf(line.Link), line: line}
		c.entries = append(c.entries, e)
		c.leaveOut(e, errGone)
		return nil
	}
	drop := c.mark()
	err := c.add(ctx, nil, line, to)
	if errors.Is(err, errDeep) {
		e := c.entries[drop(1)]
		c.leaveOut(e, err)
		return nil
	}
	return err
}

// mark returns a function that drops what is planned from now on, except for a number of entries. The result is the index of the
// first of them.
func (c *Copy) mark() (drop func(but int) int) {
	n, left, p := len(c.entries), len(c.leftOut), c.Progress()
	return func(but int) int {
		c.entries = c.entries[:n+but]
		c.mu.Lock()
		c.leftOut = c.leftOut[:left]
		c.mu.Unlock()
		c.update(func(now *Progress) { *now = p })
		return n
	}
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
		var err error
		items, unnamed, err = readItems(ctx, c.Server, u, true)
		return false, err
	})
	return items, unnamed, err
}

// readItems returns the items of a directory, and the lines of items whose names cannot be requested.
func readItems(ctx context.Context, server protocols.Fetcher, u urlcore.URL, hidden bool) (items, unnamed []protocols.Line, err error) {
	head, lines, err := transfer.ReadAll(ctx, server, protocols.Request{URL: u, Hidden: hidden, Fresh: true})
	if err == nil && head.Layout != protocols.LayoutDirectory {
		err = protocols.NewError(protocols.NotFound, "list the directory", "it is not a directory")
	}
	for _, l := range lines {
		switch _, isFile := l.Note.(*protocols.FileNote); {
		case isFile && l.Link != nil:
			items = append(items, l)
		case isFile:
			unnamed = append(unnamed, l)
		}
	}
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

// add plans the copy of an item. The error is errDeep if there are too many.
func (c *Copy) add(ctx context.Context, parent *entry, line protocols.Line, to target) error {
	there := to.items
	e := &entry{name: nameOf(line.Link), line: line, parent: parent, unsure: to.unsure}
	if e.path = e.name; parent != nil {
		e.path = path.Join(parent.path, e.name)
	}
	c.entries = append(c.entries, e)
	if len(c.entries) > maxItems || strings.Count(e.path, "/") > maxDepth {
		return errDeep
	}
	err := e.check(there[e.name])
	if c.isUnderWay(e, there[e.name]) {
		err = errUnderWay
	}
	if err != nil {
		c.leaveOut(e, err)
		return nil
	}
	if e.there = there[e.name]; e.there == nil { // the next item of the same name meets this one
		there[e.name] = &protocols.Line{}
	}
	switch {
	case to.same:
		c.leaveOut(e, errSame)
		return nil
	case c.Move && parent == nil && e.there == nil && c.sameServer(line.Link):
		e.whole = true
		c.update(func(p *Progress) { p.Whole++ })
		return nil
	case isLink(&line): // see planLinks
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
	case e.name == "", e.name == ".", e.name == "..", strings.ContainsAny(e.name, "/\x00"):
		return errName
	case !isDir && protocols.KindOf(e.line.Link).Saving() != protocols.SavedAsFile:
		return errNotFile
	case there == nil:
		return nil
	case there.Link == nil:
		return errTwice
	case urlcore.Redact(there.Link) == urlcore.Redact(e.line.Link):
		return errSame
	case isLink(there):
		if haveOneTarget(there, &e.line) {
			return nil
		}
		return errLinked
	case (there.Kind == protocols.Directory) != isDir:
		return errKind
	}
	return nil
}

// isLink reports whether an item is a symbolic link, as far as the listing shows.
func isLink(l *protocols.Line) bool {
	n, ok := l.Note.(*protocols.FileNote)
	return ok && n.IsLink()
}

// haveOneTarget reports whether two links are known to name the same target.
func haveOneTarget(a, b *protocols.Line) bool {
	target := linkTarget(a)
	return target != "" && target == linkTarget(b)
}

// linkTarget returns where a symbolic link leads, or "" if it is unknown.
func linkTarget(l *protocols.Line) string {
	if n, ok := l.Note.(*protocols.FileNote); ok {
		return n.Target
	}
	return ""
}

// addDirectory plans the copy of a directory with all that is below it.
func (c *Copy) addDirectory(ctx context.Context, e *entry) error {
	if inside, _, err := c.isSame(ctx, e.line.Link, c.To); inside || err != nil {
		return c.leaveOutUnlessFatal(ctx, e, cmp.Or(err, errInside))
	}
	to := target{items: make(map[string]*protocols.Line)}
	if e.there == nil {
		c.update(func(p *Progress) { p.Dirs++ })
	} else {
		var err error
		if to, err = c.openTarget(ctx, e.line.Link, e.there.Link); err == nil && to.same {
			err = errSame
		}
		if err != nil {
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
	if e.there != nil && to.unsure && len(lines) == 0 { // it may be the directory at the target
		e.keep()
	}
	for _, line := range lines {
		if err := c.add(ctx, e, line, to); err != nil {
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
	if e.leads != nil {
		size = sizeOf(&e.leads.line)
	}
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

// sizeOf returns the exact size of a file, or -1. A list shows that of a link itself.
func sizeOf(l *protocols.Line) int64 {
	if n, ok := l.Note.(*protocols.FileNote); ok && !n.IsLink() {
		return n.ExactSize()
	}
	return -1
}

// isNewer reports whether the file a is newer than b, as far as the listings show.
func isNewer(a, b *protocols.Line) bool {
	na, okA := a.Note.(*protocols.FileNote)
	nb, okB := b.Note.(*protocols.FileNote)
	return okA && okB && laterDate(na, nb) > 0
}

// sameServer reports whether an item may be moved by renaming it.
func (c *Copy) sameServer(u urlcore.URL) bool {
	a, okA := urlcore.Redact(u).(urlcore.FTP)
	b, okB := urlcore.Redact(c.To).(urlcore.FTP)
	if okA && okB {
		return a.Server == b.Server && a.Scheme() == b.Scheme()
	}
	return u.Scheme() == c.To.Scheme() && urlcore.Host(u) == urlcore.Host(c.To)
}
