package ftp

import (
	"strconv"
	"strings"
	"time"
)

// entry is an item of a listing.
type entry struct {
	name     string // the octets that the server sent
	kind     entryKind
	size     int64     // octets, or -1
	foreign  bool      // the line is in the format of another system than Unix
	rounded  bool      // size is not exact
	modified time.Time // zero if unknown
	dateOnly bool      // modified has no time of day
	local    bool      // the zone of modified is unknown
	yearless bool      // the year of modified is a guess
	unclear  string    // the date and time, if the date is three numbers whose order other lines may show
	mode     string    // the permissions, "rwxr-xr-x"
	owner    string
	group    string
	target   string // target of a symbolic link
	unique   string // unique fact (RFC 3659, section 7.5.2); for a link, it may identify the target
}

// entryKind is the kind of an item in a listing.
type entryKind uint8

const (
	unknownKind entryKind = iota
	file
	directory
	link    // a symbolic link whose target has an unknown kind
	special // a device, pipe or socket
)

// lineClass is the class of a line: an item, a text, or a line that is not shown.
type lineClass uint8

const (
	unknownLine lineClass = iota // a line in another format
	itemLine                     // an entry
	skippedLine                  // a line that is not shown
	infoLine                     // a text about the listing
	nameLine                     // the name of an entry whose other fields are in the next line
)

// parser parses a line of a listing. The parameter now, the time of the server, is used to guess years that
// are missing from dates. The entry shares memory with line.
type parser func(line string, now time.Time) (entry, lineClass)

// parserOf returns the parser for the lines of a listing. The parameter verb is the command that requests them.
func parserOf(verb string) parser {
	switch verb {
	case "MLSD":
		return parseMLSD
	case "NLST":
		return parseNLST
	}
	return parseLIST
}

// parseNLST parses a line of NLST (RFC 959, section 4.1.3): a name.
func parseNLST(line string, _ time.Time) (entry, lineClass) {
	if line == "" {
		return entry{}, skippedLine
	}
	return entry{name: line, size: -1}, itemLine
}

// parseLIST parses a line of LIST, whose format no document defines.
func parseLIST(line string, now time.Time) (entry, lineClass) {
	if strings.TrimSpace(line) == "" || isTotal(line) {
		return entry{}, skippedLine
	}
	for _, parse := range [...]parser{parseUnix, parseDOS, parseEPLF, parseVMS} {
		if e, v := parse(line, now); v != unknownLine {
			return e, v
		}
	}
	return entry{}, unknownLine
}

// isTotal reports whether line is the first line that ls prints: the total number of blocks.
func isTotal(line string) bool {
	word, n, ok := strings.Cut(line, " ")
	if !ok {
		return false
	}
	n = strings.TrimSpace(n)
	if n == "" || strings.Trim(n, "0123456789.,kKMGTPB") != "" {
		return false
	}
	month, known := findWord(strings.TrimSuffix(word, ":"))
	return known && month == 0
}

// parseMLSD parses a line of MLSD: facts, a space, the name (RFC 3659, section 7.2). The
// last fact may lack its semicolon; the names of facts are case-insensitive.
func parseMLSD(line string, _ time.Time) (entry, lineClass) {
	if line == "" {
		return entry{}, skippedLine
	}
	facts, name, ok := splitMLSD(line)
	if !ok || name == "" {
		return entry{}, unknownLine
	}
	e, class := entry{name: name, size: -1}, itemLine
	for fact := range strings.SplitSeq(facts, ";") {
		key, value, ok := strings.Cut(fact, "=")
		switch {
		case fact == "":
		case !ok:
			return entry{}, unknownLine
		case strings.EqualFold(key, "type"):
			if !e.setType(value) {
				class = skippedLine
			}
		case strings.EqualFold(key, "unique"):
			e.unique = value
		case strings.EqualFold(key, "size"):
			e.size = parseSize(value)
		case strings.EqualFold(key, "modify"):
			e.modified = parseFactTime(value)
		case strings.EqualFold(key, "UNIX.mode"):
			e.mode = parseMode(value)
		case strings.EqualFold(key, "UNIX.ownername"), strings.EqualFold(key, "UNIX.owner") && e.owner == "", strings.EqualFold(key, "UNIX.uid") && e.owner == "":
			e.owner = value
		case strings.EqualFold(key, "UNIX.groupname"), strings.EqualFold(key, "UNIX.group") && e.group == "", strings.EqualFold(key, "UNIX.gid") && e.group == "":
			e.group = value
		}
	}
	return e, class
}

