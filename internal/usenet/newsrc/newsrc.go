// Package newsrc reads and changes the files in which newsreaders remember the groups
// that a user has subscribed to and the articles that have been read, as tin, slrn
// and rn do:
//
//	comp.lang.go: 1-4711,4713
//	alt.test! 1-20
//
// A colon is a group that is subscribed, an exclamation mark one that is not.
//
// There is one file for each server. A change is a function of the file as it is
// under the lock, so that several newsreaders can use one file. slrn writes at its
// end the file that it read at its start; while it holds its own lock (.newsrc-lock),
// or the disk is full, a change is kept in a file of gofer's. The next change, the
// end or the next start of the program writes it to the newsrc file.
package newsrc

import "strings"

// Group is what a file says of a group.
type Group struct {
	Name       string
	Subscribed bool
	Read       Numbers
}

// Unread returns how many numbers from low to high, the server's, are not read: an
// estimate, because some may have no article.
func (g Group) Unread(low, high uint64) uint64 {
	if low = max(low, 1); high < low {
		return 0
	}
	return high - low + 1 - g.Read.Count(low, high)
}

// mark returns the character after the name of the group.
func (g Group) mark() byte {
	if g.Subscribed {
		return ':'
	}
	return '!'
}

// File is the content of a file. Lines that are not changed keep their octets.
type File struct {
	parsed string   // what was read
	lines  []string // with their ends
	byName map[string]int
}

// Parse reads a file; there is none that it does not take.
func Parse(data []byte) *File {
	f := &File{parsed: string(data), byName: make(map[string]int)}
	for s := range strings.Lines(f.parsed) {
		if name, _, _, ok := split(s); ok {
			if _, twice := f.byName[name]; !twice {
				f.byName[name] = len(f.lines)
			}
		}
		f.lines = append(f.lines, s)
	}
	return f
}

// split takes the line of a group apart.
func split(line string) (name string, mark byte, numbers string, ok bool) {
	i := strings.IndexAny(line, ":!")
	if i <= 0 || strings.ContainsAny(line[:i], " \t\r\n") || strings.EqualFold(line[:i], "options") || line[0] == '#' {
		return "", 0, "", false
	}
	return line[:i], line[i], line[i+1:], true
}

// Bytes is the content of the file.
func (f *File) Bytes() []byte {
	data := make([]byte, 0, len(f.parsed)+1<<10)
	for _, line := range f.lines {
		data = append(data, line...)
	}
	return data
}

// Groups returns the groups of the file in their order.
func (f *File) Groups() []Group {
	var list []Group
	for i, line := range f.lines {
		if name, _, _, ok := split(line); ok && f.byName[name] == i {
			g, _ := f.Group(name)
			list = append(list, g)
		}
	}
	return list
}

// Group returns what the file says of a group; false if it does not know it.
func (f *File) Group(name string) (Group, bool) {
	i, ok := f.byName[name]
	if !ok {
		return Group{Name: name}, false
	}
	_, mark, numbers, _ := split(f.lines[i])
	read, _ := parseNumbers(numbers)
	return Group{name, mark == ':', read}, true
}

// Set writes the line of a group, a new one at the end. It ignores a name, as a server may
// send it, whose line would be read as that of another group.
func (f *File) Set(g Group) {
	if name, _, rest, ok := split(g.Name + ":"); !ok || name != g.Name || rest != "" {
		return
	}
	i, known := f.byName[g.Name]
	line, end := g.Name+string(g.mark()), "\n"
	var rest []string
	if known {
		_, mark, numbers, _ := split(f.lines[i])
		old, unread := parseNumbers(numbers)
		if rest = unread; mark == g.mark() && old.String() == g.Read.String() {
			return
		}
		end = f.lines[i][len(strings.TrimRight(f.lines[i], "\r\n")):]
	} else if n := len(f.lines); n > 0 {
		last := f.lines[n-1]
		if strings.HasSuffix(last, "\r\n") {
			end = "\r\n"
		} else if !strings.HasSuffix(last, "\n") {
			f.lines[n-1] += end
		}
	}
	if text := g.Read.String(); text != "" {
		rest = append([]string{text}, rest...)
	}
	if len(rest) > 0 {
		line += " " + strings.Join(rest, ",")
	}
	if line += end; known {
		f.lines[i] = line
		return
	}
	f.byName[g.Name] = len(f.lines)
	f.lines = append(f.lines, line)
}
