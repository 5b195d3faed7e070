package ftp

import (
	"strings"
	"time"

	"gofer/protocols"
)

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
