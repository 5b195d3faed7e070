package ftp

import (
	"strings"
	"time"
)

// parseDOS parses a line in the format of Windows servers: date, time, <DIR> or size, name.
func parseDOS(line string, _ time.Time) (entry, lineClass) {
	var buf [maxFields]field
	fs := splitFields(line, 0, &buf)
	if len(fs) < 4 {
		return entry{}, unknownLine
	}
	get := func(i int) string { return line[fs[i].start:fs[i].end] }
	year, month, day, ok := parseDOSDate(get(0))
	if !ok {
		return entry{}, unknownLine
	}
	sizeField, ampm := 2, ""
	hhmm := strings.ToUpper(get(1))
	switch marker := strings.ToUpper(get(2)); {
	case marker == "AM" || marker == "PM":
		sizeField, ampm = 3, marker
	case strings.HasSuffix(hhmm, "M") && len(hhmm) > 2:
		hhmm, ampm = hhmm[:len(hhmm)-2], hhmm[len(hhmm)-2:]
	case strings.HasSuffix(hhmm, "A"), strings.HasSuffix(hhmm, "P"):
		hhmm, ampm = hhmm[:len(hhmm)-1], hhmm[len(hhmm)-1:]+"M"
	}
	h, m, s, ok := parseClock(hhmm)
	if !ok || len(fs) <= sizeField+1 {
		return entry{}, unknownLine
	}
	switch {
	case ampm == "PM" && h < 12:
		h += 12
	case ampm == "AM" && h == 12:
		h = 0
	}
	e := entry{kind: file, size: -1, modified: makeDate(year, time.Month(month), day, h, m, s), local: true}
	nameStart := fs[sizeField].end + 1
	switch column := get(sizeField); {
	case column == "<DIR>":
		e.kind = directory
		nameStart = skipPadding(line, fs[sizeField].end, 10)
	case strings.HasPrefix(column, "<") && strings.HasSuffix(column, ">"):
		e.kind = link
		nameStart = skipPadding(line, fs[sizeField].end, 15-len(column))
	default:
		if e.size, e.rounded, ok = parseListedSize(column); !ok || e.size < 0 {
			return entry{}, unknownLine
		}
	}
	if nameStart >= len(line) {
		return entry{}, unknownLine
	}
	e.name = line[nameStart:]
	if e.kind == link {
		if name, target, ok := strings.Cut(e.name, " ["); ok {
			e.name, e.target = name, strings.TrimSuffix(target, "]")
		}
	}
	return e, itemLine
}

// skipPadding skips at most n spaces of line, from the offset start, and returns the offset after them.
func skipPadding(line string, start, n int) int {
	end := start
	for end < len(line) && end < start+n && line[end] == ' ' {
		end++
	}
	return end
}

// parseDOSDate parses MM-DD-YY, MM-DD-YYYY and YYYY-MM-DD, also with "/" or "," in place of "-", and DD.MM.YY
// and DD.MM.YYYY. If MM comes first and is greater than 12, it is the day, and DD is the month. If it is greater
// than 31, it is the year. A year of three digits is counted from 1900 (OS/2).
func parseDOSDate(s string) (year, month, day int, ok bool) {
	if len(s) < 6 || len(s) > 10 {
		return 0, 0, 0, false
	}
	sep := strings.IndexAny(s, "-/.,")
	if sep < 0 {
		return 0, 0, 0, false
	}
	parts := strings.Split(s, s[sep:sep+1])
	if len(parts) != 3 {
		return 0, 0, 0, false
	}
	a, b, c := parseNumber(parts[0]), parseNumber(parts[1]), parseNumber(parts[2])
	switch {
	case len(parts[0]) == 4:
		year, month, day = a, b, c
	case len(parts[0]) == 2 && a > 31:
		year, month, day = parseFullYear(parts[0]), b, c
	case s[sep] == '.' || a > 12:
		year, month, day = parseFullYear(parts[2]), b, a
	default:
		year, month, day = parseFullYear(parts[2]), a, b
	}
	return year, month, day, month >= 1 && month <= 12 && day >= 1 && day <= 31 && year >= 1900
}

// parseVMS parses a line of a VMS server: NAME.EXT;VERSION, size in blocks, date, owner, protection. A long
// name is on a separate line before the other fields.
func parseVMS(line string, _ time.Time) (entry, lineClass) {
	var buf [maxFields]field
	fs := splitFields(line, 0, &buf)
	if len(fs) == 0 {
		return entry{}, unknownLine
	}
	first := line[fs[0].start:fs[0].end]
	if len(fs) == 2 && first == "Directory" && strings.HasSuffix(line, "]") {
		return entry{}, infoLine
	}
	if len(fs) > 2 && first == "Total" && line[fs[1].start:fs[1].end] == "of" {
		return entry{}, infoLine
	}
	name, version, ok := strings.Cut(first, ";")
	if !ok || parseNumber(version) < 0 || name == "" || fs[0].start != 0 {
		return entry{}, unknownLine
	}
	if len(fs) == 1 {
		return entry{}, nameLine
	}
	e := entry{name: first, kind: file, size: -1}
	if dir := trimVMSDirectory(first); dir != first {
		e.name, e.kind = dir, directory
	}
	for i := 1; i < len(fs) && i < 4; i++ {
		day, rest, _ := strings.Cut(line[fs[i].start:fs[i].end], "-")
		month, year, _ := strings.Cut(rest, "-")
		if parseDay(day) == 0 || parseMonth(month) == 0 || parseYear(year) == 0 {
			continue
		}
		h, m, s := 0, 0, 0
		if i+1 < len(fs) {
			h, m, s, e.local = parseClock(line[fs[i+1].start:fs[i+1].end])
		}
		e.modified, e.dateOnly = makeDate(parseYear(year), parseMonth(month), parseDay(day), h, m, s), !e.local
		if used := line[fs[1].start:fs[1].end]; i > 1 && e.kind == file {
			e.size, e.rounded = parseBlocks(used)
		}
		return e, itemLine
	}
	return entry{}, unknownLine
}

// parseBlocks parses the size of a file of VMS: blocks of 512 octets, perhaps with the allocated blocks after a
// slash, or kilobytes ("3KB"). The end of the last block may be unused, so the size is rounded.
func parseBlocks(s string) (size int64, rounded bool) {
	used, _, _ := strings.Cut(s, "/")
	if size, rounded, _ = parseListedSize(used); rounded {
		return size, true
	}
	if n := parseNumber(used); n >= 0 {
		return 512 * int64(n), true
	}
	return -1, false
}

// trimVMSDirectory returns NAME, the argument of CWD, for a directory named NAME.DIR;1. It returns any
// other name unchanged.
func trimVMSDirectory(name string) string {
	stem, _, versioned := strings.Cut(name, ";")
	if n := len(stem) - len(".DIR"); versioned && n > 0 && strings.EqualFold(stem[n:], ".DIR") {
		return name[:n]
	}
	return name
}
