package mimeheader

import (
	"strconv"
	"strings"
	"time"

	"gofer/protocols"
)

// maxDate is the number of octets of a Date field that are read.
const maxDate = 256

// ParseDate parses a Date field (RFC 5322, section 3.3). It also accepts the obsolete forms of section
// 4.3, the forms of RFC 733, RFC 850, asctime and ISO 8601, and the usual faults of programs: words
// without blanks between them, full names, no seconds, no zone, text after the date. It ignores the day
// of the week. A date without a zone, or with an unknown one, is in UTC, like "-0000". ParseDate returns
// the zero Time if s is not a date, or if each of two numbers may be the day.
func ParseDate(s string) time.Time {
	d := dateParser{dateScanner: dateScanner{text: s[:min(len(s), maxDate)]}}
	for d.next() && !d.ended {
		if !d.addToken() {
			return time.Time{}
		}
	}
	year, month, day, ok := d.date()
	if !ok {
		return time.Time{}
	}
	zone := time.UTC
	if offset := d.minutesEast(); offset != 0 {
		zone = time.FixedZone("", offset*60)
	}
	return time.Date(year, time.Month(month), day, d.hour, d.minute, d.second, d.nanosecond, zone)
}

// maxDateText is the number of octets that are kept of a date that cannot be read.
const maxDateText = 100

// Date parses a Date field like [ParseDate]. If the field is not a date, t is zero, and unread is its text on one
// line, undecoded, in memory of its own and with at most 100 octets.
func Date(s string) (t time.Time, unread protocols.UnreadDate) {
	if t = ParseDate(s); t.IsZero() {
		unread = protocols.UnreadDate(strings.Join(strings.Fields(s[:min(len(s), maxDate)]), " "))
		unread = protocols.UnreadDate(strings.Clone(string(unread[:min(len(unread), maxDateText)])))
	}
	return t, unread
}

// dateParser collects the elements of a date, which may have any order.
type dateParser struct {
	dateScanner

	numbers      [3]string // numbers that are not part of a time or a zone
	count        int       // length of numbers
	wasNumber    bool      // the previous token is in numbers
	separator    string    // the sign between the first two numbers
	month        int       // a month by its name, or 0
	monthAt      int       // number of numbers before the name of the month
	hasTime      bool
	hour, minute int
	second       int
	nanosecond   int
	hasOffset    bool
	offset       int    // minutes
	zone         string // the name of a zone, or ""
	isSummer     bool   // "DST" follows the name of the zone
	ended        bool   // the rest is not part of the date
}

// hasDate reports whether the numbers are a day, a month and a year.
func (d *dateParser) hasDate() bool {
	switch {
	case d.month != 0:
		return d.count == 2
	case d.count == 1:
		return len(d.numbers[0]) == 8
	}
	return d.count == 3
}

// addToken adds the current token. It returns false if the text is not a date.
func (d *dateParser) addToken() bool {
	wasNumber := d.wasNumber && !d.apart
	d.wasNumber = false
	switch d.kind {
	case number:
		return d.addNumber()
	case word:
		return d.addWord(wasNumber)
	}
	if d.part != "+" && d.part != "-" {
		if d.count == 1 && d.separator == "" {
			d.separator = d.part
		}
		return true
	}
	if d.count == 1 && d.separator == "" {
		d.separator = d.part
	}
	if !d.hasTime || d.hasOffset || wasNumber && !d.hasDate() {
		return true
	}
	if kind, part, adjacent := d.peek(); kind == number && (adjacent || d.hasDate() && len(part) == 4) {
		d.addOffset(d.part == "-")
	}
	return true
}

func (d *dateParser) addNumber() bool {
	n := d.part
	_, after, adjacent := d.peek()
	switch {
	case len(n) == 14 && d.count == 0: // 20021223101530
		d.numbers[0], d.count = n[:8], 1
		return d.setTime(n[8:10], n[10:12], n[12:])
	case len(n) == 6 && after == ":" && d.month != 0 && d.count == 1: // 200210:15
		d.numbers[1], d.count = n[:4], 2
		return d.addTime(n[4:])
	case after == ":" && !d.hasTime, after == "." && adjacent && d.hasDate() && !d.hasTime:
		return d.addTime(n)
	case d.hasDate() && !d.hasTime && (len(n) == 4 || len(n) == 6):
		return d.setTime(n[:2], n[2:4], n[4:])
	case d.hasDate() && d.hasTime:
		d.ended = true
		return true
	case d.count == len(d.numbers):
		return false
	}
	d.numbers[d.count] = n
	d.count++
	d.wasNumber = true
	return true
}

// addTime adds a time that begins with the given hour. The current token is the last one of the hour.
func (d *dateParser) addTime(hour string) bool {
	d.next() // the colon, or a dot
	colon := d.part
	if !d.next() || d.kind != number {
		return false
	}
	minute, second := d.part, ""
	if d.take(colon) && d.next() {
		second = d.part
		if _, after, adjacent := d.peek(); adjacent && (after == "." || after == ",") {
			d.next()
			if kind, digits, adjacent := d.peek(); adjacent && kind == number {
				d.next()
				d.nanosecond, _ = strconv.Atoi((digits + "000000000")[:9])
			}
		}
	}
	return d.setTime(hour, minute, second)
}

