package newsrc

import (
	"bytes"
	"strings"
)

// edit is a change that is not written yet. In a file it is a line, for example
// "comp.lang.go + 4711-4713". '+' marks the numbers as read, and '-' marks them as unread.
// ':' subscribes to the group, and '!' unsubscribes from it.
type edit struct {
	group   string
	op      byte
	numbers Numbers
}

func (e edit) String() string {
	return strings.TrimRight(e.group+" "+string(e.op)+" "+e.numbers.String(), " ")
}

// parseEdits parses the lines of a file. It skips invalid lines.
func parseEdits(data []byte) (list []edit) {
	for line := range bytes.Lines(data) {
		group, rest, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		op, numbers, _ := strings.Cut(rest, " ")
		if _, _, _, ok := splitLine(group + ":"); !ok || len(op) != 1 || strings.Trim(op, "+-:!") != "" {
			continue
		}
		read, _ := parseNumbers(numbers)
		list = append(list, edit{group, op[0], read})
	}
	return list
}

func editsText(list []edit) []byte {
	var b []byte
	for _, e := range list {
		b = append(append(b, e.String()...), '\n')
	}
	return b
}

// apply makes the changes of a list. It joins changes of the same kind that follow each other in a group
// before it makes them, because a group may have a change for each of its articles.
func (f *File) apply(list []edit) {
	byGroup := make(map[string][]edit)
	var names []string // in the order of the list, in which new groups are appended
	for _, e := range list {
		if byGroup[e.group] == nil {
			names = append(names, e.group)
		}
		byGroup[e.group] = append(byGroup[e.group], e)
	}
	for _, name := range names {
		g, _ := f.Group(name)
		for edits := byGroup[name]; len(edits) > 0; {
			op, n, numbers := edits[0].op, 0, Numbers(nil)
			for ; n < len(edits) && edits[n].op == op; n++ {
				numbers = append(numbers, edits[n].numbers...)
			}
			edits = edits[n:]
			switch op {
			case '+':
				g.Read = g.Read.Union(numbers)
			case '-':
				g.Read = g.Read.Subtract(union(numbers))
			default:
				g.Subscribed = op == ':'
			}
		}
		f.Set(g)
	}
}

// editsTo returns the changes that turn f into target.
func (f *File) editsTo(target *File) (list []edit) {
	for _, g := range target.Groups() {
		old, known := f.Group(g.Name)
		if old.Subscribed != g.Subscribed || !known && len(g.Read) == 0 {
			list = append(list, edit{group: g.Name, op: g.mark()})
		}
		if more := g.Read.Subtract(old.Read); len(more) > 0 {
			list = append(list, edit{g.Name, '+', more})
		}
		if fewer := old.Read.Subtract(g.Read); len(fewer) > 0 {
			list = append(list, edit{g.Name, '-', fewer})
		}
	}
	return list
}
