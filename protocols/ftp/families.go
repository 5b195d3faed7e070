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
	system string   // a word of the reply to SYST, in upper case, or ""
	heads  []string // the first three words of the lines above the items
	bare   bool     // lines of other systems look alike: only SYST or a head selects the family
	format *regexp.Regexp
	groups []string // of format; see [family.parse]
}

// families returns the formats; the first match wins.
var families = sync.OnceValue(func() []family {
	const (
		unix     = `^(?P<perm>[-bcdlps][-rwxsStTlL]{9})[.+@]?(?P<who>\s.*?|)\s(?P<size>-?\d[\d.,]*[kKMGT]?)\s+`
		sterling = `^-[-A-Z]{9,15}(?P<who>\s.*?)\s(?P<size>\d+)\s+`
		sign     = `(?:[^\x00-\x7F]\S{0,2})?` // for year, month and day, in any charset
		named    = `(?P<month>\pL+)[.,]?\s+(?P<day>\d\d?)\s+(?:(?P<year>\d{4})|(?P<time>\d\d?:\d\d?)) (?P<name>.+)$`
		member   = `^\s*(?P<name>[\w@#$-]+)`
		dataSet  = `\s+(?P<name>[\w@#$.'-]+)$`
	)
	headOfMembers := []string{"Name VV.MM Created", "Name Size TTR"}
	all := []family{
		{format: pattern(unix + named)},
		{format: pattern(sterling + named)},
		{format: pattern(strings.Replace(unix, `\s.*?|`, `\s+\S+\s+\S.*?`, 1) + `(?P<month>\d\d?)` + sign + `\s+(?P<day>\d\d?)` + sign + `\s+(?:(?P<year>\d{4})` + sign + `|(?P<time>\d\d?:\d\d)) (?P<name>.+)$`)},
		{format: pattern(unix + `(?P<month>\d\d)-(?P<day>\d\d) (?P<year>\d{4}) (?P<name>.+)$`)},
		{format: pattern(unix + `(?P<year>\d{4})(?:\.\s+(?P<month1>\pL\S*)|` + sign + `\s+(?P<month2>\d\d?)[^\x00-\x7F]\S{0,2})\s+(?P<day>\d\d?)\S{0,3} (?P<name>.+)$`)},
		{format: pattern(unix + `(?:(?P<date>\d{4}[/.]\d\d[/.]\d\d|\d\d?-\pL{3}-\d\d(?:\d\d)?)|(?P<unclear>\d\d-\d\d-\d{4}))(?: (?P<time>\d\d:\d\d(?::\d\d)?) |\s+)(?P<name>.+)$`)},
		{format: pattern(unix + `(?P<month>\pL+) (?P<day>\d\d?), (?P<year>\d{4}) (?P<time>\d\d?:\d\d) (?P<name>.+)$`)},
		{format: pattern(`^(?P<perm>[-dl][-rwxsStTlL]{9})[.+@]?\s+(?:\d+\s+)?(?P<owner>\S+)\s+(?P<group>\S{7,}\D)(?P<size>\d+)\s+` + named)}, // ls pads shorter groups
		{format: pattern(`^(?P<perm>[-dl][-rwxsStTlL]{9})[.+@]?\s+\d+\s+(?P<owner>\S+)\s+(?P<group>\S+)\s+(?P<size>\d+) (?P<name>\S*[^\s\d]\S*)$`)},
		{format: pattern(`^0(?P<octal>[01]?[0-7]{5})\s+(?P<owner>\d+)\s+(?P<group>\d+)\s+(?P<size>\d+)\s+(?P<epoch>\d+)\s+(?P<name>\S.*)$`)},
		{format: pattern(`^(?P<size>\d+)\s+(?P<month>\pL{3}) (?P<day>\d\d), (?P<year>\d{4}) (?P<time>\d\d:\d\d) (?P<name>[^/]+)(?P<dir>/?)$`)}, // VShell
		{format: pattern(`^(?P<name>\S.*?)\s+(?P<size>\d+)\s+(?P<date>\d\d/\d\d/\d\d)\s+\pL+\.\s+(?P<time>\d\d:\d\d:\d\d)$`)},                  // Nortel
		{system: "VMS", format: pattern(`^(?:\s*(?:(?P<date>\d\d?-\pL{3}-\d{4})(?: +(?P<time>\d\d?:\d\d[\d:.]*))?|\[(?P<owner>[^\]]*)\]|\([^)]*\)|\d+(?:/\d+)?(?:KB)?|(?P<vms>[^\s;\[(]+(?:;\d+|\.[^\s;\[(]+)))(?:\s|$))+$`)},
		{system: "MVS", heads: []string{"Volume Unit Referred"}, format: pattern(`^\S{1,6}\s+\S+\s+(?:(?P<date>\d{4}/\d\d/\d\d)|\*\*NONE\*\*)\s+\S.*\s(?:(?P<dir>PO[EU]?(?:-E)?)|PSU?|DAU?|ISU?|VS)` + dataSet)},
		{system: "MVS", format: pattern(`^(?:(?P<dir>Pseudo Directory)|\S+\s+(?:Tape|\S+\s+VSAM))` + dataSet)},
		{system: "MVS", format: pattern(`(?i)^(?:\S+\s+)?(?P<unsaid>migrated|archived|gdg|not mounted|not direct access device|not in vtoc|error determining attributes|user catalog connector|no catalog entry)(?:\s.*)?` + dataSet)},
		{system: "MVS", heads: headOfMembers, format: pattern(member + `\s+\d\d\.\d\d\s+\S+\s+(?P<date>\d{4}/\d\d/\d\d)\s+(?P<time>\d\d:\d\d)(?:\s+\d+\s+\d+\s+\d+\s+(?P<owner>\S+))?`)},
		{system: "MVS", heads: headOfMembers, format: pattern(member + `\s+[\dA-F]{6,8}\s+[\dA-F]{6}\s`)},
		{system: "MVS", heads: headOfMembers, format: pattern(`^\s*(?P<name>[A-Z\d@#$-]+)\s*$`), bare: true},
		{system: "VM", format: pattern(`^(?P<name>\S+)\s+(?:(?P<type>\S+)\s+[FV]\s+\d+\s+\d+\s+\d+|(?P<dir>DIR)\s+-\s+-\s+-\s+-)\s+(?P<date>\S{8,10})\s+(?P<time>\d\d:\d\d:\d\d)(?:\s+(?P<owner>\S+))?$`)},
		{system: "OS/400", format: pattern(`^(?P<owner>\S+)?\s+(?:(?P<size>\d+)\s+(?:(?P<unclear>\d\d[/-]\d\d[/-]\d\d)|(?P<date>\S{8,10}))\s+(?P<time>\d\d:\d\d:\d\d)\s+)?\*(?:(?P<dir>D?DIR|LIB|FLR)|D?STMF|FILE|MEM|DOC|(?P<unsaid>[A-Z\d]{2,}))\s+(?P<name>.+?)/?\s*$`)},
		{system: "NONSTOP", heads: []string{"File Code EOF"}, format: pattern(`^(?P<name>\S+)\s+\d+[+LO]*\s+(?P<size>\d+)\s+(?P<date>\d\d?-\pL{3}-\d\d)\s+(?P<time>[\d:]{8})\s+(?P<owner>\d+,\s*\d+)\s+"[^"]*"\s*$`)},
		{system: "OS/2", format: pattern(`^\s*(?P<size>\d+)(?:\s+(?P<dir>DIR))?(?:\s+[ADHRS]+)?\s+(?P<date>\d\d-\d\d-\d\d\d?)\s+(?P<time>\d\d:\d\d)\s+(?P<name>\S.*)$`)},
		{system: "OS-9", heads: []string{"Owner Last modified"}, format: pattern(`^\s*(?P<group>\d+)\.(?P<owner>\d+)\s+(?P<year>\d\d)/(?P<month>\d\d)/(?P<day>\d\d)\s+(?P<time>\d{4})\s+(?:-|(?P<dir>d))[-sewr]{7}\s+[\da-fA-F]+\s+(?P<size>\d+)\s+(?P<name>\S.*)$`)},
		{system: "VXWORKS", heads: []string{"size date time"}, format: pattern(`^\s*(?P<size>\d+)\s+(?P<date>\pL{3}-\d\d-\d{4})\s+(?P<time>\d\d:\d\d:\d\d)\s+(?P<name>\S.*?)\s*(?P<dir><DIR>)?$`)},
	}
	for i, f := range all {
		all[i].groups = f.format.SubexpNames()
	}
	return all
})

