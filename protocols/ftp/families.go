package ftp

import (
	"regexp"
	"slices"
	"strings"
	"sync"
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
		unix        = `^(?P<perm>[-bcdlps][-rwxsStTlL]{9})[.+@]?(?P<owners>\s.*?|)\s(?P<size>-?\d[\d.,]*(?:[kKMGTPE]i?B?)?)\s+`
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
		{format: compile(unix + `(?P<year>\d{4})[^\x00-\x7F][^\s\d]{0,2}(?P<month>\d\d?)[^\x00-\x7F][^\s\d]{0,2}(?P<day>\d\d?)[^\x00-\x7F][^\s\d]{0,2}(?: (?P<time>\d\d:\d\d))? (?P<name>.+)$`)},
		{format: compile(unix + `(?:(?P<date>\d{4}[/.]\d\d[/.]\d\d|\d\d?-\pL{3}-\d\d(?:\d\d)?)|(?P<unclear>\d\d-\d\d-\d{4}))(?: (?P<time>\d\d:\d\d(?::\d\d)?) |\s+)(?P<name>.+)$`)},
		{format: compile(unix + `(?P<month>\pL+) (?P<day>\d\d?), (?P<year>\d{4}) (?P<time>\d\d?:\d\d) (?P<name>.+)$`)},
		{format: compile(`^(?P<perm>[-dl][-rwxsStTlL]{9})[.+@]?\s+(?:\d+\s+)?(?P<owner>\S+)\s+(?P<group>\S{7,}\D)(?P<size>\d+)\s+` + dateAndName)}, // no blank between the group and the size, because the group fills its column
		{format: compile(`^(?P<perm>[-dl][-rwxsStTlL]{9})[.+@]?\s+\d+\s+(?P<owner>\S+)\s+(?P<group>\S+)\s+(?P<size>\d+) (?P<name>\S*[^\s\d]\S*)$`)},
		{format: compile(`^0(?P<octal>[01]?[0-7]{5})\s+(?P<owner>\d+)\s+(?P<group>\d+)\s+(?P<size>\d+)\s+(?P<epoch>\d+)\s+(?P<name>\S.*)$`)},
		{format: compile(`^(?P<size>\d+)\s+(?P<month>\pL{3}) (?P<day>\d\d), (?P<year>\d{4}) (?P<time>\d\d:\d\d) (?P<name>[^/]+)(?P<dir>/?)$`)}, // format of the server VShell
		{format: compile(`^(?P<name>\S.*?)\s+(?P<size>\d+)\s+(?P<date>\d\d/\d\d/\d\d)\s+\pL+\.\s+(?P<time>\d\d:\d\d:\d\d)$`)},                  // format of Nortel devices
		{system: "VMS", format: compile(`^(?:\s*(?:(?P<date>\d\d?-\pL{3}-\d{4})(?: +(?P<time>\d\d?:\d\d[\d:.]*))?|\[(?P<owner>[^\]]*)\]|\([^)]*\)|(?P<blocks>\d+(?:/\d+)?(?:KB)?)|(?P<vms>[^\s;\[(]+(?:;\d+|\.[^\s;\[(]+)))(?:\s|$))+$`)},
		{system: "MVS", headings: []string{"Volume Unit Referred", "Volume Referred Ext"}, format: compile(`^\s*\S{1,6}\s+(?:(?P<unit>[^\s/]{1,8})\s+)?(?:(?P<date>\d{4}/\d\d/\d\d)|\*\*NONE\*\*)\s+(?:\d+\s+(?P<tracks>\d+)\s+)?\S.*\s(?:(?P<dir>PO[EU]?(?:-[A-Z])?)|(?:PS|DA|IS)U?(?:-[A-Z])?|VS|VSAM|GDG|PATH|HFS|ZFS)` + dataSet)},
		{system: "MVS", format: compile(`^(?:(?P<dir>Pseudo Directory)|\S+\s+(?:Tape|(?:\S+\s+)?(?:VSAM|PATH|HFS|ZFS)))` + dataSet)},
		{system: "MVS", format: compile(`(?i)^(?:\S+\s+)?(?P<unknown>migrated|archived|gdg|not mounted|not direct access device|not in vtoc|error determining attributes|user catalog connector|no catalog entry)(?:\s.*)?` + dataSet)},
		{system: "MVS", headings: memberHeadings, format: compile(member + `\s+\d\d\.\d\d\s+\S+\s+(?P<date>\d{4}/\d\d/\d\d)\s+(?P<time>\d\d:\d\d)(?:\s+\d+\s+\d+\s+\d+\s+(?P<owner>\S+))?`)},
		{system: "MVS", headings: memberHeadings, format: compile(member + `\s+(?P<hex>[\dA-F]{6,8})\s+[\dA-F]{6}\s`)},
		{system: "MVS", headings: memberHeadings, format: compile(`^\s*(?P<name>[A-Z\d@#$-]+)\s*$`), ambiguous: true},
		{system: "MVS", headings: []string{"JOBNAME JOBID"}, format: compile(`^\s*\S{1,8}\s+(?P<name>(?:JOB|STC|TSU|[JST]\d\d)\d{5})\s+(?:(?P<owner>[\w@#$+?*]{1,8})\s+)??(?:INPUT|ACTIVE|EXECUTING|OUTPUT|HELD|HOLD)\b.*$`)},
		{system: "VM", format: compile(`^(?P<name>\S+)\s+(?:(?P<type>\S+)\s+[FV]\s+(?P<length>\d+)\s+(?P<records>\d+)\s+\d+|(?P<dir>DIR)\s+-\s+-\s+-\s+-)\s+(?P<date>[\d/.-]{6,10})\s+(?P<time>\d\d?:\d\d:\d\d)(?:\s+(?P<owner>\S+))?\s*$`)},
		{system: "OS/400", format: compile(`^(?P<owner>\S+)?\s+(?:(?P<size>\d+)\s+(?:(?P<guess>\d\d[/,&-]\d\d[/,&-]\d\d)|(?P<julian>\d\d[/.,&-]?\d{3})|(?P<date>\S{8,10}))\s+(?P<time>\d\d[:.,]\d\d[:.,]\d\d)\s+)?\*(?:(?P<dir>D?DIR|LIB|FLR)|D?STMF|FILE|MEM|DOC|(?P<unknown>[A-Z\d]{2,}))\s+(?P<name>.+?)/?\s*$`)},
		{system: "NONSTOP", headings: []string{"File Code EOF"}, format: compile(`^(?P<name>\S+)\s+\d+[+LO]*\s+(?P<size>\d+)\s+(?P<date>\d\d?-\pL{3}-\d\d)\s+(?P<time>[\d:]{8})\s+(?P<owner>\d+,\s*\d+)\s+"[^"]*"\s*$`)},
		{system: "OS/2", format: compile(`^\s*(?P<size>\d[\d,.]*)(?:\s+(?:(?P<dir><?DIR>?)|[ADHRS]+))*\s+(?P<date>\d\d?[-/]\d\d?[-/]\d{2,4})\s+(?P<time>\d\d?:\d\d(?::\d\d)?)(?P<half>[aApP]?)[mM]?\s+(?P<name>\S.*)$`)},
		{format: compile(`^(?P<name>\S+)\s+(?:(?P<dir><DIR>)|(?P<size>\d[\d,]*))\s+(?:(?P<date>\d\d-\d\d-\d\d(?:\d\d)?)|(?P<month>\pL{3})\s+(?P<day>\d\d?)\s+(?P<year>\d{4}))\s+(?P<time>\d\d?:\d\d(?::\d\d)?)\s*$`)}, // format of SuperTCP and NetManage
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
				l.orderDate(&e)
				return e, v
			}
		}
	}
	return entry{}, unknownLine
}
