package ftp

import (
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// listAll is LIST with the names that begin with a dot, if the server passes options to
// ls.
const listAll = "LIST -a"

// maxBeside is the size of a directory up to which LIST follows MLSD only to find the
// links that MLSD omits. It also bounds the links that wait for their targets.
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
	for _, line := range l.links {
		if e, ok := told[line.Text]; ok {
			line.Note.(*protocols.FileNote).Target = strings.Clone(e.target)
			line.Kind = kindOf(e)
		}
		if !yield(line, nil) {
			return false
		}
	}
	for _, name := range names {
		if missing && !l.listed[name] && !yield(l.entry(told[name], name), nil) {
			return false
		}
	}
	return true
}

// listLinks returns the symbolic links in LIST, and their names in its order. It ignores
// errors: the directory is complete without them.
func (l *lister) listLinks() (told map[string]entry, names []string) {
	if err := l.ask(listAll); err != nil {
		if code(err) < 400 || code(err) == 421 {
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
