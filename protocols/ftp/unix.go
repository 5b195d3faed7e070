package ftp

import (
	"strings"
	"time"
)

// maxFields is the maximal number of fields that are searched for the date.
const maxFields = 16

// field is a blank-separated part of a line: line[start:end].
type field struct{ start, end int }

// splitFields returns the fields of line after offset, at most maxFields.
func splitFields(line string, offset int, buf *[maxFields]field) []field {
	out := buf[:0]
	for i := offset; i < len(line) && len(out) < maxFields; {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		start := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		if i > start {
			out = append(out, field{start, i})
		}
	}
	return out
}

// parseUnix parses a line of "ls -l" in any of its forms. The fields between permissions and size differ
// between servers: the link count, the owner and the group may be missing or have spaces. Therefore the
// first number that is directly before a date is the size. The name begins one space after the date.
func parseUnix(line string, now time.Time) (entry, lineClass) {
	kind, width, pad, ok := parsePermissions(line)
	if !ok {
		return entry{}, unknownLine
	}
	var buf [maxFields]field
	fs := splitFields(line, width, &buf)
	for _, strict := range [...]bool{true, false} {
		for i := range fs {
			f := line[fs[i].start:fs[i].end]
			if !looksLikeSize(f) {
				continue
			}
			modified, n := parseDate(line, fs[i+1:], now, strict)
			if n == 0 {
				continue
			}
			nameStart := fs[i+n].end + 1
			if modified.padded && nameStart < len(line) && line[nameStart] == ' ' {
				nameStart++
			}
			if nameStart >= len(line) {
				return entry{}, unknownLine
			}
			e := entry{name: line[nameStart:], kind: kind, size: parseSize(f), modified: modified.t, dateOnly: modified.dateOnly, local: modified.local, yearless: modified.yearless}
			if pad {
				e.name = strings.TrimLeft(e.name, " ")
			} else {
				e.mode = line[1:10]
				e.owner, e.group = parseOwners(line, fs[:i])
			}
			if i > 0 && line[fs[i-1].end-1] == ',' || strings.IndexByte(f, ',') > 0 {
				e.size = -1
			}
			e.trimName()
			return e, itemLine
		}
	}
	return entry{}, unknownLine
}

// parseOwners returns the owner and the group in fs, the fields between permissions and size, which may
// begin with the number of links. If there are not exactly two names, all of them are the owner.
func parseOwners(line string, fs []field) (owner, group string) {
	if n := len(fs); n > 0 && line[fs[n-1].end-1] == ',' {
		fs = fs[:n-1] // without the major number of a device
	}
	if len(fs) > 1 && parseNumber(line[fs[0].start:fs[0].end]) >= 0 {
		fs = fs[1:]
	}
	switch len(fs) {
	case 0:
		return "", ""
	case 2:
		return line[fs[0].start:fs[0].end], line[fs[1].start:fs[1].end]
	}
	return line[fs[0].start:fs[len(fs)-1].end], ""
}

// parsePermissions parses the first column, and returns its width. The result pad is true if the
// name may have additional spaces before it (NetWare).
func parsePermissions(line string) (kind entryKind, width int, pad, ok bool) {
	if len(line) < 10 {
		return 0, 0, false, false
	}
	switch line[0] {
	case '-':
		kind = file
	case 'd':
		kind = directory
	case 'l':
		kind = link
	case 'b', 'c', 'p', 's', 'D', 'n', 'w', '?':
		kind = special
	default:
		return 0, 0, false, false
	}
	if line[1] == ' ' && line[2] == '[' {
		bracket := strings.IndexByte(line, ']')
		return kind, bracket + 1, true, bracket > 0 && bracket <= 14
	}
	for i := 1; i < 10; i++ {
		switch line[i] {
		case '-', 'r', 'w', 'x', 's', 'S', 't', 'T', 'l', 'L', '?', '*', '+':
		default:
			return 0, 0, false, false
		}
	}
	return kind, 10, false, true
}

// trimName moves the target of a link from e.name to e.target, and removes the slash after the name of a
// directory.
func (e *entry) trimName() {
	const arrow = " -> "
	switch e.kind {
	case directory:
		if len(e.name) > 1 {
			e.name = strings.TrimSuffix(e.name, "/")
		}
	case link:
		i := strings.Index(e.name, arrow)
		if n := len(e.name) - int(min(e.size, int64(len(e.name)))); e.size > 0 && n > len(arrow) && e.name[n-len(arrow):n] == arrow {
			i = n - len(arrow)
		}
		if i > 0 {
			e.name, e.target = e.name[:i], e.name[i+len(arrow):]
		}
	}
}

// looksLikeSize reports whether s is a number, which may end with a unit, or the
// "major,minor" of a device.
func looksLikeSize(s string) bool {
	if s[0] < '0' || s[0] > '9' {
		return false
	}
	for i := 1; i < len(s); i++ {
		switch b := s[i]; {
		case b >= '0' && b <= '9', b == '.', b == ',':
		case i == len(s)-1 && strings.IndexByte("kKMGTPB", b) >= 0:
		default:
			return false
		}
	}
	return true
}
