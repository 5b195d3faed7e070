package ftp

import (
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// listAll is LIST with the names that begin with a dot, where a server passes
// options on to ls.
const listAll = "LIST -a"

// maxBeside is how many items a directory has at most of which LIST is asked
// beside MLSD only for links that nobody has named, and how many links to what
// MLSD does not tell wait for it.
const maxBeside = 1000

// yieldLinks yields the links whose targets MLSD has not told, and those that it
// has left out, as LIST tells of them. It returns false if the consumer wants no
// more.
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

// listLinks returns the symbolic links that LIST tells of, and their names in
// its order. What the server does not tell is no error: the directory has come.
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
