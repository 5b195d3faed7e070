package ftp

import (
	"errors"
	"io"
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxLine bounds a line of a listing. Longer than wire.MaxLine it comes in
// pieces that nobody understands; longer than this it is an attack. So are as
// many octets in a row of lines that show nothing.
const maxLine = 16 << 20

// lister turns the octets of a listing into lines with links.
type lister struct {
	t       *transfer
	verb    string
	parse   parser
	message []string
	now     time.Time

	dir    urlcore.FTP // the items' URL but for the name and type
	prefix string      // of the items' encoded path
	vms    string      // a name that a VMS server put on a line of its own

	undated         undated
	items, problems int
	dots            bool              // the directory itself was in it
	listed          map[string]bool   // the names of the items, up to maxBeside
	links           []protocols.Line  // to what is not told; they come last
	names           map[string]string // of modes, owners and groups
}

// maxNames bounds the modes, owners and groups of which one copy is kept.
const maxNames = 1000

// kept is s without the line that it is a part of; lines share it.
func (l *lister) kept(s string) string {
	if name, ok := l.names[s]; ok || s == "" {
		return name
	}
	s = strings.Clone(s)
	if l.names == nil {
		l.names = make(map[string]string)
	}
	if len(l.names) < maxNames {
		l.names[s] = s
	}
	return s
}

func newLister(r *request, now time.Time) (*lister, error) {
	const name = "x"
	u, err := r.url.With(r.cwds, name, 0)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "name the directory", Err: err}
	}
	return &lister{dir: u, prefix: strings.TrimSuffix(u.Path, name), now: now}, nil
}

// url returns the URL of an item: directories have ;type=d, what else there is
// has no type, so that a link to a directory opens too.
func (l *lister) url(name string, dir bool) (urlcore.FTP, error) {
	var typ byte
	if dir {
		typ = 'd'
	}
	u, err := l.dir.With(nil, name, typ)
	u.Path = l.prefix + u.Path
	return u, err
}

// lines yields the server's message and then each item as it comes.
func (l *lister) lines(yield func(protocols.Line, error) bool) {
	if !l.announce(yield) {
		return
	}
	held := l.hold(yield)
	for {
		err := l.read(wire.NewLineReader(l.t), held)
		if err == nil {
			return
		}
		if !errors.Is(err, io.EOF) {
			l.t.abort(nil)
			held(protocols.Line{}, err)
			return
		}
		verb := l.other()
		if verb == "" {
			break
		}
		if err := l.ask(verb); err != nil {
			if code(err) < 400 || code(err) == 421 {
				l.t.abort(nil)
				held(protocols.Line{}, err)
				return
			}
			break
		}
	}
	l.learnNow()
	if l.release(yield) && l.yieldLinks(yield) {
		l.t.release()
	}
}

// begin reads what verb brings from now on.
func (l *lister) begin(verb string) { l.verb, l.parse = verb, parserOf(verb) }

// ask asks the server once more.
func (l *lister) ask(verb string) error {
	resp, err := l.t.s.listing(verb)
	if err == nil {
		l.t.resp, l.t.err, l.t.got = resp, nil, 0
		l.begin(verb)
	}
	return err
}

// other is what to ask for when a listing has brought nothing: a server may take
// the option for a name, or have a format of its own. It is "" if there is
// nothing else.
func (l *lister) other() string {
	switch {
	case l.items > 0:
	case l.verb == listAll && !l.dots:
		return "LIST"
	case l.verb == "LIST" && l.problems > 0:
		return "NLST"
	}
	return ""
}

// empty yields the message alone.
func (l *lister) empty(yield func(protocols.Line, error) bool) { l.announce(yield) }

func (l *lister) announce(yield func(protocols.Line, error) bool) bool {
	for _, text := range l.message {
		if !yield(protocols.Line{Kind: protocols.Info, Text: text}, nil) {
			return false
		}
	}
	return true
}

// read yields the lines of one data connection. It returns nil if the consumer
// wants no more, io.EOF at the good end.
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
				whole := l.vms + text
				if _, verdict := parseVMS(whole, l.now); verdict == item && text[0] == ' ' {
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

// line makes one line of the page. ok is false if there is nothing to show.
func (l *lister) line(text string) (line protocols.Line, ok bool) {
	e, verdict := l.parse(text, l.now)
	switch verdict {
	case skip:
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
		l.links = append(l.links, line)
		return line, false
	}
	return line, true
}

// entry makes the line of an item, which came as text.
func (l *lister) entry(e entry, text string) protocols.Line {
	if e.kind == directory || e.kind == link {
		e.size = -1 // of the directory's or link's own octets: no use to anybody
	}
	note := &protocols.FileNote{
		Size: e.size, Modified: e.modified, DateOnly: e.dateOnly, Local: e.local,
		Mode: l.kept(e.mode), Owner: l.kept(e.owner), Group: l.kept(e.group), Target: strings.Clone(e.target),
	}
	if e.yearless && !e.modified.IsZero() {
		l.undated.note(&e, note)
	}
	line := protocols.Line{Kind: protocols.Problem, Text: strings.Clone(e.name), Note: note}
	u, err := l.url(e.name, e.kind == directory)
	if err != nil || e.name == "" || wire.Check("name", e.name) != nil {
		l.problems++
		if e.name == "" {
			line.Text = text
		}
		return line
	}
	if l.items++; l.items <= maxBeside && l.verb == "MLSD" {
		if l.listed == nil {
			l.listed = make(map[string]bool)
		}
		l.listed[line.Text] = true
	}
	line.Link = u
	line.Kind = kindOf(e)
	return line
}
