package ftp

import (
	"math"
	"strconv"
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
	start := skipNumbers(line)
	kind, width, pad, ok := parsePermissions(line[start:])
	if !ok {
		return entry{}, unknownLine
	}
	isFull := width == fullWidth && !pad
	var buf [maxFields]field
	fs := splitFields(line, start+width, &buf)
	for _, strict := range [...]bool{true, false} {
		for i := range fs {
			f := line[fs[i].start:fs[i].end]
			size, rounded, ok := parseListedSize(f)
			if !ok {
				continue
			}
			modified, n := parseDate(line, fs[i+1:], now, strict)
			if n == 0 {
				continue
			}
			if !isFull {
				n += modified.addClock(line, fs[i+1+n:])
			}
			nameStart := fs[i+n].end + 1
			if modified.padded && nameStart < len(line) && line[nameStart] == ' ' {
				nameStart++
			}
			if nameStart >= len(line) {
				return entry{}, unknownLine
			}
			e := entry{name: line[nameStart:], kind: kind, size: size, rounded: rounded, modified: modified.t, dateOnly: modified.dateOnly, local: modified.local, yearless: modified.yearless}
			if !isFull {
				e.name = strings.TrimLeft(e.name, " ")
			} else {
				e.mode = line[start+1 : start+fullWidth]
			}
			if !pad {
				e.owner, e.group = parseOwners(line, fs[:i])
			}
			if kind == special && strings.IndexByte(f, ',') > 0 || i > 0 && line[fs[i-1].end-1] == ',' {
				e.size = -1
			}
			e.trimName()
			return e, itemLine
		}
	}
	return entry{}, unknownLine
}

// skipNumbers returns the offset of the permissions in a line: after blanks, and at most two numbers, such as the
// file serial number and the number of blocks of "ls -is".
func skipNumbers(line string) int {
	i := 0
	for range 3 {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		end := i
		for end < len(line) && line[end] >= '0' && line[end] <= '9' {
			end++
		}
		if end == i || end == len(line) || line[end] != ' ' {
			break
		}
		i = end
	}
	return i
}

// addClock adds the time of day to a date with a year if fs, the next fields of line, begin with a time that has
// seconds (Cisco). A zone may follow. It returns the number of fields.
func (d *date) addClock(line string, fs []field) int {
	if !d.dateOnly || len(fs) < 2 {
		return 0
	}
	h, m, s, ok := parseClock(line[fs[0].start:fs[0].end])
	if !ok || fs[0].end-fs[0].start < len("0:00:00") {
		return 0
	}
	d.t, d.dateOnly, d.local = d.t.Add(time.Duration(h*3600+m*60+s)*time.Second), false, true
	zone := line[fs[1].start:fs[1].end]
	if _, _, _, ok := parseClock(strings.TrimLeft(zone, "+-")); !ok || zone[0] >= '0' || len(fs) < 3 {
		return 1
	}
	return 2
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

// fullWidth is the width of a column with the kind and nine permissions.
const fullWidth = 10

// parsePermissions parses the first column, and returns its width. Some systems have fewer than nine
// permissions. The result pad is true if the permissions are in brackets (NetWare); the name may then have
// additional spaces before it.
func parsePermissions(line string) (kind entryKind, width int, pad, ok bool) {
	if len(line) < fullWidth {
		return 0, 0, false, false
	}
	switch line[0] {
	case '-', 'f', 'F', 'm', 'M', 'C':
		kind = file
	case 'd':
		kind = directory
	case 'l':
		kind = link
	case 'b', 'c', 'p', 's', 'D', 'P', 'n', 'w', '?':
		kind = special
	default:
		return 0, 0, false, false
	}
	if line[1] == '[' || line[1] == ' ' && line[2] == '[' {
		bracket := strings.IndexByte(line, ']')
		return kind, bracket + 1, true, bracket > 0 && bracket <= 14
	}
	for width = 1; width < fullWidth; width++ {
		switch b := line[width]; b {
		case '-', 'r', 'w', 'x', 's', 'S', 't', 'T', 'l', 'L', '?', '*', '+':
		default:
			return kind, width, false, width > 3 && (b == ' ' || b == '\t')
		}
	}
	return kind, width, false, true
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

// parseListedSize parses a size: octets, perhaps with separators of thousands, or a number with a unit such as
// "33.5k", which is rounded. The size is -1 if s is another number, such as the "major,minor" of a device.
func parseListedSize(s string) (size int64, rounded, ok bool) {
	if s == "" || len(s) > 40 || s[0] < '0' || s[0] > '9' {
		return 0, false, false
	}
	number := strings.TrimRight(s, "kKMGTPEiB")
	if strings.Trim(number, "0123456789.,") != "" {
		return 0, false, false
	}
	groups := strings.FieldsFunc(number, func(r rune) bool { return r == '.' || r == ',' })
	switch unit := s[len(number):]; {
	case unit == "", unit == "B":
		for _, group := range groups[1:] {
			if len(group) != 3 {
				return -1, false, true
			}
		}
		return parseSize(strings.Join(groups, "")), false, true
	case len(unit) > 1 && unit[1:] != "B" && unit[1:] != "iB", unit[0] == 'i':
		return 0, false, false
	default:
		n, err := strconv.ParseFloat(strings.Join(groups, "."), 64)
		if n *= math.Exp2(float64(10 + 10*strings.IndexByte("KMGTPE", unit[0]&^0x20))); err != nil || n >= math.MaxInt64 {
			return -1, false, true
		}
		return int64(n), true, true
	}
}
