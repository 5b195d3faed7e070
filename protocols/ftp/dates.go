package ftp

import (
	"strings"
	"time"

	"gofer/protocols"
)

// date is a time in a listing.
type date struct {
	t        time.Time // zero if it cannot be parsed
	dateOnly bool      // there is no time of day
	local    bool      // the zone of the time of day is unknown
	yearless bool      // there is no year
	padded   bool      // an additional space follows
}

// dateAt parses the date at the beginning of fs. It returns the number of its fields, or
// 0 if there is none. Unless strict is set, a month in an unknown language is a date that
// cannot be parsed.
func dateAt(line string, fs []field, now time.Time, strict bool) (date, int) {
	get := func(i int) string {
		if i >= len(fs) {
			return ""
		}
		return line[fs[i].from:fs[i].to]
	}
	switch get(0) {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
		if d, n := dateAt(line, fs[1:], now, strict); n > 0 {
			return d, n + 1
		}
		return date{}, 0
	}
	if d, n := isoDate(get(0), get(1), get(2), now); n > 0 {
		return d, n
	}
	month, day := monthOf(get(0)), dayOf(get(1))
	if month == 0 || day == 0 {
		if m := monthOf(get(1)); m != 0 && dayOf(get(0)) != 0 {
			month, day = m, dayOf(get(0))
		} else if strict {
			return date{}, 0
		}
	}
	if month == 0 || day == 0 {
		word := func(s string) bool { return s != "" && s[0] > '9' }
		if !(word(get(0)) && dayOf(get(1)) != 0) && !(word(get(1)) && dayOf(get(0)) != 0) {
			return date{}, 0
		}
	}
	return yearOrTime(get(2), get(3), month, day, now)
}

// yearOrTime parses the last part of "Nov 14 2023", "Nov 14 22:13" or "Nov 14 22:13:20
// 2023". A date without a year is the last such day.
func yearOrTime(last, more string, month time.Month, day int, now time.Time) (date, int) {
	if h, m, s, ok := clock(last); ok {
		year, n := yearOf(more), 4
		if year == 0 || strings.Count(last, ":") != 2 {
			year, n = 0, 3
		}
		if month == 0 {
			return date{}, n
		}
		if year != 0 {
			return date{t: valid(year, month, day, h, m, s), local: true}, n
		}
		t := valid(leapYear, month, day, h, m, s)
		if t.IsZero() {
			return date{}, n
		}
		return date{t: lastSuch(t, now), local: true, yearless: true}, n
	}
	year := yearOf(last)
	if year == 0 {
		return date{}, 0
	}
	if month == 0 {
		return date{}, 3
	}
	return date{t: valid(year, month, day, 0, 0, 0), dateOnly: true}, 3
}

const leapYear = 2000

// dayAhead is how far a date may be ahead of our clock because of the server's zone.
const dayAhead = 24 * time.Hour

// lastSuch returns the last time until now plus dayAhead with the month, day and time of
// day of t, or zero.
func lastSuch(t, now time.Time) time.Time {
	for y := now.Year() + 1; y > now.Year()-9; y-- {
		if l := valid(y, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second()); !l.IsZero() && l.Before(now.Add(dayAhead)) {
			return l
		}
	}
	return time.Time{}
}

