package ftp

import (
	"strings"
	"time"
)

// parseVMSFields parses a line of a VMS server whose fields are in any order: the name, a
// date, perhaps a time, a size in blocks or kilobytes, [OWNER] and (PROTECTION).
func parseVMSFields(r *row, _ time.Time) (entry, verdict) {
	e := entry{kind: file, size: -1}
	dated := false
	for rest := strings.TrimSpace(r.line); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		end := strings.IndexAny(rest, " \t")
		switch rest[0] {
		case '[':
			end = strings.IndexByte(rest, ']') + 1
		case '(':
			end = strings.IndexByte(rest, ')') + 1
		}
		if end == 0 {
			return entry{}, unknown
		}
		if end < 0 {
			end = len(rest)
		}
		f := rest[:end]
		rest = strings.TrimLeft(rest[end:], " \t")
		year, month, day, isDate := nameDate(f)
		name, version, versioned := strings.Cut(f, ";")
		switch {
		case isDate && f[0] <= '9' && !dated:
			timeOfDay, _, _ := strings.Cut(rest, " ")
			e.date(year, month, day, timeOfDay)
			if dated = true; !e.dateOnly {
				rest = rest[len(timeOfDay):]
			}
		case strings.HasPrefix(f, "[") && e.owner == "":
			e.owner = f[1 : len(f)-1]
		case strings.HasPrefix(f, "("), isBlocks(f):
		case e.name == "" && versioned && name != "" && number(version) >= 0, e.name == "" && !versioned && strings.IndexByte(f, '.') > 0:
			e.name = f
		case e.name != "" && e.owner == "" && dated && strings.Trim(f, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") == "":
			e.owner = f
		default:
			return entry{}, unknown
		}
	}
	if e.name == "" || !dated {
		return entry{}, unknown
	}
	if dir := directoryVMS(e.name); dir != e.name {
		e.name, e.kind = dir, directory
	}
	return e, item
}

// isBlocks reports whether s is a size of a VMS server: 5, 5/8 or 2KB.
func isBlocks(s string) bool {
	used, allocated, ok := strings.Cut(s, "/")
	return number(strings.TrimSuffix(used, "KB")) >= 0 && (!ok || number(strings.TrimSuffix(allocated, "KB")) >= 0)
}

// joinVMS returns the line of an item whose name is in the line before the rest.
func joinVMS(name, rest string, now time.Time) (line string, ok bool) {
	var r row
	r.split(rest, 0)
	if !isBlocks(r.at(0)) {
		if _, _, _, ok := nameDate(r.at(0)); !ok {
			return "", false
		}
	}
	line = name + " " + rest
	if _, v := parseVMS(line, now); v == item {
		return line, true
	}
	r.split(line, 0)
	_, v := parseVMSFields(&r, now)
	return line, v == item
}

// parseNonStop parses a line of HP NonStop (Tandem Guardian): name, code, size, date, time,
// owner, "security".
func parseNonStop(r *row, _ time.Time) (entry, verdict) {
	n := len(r.fs)
	year, month, day, ok := nameDate(r.at(3))
	if n < 7 || n > 8 || !ok || number(strings.TrimRight(r.at(1), "+LO")) < 0 || !strings.HasPrefix(r.at(n-1), `"`) {
		return entry{}, unknown
	}
	e := entry{name: r.at(0), kind: file, size: parseSize(r.at(2)), owner: strings.Join(strings.Fields(r.line[r.fs[5].from:r.fs[n-2].to]), "")}
	e.date(year, month, day, r.at(4))
	return e, item
}

// parseOS2 parses a line of OS/2: size, DIR or attributes or both or none, MM-DD-YY, time, name.
func parseOS2(r *row, _ time.Time) (entry, verdict) {
	e := entry{kind: file, size: parseSize(r.at(0))}
	i := 1
	for ; strings.Trim(r.at(i), "ADHIRS") == "" && r.at(i) != ""; i++ {
		if r.at(i) == "DIR" {
			e.kind = directory
		}
	}
	year, month, day, ok := dosDate(r.at(i))
	if e.date(year, time.Month(month), day, r.at(i+1)); e.size < 0 || !ok || e.dateOnly {
		return entry{}, unknown
	}
	return e.named(r.rest(i + 2))
}

// parseOS9 parses a line of Microware OS-9: owner, YY/MM/DD, HHMM, attributes, sector, size,
// name.
func parseOS9(r *row, _ time.Time) (entry, verdict) {
	group, owner, _ := strings.Cut(r.at(0), ".")
	d, t, mode := r.at(1), r.at(2), r.at(3)
	if number(group) < 0 || number(owner) < 0 || len(d) != 8 || d[2] != '/' || d[5] != '/' || len(t) != 4 ||
		len(mode) != 8 || strings.Trim(mode, "-dsewr") != "" {
		return entry{}, unknown
	}
	e := entry{kind: file, size: parseSize(r.at(5)), owner: owner, group: group}
	if mode[0] == 'd' {
		e.kind = directory
	}
	e.date(fullYear(d[:2]), time.Month(number(d[3:5])), number(d[6:]), t[:2]+":"+t[2:])
	if e.size < 0 || e.modified.IsZero() {
		return entry{}, unknown
	}
	return e.named(r.rest(6))
}

// parseVxWorks parses a line of VxWorks: size, Mon-DD-YYYY, time, name, perhaps <DIR>.
func parseVxWorks(r *row, _ time.Time) (entry, verdict) {
	e := entry{kind: file, size: parseSize(r.at(0))}
	year, month, day, ok := nameDate(r.at(1))
	if e.date(year, month, day, r.at(2)); e.size < 0 || !ok || e.dateOnly {
		return entry{}, unknown
	}
	name, isDir := strings.CutSuffix(strings.TrimRight(r.rest(3), " "), " <DIR>")
	if isDir {
		e.kind = directory
	}
	return e.named(strings.TrimRight(name, " "))
}

// parseVShell parses a line of older VShell servers: size, "Mon DD, YYYY HH:MM", name; that
// of a directory ends in a slash.
func parseVShell(r *row, _ time.Time) (entry, verdict) {
	e := entry{kind: file, size: parseSize(r.at(0))}
	when, n := commaDate(r.at, 1)
	if e.size < 0 || n == 0 {
		return entry{}, unknown
	}
	e.modified, e.local = when.t, when.local
	name, isDir := strings.CutSuffix(r.rest(1+n), "/")
	if isDir {
		e.kind = directory
	}
	return e.named(name)
}

// parseWfFTP parses a line of Nortel's wfFtp: name, size, MM/DD/YY, weekday, time.
func parseWfFTP(r *row, _ time.Time) (entry, verdict) {
	n := len(r.fs)
	year, month, day, ok := dosDate(r.at(n - 3))
	e := entry{kind: file, size: parseSize(r.at(n - 4))}
	if e.date(year, time.Month(month), day, r.at(n-1)); n < 5 || !ok || e.dateOnly || e.size < 0 || !strings.HasSuffix(r.at(n-2), ".") {
		return entry{}, unknown
	}
	return e.named(r.before(n - 4))
}

// named returns e with its name, which must not be empty.
func (e entry) named(name string) (entry, verdict) {
	if name == "" {
		return entry{}, unknown
	}
	e.name = name
	return e, item
}
