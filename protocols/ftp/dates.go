package ftp

import (
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// date is a time in a listing.
type date struct {
	t        time.Time // zero if the date cannot be parsed
	dateOnly bool      // t has no time of day
	local    bool      // the zone of t is unknown
	yearless bool      // the year of t is a guess
	padded   bool      // an additional space follows the date
}

// parseDate parses the date at the beginning of fs, which are fields of line. It returns the date and
// the number of its fields, or 0 if there is no date. If strict is false, any word next to the number
// of a day counts as a month in an unknown language; date.t is then zero.
func parseDate(line string, fs []field, now time.Time, strict bool) (date, int) {
	get := func(i int) string {
		if i >= len(fs) {
			return ""
		}
		return line[fs[i].start:fs[i].end]
	}
	switch get(0) {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
		if d, n := parseDate(line, fs[1:], now, strict); n > 0 {
			return d, n + 1
		}
		return date{}, 0
	}
	if d, n := parseISODate(get(0), get(1), get(2), now); n > 0 {
		return d, n
	}
	month, day := parseMonthAndDay(get(0), get(1))
	if month == 0 {
		month, day = parseMonthAndDay(get(1), get(0))
	}
	if month == 0 && strict {
		return date{}, 0
	}
	if month == 0 {
		isWord := func(s string) bool { return s != "" && s[0] > '9' }
		if !(isWord(get(0)) && parseDay(get(1)) != 0) && !(isWord(get(1)) && parseDay(get(0)) != 0) {
			return date{}, 0
		}
	}
	return parseYearOrTime(get(2), get(3), month, day, now)
}

// parseMonthAndDay parses a month and a day, or returns zeros. It looks for the name of a month only next to a day, because
// a name that is not English needs a large table.
func parseMonthAndDay(month, day string) (time.Month, int) {
	d := parseDay(day)
	if d == 0 {
		return 0, 0
	}
	if m := parseMonth(month); m != 0 {
		return m, d
	}
	return 0, 0
}

// parseYearOrTime parses the last part of "Nov 14 2023", "Nov 14 22:13" or "Nov 14 22:13:20 2023", and
// returns the date and the number of its fields. guessYear supplies a missing year.
func parseYearOrTime(last, more string, month time.Month, day int, now time.Time) (date, int) {
	if h, m, s, ok := parseClock(last); ok {
		year, n := parseYear(more), 4
		if year == 0 || strings.Count(last, ":") != 2 {
			year, n = 0, 3
		}
		if month == 0 {
			return date{}, n
		}
		if year != 0 {
			return date{t: makeDate(year, month, day, h, m, s), local: true}, n
		}
		t := makeDate(leapYear, month, day, h, m, s)
		if t.IsZero() {
			return date{}, n
		}
		return date{t: guessYear(t, now), local: true, yearless: true}, n
	}
	year := parseYear(last)
	if year == 0 {
		return date{}, 0
	}
	if month == 0 {
		return date{}, 3
	}
	return date{t: makeDate(year, month, day, 0, 0, 0), dateOnly: true}, 3
}

const leapYear = 2000

// maxZoneSkew is the maximal time by which a date in the server's time zone may be ahead of the local
// clock.
const maxZoneSkew = 24 * time.Hour

// guessYear returns the latest time that has the month, day and time of day of t and is before now plus
// maxZoneSkew. It returns zero if there is no such time in the last eight years.
func guessYear(t, now time.Time) time.Time {
	for y := now.Year() + 1; y > now.Year()-9; y-- {
		if l := makeDate(y, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second()); !l.IsZero() && l.Before(now.Add(maxZoneSkew)) {
			return l
		}
	}
	return time.Time{}
}

// parseISODate parses the ISO styles of GNU ls: "2023-11-14 22:13", with or without a zone,
// "2023-11-14" and "11-14 22:13". It returns the date and the number of its fields.
func parseISODate(first, second, third string, now time.Time) (date, int) {
	if len(first) == 5 && first[2] == '-' {
		month, day := parseNumber(first[:2]), parseNumber(first[3:])
		if _, _, _, ok := parseClock(second); !ok || month < 1 || month > 12 || day < 1 || day > 31 {
			return date{}, 0
		}
		d, _ := parseYearOrTime(second, "", time.Month(month), day, now)
		return d, 2
	}
	if len(first) != 10 || first[4] != '-' || first[7] != '-' {
		return date{}, 0
	}
	year, month, day := parseNumber(first[:4]), parseNumber(first[5:7]), parseNumber(first[8:])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > 31 {
		return date{}, 0
	}
	h, m, s, ok := parseClock(second)
	if !ok {
		return date{t: makeDate(year, time.Month(month), day, 0, 0, 0), dateOnly: true, padded: true}, 1
	}
	t := makeDate(year, time.Month(month), day, h, m, s)
	if len(third) == 5 && (third[0] == '+' || third[0] == '-') && parseNumber(third[1:]) >= 0 {
		offset := (parseNumber(third[1:3])*60 + parseNumber(third[3:])) * 60
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

// makeDate returns time.Date of its arguments in UTC, or zero if the day does not exist.
func makeDate(year int, month time.Month, day, h, m, s int) time.Time {
	t := time.Date(year, month, day, h, m, s, 0, time.UTC)
	if t.Day() != day || t.Month() != month {
		return time.Time{}
	}
	return t
}

// parseClock parses HH:MM, HH:MM:SS or HH:MM:SS.fraction.
func parseClock(s string) (h, m, sec int, ok bool) {
	hs, rest, found := strings.Cut(s, ":")
	if !found || hs == "" || len(hs) > 2 {
		return 0, 0, 0, false
	}
	ms, ss, found := strings.Cut(rest, ":")
	if found {
		ss, _, _ = strings.Cut(ss, ".")
		if sec = parseNumber(ss); sec < 0 || sec > 60 || len(ss) != 2 {
			return 0, 0, 0, false
		}
	}
	h, m = parseNumber(hs), parseNumber(ms)
	ok = h >= 0 && h < 24 && len(ms) == 2 && m >= 0 && m < 60
	return h, m, sec, ok
}

// parseNumber parses a short decimal number, or returns -1.
func parseNumber(s string) int {
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

// parseYear parses a year of four digits, or returns 0.
func parseYear(s string) int {
	s = trimSign(s)
	if len(s) != 4 {
		return 0
	}
	return max(parseNumber(s), 0)
}

// parseDay parses a day of the month, or returns 0.
func parseDay(s string) int {
	s = trimSign(strings.TrimSuffix(s, "."))
	if n := parseNumber(s); len(s) <= 2 && n >= 1 && n <= 31 {
		return n
	}
	return 0
}

// halfYear is the maximum age, by the server's clock, of a date that ls prints without the year. To compare
// the server's clock with the local clock, MDTM (RFC 3659, section 3) is sent for one file with such a
// date. If the clocks differ, the reply determines the years of the other dates.
const halfYear = 183 * 24 * time.Hour

// Lines are held back until MDTM is answered: at most maxHeld lines, and for about holdTime.
const (
	maxHeld  = 100
	holdTime = 300 * time.Millisecond
)

// undatedLines stores the lines of a listing that are held back while the years of their dates are
// uncertain.
type undatedLines struct {
	holding bool
	began   time.Time // when the first line was held back
	lines   []protocols.Line
	notes   []*protocols.FileNote // notes with a guessed year
	sample  string                // name of a file whose date has no year

	requested bool // MDTM was sent for sample

	previewed bool                         // the lines are shown in a preview instead of being held back
	guessed   map[*protocols.FileNote]bool // notes of the preview with a guessed year
	serverNow time.Time                    // the time of the server if the guesses may be wrong, else zero
}

// serverTime returns the time of the server, which is used to guess years. Until learnClock has
// compared the clocks, the time is the local time, and known is false.
func (c *Client) serverTime(addr string) (now time.Time, known bool) {
	h := c.serverAt(addr).current()
	if h.Clock.IsZero() { // the server's clock is unknown, or the same as the local clock
		return time.Now(), h.ClockKnown
	}
	return h.Clock, true
}

// holdUndated returns a yield function that holds the first lines back until the listing
// ends, has maxHeld lines, or has taken holdTime.
func (l *lister) holdUndated(yield func(protocols.Line, error) bool) func(protocols.Line, error) bool {
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
		return l.releaseHeld(yield) && (err == nil || yield(line, err))
	}
}

// releaseHeld yields the lines that holdUndated held back. It returns false if the consumer
// wants no more.
func (l *lister) releaseHeld(yield func(protocols.Line, error) bool) bool {
	lines := l.undated.lines
	l.undated.holding, l.undated.lines = false, nil
	for _, line := range lines {
		if !yield(line, nil) {
			return false
		}
	}
	return true
}

// addNote records the note of e, an entry whose date has no year.
func (u *undatedLines) addNote(e *entry, n *protocols.FileNote) {
	if u.holding || u.previewed && len(u.notes) < maxPreview {
		u.notes = append(u.notes, n)
	}
	if u.sample == "" && e.kind == file && wire.Check("name", e.name) == nil {
		u.sample = strings.Clone(e.name)
	}
}

// requestClock sends the MDTM that learnClock needs while the listing is being received, if the server accepts commands
// during a transfer: the reply then arrives with the final reply.
func (l *lister) requestClock() {
	u, s := &l.undated, l.t.s
	if u.requested || !u.holding && !u.previewed || u.sample == "" || strings.Contains(u.sample, "\xff") || !s.ctrl.isNext(s.passiveVerb()) {
		return
	}
	u.requested = true
	_ = s.ctrl.writeAhead([]string{"MDTM " + escapeTilde(u.sample)}) // the next read reports a lost connection
}

// learnClock asks for the date of a file that was listed without a year. If the date shows that the
// server's clock differs from the local clock, learnClock corrects the dates of the lines that were held
// back.
func (l *lister) learnClock() {
	u, s := &l.undated, l.t.s
	if _, known := l.t.c.serverTime(s.key.Addr); known || u.sample == "" || !s.MDTM {
		return
	}
	err := s.receiveNextPort()
	modified := time.Time{}
	if err == nil {
		modified, err = s.queryDate(escapeTilde(u.sample))
	}
	if err != nil {
		l.t.abort(nil)
		return
	}
	now := time.Now()
	if age := now.Sub(modified); modified.IsZero() || age > -2*maxZoneSkew && age < halfYear+2*maxZoneSkew {
		s.server.learn(func(h *habits) { h.ClockKnown = true }) // the server's clock is presumably the same as the local clock
		return
	}
	now = modified.Add(halfYear - maxZoneSkew)
	s.server.learn(func(h *habits) { h.ClockKnown, h.Clock = true, now })
	u.correctYears(now)
}
