package ftp

import (
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// maxDeferred is the maximal number of lines that are stored and yielded after the items: links without
// targets, and unparsed lines. In a larger directory, LIST is not sent just to find the links that MLSD
// omits.
const maxDeferred = 1000

// yieldLinks yields the links that MLSD lists without targets, and the links that MLSD omits,
// both with the targets from LIST. It returns false if the consumer wants no more.
func (l *lister) yieldLinks(yield func(protocols.Line, error) bool) bool {
	missing := l.verb == "MLSD" && l.t.s.OmitsDangling && l.items <= maxDeferred
	var found linkTargets
	if missing || len(l.links) > 0 {
		found = l.listLinks()
	}
	var listed map[string]bool
	if missing {
		listed = l.listedNames()
	}
	for i, line := range l.links {
		note := line.Note.(*protocols.FileNote)
		switch e, ok := found.entries[line.Text]; {
		case ok:
			note.Target, line.Kind = strings.Clone(e.target), kindOf(e)
		case l.uniques[i] == "":
		case l.uniques[i] == l.self: // a link to . or .., which LIST of ProFTPD omits
			note.Target = "."
		case l.uniques[i] == l.parent:
			note.Target = ".."
		}
		if !yield(line, nil) {
			return false
		}
	}
	for _, name := range found.names {
		if missing && !listed[name] && !yield(l.entryLine(found.entries[name], name), nil) {
			return false
		}
	}
	return true
}

// statAll lists the current directory in a reply (RFC 959, section 4.1.3). It takes one round trip, and LIST two.
const statAll = "STAT -a ."

// maxStat is the maximal size of the reply to statAll, in octets.
const maxStat = 1 << 20

// linkTargets are the symbolic links in LIST.
type linkTargets struct {
	entries map[string]entry // by name
	names   []string         // in the order of LIST
}

// add adds a link. It ignores other lines.
func (k *linkTargets) add(l *lister, line string) {
	e, class := parseLIST(line, l.now)
	if class != itemLine || e.kind != link || len(k.names) >= 2*maxDeferred {
		return
	}
	if k.entries == nil {
		k.entries = make(map[string]entry)
	}
	if _, ok := k.entries[e.name]; !ok {
		k.names = append(k.names, e.name)
	}
	k.entries[e.name] = e
}

// listLinks lists the links of the directory by STAT or LIST. It ignores errors, because the listing is usable without
// targets.
func (l *lister) listLinks() (links linkTargets) {
	if s := l.t.s; s.OmitsDangling && l.items <= maxDeferred && !s.server.current().NoSTAT {
		answer, err := l.t.awaitReply(l.t.s.statDirectory)
		s.server.learnSilence(statAll, err)
		switch {
		case err != nil:
			l.t.abort(nil)
			return links
		case answer.code == 212 || answer.code == 213:
			for _, line := range answer.lines {
				links.add(l, strings.TrimPrefix(line, " "))
			}
			return links
		}
		s.server.learn(func(h *habits) { h.NoSTAT = true })
	}
	if err := l.requestListing(listAll); err != nil {
		if !isRefusal(err) {
			l.t.abort(nil)
		}
		return links
	}
	in := wire.NewLineReader(l.t)
	long := false
	for lines := 0; ; lines++ {
		b, more, err := l.nextLine(in)
		if err != nil {
			return links
		}
		if lines > 2*l.items+maxDeferred {
			l.t.abort(nil)
			return links
		}
		if !more && !long {
			links.add(l, string(b))
		}
		long = more
	}
}

// statDirectory sends statAll and returns the reply.
func (s *session) statDirectory() (reply, error) {
	if err := s.receiveNextPort(); err != nil {
		return reply{}, err
	}
	if err := s.ctrl.send(statAll); err != nil {
		return reply{}, err
	}
	return s.ctrl.receiveReply(maxStat)
}
