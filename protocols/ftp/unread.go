package ftp

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// maxNamed bounds the names of a listing, and of NLST, that are compared.
const maxNamed = 20 * maxBeside

// maxUnread bounds the length of a line that is set aside.
const maxUnread = 1024

// setAside returns a function that keeps the lines that were not understood, and yields
// all others.
func (l *lister) setAside(yield func(protocols.Line, error) bool) func(protocols.Line, error) bool {
	return func(line protocols.Line, err error) bool {
		if err == nil && isUnread(line) && len(line.Text) <= maxUnread && len(l.unread) < maxBeside {
			l.unread = append(l.unread, line)
			return true
		}
		return yield(line, err)
	}
}

// isUnread reports whether line was not understood.
func isUnread(line protocols.Line) bool { return line.Kind == protocols.Problem && line.Note == nil }

// yieldUnread yields the lines that were set aside.
func (l *lister) yieldUnread(yield func(protocols.Line, error) bool) bool {
	for _, line := range l.unread {
		if !yield(line, nil) {
			return false
		}
	}
	l.unread = nil
	return true
}

// explain yields the lines that were set aside. It parses them again for the system in the
// reply to SYST (RFC 959, section 4.1.3), and opens the others by the names of NLST. It
// returns false if the consumer wants no more.
func (l *lister) explain(yield func(protocols.Line, error) bool) bool {
	if len(l.unread) == 0 && (l.items > 0 || l.problems == 0) {
		return true
	}
	if l.verb != "MLSD" {
		if answer, err := l.t.s.ctrl.command("SYST"); err == nil && answer.code == 215 {
			l.system = systemOf(text(answer))
			for i, line := range l.unread {
				if e, v := l.foreign(line.Text); v == item {
					l.unread[i] = l.entry(e, line.Text)
				}
			}
		}
	}
	if len(l.unread) > 0 && !slices.ContainsFunc(l.unread, isUnread) {
		return l.yieldUnread(yield)
	}
	defer l.begin(l.verb)
	err := l.ask("NLST")
	if isRefusal(err) {
		return l.yieldUnread(yield)
	}
	if err == nil {
		if err = l.openByName(yield); err == nil || errors.Is(err, io.EOF) {
			return err != nil
		}
	}
	if l.yieldUnread(yield) {
		l.t.abort(nil)
		yield(protocols.Line{}, err)
	}
	return false
}

// openByName reads the names of NLST. It yields the lines that were set aside, as items if
// they have a name, then the names without a line. It returns io.EOF at the end, and nil if
// the consumer wants no more.
func (l *lister) openByName(yield func(protocols.Line, error) bool) error {
	listed, items := l.listed(), l.items
	var names []string
	in := wire.NewLineReader(l.t)
	for long := false; len(names) < maxNamed; {
		b, more, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		name := string(b)
		if !more && !long && name != "" && name != "." && name != ".." && !listed[base(name)] && !listed[directoryVMS(name)] {
			names = append(names, name)
		}
		long = more
	}
	for i, name := range matchNames(l.unread, names) {
		listed[name] = true
		text := l.unread[i].Text
		if name == "" || items > 0 && text == name { // the rest of a name with a line end in it
			continue
		}
		if l.unread[i] = l.named(name); l.unread[i].Link != nil {
			l.unread[i].Text = text
		}
	}
	if !l.yieldUnread(yield) {
		return nil
	}
	for _, name := range names {
		if !listed[name] && (items == 0 || items < maxNamed && name[0] != '.') && !yield(l.named(name), nil) {
			return nil
		}
	}
	if items == 0 {
		return l.read(in, yield)
	}
	if len(names) == maxNamed {
		l.t.abort(nil)
	}
	return io.EOF
}

// named returns the line of an item without attributes.
func (l *lister) named(name string) protocols.Line {
	e := entry{name: name, size: -1}
	if dir := directoryVMS(name); dir != name {
		e.name, e.kind = dir, directory
	}
	return l.entry(e, name)
}

// listed returns the names of the items.
func (l *lister) listed() map[string]bool {
	listed := make(map[string]bool, len(l.names))
	for _, name := range l.names {
		listed[name] = true
	}
	return listed
}

// base returns the last name of a path of Unix or VMS.
func base(path string) string { return path[strings.LastIndexAny(path, "/]")+1:] }

// matchNames returns for each line the name in it, or "". Longer names are matched first. A
// line that ends with the name is preferred to one that begins with it, and that to others.
func matchNames(lines []protocols.Line, names []string) []string {
	const maxLines = 16 // with the same word
	words := strings.NewReplacer("\t", " ", ";", " ", "/", " ", "]", " ")
	texts, byWord := make([]string, len(lines)), make(map[string][]int)
	for i, line := range lines {
		texts[i] = " " + strings.TrimSpace(words.Replace(line.Text)) + " "
		for word := range strings.FieldsSeq(texts[i]) {
			if all := byWord[word]; len(all) < maxLines {
				byWord[word] = append(all, i)
			}
		}
	}
	found := make([]string, len(lines))
	for _, name := range slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		text := " " + strings.TrimSpace(words.Replace(base(name))) + " "
		first, _, _ := strings.Cut(text[1:], " ")
		best, rank := -1, 0
		for _, i := range byWord[first] {
			r := 0
			switch {
			case found[i] != "" || !strings.Contains(texts[i], text):
			case strings.HasSuffix(texts[i], text):
				r = 3
			case strings.HasPrefix(texts[i], text):
				r = 2
			default:
				r = 1
			}
			if r > rank {
				best, rank = i, r
			}
		}
		if best >= 0 {
			found[best] = name
		}
	}
	return found
}
