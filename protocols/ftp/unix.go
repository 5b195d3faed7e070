package ftp

import (
	"strconv"
	"strings"
	"time"
)

// maxFields bounds the fields in which the date is searched.
const maxFields = 16

// field is a blank-separated part of a line: line[from:to].
type field struct{ from, to int }

// fields splits off the first fields of line from offset at.
func fields(line string, at int, buf *[maxFields]field) []field {
	out := buf[:0]
	for i := at; i < len(line) && len(out) < maxFields; {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		from := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		if i > from {
			out = append(out, field{from, i})
		}
	}
	return out
}

// parseUnix parses a line of "ls -l" in any of its forms. The fields between permissions
// and size differ from server to server (links, owner, group, any of them missing or with
// spaces), so the first number before a date is the size. The name begins one space after
// the date.
func parseUnix(line string, now time.Time) (entry, verdict) {
	kind, at, pad, ok := permissions(line)
	if !ok {
		return entry{}, unknown
	}
	var buf [maxFields]field
	fs := fields(line, at, &buf)
	for _, strict := range [...]bool{true, false} {
		for i := range fs {
			f := line[fs[i].from:fs[i].to]
			if !looksLikeSize(f) {
				continue
			}
			when, n := dateAt(line, fs[i+1:], now, strict)
			if n == 0 {
				continue
			}
			from := fs[i+n].to + 1
			if when.padded && from < len(line) && line[from] == ' ' {
				from++
			}
			if from >= len(line) {
				return entry{}, unknown
			}
			e := entry{name: line[from:], kind: kind, size: parseSize(f), modified: when.t, dateOnly: when.dateOnly, local: when.local, yearless: when.yearless}
			if pad {
				e.name = strings.TrimLeft(e.name, " ")
			} else {
				e.mode = line[1:10]
				e.owner, e.group = owners(line, fs[:i])
			}
			if i > 0 && line[fs[i-1].to-1] == ',' || strings.IndexByte(f, ',') > 0 {
				e.size = -1
			}
			e.finish()
			return e, item
		}
	}
	return entry{}, unknown
}

// parseOddUnix parses the lines of servers that imitate "ls -l": with dates in other forms,
// a size that runs into the group, no date at all, numeric permissions, or the flags of
// Sterling Connect:Enterprise.
func parseOddUnix(whole *row, now time.Time) (entry, verdict) {
	if e, v := parseNumericMode(whole); v != unknown {
		return e, v
	}
	line := whole.line
	kind, at, pad, ok := permissions(line)
	mode := ""
	switch {
	case pad:
		return entry{}, unknown
	case ok:
		mode = line[1:10]
	default:
		if kind, at = file, sterlingFlags(line); at == 0 {
			return entry{}, unknown
		}
	}
	var r row
	r.split(line, at)
	for i := range r.fs {
		group, size := "", r.at(i)
		if !looksLikeSize(size) && size[0] != '-' {
			digits := strings.TrimRight(size, "0123456789")
			if i == 0 || digits == size || len(digits) < 8 { // ls pads shorter groups
				continue
			}
			group, size = digits, size[len(digits):]
		}
		get := func(j int) string { return r.at(i + 1 + j) }
		when, n := oddDate(get, now)
		if n == 0 {
			when, n = dateAt(line, r.fs[i+1:], now, true)
		}
		if n == 0 || i < 2 && number(get(0)) >= 0 && number(get(1)) >= 0 {
			continue
		}
		from := r.fs[i+n].to + 1
		if next := i + n + 1; when.blanks && next < len(r.fs) {
			from = r.fs[next].from
		}
		if from >= len(line) {
			return entry{}, unknown
		}
		e := entry{name: line[from:], kind: kind, size: parseSize(size), modified: when.t, dateOnly: when.dateOnly, local: when.local, yearless: when.yearless, mode: mode}
		if e.owner, e.group = owners(line, r.fs[:i]); group != "" {
			e.owner, e.group = r.at(i-1), group
		}
		e.finish()
		return e, item
	}
	if mode == "" || len(r.fs) != 5 || number(r.at(0)) < 0 || number(r.at(3)) < 0 || monthOf(r.at(2)) != 0 {
		return entry{}, unknown
	}
	e := entry{name: r.rest(4), kind: kind, size: parseSize(r.at(3)), mode: mode, owner: r.at(1), group: r.at(2)}
	e.finish()
	return e, item
}

// sterlingFlags returns the length of the first column of Sterling Connect:Enterprise,
// "-C--E-----FTP", or 0.
func sterlingFlags(line string) int {
	n := strings.IndexByte(line, ' ')
	if n < 10 || n > 16 || line[0] != '-' || strings.Trim(line[:n], "-ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return 0
	}
	return n
}

// parseNumericMode parses octal permissions, user, group, size, seconds since 1970, name.
func parseNumericMode(r *row) (entry, verdict) {
	if len(r.at(0)) < 6 || r.line[0] != '0' {
		return entry{}, unknown
	}
	mode, err := strconv.ParseUint(r.at(0), 8, 20)
	seconds := parseSize(r.at(4))
	e := entry{size: parseSize(r.at(3)), mode: parseMode(r.at(0)), owner: r.at(1), group: r.at(2)}
	if err != nil || e.size < 0 || seconds < 0 || number(e.owner) < 0 || number(e.group) < 0 {
		return entry{}, unknown
	}
	e.modified = time.Unix(seconds, 0).UTC()
	switch mode >> 12 {
	case 4:
		e.kind = directory
	case 8:
		e.kind = file
	case 10:
		e.kind = link
	default:
		e.kind = special
	}
	e, v := e.named(r.rest(5))
	e.finish()
	return e, v
}

// owners returns the names in fs, the fields between permissions and size: perhaps a count
// of links, the owner and the group. A name with a blank looks like two.
func owners(line string, fs []field) (owner, group string) {
	if n := len(fs); n > 0 && line[fs[n-1].to-1] == ',' {
		fs = fs[:n-1] // the first number of a device
	}
	if len(fs) > 1 && number(line[fs[0].from:fs[0].to]) >= 0 {
		fs = fs[1:]
	}
	switch len(fs) {
	case 0:
		return "", ""
	case 2:
		return line[fs[0].from:fs[0].to], line[fs[1].from:fs[1].to]
	}
	return line[fs[0].from:fs[len(fs)-1].to], ""
}

// permissions parses the first column. at is the offset after it; pad is set if the name
// is padded with spaces (NetWare).
func permissions(line string) (kind entryKind, at int, pad, ok bool) {
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
		end := strings.IndexByte(line, ']')
		return kind, end + 1, true, end > 0 && end <= 14
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

// finish splits the target from a link's name and removes the slash of a directory.
func (e *entry) finish() {
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

// looksLikeSize reports whether s is a number, perhaps with a suffix for its unit, or a
// device's "major,minor".
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
