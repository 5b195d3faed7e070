// Package newsrc reads and changes newsrc files. Newsreaders such as tin, slrn and rn record
// the subscribed groups and the read articles there:
//
//	comp.lang.go: 1-4711,4713
//	alt.test! 1-20
//
// A colon marks a subscribed group, an exclamation mark any other group.
//
// There is one file for each server. [Store.Change] applies a function to the file under a lock, so
// that several newsreaders can use one file. slrn reads the file when it starts and writes it when it
// exits. While slrn has its lock (.newsrc-lock), or the disk is full, the Store records a change in a
// file of gofer. The next change, Close or the next process writes it to the newsrc file.
package newsrc

import "strings"

// Group is the line of a group.
type Group struct {
	Name       string
	Subscribed bool
	Read       Numbers
}

// Unread returns how many of the server's article numbers from low to high are unread, but at most count, the
// number of articles by the server. The result is an estimate, because some numbers may have no article.
func (g Group) Unread(low, high, count uint64) uint64 {
	if low = max(low, 1); high < low {
		return 0
	}
	return min(high-low+1-g.Read.Count(low, high), count)
}

// mark returns the character after the name of the group.
func (g Group) mark() byte {
	if g.Subscribed {
		return ':'
	}
	return '!'
}

// File is the content of a newsrc file. Unchanged lines keep their octets.
type File struct {
	parsed string   // the text that was parsed
	lines  []string // including line ends
	byName map[string]int
}

// Parse parses a file. It accepts any text.
func Parse(data []byte) *File {
	f := &File{parsed: string(data), byName: make(map[string]int)}
	for s := range strings.Lines(f.parsed) {
		if name, _, _, ok := splitLine(s); ok {
			if _, twice := f.byName[name]; !twice {
				f.byName[name] = len(f.lines)
			}
		}
		f.lines = append(f.lines, s)
	}
	return f
}

// splitLine splits the line of a group into its parts.
func splitLine(line string) (name string, mark byte, numbers string, ok bool) {
	i := strings.IndexAny(line, ":!")
	if i <= 0 || strings.ContainsAny(line[:i], " \t\r\n") || strings.EqualFold(line[:i], "options") || line[0] == '#' {
		return "", 0, "", false
	}
	return line[:i], line[i], line[i+1:], true
}

// Bytes returns the content of the file.
func (f *File) Bytes() []byte {
	data := make([]byte, 0, len(f.parsed)+1<<10)
	for _, line := range f.lines {
		data = append(data, line...)
	}
	return data
}

// Groups returns the groups in the order of the file.
func (f *File) Groups() []Group {
	var list []Group
	for i, line := range f.lines {
		if name, _, _, ok := splitLine(line); ok && f.byName[name] == i {
			g, _ := f.Group(name)
			list = append(list, g)
		}
	}
	return list
}

// Group returns the line of a group. It returns false if there is none.
func (f *File) Group(name string) (Group, bool) {
	i, ok := f.byName[name]
	if !ok {
		return Group{Name: name}, false
	}
	_, mark, numbers, _ := splitLine(f.lines[i])
	read, _ := parseNumbers(numbers)
	return Group{name, mark == ':', read}, true
}

// Set replaces the line of a group, or appends it. It ignores a name whose line would be parsed as
// the line of another group. A server may send such a name.
func (f *File) Set(g Group) {
	if name, _, rest, ok := splitLine(g.Name + ":"); !ok || name != g.Name || rest != "" {
		return
	}
	i, known := f.byName[g.Name]
	line, end := g.Name+string(g.mark()), "\n"
	var rest []string
	if known {
		_, mark, numbers, _ := splitLine(f.lines[i])
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
