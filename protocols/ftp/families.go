package ftp

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// family is a format of LIST that parseLIST does not understand.
type family struct {
	system    string   // word in the reply to SYST, in upper case, or ""
	headings  []string // the first three words of each heading; a heading is a line above the items
	ambiguous bool     // lines of other systems match too: only SYST or a heading selects the family
	format    *regexp.Regexp
	groups    []string // names of the groups of format; see [family.parse]
}

// families returns all families. The first family that matches a line is used.
var families = sync.OnceValue(func() []family {
	const (
		unix        = `^(?P<perm>[-bcdlps][-rwxsStTlL]{9})[.+@]?(?P<owners>\s.*?|)\s(?P<size>-?\d[\d.,]*[kKMGT]?)\s+`
		sterling    = `^-[-A-Z]{9,15}(?P<owners>\s.*?)\s(?P<size>\d+)\s+`
		sign        = `(?:[^\x00-\x7F]\S{0,2})?` // character after a year, month or day, in any charset
		dateAndName = `(?P<month>\pL+)[.,]?\s+(?P<day>\d\d?)\s+(?:(?P<year>\d{4})|(?P<time>\d\d?:\d\d?)) (?P<name>.+)$`
		member      = `^\s*(?P<name>[\w@#$-]+)`
		dataSet     = `\s+(?P<name>[\w@#$.'-]+)$`
	)
	memberHeadings := []string{"Name VV.MM Created", "Name Size TTR"}
	all := []family{
		{format: compile(unix + dateAndName)},
		{format: compile(sterling + dateAndName)},
		{format: compile(strings.Replace(unix, `\s.*?|`, `\s+\S+\s+\S.*?`, 1) + `(?P<month>\d\d?)` + sign + `\s+(?P<day>\d\d?)` + sign + `\s+(?:(?P<year>\d{4})` + sign + `|(?P<time>\d\d?:\d\d)) (?P<name>.+)$`)},
		{format: compile(unix + `(?P<month>\d\d)-(?P<day>\d\d) (?P<year>\d{4}) (?P<name>.+)$`)},
		{format: compile(unix + `(?P<year>\d{4})(?:\.\s+(?P<month1>\pL\S*)|` + sign + `\s+(?P<month2>\d\d?)[^\x00-\x7F]\S{0,2})\s+(?P<day>\d\d?)\S{0,3} (?P<name>.+)$`)},
		{format: compile(unix + `(?:(?P<date>\d{4}[/.]\d\d[/.]\d\d|\d\d?-\pL{3}-\d\d(?:\d\d)?)|(?P<unclear>\d\d-\d\d-\d{4}))(?: (?P<time>\d\d:\d\d(?::\d\d)?) |\s+)(?P<name>.+)$`)},
		{format: compile(unix + `(?P<month>\pL+) (?P<day>\d\d?), (?P<year>\d{4}) (?P<time>\d\d?:\d\d) (?P<name>.+)$`)},
		{format: compile(`^(?P<perm>[-dl][-rwxsStTlL]{9})[.+@]?\s+(?:\d+\s+)?(?P<owner>\S+)\s+(?P<group>\S{7,}\D)(?P<size>\d+)\s+` + dateAndName)}, // no blank between the group and the size, because the group fills its column
		{format: compile(`^(?P<perm>[-dl][-rwxsStTlL]{9})[.+@]?\s+\d+\s+(?P<owner>\S+)\s+(?P<group>\S+)\s+(?P<size>\d+) (?P<name>\S*[^\s\d]\S*)$`)},
		{format: compile(`^0(?P<octal>[01]?[0-7]{5})\s+(?P<owner>\d+)\s+(?P<group>\d+)\s+(?P<size>\d+)\s+(?P<epoch>\d+)\s+(?P<name>\S.*)$`)},
		{format: compile(`^(?P<size>\d+)\s+(?P<month>\pL{3}) (?P<day>\d\d), (?P<year>\d{4}) (?P<time>\d\d:\d\d) (?P<name>[^/]+)(?P<dir>/?)$`)}, // format of the server VShell
		{format: compile(`^(?P<name>\S.*?)\s+(?P<size>\d+)\s+(?P<date>\d\d/\d\d/\d\d)\s+\pL+\.\s+(?P<time>\d\d:\d\d:\d\d)$`)},                  // format of Nortel devices
		{system: "VMS", format: compile(`^(?:\s*(?:(?P<date>\d\d?-\pL{3}-\d{4})(?: +(?P<time>\d\d?:\d\d[\d:.]*))?|\[(?P<owner>[^\]]*)\]|\([^)]*\)|\d+(?:/\d+)?(?:KB)?|(?P<vms>[^\s;\[(]+(?:;\d+|\.[^\s;\[(]+)))(?:\s|$))+$`)},
		{system: "MVS", headings: []string{"Volume Unit Referred"}, format: compile(`^\S{1,6}\s+\S+\s+(?:(?P<date>\d{4}/\d\d/\d\d)|\*\*NONE\*\*)\s+\S.*\s(?:(?P<dir>PO[EU]?(?:-E)?)|PSU?|DAU?|ISU?|VS)` + dataSet)},
		{system: "MVS", format: compile(`^(?:(?P<dir>Pseudo Directory)|\S+\s+(?:Tape|\S+\s+VSAM))` + dataSet)},
		{system: "MVS", format: compile(`(?i)^(?:\S+\s+)?(?P<unknown>migrated|archived|gdg|not mounted|not direct access device|not in vtoc|error determining attributes|user catalog connector|no catalog entry)(?:\s.*)?` + dataSet)},
		{system: "MVS", headings: memberHeadings, format: compile(member + `\s+\d\d\.\d\d\s+\S+\s+(?P<date>\d{4}/\d\d/\d\d)\s+(?P<time>\d\d:\d\d)(?:\s+\d+\s+\d+\s+\d+\s+(?P<owner>\S+))?`)},
		{system: "MVS", headings: memberHeadings, format: compile(member + `\s+[\dA-F]{6,8}\s+[\dA-F]{6}\s`)},
		{system: "MVS", headings: memberHeadings, format: compile(`^\s*(?P<name>[A-Z\d@#$-]+)\s*$`), ambiguous: true},
		{system: "VM", format: compile(`^(?P<name>\S+)\s+(?:(?P<type>\S+)\s+[FV]\s+\d+\s+\d+\s+\d+|(?P<dir>DIR)\s+-\s+-\s+-\s+-)\s+(?P<date>\S{8,10})\s+(?P<time>\d\d:\d\d:\d\d)(?:\s+(?P<owner>\S+))?$`)},
		{system: "OS/400", format: compile(`^(?P<owner>\S+)?\s+(?:(?P<size>\d+)\s+(?:(?P<unclear>\d\d[/-]\d\d[/-]\d\d)|(?P<date>\S{8,10}))\s+(?P<time>\d\d:\d\d:\d\d)\s+)?\*(?:(?P<dir>D?DIR|LIB|FLR)|D?STMF|FILE|MEM|DOC|(?P<unknown>[A-Z\d]{2,}))\s+(?P<name>.+?)/?\s*$`)},
		{system: "NONSTOP", headings: []string{"File Code EOF"}, format: compile(`^(?P<name>\S+)\s+\d+[+LO]*\s+(?P<size>\d+)\s+(?P<date>\d\d?-\pL{3}-\d\d)\s+(?P<time>[\d:]{8})\s+(?P<owner>\d+,\s*\d+)\s+"[^"]*"\s*$`)},
		{system: "OS/2", format: compile(`^\s*(?P<size>\d+)(?:\s+(?P<dir>DIR))?(?:\s+[ADHRS]+)?\s+(?P<date>\d\d-\d\d-\d\d\d?)\s+(?P<time>\d\d:\d\d)\s+(?P<name>\S.*)$`)},
		{system: "OS-9", headings: []string{"Owner Last modified"}, format: compile(`^\s*(?P<group>\d+)\.(?P<owner>\d+)\s+(?P<year>\d\d)/(?P<month>\d\d)/(?P<day>\d\d)\s+(?P<time>\d{4})\s+(?:-|(?P<dir>d))[-sewr]{7}\s+[\da-fA-F]+\s+(?P<size>\d+)\s+(?P<name>\S.*)$`)},
		{system: "VXWORKS", headings: []string{"size date time"}, format: compile(`^\s*(?P<size>\d+)\s+(?P<date>\pL{3}-\d\d-\d{4})\s+(?P<time>\d\d:\d\d:\d\d)\s+(?P<name>\S.*?)\s*(?P<dir><DIR>)?$`)},
	}
	for i, f := range all {
		all[i].groups = f.format.SubexpNames()
	}
	return all
})

