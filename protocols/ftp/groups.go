package ftp

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// parse parses a line. The groups of the format are named after fields of the entry, and of its date and
// size. A digit at the end of the name of a group only makes the name unique.
func (f *family) parse(line string, now time.Time) (entry, lineClass) {
	span := f.format.FindStringSubmatchIndex(line)
	if span == nil {
		return entry{}, unknownLine
	}
	e := entry{kind: file, size: -1}
	var d civilDate
	var n listedSize
	for i, group := range f.groups {
		if span[2*i] < 0 || span[2*i] == span[2*i+1] {
			continue
		}
		group, s := strings.TrimRight(group, "12"), line[span[2*i]:span[2*i+1]]
		e.setGroup(group, s)
		n.set(group, s)
		d.set(group, s)
	}
	if e.size, e.rounded = n.octets(); e.rounded && e.kind == directory {
		e.size = -1
	}
	if e.name == "" || !d.apply(&e, now) || f.system == "VMS" && e.modified.IsZero() {
		return entry{}, unknownLine
	}
	e.trimName()
	return e, itemLine
}

// setGroup sets a field of e to s, the text that a group of the pattern matched.
func (e *entry) setGroup(group, s string) {
	switch group {
	case "name":
		e.name = s
	case "type": // VM/CMS: the name is NAME.TYPE
		e.name += "." + s
	case "vms":
		if e.name = s; trimVMSDirectory(s+";") != s+";" {
			e.name, e.kind = trimVMSDirectory(s+";"), directory
		}
	case "perm":
		e.kind, _, _, _ = parsePermissions(s)
		e.mode = s[1:]
	case "octal":
		e.kind = map[string]entryKind{"40": directory, "100": file, "120": link}[strings.TrimLeft(s[:len(s)-3], "0")]
		e.mode = parseMode(s)
	case "dir":
		e.kind = directory
	case "unknown":
		e.kind = unknownKind
	case "owners":
		var buf [maxFields]field
		e.owner, e.group = parseOwners(s, splitFields(s, 0, &buf))
	case "owner":
		e.owner = s
	case "group":
		e.group = s
	case "epoch":
		e.modified = time.Unix(parseSize(s), 0).UTC()
	}
}

// listedSize is the size of a file, composed of the groups of a format.
type listedSize struct {
	size, blocks, tracks, hex, length, records string
	track                                      int64 // octets of a track
}

// trackSizes are the octets of a track of the disks of MVS, by the number of the device type.
var trackSizes = map[string]int64{"3350": 19069, "3375": 35616, "3380": 47476, "3390": 56664, "9345": 46456}

func (n *listedSize) set(group, s string) {
	switch group {
	case "size":
		n.size = s
	case "blocks":
		n.blocks = s
	case "unit":
		n.track = trackSizes[s]
	case "tracks":
		n.tracks = s
	case "hex":
		n.hex = s
	case "length":
		n.length = s
	case "records":
		n.records = s
	}
}

// octets returns the size in octets, or -1. It is rounded if it is a number of blocks, tracks or records.
func (n *listedSize) octets() (size int64, rounded bool) {
	switch {
	case n.size != "":
		if size, rounded, ok := parseListedSize(n.size); ok {
			return size, rounded
		}
	case n.blocks != "":
		return parseBlocks(n.blocks)
	case n.tracks != "" && n.track > 0:
		if tracks := parseNumber(n.tracks); tracks >= 0 {
			return n.track * int64(tracks), true
		}
	case n.hex != "":
		if size, err := strconv.ParseInt(n.hex, 16, 64); err == nil {
			return size, true
		}
	case n.records != "":
		if length, records := parseNumber(n.length), parseNumber(n.records); length >= 0 && records >= 0 && length < math.MaxInt32 {
			return int64(length) * int64(records), true
		}
	}
	return -1, false
}

// civilDate is the date of a line, composed of the groups of a format.
type civilDate struct {
	year, day int
	month     time.Month
	clock     string
	numbers   string // a date of three numbers in an unknown order
	guess     bool   // without other evidence, numbers begin with the month
}

// set sets a part of d to s, the text that a group of the pattern matched. The name of the group, such as
// "year", is the name of the part.
func (d *civilDate) set(group, s string) {
	switch group {
	case "guess", "unclear":
		d.numbers, d.guess = s, group == "guess"
	case "julian": // the day of the year
		digits := s[:2] + s[len(s)-3:]
		t := time.Date(parseFullYear(digits[:2]), time.January, parseNumber(digits[2:]), 0, 0, 0, 0, time.UTC)
		d.year, d.month, d.day = t.Date()
	case "date":
		year, month, day, ok := parseDOSDate(s)
		d.year, d.month, d.day = year, time.Month(month), day
		if parts := strings.Split(s, "-"); !ok && len(parts) == 3 { // 6-Apr-07, Feb-28-1998
			if parseMonth(parts[0]) != 0 {
				parts[0], parts[1] = parts[1], parts[0]
			}
			d.year, d.month, d.day = parseFullYear(parts[2]), parseMonth(parts[1]), parseDay(parts[0])
		} else if !ok {
			d.day = -1
		}
	case "year":
		d.year = parseFullYear(s)
	case "month":
		if d.month = time.Month(max(parseNumber(s), 0)); d.month == 0 {
			d.month = parseMonth(s)
		}
	case "day":
		d.day = parseNumber(s)
	case "time":
		if d.clock = strings.NewReplacer(".", ":", ",", ":").Replace(s); strings.Count(s, ".") == 1 {
			d.clock = s // a fraction of a second
		}
		if len(s) == 4 && s[1] != ':' && s[2] != ':' {
			d.clock = s[:2] + ":" + s[2:]
		} else if h, m, _ := strings.Cut(s, ":"); len(m) == 1 {
			d.clock = h + ":0" + m
		}
	case "half": // of the day: am or pm
		if h, rest, _ := strings.Cut(d.clock, ":"); parseNumber(h) >= 0 {
			hour := parseNumber(h) % 12
			if s == "p" || s == "P" {
				hour += 12
			}
			d.clock = strconv.Itoa(hour) + ":" + rest
		}
	}
}

// apply sets the date of e to d. It returns false if d is not a valid date.
func (d *civilDate) apply(e *entry, now time.Time) bool {
	if *d == (civilDate{}) {
		return true
	}
	clockTime, extra := d.clock, time.Duration(0)
	if clockTime == "24:00" {
		clockTime, extra = "00:00", 24*time.Hour
	}
	h, m, s, ok := parseClock(clockTime)
	if d.numbers != "" {
		if e.unclear = d.numbers + " " + d.clock; ordersOf(d.numbers, now) == 0 {
			return false
		}
		e.modified = orderedDate(e.unclear, ordersOf(d.numbers, now), d.guess)
		e.local, e.dateOnly = ok && !e.modified.IsZero(), !ok && !e.modified.IsZero()
		return true
	}
	if d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 || !ok && d.clock != "" {
		return false
	}
	e.local, e.dateOnly = ok, !ok
	switch t := makeDate(cmp.Or(d.year, leapYear), d.month, d.day, h, m, s).Add(extra); {
	case t.Year() < 2:
		e.local, e.dateOnly = false, false
	case d.year == 0:
		e.modified, e.yearless = guessYear(t, now), true
	default:
		e.modified = t
	}
	return true
}

// parseFullYear parses a year of two or four digits, or of three digits counted from 1900. It
// returns 0 for any other text.
func parseFullYear(s string) int {
	n := parseNumber(s)
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
