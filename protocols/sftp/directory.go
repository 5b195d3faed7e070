package sftp

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unique"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Bounds of the requests in flight.
const (
	maxReaddir = 16 // for entries; a server answers each with about a hundred
	maxLinks   = 64 // links whose targets are asked for
)

// listing is a directory that is being listed.
type listing struct {
	s      *session
	ctx    context.Context
	handle string
	path   string
	url    urlcore.FTP
	names  []string // in the path of the URL
	lease  *lease
}

// listDirectory begins to list a directory (section 6.7).
func (s *session) listDirectory(ctx context.Context, r *request, l *lease) (*protocols.Resource, error) {
	if err := r.asDirectory(); err != nil {
		return nil, err
	}
	op := "list the directory " + clean.Name(r.path)
	opened, err := s.ask(ctx, op, "OPENDIR", fxpOpendir, r.path)
	if err != nil {
		return nil, err
	}
	head := protocols.Head{URL: r.url, Title: r.url.FileName(), Layout: protocols.LayoutDirectory, Size: -1, Security: s.security, Personal: s.personal, Notes: slices.Clone(s.notes)}
	var space, real *call
	if s.statVFS {
		if space, err = s.ask(ctx, op, "STATVFS", fxpExtended, r.path); err != nil {
			return nil, err
		}
	}
	if r.want.Identity {
		if real, err = s.ask(ctx, op, "REALPATH", fxpRealpath, r.path); err != nil {
			return nil, err
		}
	}
	handle, err := s.handleOf(ctx, opened, op)
	if err != nil {
		return nil, s.explainListing(ctx, r, err)
	}
	d := &listing{s: s, ctx: ctx, handle: handle, path: r.path, url: r.url, names: r.names(), lease: l}
	l.onEnd(func() { s.closeHandle(handle) })
	if space != nil {
		if answer, err := s.reply(ctx, space, "", fxpExtendedReply); err == nil {
			if free, size, ok := freeSpace(answer); ok {
				head.FreeSpace = protocols.Octets(free).Format() + " of " + protocols.Octets(size).Format()
			}
		}
	}
	if real != nil {
		if name, err := s.nameOf(ctx, real, ""); err == nil {
			head.Identity, head.Path = name, name
		}
	}
	return &protocols.Resource{Head: head, Lines: d.lines, Closer: l}, nil
}

// explainListing says that an item is a file, if that is why it cannot be listed.
func (s *session) explainListing(ctx context.Context, r *request, err error) error {
	if statusOf(err) != statusFailure && statusOf(err) != statusNoFile {
		return err
	}
	if a, statErr := s.stat(ctx, "", fxpStat, r.path); statErr == nil && a.kind() != 0 && !a.isDir() {
		return because(err, protocols.NotFound, "it is not a directory")
	}
	return err
}

// entry is an item of a directory.
type entry struct {
	name, long     string
	attrs          attrs
	target, linked *call // for a link: what READLINK and STAT answer
}

// lines implements Lines of [protocols.Resource].
func (d *listing) lines(yield func(protocols.Line, error) bool) {
	err := d.yieldEntries(yield)
	if errors.Is(err, errStopped) {
		return
	}
	if err != nil {
		yield(protocols.Line{}, err)
		return
	}
	d.lease.done()
}

// errStopped reports that the consumer of lines wants no more.
var errStopped = errors.New("stopped")

// yieldEntries requests entries, more at once with each answer, and yields their lines. A server may answer in any order: the end of
// the directory is there when all answers say so.
func (d *listing) yieldEntries(yield func(protocols.Line, error) bool) error {
	var inFlight []*call
	op := "list the directory " + clean.Name(d.path)
	ended := false
	for window := 2; ; window = min(window+2, maxReaddir) {
		for !ended && len(inFlight) < window {
			w, err := d.s.send(d.ctx, op, fxpReaddir, 0, d.handle)
			if err != nil {
				return err
			}
			inFlight = append(inFlight, w)
		}
		if len(inFlight) == 0 {
			return nil
		}
		a, err := d.s.wait(d.ctx, inFlight[0])
		inFlight = inFlight[1:]
		answer, err := expect(op, a, err, fxpName)
		ended = statusOf(err) == statusEOF
		switch {
		case ended:
			continue
		case err != nil:
			return err
		}
		d.s.progress(d.ctx, len(a.body))
		entries, err := d.decodeEntries(op, answer)
		if err != nil {
			return err
		}
		if err := d.yieldLines(op, entries, yield); err != nil {
			return err
		}
	}
}

