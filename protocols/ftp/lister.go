package ftp

import (
	"errors"
	"io"
	"path"
	"strings"
	"time"
	"unique"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxLine bounds a line of a listing, and a row of lines that show nothing. A line longer
// than wire.MaxLine is split into pieces; more than maxLine is an attack.
const maxLine = 16 << 20

// lister turns the octets of a listing into lines with links.
type lister struct {
	t       *transfer
	verb    string
	parse   parser
	message []string
	now     time.Time

	dir    urlcore.FTP // the URL of the items without name and type
	prefix string      // of the items' encoded path
	vms    string      // a name that a VMS server put on a separate line

	family *family // of the last line that parse did not understand
	system string  // of a family, as SYST says, or ""
	head   string  // the line above the items, of a family, or ""

	undated         undated
	items, problems int
	dots            bool             // the directory itself was listed
	names           []string         // of all items, up to maxNamed
	unread          []protocols.Line // lines that were not understood, up to maxBeside; they come after the items
	links           []protocols.Line // without targets; they come last
	uniques         []string         // the unique facts of links
	self, parent    string           // the unique facts of this directory and its parent
}

// shared returns a copy of s that lines share: modes, owners and groups repeat.
func shared(s string) string { return unique.Make(s).Value() }

func newLister(r *request, now time.Time) (*lister, error) {
	const name = "x"
	u, err := r.url.With(r.cwds, name, 0)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "name the directory", Err: err}
	}
	return &lister{dir: u, prefix: strings.TrimSuffix(u.Path, name), now: now}, nil
}

// url returns the URL of an item. Only directories have a type, ;type=d, so that a link
// to a directory opens too.
func (l *lister) url(name string, dir bool) (urlcore.FTP, error) {
	var typ byte
	if dir {
		typ = 'd'
	}
	u, err := l.dir.With(nil, name, typ)
	u.Path = l.prefix + u.Path
	return u, err
}

// lines yields the server's message and then each item as it arrives.
func (l *lister) lines(yield func(protocols.Line, error) bool) {
	if !l.announce(yield) {
		return
	}
	held := l.hold(yield)
	said := ""
	for {
		err := l.read(wire.NewLineReader(l.t), l.setAside(held))
		if err == nil {
			return
		}
		if !errors.Is(err, io.EOF) {
			l.t.abort(nil)
			if l.yieldUnread(held) {
				held(protocols.Line{}, err)
			}
			return
		}
		verb := l.other()
		if said = text(l.t.s.shim.last); verb == "" {
			break
		}
		if err := l.ask(verb); err != nil {
			if !isRefusal(err) {
				l.t.abort(nil)
				held(protocols.Line{}, err)
				return
			}
			break
		}
	}
	if !l.explain(held) {
		return
	}
	l.learnNow()
	// Pure-FTPd limits the number of items ("226 Output truncated to 10000 matches").
	cut := strings.Contains(strings.ToLower(said), "truncated")
	if l.release(yield) && l.yieldLinks(yield) && (!cut || yield(protocols.Line{Kind: protocols.Failure, Text: said}, nil)) {
		l.t.release()
	}
}

// begin prepares for the lines of verb.
func (l *lister) begin(verb string) { l.verb, l.parse = verb, parserOf(verb) }

// ask sends another command for a listing.
func (l *lister) ask(verb string) error {
	resp, err := l.t.s.listing(verb)
	if err == nil {
		l.t.resp, l.t.err, l.t.got = resp, nil, 0
		l.begin(verb)
	}
	return err
}

// other returns the command to send if a listing had no items, or "": a server may take
// the option for a name.
func (l *lister) other() string {
	if l.items == 0 && l.verb == listAll && !l.dots {
		return "LIST"
	}
	return ""
}

func (l *lister) announce(yield func(protocols.Line, error) bool) bool {
	for _, text := range l.message {
		if !yield(protocols.Line{Kind: protocols.Info, Text: text}, nil) {
			return false
		}
	}
	return true
}

// read yields the lines of one data connection. It returns nil if the consumer wants no
// more, and io.EOF at the end.
func (l *lister) read(in *wire.LineReader, yield func(protocols.Line, error) bool) error {
	tooBig := &protocols.Error{Reason: protocols.TooBig, Op: "receive the directory"}
	long, hidden := 0, 0 // octets of a long line, and of lines that are not shown
	for {
		b, more, err := in.Next()
		if err != nil {
			if l.vms != "" && !yield(l.problem(l.vms), nil) {
				return nil
			}
			l.vms = ""
			return err
		}
		var line protocols.Line
		ok := true
		switch {
		case more || long > 0:
			if long += len(b); long > maxLine {
				return tooBig
			}
			line = l.problem(string(b))
			if !more {
				long = 0
			}
		default:
			text := string(b)
			if l.vms != "" {
				if whole, ok := l.joinVMS(text); ok {
					text = whole
				} else if !yield(l.problem(l.vms), nil) {
					return nil
				}
				l.vms = ""
			}
			line, ok = l.line(text)
		}
		if !ok {
			if hidden += len(b) + len("\r\n"); hidden > maxLine {
				return tooBig
			}
			continue
		}
		if hidden = 0; !yield(line, nil) {
			return nil
		}
	}
}

func (l *lister) problem(text string) protocols.Line {
	l.problems++
	return protocols.Line{Kind: protocols.Problem, Text: text}
}

