package nfs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Bounds of a listing.
const (
	maxNames   = 8 << 10  // octets of the names in a reply, as the request says
	maxListing = 64 << 10 // octets of such a reply
	maxTargets = 100      // symbolic links of a directory whose targets are looked up
	maxCookies = 1 << 20  // replies about a directory
)

// listing is a directory that is being listed.
type listing struct {
	mounter  // for the targets of links
	op       string
	dir      place
	plain    bool // the server has no READDIRPLUS
	cookie   uint64
	verifier uint64
	seen     map[uint64]bool // the cookies that were sent
	targets  int
	lease    *wire.Lease
}

// entry is an item of a directory.
type entry struct {
	node
	name   string
	target string // the text of a link
	leads  uint32 // the kind of the item to which a link leads, or kindLink if that is unknown
	err    error  // what ends the listing
}

// listDirectory begins to list a directory.
func (s *session) listDirectory(t *target, dir place) (*protocols.Resource, error) {
	t.url = t.url.Directory()
	l := &listing{mounter: mounter{s: s, t: t}, dir: dir, op: "list the directory " + clean.Name(t.path.text()), seen: map[uint64]bool{}}
	l.lease = &wire.Lease{Keep: s.release, Drop: s.Drop}
	entries, ended, err := l.read()
	if err != nil {
		return nil, err
	}
	head := l.head()
	return &protocols.Resource{Head: head, Closer: l.lease, Lines: func(yield func(protocols.Line, error) bool) {
		l.yieldAll(entries, ended, yield)
	}}, nil
}

func (l *listing) head() protocols.Head {
	h := protocols.Head{URL: l.t.url, Title: l.t.url.FileName(), Layout: protocols.LayoutDirectory, Size: -1}
	if l.t.want.Identity {
		h.Identity = fmt.Sprintf("%x:%x", l.dir.attrs.fsid, l.dir.attrs.fileid)
		h.Path = l.t.path.text()
	}
	return h
}

// listExports returns the page of a directory above exports.
func (s *session) listExports(t *target, names []string) *protocols.Resource {
	s.release()
	t.url = t.url.Directory()
	head := protocols.Head{URL: t.url, Title: t.url.FileName(), Layout: protocols.LayoutDirectory}
	if t.want.Identity {
		head.Path = t.path.text()
		head.Identity = "exports below " + head.Path
	}
	lines := make([]protocols.Line, len(names))
	for i, name := range names {
		lines[i] = makeLine(t, name, &protocols.FileNote{Size: -1}, protocols.Directory)
	}
	return protocols.NewPage(head, lines...)
}

// yieldAll yields the lines of entries and of all further ones.
func (l *listing) yieldAll(entries []*entry, ended bool, yield func(protocols.Line, error) bool) {
	defer l.close()
	for {
		lines, err := l.lines(entries)
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
		if err == nil && ended {
			l.lease.Done()
			return
		}
		if err == nil {
			entries, ended, err = l.read()
		}
		if err != nil {
			yield(protocols.Line{}, err)
			return
		}
	}
}

// read asks for the next entries (RFC 1813, sections 3.3.17 and 3.3.16).
func (l *listing) read() (entries []*entry, ended bool, err error) {
	if l.seen[l.cookie] || len(l.seen) > maxCookies {
		return nil, false, protocols.NewError(protocols.Malformed, l.op, "the listing of the server does not end")
	}
	procedure, args := uint32(procReaddirplus), []any{l.dir.handle, l.cookie, l.verifier, uint32(maxNames), uint32(maxListing)}
	if l.plain {
		procedure, args = procReaddir, []any{l.dir.handle, l.cookie, l.verifier, uint32(maxNames)}
	}
	c, err := l.s.sendNFS(l.op, procedure, args...)
	if err != nil {
		return nil, false, err
	}
	d, err := l.s.results(c)
	if !l.plain && (refuses(err, layerNFS, statusNotSupp) || refuses(err, layerAccept, acceptNoProcedure)) {
		l.plain = true
		return l.read()
	}
	if err != nil {
		return nil, false, err
	}
	l.seen[l.cookie] = true
	d.optionalAttrs()
	l.verifier = d.uint64()
	for d.bool() {
		entries = append(entries, l.decode(d))
	}
	if ended = d.bool(); !d.end() || len(entries) == 0 && !ended {
		l.s.failed = malformed(l.op)
		return nil, false, l.s.failed
	}
	entries = slices.DeleteFunc(entries, func(e *entry) bool { return e.name == "." || e.name == ".." })
	return entries, ended, nil
}