// isoDate parses the styles of GNU ls: "2023-11-14 22:13", with or without a zone,
// "2023-11-14" and "11-14 22:13".
func isoDate(first, second, third string, now time.Time) (date, int) {
	if len(first) == 5 && first[2] == '-' {
		month, day := number(first[:2]), number(first[3:])
		if _, _, _, ok := clock(second); !ok || month < 1 || month > 12 || day < 1 || day > 31 {
			return date{}, 0
		}
		d, _ := yearOrTime(second, "", time.Month(month), day, now)
		return d, 2
	}
	if len(first) != 10 || first[4] != '-' || first[7] != '-' {
		return date{}, 0
	}
	year, month, day := number(first[:4]), number(first[5:7]), number(first[8:])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > 31 {
		return date{}, 0
	}
	h, m, s, ok := clock(second)
	if !ok {
		return date{t: valid(year, time.Month(month), day, 0, 0, 0), dateOnly: true, padded: true}, 1
	}
	t := valid(year, time.Month(month), day, h, m, s)
	if len(third) == 5 && (third[0] == '+' || third[0] == '-') && number(third[1:]) >= 0 {
		offset := (number(third[1:3])*60 + number(third[3:])) * 60
		if third[0] == '-' {
			offset = -offset
		}
		if t.IsZero() {
			return date{}, 3
		}
		return date{t: t.Add(-time.Duration(offset) * time.Second)}, 3
	}
	return date{t: t, local: true}, 2
}

// valid is time.Date, or zero for a day that does not exist.
func valid(year int, month time.Month, day, h, m, s int) time.Time {
	t := time.Date(year, month, day, h, m, s, 0, time.UTC)
	if t.Day() != day || t.Month() != month {
		return time.Time{}
	}
	return t
}

// clock parses HH:MM, HH:MM:SS or HH:MM:SS.fraction.
func clock(s string) (h, m, sec int, ok bool) {
	hs, rest, found := strings.Cut(s, ":")
	if !found || hs == "" || len(hs) > 2 {
		return 0, 0, 0, false
	}
	ms, ss, found := strings.Cut(rest, ":")
	if found {
		ss, _, _ = strings.Cut(ss, ".")
		if sec = number(ss); sec < 0 || sec > 60 || len(ss) != 2 {
			return 0, 0, 0, false
		}
	}
	h, m = number(hs), number(ms)
	ok = h >= 0 && h < 24 && len(ms) == 2 && m >= 0 && m < 60
	return h, m, sec, ok
}

// number parses a short decimal number, or returns -1.
func number(s string) int {
	if s == "" || len(s) > 9 {
		return -1
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// yearOf parses a year of four digits, or returns 0.
func yearOf(s string) int {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "年"), "년")
	if len(s) != 4 {
		return 0
	}
	return max(number(s), 0)
}

// dayOf parses a day of the month, or returns 0.
func dayOf(s string) int {
	s = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(s, "."), "日"), "일")
	if n := number(s); len(s) <= 2 && n >= 1 && n <= 31 {
		return n
	}
	return 0
}

// monthOf parses the name of a month as ls abbreviates it in the languages that were
// common on servers, or returns 0.
func monthOf(s string) time.Month {
	if len(s) < 2 || len(s) > 12 {
		return 0
	}
	if digits := strings.TrimSuffix(strings.TrimSuffix(s, "月"), "월"); digits != s {
		if n := number(digits); n >= 1 && n <= 12 {
			return time.Month(n)
		}
		return 0
	}
	switch strings.ToLower(strings.TrimRight(s, ".,")) {
	case "jan", "janv", "ene", "gen", "sty", "led", "tam", "янв", "січ", "january", "januar", "januari", "janvier", "enero", "gennaio", "ocak", "oca":
		return time.January
	case "feb", "fév", "févr", "fevr", "fev", "febr", "lut", "úno", "hel", "helmi", "фев", "лют", "şub", "february", "februar", "februari", "février", "febrero":
		return time.February
	case "mar", "mär", "märz", "mrz", "mars", "márc", "már", "march", "marzo", "maart", "maa", "maalis", "mrt", "bře", "мар", "бер":
		return time.March
	case "apr", "ápr", "april", "avr", "avril", "abr", "kwi", "dub", "huh", "huhti", "апр", "кві", "nis":
		return time.April
	case "may", "mai", "mag", "maj", "máj", "mei", "mayo", "maggio", "kvě", "tou", "touko", "май", "мая", "тра":
		return time.May
	case "jun", "jún", "june", "juin", "giu", "cze", "čer", "kes", "kesä", "juni", "июн", "чер", "haz":
		return time.June
	case "jul", "júl", "july", "juli", "jui", "juil", "juillet", "lug", "lip", "čec", "hei", "heinä", "июл", "tem":
		return time.July
	case "aug", "august", "août", "aoû", "aout", "ago", "sie", "srp", "elo", "авг", "сер", "ağu":
		return time.August
	case "sep", "sept", "szept", "szep", "september", "septembre", "set", "wrz", "zář", "syy", "syys", "сен", "вер", "eyl":
		return time.September
	case "oct", "okt", "október", "oktober", "october", "octobre", "ott", "out", "paź", "říj", "lok", "loka", "окт", "жов", "eki":
		return time.October
	case "nov", "november", "novembre", "kas", "marras", "ноя", "лис":
		return time.November
	case "dec", "december", "dezember", "déc", "décembre", "dez", "dic", "gru", "pro", "jou", "joulu", "des", "дек", "гру", "ara":
		return time.December
	}
	return 0
}

