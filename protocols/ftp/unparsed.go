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

// maxNames is the maximal number of names of a listing, and of names in NLST, that are stored for
// comparison.
const maxNames = 20 * maxDeferred

// maxUnparsed is the maximal length of a line that setAside stores, in octets.
const maxUnparsed = 1024

// setAside returns a yield function that stores unparsed lines in l.unparsed, and yields all other lines.
func (l *lister) setAside(yield func(protocols.Line, error) bool) func(protocols.Line, error) bool {
	return func(line protocols.Line, err error) bool {
		if err == nil && isUnparsed(line) && len(line.Text) <= maxUnparsed && len(l.unparsed) < maxDeferred {
			l.unparsed = append(l.unparsed, line)
			return true
		}
		return yield(line, err)
	}
}

// isUnparsed reports whether line is in no known format.
func isUnparsed(line protocols.Line) bool { return line.Kind == protocols.Problem && line.Note == nil }

// yieldUnparsed yields the lines in l.unparsed. It returns false if the consumer wants no more.
func (l *lister) yieldUnparsed(yield func(protocols.Line, error) bool) bool {
	for _, line := range l.unparsed {
		if !yield(line, nil) {
			return false
		}
	}
	l.unparsed = nil
	return true
}

// resolveUnparsed yields the lines in l.unparsed. The reply to SYST names the system of the server (RFC 959,
// section 4.1.3), and resolveUnparsed first parses the lines again in the formats of this system. It compares
// lines that are still unparsed with the names in NLST. It returns false if the consumer wants no more, or
// after it has yielded an error.
func (l *lister) resolveUnparsed(yield func(protocols.Line, error) bool) bool {
	if len(l.unparsed) == 0 && (l.items > 0 || l.problems == 0) {
		return true
	}
	if l.verb != "MLSD" {
		if answer, err := l.t.s.ctrl.roundTrip("SYST"); err == nil && answer.code == 215 {
			l.system = systemOf(replyText(answer))
			for i, line := range l.unparsed {
				if e, v := l.parseForeign(line.Text); v == itemLine {
					l.unparsed[i] = l.entryLine(e, line.Text)
				}
			}
		}
	}
	if len(l.unparsed) > 0 && !slices.ContainsFunc(l.unparsed, isUnparsed) {
		return l.yieldUnparsed(yield)
	}
	defer l.setVerb(l.verb)
	err := l.requestListing("NLST")
	if isRefusal(err) {
		return l.yieldUnparsed(yield)
	}
	if err == nil {
		if err = l.openByName(yield); err == nil || errors.Is(err, io.EOF) {
			return err != nil
		}
	}
	if l.yieldUnparsed(yield) {
		l.t.abort(nil)
		yield(protocols.Line{}, err)
	}
	return false
}

// openByName reads the names in NLST and yields the lines in l.unparsed: as items if a name
// matches, else unchanged. It then yields items for the names that match no line. It returns
// io.EOF at the end, and nil if the consumer wants no more.
func (l *lister) openByName(yield func(protocols.Line, error) bool) error {
	listed, items := l.listedNames(), l.items
	var names []string
	in := wire.NewLineReader(l.t)
	for long := false; len(names) < maxNames; {
		b, more, err := l.nextLine(in)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		name := string(b)
		if !more && !long && name != "" && name != "." && name != ".." && !listed[lastSegment(name)] && !listed[trimVMSDirectory(name)] {
			names = append(names, name)
		}
		long = more
	}
	for i, name := range matchNames(l.unparsed, names) {
		listed[name] = true
		text := l.unparsed[i].Text
		if name == "" || items > 0 && text == name { // no name fits, or the name contained a line end and this line is a part of it
			continue
		}
		if l.unparsed[i] = l.newItem(name); l.unparsed[i].Link != nil {
			l.unparsed[i].Text = text
		}
	}
	if !l.yieldUnparsed(yield) {
		return nil
	}
	for _, name := range names {
		if !listed[name] && (items == 0 || items < maxNames && name[0] != '.') && !yield(l.newItem(name), nil) {
			return nil
		}
	}
	if items == 0 {
		return l.readLines(in, yield)
	}
	if len(names) == maxNames {
		l.t.abort(nil)
	}
	return io.EOF
}

// newItem returns the line of an item whose name is known, but nothing else.
func (l *lister) newItem(name string) protocols.Line {
	e := entry{name: name, size: -1}
	if dir := trimVMSDirectory(name); dir != name {
		e.name, e.kind = dir, directory
	}
	return l.entryLine(e, name)
}

// listedNames returns the names of the items.
func (l *lister) listedNames() map[string]bool {
	listed := make(map[string]bool, len(l.names))
	for _, name := range l.names {
		listed[name] = true
	}
	return listed
}

// lastSegment returns the last segment of a path of Unix or VMS.
func lastSegment(path string) string { return path[strings.LastIndexAny(path, "/]")+1:] }

// matchNames returns, for each line, the name found in it, or "". Longer names are looked for first. A name
// matches at most one line. This is a line that ends with the name, else a line that begins with the name,
// else any line that contains the name.
func matchNames(lines []protocols.Line, names []string) []string {
	const maxLines = 16 // the maximal number of lines with the same word that are compared with a name
	words := strings.NewReplacer("\t", " ", ";", " ", "/", " ", "]", " ")
	texts, byWord := make([]string, len(lines)), make(map[string][]int)
	for i, line := range lines {
		texts[i] = " " + strings.TrimSpace(words.Replace(line.Text)) + " "
		for word := range strings.FieldsSeq(texts[i]) {
			if indexes := byWord[word]; len(indexes) < maxLines {
				byWord[word] = append(indexes, i)
			}
		}
	}
	found := make([]string, len(lines))
	for _, name := range slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		text := " " + strings.TrimSpace(words.Replace(lastSegment(name))) + " "
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