// line parses a line of the listing. ok is false if there is nothing to show.
func (l *lister) line(text string) (line protocols.Line, ok bool) {
	e, verdict := l.understand(text)
	switch verdict {
	case skip:
		switch e.name {
		case ".":
			l.self = e.unique
		case "..":
			l.parent = e.unique
		}
		return line, false
	case half:
		l.vms = text
		return line, false
	case info:
		return protocols.Line{Kind: protocols.Info, Text: text}, true
	case unknown:
		return l.problem(text), true
	}
	if e.name == "." || e.name == ".." {
		l.dots = true
		return line, false
	}
	line = l.entry(e, text)
	if l.verb == "MLSD" && e.kind == link && e.target == "" && line.Link != nil && len(l.links) < maxBeside {
		l.links, l.uniques = append(l.links, line), append(l.uniques, e.unique)
		return line, false
	}
	return line, true
}

// understand parses a line.
func (l *lister) understand(text string) (entry, verdict) {
	e, verdict := l.parse(text, l.now)
	if verdict == unknown && (l.verb == "LIST" || l.verb == listAll) {
		return l.foreign(text)
	}
	return e, verdict
}

// joinVMS returns the line of an item whose name is in the line before.
func (l *lister) joinVMS(rest string) (whole string, ok bool) {
	sized := strings.TrimLeft(rest, " \t")
	if sized == "" || sized[0] > '9' || strings.Contains(rest, ";") {
		return "", false
	}
	whole = l.vms + " " + sized
	_, v := l.understand(whole)
	return whole, v == item
}

// entry returns the line of an item.
func (l *lister) entry(e entry, text string) protocols.Line {
	if e.kind == directory || e.kind == link {
		e.size = -1 // the size of the directory or link itself is useless
	}
	note := &protocols.FileNote{
		Size: e.size, Modified: e.modified, DateOnly: e.dateOnly, Local: e.local,
		Mode: shared(e.mode), Owner: shared(e.owner), Group: shared(e.group), Target: strings.Clone(e.target),
	}
	if e.yearless && !e.modified.IsZero() {
		l.undated.note(&e, note)
	}
	line := protocols.Line{Kind: protocols.Problem, Text: strings.Clone(e.name), Note: note}
	if len(l.names) < maxNamed && e.name != "" {
		l.names = append(l.names, line.Text)
	}
	u, err := l.url(e.name, e.kind == directory)
	if err != nil || e.name == "" || wire.Check("name", e.name) != nil {
		l.problems++
		if e.name == "" {
			line.Text = text
		}
		return line
	}
	l.items++
	line.Link = u
	line.Kind = kindOf(e)
	return line
}

// kindOf returns the kind of an entry: its type in the listing, or else the kind of its
// suffix, or of the suffix of a link's target.
func kindOf(e entry) protocols.Kind {
	switch e.kind {
	case directory:
		return protocols.Directory
	case special:
		return protocols.Other
	}
	if _, kind := protocols.BySuffix(e.name); kind != protocols.Other {
		return kind
	}
	if e.kind == link && e.target != "" {
		_, kind := protocols.BySuffix(path.Base(e.target))
		return kind
	}
	if e.kind == file {
		return protocols.Binary
	}
	return protocols.Other
}

// listAll is LIST with the names that begin with a dot, if the server passes options to
// ls.
const listAll = "LIST -a"

// maxBeside is the largest size of a directory for which LIST is sent after MLSD only to find the
// links that MLSD omits. It is also the largest number of links that wait for their targets.
const maxBeside = 1000

// yieldLinks yields the links whose targets MLSD does not have, and those that it omits,
// with the targets of LIST. It returns false if the consumer wants no more.
func (l *lister) yieldLinks(yield func(protocols.Line, error) bool) bool {
	missing := l.verb == "MLSD" && l.t.s.hidesDangling && l.items <= maxBeside
	var told map[string]entry
	var names []string
	if missing || len(l.links) > 0 {
		told, names = l.listLinks()
	}
	var listed map[string]bool
	if missing {
		listed = l.listed()
	}
	for i, line := range l.links {
		note := line.Note.(*protocols.FileNote)
		switch e, ok := told[line.Text]; {
		case ok:
			note.Target, line.Kind = strings.Clone(e.target), kindOf(e)
		case l.uniques[i] == "":
		case l.uniques[i] == l.self: // ProFTPD's LIST omits links to . and ..
			note.Target = "."
		case l.uniques[i] == l.parent:
			note.Target = ".."
		}
		if !yield(line, nil) {
			return false
		}
	}
	for _, name := range names {
		if missing && !listed[name] && !yield(l.entry(told[name], name), nil) {
			return false
		}
	}
	return true
}

// listLinks returns the symbolic links in LIST, and their names in its order. It ignores
// errors: the directory is complete without them.
func (l *lister) listLinks() (told map[string]entry, names []string) {
	if err := l.ask(listAll); err != nil {
		if !isRefusal(err) {
			l.t.abort(nil)
		}
		return nil, nil
	}
	told = make(map[string]entry)
	in := wire.NewLineReader(l.t)
	long := false
	for lines := 0; ; lines++ {
		b, more, err := in.Next()
		if err != nil {
			return told, names
		}
		if lines > 2*l.items+maxBeside {
			l.t.abort(nil)
			return told, names
		}
		if e, verdict := l.parse(string(b), l.now); verdict == item && e.kind == link && !more && !long && len(told) < 2*maxBeside {
			if _, ok := told[e.name]; !ok {
				names = append(names, e.name)
			}
			told[e.name] = e
		}
		long = more
	}
}
