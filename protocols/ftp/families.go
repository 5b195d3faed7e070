package ftp

import (
	"slices"
	"strings"
	"time"
)

// family is the format of the listings of one system. Its parser gets the lines that
// parseLIST does not understand.
type family struct {
	system string   // a word of the reply to SYST, in upper case, or ""
	heads  []string // the first three words of the lines above the items
	parse  rowParser
	bare   bool // lines of other systems look alike: parse is only used if SYST or a head says so
}

// rowParser parses one line of a listing, as a parser does.
type rowParser func(r *row, now time.Time) (entry, verdict)

// families returns the formats in the order in which they are tried.
func families() []family {
	members := []string{"Name VV.MM Created", "Name Size TTR"}
	return []family{
		{parse: parseOddUnix},
		{system: "VMS", parse: parseVMSFields},
		{system: "MVS", heads: []string{"Volume Unit Referred"}, parse: parseDataSet},
		{system: "MVS", heads: members, parse: parseMember},
		{system: "MVS", heads: members, parse: parseBareMember, bare: true},
		{system: "VM", parse: parseCMS},
		{system: "OS/400", parse: parseOS400},
		{system: "NONSTOP", heads: []string{"File Code EOF"}, parse: parseNonStop},
		{system: "OS/2", parse: parseOS2},
		{system: "OS-9", heads: []string{"Owner Last modified"}, parse: parseOS9},
		{system: "VXWORKS", heads: []string{"size date time"}, parse: parseVxWorks},
		{parse: parseVShell},
		{parse: parseWfFTP},
	}
}

// foreign parses a line of LIST that parseLIST does not understand: by the parsers that
// SYST or a line above the items has selected, then by the one that understood the line
// before, then by all others.
func (l *lister) foreign(text string) (entry, verdict) {
	if strings.Trim(text, "- \t") == "" {
		return entry{}, info
	}
	if l.families == nil {
		l.families = families()
	}
	l.row.split(text, 0)
	for _, f := range l.families {
		for _, head := range f.heads {
			if l.row.begins(head) {
				l.head = head
				return entry{}, info
			}
		}
	}
	selected := func(f family) bool {
		return f.system != "" && f.system == l.system || slices.Contains(f.heads, l.head)
	}
	for _, first := range [...]bool{true, false} {
		if !first && l.family != nil {
			if e, v := l.family(&l.row, l.now); v != unknown {
				return e, v
			}
		}
		for _, f := range l.families {
			if selected(f) != first || f.bare && !first {
				continue
			}
			if e, v := f.parse(&l.row, l.now); v != unknown {
				l.family = f.parse
				return e, v
			}
		}
	}
	return entry{}, unknown
}

// systemOf returns the system of a family in the reply to SYST, or "".
func systemOf(reply string) string {
	reply = strings.ToUpper(reply)
	for _, f := range families() {
		if f.system != "" && strings.Contains(reply, f.system) {
			return f.system
		}
	}
	return ""
}

// row is a line and its first fields.
type row struct {
	line string
	buf  [maxFields]field
	fs   []field
}

// split sets r to the fields of line from offset at.
func (r *row) split(line string, at int) { r.line, r.fs = line, fields(line, at, &r.buf) }

// begins reports whether r begins with the three words of head.
func (r *row) begins(head string) bool {
	first, rest, _ := strings.Cut(head, " ")
	second, third, _ := strings.Cut(rest, " ")
	return r.at(0) == first && r.at(1) == second && r.at(2) == third
}

// at returns field i, or "".
func (r *row) at(i int) string {
	if i < 0 || i >= len(r.fs) {
		return ""
	}
	return r.line[r.fs[i].from:r.fs[i].to]
}

// rest returns the line from field i on, or "".
func (r *row) rest(i int) string {
	if i < 0 || i >= len(r.fs) {
		return ""
	}
	return r.line[r.fs[i].from:]
}

// before returns the fields before field i as they stand in the line.
func (r *row) before(i int) string {
	if i <= 0 || i > len(r.fs) {
		return ""
	}
	return r.line[r.fs[0].from:r.fs[i-1].to]
}

// date sets the date of e; it has no time of day if clockTime is not one.
func (e *entry) date(year int, month time.Month, day int, clockTime string) {
	h, m, s, ok := clock(clockTime)
	e.modified, e.dateOnly, e.local = valid(year, month, day, h, m, s), !ok, ok
}

// nameDate parses 6-Apr-07, 02-AUG-2006 and Feb-28-1998.
func nameDate(s string) (year int, month time.Month, day int, ok bool) {
	a, rest, _ := strings.Cut(s, "-")
	b, c, _ := strings.Cut(rest, "-")
	if month, day = monthOf(b), dayOf(a); month == 0 {
		month, day = monthOf(a), dayOf(b)
	}
	year = fullYear(c)
	return year, month, day, month != 0 && day != 0 && year != 0
}

// fullYear parses a year of two or four digits, or one of three digits that is counted from
// 1900, or returns 0.
func fullYear(s string) int {
	n := number(s)
	switch {
	case n < 0 || len(s) < 2 || len(s) > 4 || len(s) == 3 && n >= 200:
		return 0
	case len(s) == 2 && n < 70:
		return n + 2000
	case len(s) < 4:
		return n + 1900
	}
	return n
}