func pattern(s string) *regexp.Regexp { return regexp.MustCompile(`(?s)` + s) }

// systemOf returns the system of a family in the reply to SYST, or "".
func systemOf(reply string) string {
	for _, f := range families() {
		if f.system != "" && strings.Contains(strings.ToUpper(reply), f.system) {
			return f.system
		}
	}
	return ""
}

// foreign parses a line of LIST that parseLIST does not understand. The families of the
// reply to SYST and of the line above the items are tried first, then the family of the
// last line, then all others unless too many lines were in vain.
func (l *lister) foreign(text string) (entry, verdict) {
	if strings.Trim(text, "- \t") == "" {
		return entry{}, info
	}
	if len(text) > maxUnread {
		return entry{}, unknown
	}
	all := families()
	words := strings.Join(strings.Fields(text[:min(len(text), 80)]), " ")
	for _, f := range all {
		for _, head := range f.heads {
			if strings.HasPrefix(words, head) {
				l.head = head
				return entry{}, info
			}
		}
	}
	word := !strings.ContainsAny(text, " \t")
	for pass := range 3 {
		for i := range all {
			f := &all[i]
			selected := f.system != "" && f.system == l.system || slices.Contains(f.heads, l.head)
			if pass == 0 && !selected || pass == 1 && f != l.family || pass == 2 && (word || f.bare || len(l.unread) >= maxBeside) {
				continue
			}
			if e, v := f.parse(text, l.now); v != unknown {
				l.family = f
				return e, v
			}
		}
	}
	return entry{}, unknown
}