func compile(s string) *regexp.Regexp { return regexp.MustCompile(`(?s)` + s) }

// systemOf returns the first family.system that the reply to SYST contains, or "".
func systemOf(reply string) string {
	for _, f := range families() {
		if f.system != "" && strings.Contains(strings.ToUpper(reply), f.system) {
			return f.system
		}
	}
	return ""
}

// parseForeign parses a line of LIST that parseLIST cannot parse. It first tries the families that the
// reply to SYST or the heading selects. Next it tries the family of the last parsed line, and then all
// other families. After maxDeferred lines that match no family, it no longer tries the other families.
func (l *lister) parseForeign(text string) (entry, lineClass) {
	if strings.Trim(text, "- \t") == "" {
		return entry{}, infoLine
	}
	if len(text) > maxUnparsed {
		return entry{}, unknownLine
	}
	all := families()
	words := strings.Join(strings.Fields(text[:min(len(text), 80)]), " ")
	for _, f := range all {
		for _, heading := range f.headings {
			if strings.HasPrefix(words, heading) {
				l.heading = heading
				return entry{}, infoLine
			}
		}
	}
	oneWord := !strings.ContainsAny(text, " \t")
	for pass := range 3 {
		for i := range all {
			f := &all[i]
			selected := f.system != "" && f.system == l.system || slices.Contains(f.headings, l.heading)
			if pass == 0 && !selected || pass == 1 && f != l.family || pass == 2 && (oneWord || f.ambiguous || len(l.unparsed) >= maxDeferred) {
				continue
			}
			if e, v := f.parse(text, l.now); v != unknownLine {
				l.family = f
				return e, v
			}
		}
	}
	return entry{}, unknownLine
}