func (l *listing) decode(d *decoder) *entry {
	d.uint64() // the number of the file
	e := &entry{name: d.string(maxRecord)}
	l.cookie = d.uint64()
	if !l.plain {
		e.attrs = d.optionalAttrs()
		if d.bool() {
			e.handle = d.string(maxHandle)
		}
	}
	return e
}

// lines returns the lines of entries. It asks for what is unknown of them together.
func (l *listing) lines(entries []*entry) (lines []protocols.Line, err error) {
	for some := range slices.Chunk(entries, 64) {
		var asks []func()
		for _, e := range some {
			asks = append(asks, func() { e.err = l.complete(e) })
		}
		l.s.together(asks)
		for _, e := range some {
			if e.err != nil {
				return lines, e.err
			}
			lines = append(lines, l.line(e))
		}
	}
	return lines, nil
}

// complete asks for what is unknown of an entry. What the server refuses stays unknown.
func (l *listing) complete(e *entry) (err error) {
	if protocols.IsFileName(e.name) && (e.attrs.kind == 0 || e.attrs.kind == kindLink && e.handle == "") {
		if e.node, err = l.s.lookup(l.op, l.dir.handle, e.name); err != nil && !isRefusal(err) {
			return err
		}
	}
	if e.attrs.kind != kindLink || e.handle == "" {
		return nil
	}
	if e.target, err = l.s.readLink(l.op, e.node); err != nil && !isRefusal(err) {
		return err
	}
	if e.leads = kindLink; e.target == "" || l.targets == maxTargets {
		return nil
	}
	l.targets++
	switch p, err := l.findTarget(l.dir, e.target); {
	case p.exports != nil:
		e.leads = kindDirectory
	case err == nil:
		e.leads = p.attrs.kind
	case l.s.failed != nil || l.s.conn.Context().Err() != nil:
		return err
	}
	return nil
}

// line returns the line of an entry.
func (l *listing) line(e *entry) protocols.Line {
	note := &protocols.FileNote{Size: e.attrs.length(), Modified: e.attrs.date(), Link: e.attrs.kind == kindLink, Target: e.target}
	if e.attrs.kind != 0 {
		note.Mode = protocols.FormatPermissions(e.attrs.mode)
		note.Owner, note.Group = strconv.Itoa(int(e.attrs.uid)), strconv.Itoa(int(e.attrs.gid))
	}
	shown := protocols.Other
	switch cmp.Or(e.leads, e.attrs.kind) {
	case kindDirectory:
		shown = protocols.Directory
	case kindRegular, kindLink, 0:
		shown = protocols.KindOfFile(e.name, note.Target)
	}
	return makeLine(l.t, e.name, note, shown)
}

// makeLine returns the line of an item in the directory of t.
func makeLine(t *target, name string, note *protocols.FileNote, kind protocols.Kind) protocols.Line {
	if !protocols.IsFileName(name) {
		return protocols.Line{Kind: protocols.Problem, Text: name[:min(len(name), protocols.MaxFileName)], Note: note}
	}
	line := protocols.Line{Kind: kind, Text: name, Note: note}
	u, err := t.url.Child(name)
	if err != nil {
		line.Kind = protocols.Problem
		return line
	}
	if line.Link = u; kind == protocols.Directory {
		line.Link = u.(urlcore.NFS).Directory()
	}
	return line
}