// parseMode converts octal permissions to the format of ls.
func parseMode(octal string) string {
	n, err := strconv.ParseUint(octal, 8, 16)
	if err != nil {
		return ""
	}
	mode := []byte("rwxrwxrwx")
	for i := range mode {
		if n&(1<<(8-i)) == 0 {
			mode[i] = '-'
		}
	}
	for i, special := range []string{"sS", "sS", "tT"} {
		if at := 3*i + 2; n&(1<<(11-i)) != 0 {
			mode[at] = special[map[byte]int{'x': 0, '-': 1}[mode[at]]]
		}
	}
	return string(mode)
}

// splitMLSD splits a line of MLSD into facts and name. According to the RFC, facts have no
// spaces; but the type fact of Pure-FTPd has the target of a link, which may have spaces.
func splitMLSD(line string) (facts, name string, ok bool) {
	facts, name, ok = strings.Cut(line, " ")
	if before, after, tab := strings.Cut(line, ";\t"); tab && len(before) < len(facts) { // drafts of the RFC have a tab
		facts, name, ok = before, after, true
	}
	if !ok {
		return "", "", false
	}
	if facts != "" && !strings.HasSuffix(facts, ";") && strings.Contains(strings.ToLower(facts), "type=os.unix=slink:") {
		if i := strings.Index(line, "; "); i > len(facts) {
			facts, name = line[:i+1], line[i+2:]
		}
	}
	return facts, name, true
}

// setType sets the kind of e from a type fact (RFC 3659, section 7.5.1). It returns false for the listed
// directory and its parent.
func (e *entry) setType(value string) bool {
	switch lower := strings.ToLower(value); {
	case lower == "cdir":
		e.name = "."
		return false
	case lower == "pdir":
		e.name = ".."
		return false
	case lower == "dir":
		e.kind = directory
	case lower == "file":
		e.kind = file
	case lower == "os.unix=symlink", lower == "os.unix=slink":
		e.kind = link
	case strings.HasPrefix(lower, "os.unix=slink:"):
		e.kind, e.target = link, value[len("os.unix=slink:"):]
	case strings.HasPrefix(lower, "os."):
		e.kind = special
	}
	return true
}

// parseFactTime parses a time-val (RFC 3659, section 2.3), which is in UTC, or returns zero.
func parseFactTime(s string) time.Time {
	s, _, _ = strings.Cut(s, ".")
	if len(s) != 14 {
		return time.Time{}
	}
	t, _ := time.Parse("20060102150405", s)
	return t
}

// parseSize parses a decimal number of octets, or returns -1.
func parseSize(s string) int64 {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// parseEPLF parses Bernstein's "easily parsed LIST format": "+" facts TAB name.
func parseEPLF(line string, _ time.Time) (entry, lineClass) {
	if line[0] != '+' {
		return entry{}, unknownLine
	}
	facts, name, ok := strings.Cut(line[1:], "\t")
	if !ok || name == "" {
		return entry{}, unknownLine
	}
	e := entry{name: name, size: -1}
	for fact := range strings.SplitSeq(facts, ",") {
		switch {
		case fact == "/":
			e.kind = directory
		case fact == "r":
			e.kind = file
		case strings.HasPrefix(fact, "s"):
			e.size = parseSize(fact[1:])
		case strings.HasPrefix(fact, "up"):
			e.mode = parseMode(fact[2:])
		case strings.HasPrefix(fact, "m"):
			if n, err := strconv.ParseInt(fact[1:], 10, 40); err == nil {
				e.modified = time.Unix(n, 0).UTC()
			}
		}
	}
	return e, itemLine
}
