package ftp

import (
	"strings"
	"time"

	"gofer/protocols"
)

// A date without a year is of the last six months, by the server's clock: ls
// writes the year of what is older. When that clock is not ours, MDTM of one such
// file tells the year (RFC 3659, section 3), and so that of all others, which are
// at most six months from it.
const halfYear = 183 * 24 * time.Hour

// How many lines wait for that, and how long they do at most while others come.
const (
	maxHeld  = 100
	holdTime = 300 * time.Millisecond
)

// undated are the lines of a listing of which the years are not sure yet.
type undated struct {
	holding bool
	began   time.Time
	lines   []protocols.Line
	notes   []*protocols.FileNote // with dates that had no year
	sample  string                // the name of a file with such a date
}

// nowOf is when a listing of a server is made, as far as its dates without a
// year go; ok is false if that is not known yet.
func (c *Client) nowOf(addr string) (now time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, ok = c.servers.now[addr]
	if now.IsZero() {
		now = time.Now()
	}
	return now, ok
}

// noteNow keeps what nowOf returns; zero is our own clock.
func (c *Client) noteNow(addr string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.servers.now == nil {
		c.servers.now = make(map[string]time.Time)
	}
	c.servers.now[addr] = now
}

// hold keeps the first lines back until the listing is whole, or turns out to be
// long or slow.
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

// release yields the lines that were held back.
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

// note keeps in mind that the date of an entry had no year.
func (u *undated) note(e *entry, n *protocols.FileNote) {
	if u.holding {
		u.notes = append(u.notes, n)
	}
	if u.sample == "" && e.kind == file {
		u.sample = strings.Clone(e.name)
	}
}

// learnNow asks for the date of a file whose year the listing, which has come
// whole, does not tell, and corrects the dates of the lines that are held back.
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
		l.t.c.noteNow(s.key.Addr, time.Time{}) // ours, as far as anybody knows
		return
	}
	now = when.Add(halfYear - dayAhead)
	l.t.c.noteNow(s.key.Addr, now)
	for _, n := range u.notes {
		n.Modified = lastSuch(n.Modified, now)
	}
}