// parse parses a line. The groups of the format are the fields of the entry and its date;
// a digit at the end of a group's name makes the name unique.
func (f *family) parse(line string, now time.Time) (entry, verdict) {
	at := f.format.FindStringSubmatchIndex(line)
	if at == nil {
		return entry{}, unknown
	}
	e := entry{kind: file, size: -1}
	var d civil
	for i, group := range f.groups {
		if at[2*i] < 0 || at[2*i] == at[2*i+1] {
			continue
		}
		switch s := line[at[2*i]:at[2*i+1]]; strings.TrimRight(group, "12") {
		case "name":
			e.name = s
		case "type": // of VM/CMS: the name is NAME.TYPE
			e.name += "." + s
		case "vms":
			if e.name = s; directoryVMS(s+";") != s+";" {
				e.name, e.kind = directoryVMS(s+";"), directory
			}
		case "perm":
			e.kind, _, _, _ = permissions(s)
			e.mode = s[1:]
		case "octal":
			e.kind = map[string]entryKind{"40": directory, "100": file, "120": link}[strings.TrimLeft(s[:len(s)-3], "0")]
			e.mode = parseMode(s)
		case "dir":
			e.kind = directory
		case "unsaid":
			e.kind = unsaid
		case "size":
			e.size = parseSize(s)
		case "who":
			var buf [maxFields]field
			e.owner, e.group = owners(s, fields(s, 0, &buf))
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
		return entry{}, unknown
	}
	e.finish()
	return e, item
}

// civil is the date of a line, as the groups of a format give it.
type civil struct {
	year, day int
	month     time.Month
	clock     string
	unclear   bool // the order of year, month and day is unknown
}

// set sets the part of d that a group has.
func (d *civil) set(group, s string) {
	switch strings.TrimRight(group, "12") {
	case "date", "unclear":
		year, month, day, ok := dosDate(s)
		d.year, d.month, d.day = year, time.Month(month), day
		if group == "unclear" { // the month or the year may come first too
			m, last := number(s[3:5]), number(s[6:])
			d.unclear = day <= 12 && month != day || m >= 1 && m <= 12 && last >= 1 && last <= 31
		}
		if parts := strings.Split(s, "-"); !ok && len(parts) == 3 { // 6-Apr-07, Feb-28-1998
			if monthOf(parts[0]) != 0 {
				parts[0], parts[1] = parts[1], parts[0]
			}
			d.year, d.month, d.day = fullYear(parts[2]), monthOf(parts[1]), dayOf(parts[0])
		} else if !ok {
			d.day = -1
		}
	case "year":
		d.year = fullYear(s)
	case "month":
		if d.month = time.Month(max(number(s), 0)); d.month == 0 {
			d.month = monthOf(s)
		}
	case "day":
		d.day = number(s)
	case "time":
		if d.clock = s; len(s) == 4 && s[1] != ':' && s[2] != ':' {
			d.clock = s[:2] + ":" + s[2:]
		} else if h, m, _ := strings.Cut(s, ":"); len(m) == 1 {
			d.clock = h + ":0" + m
		}
	}
}

// apply sets the date of e. It returns false if d is none.
func (d *civil) apply(e *entry, now time.Time) bool {
	if *d == (civil{}) {
		return true
	}
	clockTime, late := d.clock, time.Duration(0)
	if clockTime == "24:00" {
		clockTime, late = "00:00", 24*time.Hour
	}
	h, m, s, ok := clock(clockTime)
	if d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 || !ok && d.clock != "" {
		return false
	}
	e.local, e.dateOnly = ok, !ok
	switch t := valid(cmp.Or(d.year, leapYear), d.month, d.day, h, m, s).Add(late); {
	case d.unclear || t.Year() < 2:
		e.local, e.dateOnly = false, false
	case d.year == 0:
		e.modified, e.yearless = lastSuch(t, now), true
	default:
		e.modified = t
	}
	return true
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
