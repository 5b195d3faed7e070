package ftp

import (
	"strings"
	"time"
)

// oddDate parses a date in a form that dateAt does not know. It gets the fields by their
// numbers, and returns the number of fields, or 0. A date that may be read in two ways is
// unknown.
func oddDate(get func(i int) string, now time.Time) (date, int) {
	if year, month, day, ok := tripleDate(get(0)); ok {
		if h, m, s, ok := clock(get(1)); ok {
			return date{t: valid(year, month, day, h, m, s), local: true}, 2
		}
		return date{t: valid(year, month, day, 0, 0, 0), dateOnly: true, blanks: true}, 1
	}
	if d, n := commaDate(get, 0); n > 0 {
		return d, n
	}
	first, second := stem(get(0)), stem(get(1))
	if a, b, ok := strings.Cut(get(0), "-"); ok && len(a) == 2 && len(b) == 2 { // 09-26 2000
		d, n := numericDate(number(a), number(b), stem(get(1)), now)
		return d, max(n-1, 0)
	}
	if year := yearOf(first); year != 0 { // 2003年 3月 20日
		month, day := time.Month(number(second)), number(stem(get(2)))
		if first != get(0) && month < 1 {
			month = monthOf(get(1))
		}
		if first == get(0) && second == get(1) || month < 1 || month > 12 || day < 1 || day > 31 {
			return date{}, 0
		}
		return date{t: valid(year, month, day, 0, 0, 0), dateOnly: true}, 3
	}
	if month := monthOf(get(0)); month != 0 {
		return numericDate(int(month), number(second), get(2), now)
	}
	return numericDate(number(first), number(second), stem(get(2)), now)
}

// numericDate parses the last part of a date of three fields, the year or the time, which
// may be 24:00 or have one digit for the minutes.
func numericDate(month, day int, last string, now time.Time) (date, int) {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return date{}, 0
	}
	after := time.Duration(0)
	if h, m, ok := strings.Cut(last, ":"); ok && len(m) == 1 {
		last = h + ":0" + m
	} else if last == "24:00" {
		last, after = "00:00", 24*time.Hour
	}
	d, n := yearOrTime(last, "", time.Month(month), day, now)
	if !d.t.IsZero() {
		d.t = d.t.Add(after)
	}
	return d, n
}

// commaDate parses "Oct 08, 2002 09:47" from field i on.
func commaDate(get func(i int) string, i int) (date, int) {
	day, comma := strings.CutSuffix(get(i+1), ",")
	month, year := monthOf(get(i)), yearOf(get(i+2))
	h, m, s, ok := clock(get(i + 3))
	if !comma || month == 0 || dayOf(day) == 0 || year == 0 || !ok {
		return date{}, 0
	}
	return date{t: valid(year, month, dayOf(day), h, m, s), local: true}, 4
}

// tripleDate parses a date in one field: 1999/10/12, 2004.07.15, 24-04-2003, 01-jun-99. The
// date is not valid if day and month may be confused.
func tripleDate(s string) (year int, month time.Month, day int, ok bool) {
	if year, month, day, ok = nameDate(s); ok {
		return year, month, day, ok
	}
	if len(s) != 10 || strings.Trim(s, "0123456789./-") != "" {
		return 0, 0, 0, false
	}
	year, m, day, ok := dosDate(s)
	if s[4] >= '0' && s[2] != '.' && m != day && day <= 12 {
		return year, 0, 0, ok
	}
	return year, time.Month(m), day, ok
}

// stem removes from a number what is not ASCII, such as the signs for year, month and day
// in any charset.
func stem(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 && i > 0 && len(s)-i <= 3 {
			return s[:i]
		}
	}
	return strings.TrimRight(s, ".,")
}