// parse parses a line. The groups of the format are named after fields of the entry and of its date. A
// digit at the end of the name of a group only makes the name unique.
func (f *family) parse(line string, now time.Time) (entry, lineClass) {
	span := f.format.FindStringSubmatchIndex(line)
	if span == nil {
		return entry{}, unknownLine
	}
	e := entry{kind: file, size: -1}
	var d civilDate
	for i, group := range f.groups {
		if span[2*i] < 0 || span[2*i] == span[2*i+1] {
			continue
		}
		switch s := line[span[2*i]:span[2*i+1]]; strings.TrimRight(group, "12") {
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
		case "size":
			e.size = parseSize(s)
		case "owners":
			var buf [maxFields]field
			e.owner, e.group = parseOwners(s, splitFields(s, 0, &buf))
		case "owner":
			e.owner = s
		case "group":
			e.group = s
		case "epoch":
			e.modified = time.Unix(parseSize(s), 0).UTC()
		default:
			d.set(group, s)
		}
	}
	if e.name == "" || !d.apply(&e, now) || f.system == "VMS" && e.modified.IsZero() {
		return entry{}, unknownLine
	}
	e.trimName()
	return e, itemLine
}

// civilDate is the date of a line, composed of the groups of a format.
type civilDate struct {
	year, day int
	month     time.Month
	clock     string
	unclear   bool // the order of year, month and day is unknown
}

// set sets a part of d to s, the text that a group of the pattern matched. The name of the group, such as
// "year", is the name of the part.
func (d *civilDate) set(group, s string) {
	switch strings.TrimRight(group, "12") {
	case "date", "unclear":
		year, month, day, ok := parseDOSDate(s)
		d.year, d.month, d.day = year, time.Month(month), day
		if group == "unclear" { // a date that may also begin with the month or the year
			m, last := parseNumber(s[3:5]), parseNumber(s[6:])
			d.unclear = day <= 12 && month != day || m >= 1 && m <= 12 && last >= 1 && last <= 31
		}
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
		if d.clock = s; len(s) == 4 && s[1] != ':' && s[2] != ':' {
			d.clock = s[:2] + ":" + s[2:]
		} else if h, m, _ := strings.Cut(s, ":"); len(m) == 1 {
			d.clock = h + ":0" + m
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
	if d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 || !ok && d.clock != "" {
		return false
	}
	e.local, e.dateOnly = ok, !ok
	switch t := makeDate(cmp.Or(d.year, leapYear), d.month, d.day, h, m, s).Add(extra); {
	case d.unclear || t.Year() < 2:
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
