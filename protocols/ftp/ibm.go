package ftp

import (
	"strings"
	"time"
)

// parseDataSet parses a line of data sets of MVS: volume, unit, date of the last reference,
// extents, tracks, record format, record length, block size, organization, name. A
// partitioned data set is a directory. Of many data sets only the name and the state are
// known. A name in quotes is absolute, and is sent with its quotes.
func parseDataSet(r *row, _ time.Time) (entry, verdict) {
	n := len(r.fs) - 1
	e := entry{name: r.at(n), kind: file, size: -1}
	if n < 1 || !isNameMVS(e.name) {
		return entry{}, unknown
	}
	organization := r.at(n - 1)
	partitioned := strings.HasPrefix(organization, "PO")
	switch date := r.at(2); {
	case n >= 5 && n <= 9 && len(r.at(0)) <= 6 && isOrganization(organization):
		year, month, day, ok := dosDate(date)
		if ok {
			e.date(year, time.Month(month), day, "")
		} else if date != "**NONE**" {
			return entry{}, unknown
		}
		if partitioned {
			e.kind = directory
		}
		return e, item
	case n == 2 && strings.EqualFold(r.before(n), "Pseudo Directory"):
		e.kind = directory
		return e, item
	case n == 2 && strings.EqualFold(r.at(1), "Tape"), n == 3 && organization == "VSAM":
		return e, item
	}
	state := strings.ToLower(strings.Join(strings.Fields(r.before(n)), " "))
	for _, known := range [...]string{
		"migrated", "archived", "gdg", "vsam", "not mounted", "not direct access device", "not in vtoc",
		"error determining attributes", "user catalog connector", "no catalog entry",
	} {
		if volume, ok := strings.CutSuffix(state, known); ok && (volume == "" || strings.Index(volume, " ") == len(volume)-1) {
			e.kind = unsaid
			return e, item
		}
	}
	return entry{}, unknown
}

// isOrganization reports whether s is how a data set is organized.
func isOrganization(s string) bool {
	switch strings.TrimSuffix(s, "-E") {
	case "PS", "PSU", "PO", "POU", "DA", "DAU", "IS", "ISU", "VS", "VSAM":
		return true
	}
	return false
}

// isNameMVS reports whether s may be the name of a data set or a member.
func isNameMVS(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@#$-.'") == ""
}

// parseMember parses a line of the members of a partitioned data set of MVS: the name and
// either version, dates of creation and change, sizes in lines and user, or what the
// linkage editor knows, with a size that is not that of the file.
func parseMember(r *row, _ time.Time) (entry, verdict) {
	e := entry{name: r.at(0), kind: file, size: -1}
	if len(r.fs) < 5 || !isNameMVS(e.name) {
		return entry{}, unknown
	}
	year, month, day, ok := dosDate(r.at(3))
	if version := r.at(1); ok && len(version) == 5 && version[2] == '.' {
		e.date(year, time.Month(month), day, r.at(4))
		if len(r.fs) > 8 {
			e.owner = r.at(8)
		}
		return e, item
	}
	for _, hex := range [...]string{r.at(1), r.at(2)} {
		if len(hex) < 6 || len(hex) > 8 || strings.Trim(hex, "0123456789ABCDEF") != "" {
			return entry{}, unknown
		}
	}
	return e, item
}

// parseBareMember parses the line of a member of which nothing but the name is known.
func parseBareMember(r *row, _ time.Time) (entry, verdict) {
	name := strings.TrimSpace(r.line)
	if !isNameMVS(name) || strings.ToUpper(name) != name {
		return entry{}, unknown
	}
	return entry{name: name, kind: file, size: -1}, item
}

// parseCMS parses a line of VM/CMS: file name, file type, record format, record length,
// records, blocks, date, time, disk. The name for RETR is "name.type".
func parseCMS(r *row, _ time.Time) (entry, verdict) {
	e := entry{kind: file, size: -1}
	year, month, day, ok := dosDate(r.at(6))
	if e.date(year, time.Month(month), day, r.at(7)); len(r.fs) < 8 || len(r.fs) > 9 || !ok || e.dateOnly {
		return entry{}, unknown
	}
	e.name = r.at(0) + "." + r.at(1)
	numbers := r.at(3) + r.at(4) + r.at(5)
	switch format := r.at(2); {
	case r.at(1) == "DIR" && strings.Trim(format+numbers, "-") == "":
		e.name, e.kind = r.at(0), directory
	case (format == "F" || format == "V") && number(numbers) >= 0:
	default:
		return entry{}, unknown
	}
	e.owner = r.at(8)
	return e, item
}

// parseOS400 parses a line of OS/400: owner, size, date, time, *TYPE, name. A member has no
// size and date.
func parseOS400(r *row, _ time.Time) (entry, verdict) {
	i := 0
	for ; i < 5 && !strings.HasPrefix(r.at(i), "*"); i++ {
	}
	e := entry{kind: unsaid, size: -1}
	switch i {
	case 0, 1:
	case 3, 4:
		year, month, day, ok := dosDate(r.at(i - 2))
		if e.date(year, time.Month(month), day, r.at(i-1)); !ok || e.dateOnly {
			return entry{}, unknown
		}
		if e.size = parseSize(r.at(i - 3)); e.size < 0 {
			return entry{}, unknown
		}
	default:
		return entry{}, unknown
	}
	if i == 1 || i == 4 {
		e.owner = r.at(0)
	}
	switch typ := r.at(i); typ {
	case "*DIR", "*DDIR", "*LIB", "*FLR":
		e.kind = directory
	case "*FILE", "*STMF", "*DSTMF", "*MEM", "*DOC", "*PGM", "*SAVF", "*USRSPC":
		e.kind = file
	case "*SYMLNK":
		e.kind = link
	default:
		if len(typ) < 3 || strings.Trim(typ[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return entry{}, unknown
		}
	}
	name := strings.TrimRight(r.rest(i+1), " ")
	if name != "/" {
		name = strings.TrimSuffix(name, "/")
	}
	return e.named(name)
}