// A date without a year is one of the last six months by the server's clock, since ls
// writes the year of older dates. If that clock differs from ours, MDTM of one such file
// gives the year (RFC 3659, section 3), and with it the years of the others.
const halfYear = 183 * 24 * time.Hour

// The lines of a listing wait for that reply: up to maxHeld lines, for up to holdTime.
const (
	maxHeld  = 100
	holdTime = 300 * time.Millisecond
)

// undated holds the lines of a listing whose years are not certain yet.
type undated struct {
	holding bool
	began   time.Time
	lines   []protocols.Line
	notes   []*protocols.FileNote // with dates that had no year
	sample  string                // the name of a file with such a date
}

// nowOf returns the time of a listing of a server, for its dates without a year. If known
// is false it may be wrong.
func (c *Client) nowOf(addr string) (now time.Time, known bool) {
	kept, known := c.clocks.Load(addr)
	if now, _ = kept.(time.Time); now.IsZero() { // our clock
		now = time.Now()
	}
	return now, known
}

// hold keeps the first lines back until the listing is complete, or long, or slow.
func (l *lister) hold(yield func(protocols.Line, error) bool) func(protocols.Line, error) bool {
	return func(line protocols.Line, err error) bool {
		u := &l.undated
		if !u.holding {
			return yield(line, err)
		}
		if len(u.lines) == 0 {
			u.began = time.Now()
		}
		if err == nil {
			u.lines = append(u.lines, line)
		}
		if err == nil && len(u.lines) < maxHeld && time.Since(u.began) < holdTime {
			return true
		}
		return l.release(yield) && (err == nil || yield(line, err))
	}
}

// release yields the lines that hold kept back.
func (l *lister) release(yield func(protocols.Line, error) bool) bool {
	lines := l.undated.lines
	l.undated.holding, l.undated.lines = false, nil
	for _, line := range lines {
		if !yield(line, nil) {
			return false
		}
	}
	return true
}

// note records that the date of an entry had no year.
func (u *undated) note(e *entry, n *protocols.FileNote) {
	if u.holding {
		u.notes = append(u.notes, n)
	}
	if u.sample == "" && e.kind == file {
		u.sample = strings.Clone(e.name)
	}
}

// learnNow asks for the date of a file without a year, after the listing, and corrects
// the dates of the lines that were held back.
func (l *lister) learnNow() {
	u, s := &l.undated, l.t.s
	if _, known := l.t.c.nowOf(s.key.Addr); known || u.sample == "" || !s.mdtm {
		return
	}
	when, err := s.modified(u.sample)
	if err != nil {
		l.t.abort(nil)
		return
	}
	now := time.Now()
	if since := now.Sub(when); when.IsZero() || since > -2*dayAhead && since < halfYear+2*dayAhead {
		l.t.c.clocks.Store(s.key.Addr, time.Time{}) // presumably ours
		return
	}
	now = when.Add(halfYear - dayAhead)
	l.t.c.clocks.Store(s.key.Addr, now)
	for _, n := range u.notes {
		n.Modified = lastSuch(n.Modified, now)
	}
}