// yieldLines yields the lines of entries, and asks where the links among them lead.
func (d *listing) yieldLines(op string, entries []entry, yield func(protocols.Line, error) bool) error {
	next, links := 0, 0
	for i := range entries {
		for ; next < len(entries) && links < maxLinks; next++ {
			if e := &entries[next]; e.attrs.kind() == typeLink && protocols.IsFileName(e.name) {
				if err := d.askTarget(op, e); err != nil {
					return err
				}
				links++
			}
		}
		e := &entries[i]
		line, err := d.makeLine(e)
		if err != nil {
			return err
		}
		if e.target != nil {
			e.target, e.linked = nil, nil
			links--
		}
		if !yield(line, nil) {
			return errStopped
		}
	}
	return nil
}

// askTarget asks where a link leads.
func (d *listing) askTarget(op string, e *entry) (err error) {
	path := below(d.path, e.name)
	if e.target, err = d.s.send(d.ctx, op, fxpReadlink, 0, path); err == nil {
		e.linked, err = d.s.send(d.ctx, op, fxpStat, 0, path)
	}
	return err
}

// decodeEntries reads the entries of an answer. There is at least one: a directory ends with a status (section 6.7).
func (d *listing) decodeEntries(op string, answer *decoder) ([]entry, error) {
	malformed := &protocols.Error{Reason: protocols.Malformed, Op: op, Err: errMalformed}
	n := answer.uint32()
	if n == 0 || n > uint32(len(answer.b)/12) { // two strings and flags
		return nil, malformed
	}
	entries := make([]entry, 0, n)
	raw := protocols.TranscriptFrom(d.ctx)
	for range n {
		e := entry{name: answer.string(), long: answer.string()}
		e.attrs = answer.attrs()
		if answer.bad {
			return nil, malformed
		}
		raw.Receive([]byte(e.long + "\n"))
		if e.name == "." || e.name == ".." {
			continue
		}
		entries = append(entries, e)
	}
	if !answer.end() {
		return nil, malformed
	}
	return entries, nil
}

// makeLine returns the line of an entry.
func (d *listing) makeLine(e *entry) (protocols.Line, error) {
	note := &protocols.FileNote{Size: e.attrs.knownSize(), Modified: e.attrs.date(), Link: e.attrs.kind() == typeLink}
	if e.attrs.flags&hasMode != 0 {
		note.Mode = intern(protocols.FormatPermissions(e.attrs.mode))
	}
	note.Owner, note.Group = ownerOf(e)
	line := protocols.Line{Kind: protocols.Problem, Text: e.name, Note: note}
	if !protocols.IsFileName(e.name) {
		if e.name == "" {
			line.Text = e.long
		}
		line.Text = line.Text[:min(len(line.Text), protocols.MaxFileName)]
		return line, nil
	}
	kind := e.attrs.kind()
	if e.target != nil {
		note.Size = -1
		target, err := d.s.wait(d.ctx, e.target)
		if err != nil {
			return line, err
		}
		if answer, err := expect("", target, nil, fxpName); err == nil && answer.uint32() == 1 {
			if name := answer.octets(); len(name) <= protocols.MaxFileName {
				note.Target = string(name)
			}
		}
		linked, err := d.s.wait(d.ctx, e.linked)
		if err != nil {
			return line, err
		}
		if answer, err := expect("", linked, nil, fxpAttrs); err == nil {
			if a := answer.attrs(); answer.end() {
				kind = a.kind()
			}
		}
	}
	u, err := d.linkTo(e.name, kind == typeDirectory)
	if err == nil {
		line.Link, line.Kind = u, kindOf(e.name, note.Target, kind)
	}
	return line, nil
}

func (d *listing) linkTo(name string, dir bool) (urlcore.FTP, error) {
	typ := byte(0)
	if dir {
		typ = 'd'
	}
	names := d.names
	if len(names) == 0 && name == "~" { // as the first name of a path it would be the login directory
		names = []string{"."}
	}
	return d.url.With(names, name, typ)
}

// kindOf returns the kind of an item. The parameter kind is its type in a mode, or that of the target of a link.
func kindOf(name, target string, kind uint32) protocols.Kind {
	switch kind {
	case typeDirectory:
		return protocols.Directory
	case typeRegular, typeLink, 0:
		return protocols.KindOfFile(name, target)
	}
	return protocols.Other
}

// ownerOf returns the names of the owner and the group in the line that the server has made of an entry, which is that of ls
// (section 7), or else their numbers.
func ownerOf(e *entry) (owner, group string) {
	if fields := strings.Fields(e.long); len(fields) >= 9 && len(fields[0]) >= 10 {
		return intern(fields[2]), intern(fields[3])
	}
	if e.attrs.flags&hasOwner == 0 {
		return "", ""
	}
	return strconv.FormatUint(uint64(e.attrs.uid), 10), strconv.FormatUint(uint64(e.attrs.gid), 10)
}

// intern returns s. Equal results share their memory, because most lines of a directory have the same owner.
func intern(s string) string { return unique.Make(s).Value() }