// setTime sets the time. A second may be 60 (RFC 5322, section 3.3), and the time 24:00:00.
func (d *dateParser) setTime(hour, minute, second string) bool {
	var ok [3]bool
	d.hour, ok[0] = parseNumber(hour, 0, 24)
	d.minute, ok[1] = parseNumber(minute, 0, 59)
	d.second, ok[2] = parseNumber("0"+second, 0, 60)
	d.hasTime = true
	return ok == [3]bool{true, true, true} && (d.hour < 24 || d.minute == 0 && d.second == 0)
}

// parseNumber parses a number of at most four digits.
func parseNumber(s string, least, most int) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && len(s) <= 4 && least <= n && n <= most
}

// addOffset adds a numeric zone after a sign: hhmm, hh:mm or hh. If the zone is invalid, the date is
// in UTC.
func (d *dateParser) addOffset(west bool) {
	d.next()
	hours, minutes := d.part, ""
	switch n := len(hours); {
	case n >= 3:
		hours, minutes = hours[:n-2], hours[n-2:]
	default:
		after := d.dateScanner
		if after.take(":") && after.next() && after.kind == number {
			d.dateScanner, minutes = after, after.part
		}
	}
	h, okHours := parseNumber(hours, 0, 99)
	m, okMinutes := parseNumber("0"+minutes, 0, 59)
	d.hasOffset = true
	if okHours && okMinutes {
		if d.offset = h*60 + m; west {
			d.offset = -d.offset
		}
	}
}

// addWord adds a name. The parameter afterNumber reports whether it directly follows a number of the
// date.
func (d *dateParser) addWord(afterNumber bool) bool {
	name := strings.ToUpper(d.part)
	month := monthOf(name)
	_, after, _ := d.peek()
	switch {
	case month != 0 && d.month == 0 && d.count < 3:
		d.month, d.monthAt = month, d.count
	case isDayOfWeek(name), name == "AT", name == "OF", name == "ON", name == "T":
	case afterNumber && (name == "ST" || name == "ND" || name == "RD" || name == "TH"):
	case d.hasTime && (name == "AM" || name == "PM" || (name == "A" || name == "P") && after == "."):
		return d.addHalf(name[0] == 'P')
	case d.hasTime && d.zone != "" && name == "DST":
		d.isSummer = true
	case d.hasTime && d.zone == "":
		d.zone = name
	case d.hasTime:
		d.ended = d.hasDate()
	case d.count == 0 && d.month == 0: // the day of the week in another language
		return after == "," || after == "."
	default:
		return false
	}
	return true
}

// addHalf adds AM or PM to the time.
func (d *dateParser) addHalf(afternoon bool) bool {
	if len(d.part) == 1 && d.take(".") { // a.m.
		d.next()
	}
	switch {
	case d.hour > 12:
	case afternoon:
		d.hour = d.hour%12 + 12
	default:
		d.hour %= 12
	}
	return true
}

// date returns the date in the numbers and the name of the month.
func (d *dateParser) date() (year, month, day int, ok bool) {
	n := d.numbers
	y, m, dd := n[1], strconv.Itoa(d.month), n[0]
	switch {
	case !d.hasDate():
		return 0, 0, 0, false
	case d.month != 0:
		if len(n[0]) > 2 || d.monthAt == 1 && isAfter(n[0], 31) { // 2002 Dec 23
			y, dd = n[0], n[1]
		}
	case d.count == 1:
		y, m, dd = n[0][:4], n[0][4:6], n[0][6:]
	case len(n[0]) > 2 || isAfter(n[0], 31): // 2002-12-23
		y, m, dd = n[0], n[1], n[2]
	case d.separator == "." || isAfter(n[0], 12) || n[0] == n[1]: // 23.12.2002
		y, m, dd = n[2], n[1], n[0]
	case isAfter(n[1], 12): // 12/23/2002
		y, m, dd = n[2], n[0], n[1]
	default:
		return 0, 0, 0, false
	}
	year, ok = yearOf(y)
	month, okMonth := parseNumber(m, 1, 12)
	day, okDay := parseNumber(dd, 1, 31)
	ok = ok && okMonth && okDay && time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() == day
	return year, month, day, ok
}

func isAfter(s string, n int) bool { v, err := strconv.Atoi(s); return err == nil && v > n }

// yearOf returns the year that s means (RFC 5322, section 4.3). Programs that add "19" and the years since
// 1900 write 2002 as 19102.
func yearOf(s string) (year int, ok bool) {
	if len(s) == 5 && strings.HasPrefix(s, "191") {
		s = s[2:]
	}
	year, ok = parseNumber(s, 0, 9999)
	switch {
	case len(s) == 2 && year < 50:
		year += 2000
	case len(s) <= 3:
		year += 1900
	}
	return year, ok && len(s) >= 2 && year >= 1900
}

// minutesEast returns the offset of the zone from UTC, in minutes. A number is better than a name, and a
// name outside of a comment better than one in a comment.
func (d *dateParser) minutesEast() int {
	if d.hasOffset {
		return d.offset
	}
	if d.zone == "" {
		d.zone = d.comment
	}
	offset := zones[d.zone]
	if d.isSummer {
		offset += 60
	}
	return offset
}
