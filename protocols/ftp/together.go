package ftp

import (
	"cmp"
	"math/bits"
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// together holds lines of LIST back until facts are known that only several lines show: whether blanks before the
// names are padding, and the order of day, month and year in dates of three numbers. Usually the first line settles
// both.
type together struct {
	lines   []protocols.Line
	named   int // number of held lines with a name
	blanks  int // the smallest number of blanks before a name
	settled bool
	padding int        // number of blanks before each name; known if settled
	orders  dateOrders // possible orders of all dates of three numbers
	dates   []unclearDate
}

// unclearDate is the note of a line whose date has an unknown order.
type unclearDate struct {
	note *protocols.FileNote
	text string
}

// holdTogether returns a yield function that holds lines back, at most maxDeferred.
func (l *lister) holdTogether(yield func(protocols.Line, error) bool) func(protocols.Line, error) bool {
	return func(line protocols.Line, err error) bool {
		g := &l.together
		note, named := line.Note.(*protocols.FileNote)
		if err != nil || g.settled || l.verb != "LIST" && l.verb != listAll || note == nil && len(g.lines) == 0 {
			return yield(line, err)
		}
		g.lines = append(g.lines, line)
		if named {
			blanks := len(line.Text) - len(strings.TrimLeft(line.Text, " "))
			if g.named++; g.named == 1 || blanks < g.blanks {
				g.blanks = blanks
			}
		}
		if (g.blanks > 0 || len(g.dates) > 0 && bits.OnesCount8(uint8(g.orders)) > 1) && len(g.lines) < maxDeferred {
			return true
		}
		return l.releaseTogether(yield)
	}
}

// releaseTogether yields the lines that holdTogether held back, without padding and with their dates. It returns
// false if the consumer wants no more. A single name with a blank is unchanged, unless another directory of the
// session has padding.
func (l *lister) releaseTogether(yield func(protocols.Line, error) bool) bool {
	g, s := &l.together, l.t.s
	lines := g.lines
	if g.settled = g.settled || g.named > 0; len(lines) == 0 {
		return true
	}
	if g.named > 1 {
		s.padding = g.blanks
	}
	g.padding, g.lines = min(g.blanks, s.padding), nil
	for i, name := range l.names {
		l.names[i] = g.trim(name)
	}
	l.undated.sample = g.trim(l.undated.sample)
	for _, d := range g.dates {
		if t := orderedDate(d.text, g.orders, !d.note.Modified.IsZero()); !t.IsZero() {
			d.note.Modified, d.note.Local = t, true
		}
	}
	for _, line := range lines {
		name := g.trim(line.Text)
		if u, ok := line.Link.(urlcore.FTP); ok && name != line.Text {
			if name == "." || name == ".." {
				l.items--
				l.dots = true
				continue
			}
			line.Link, line.Text = u, name
			if u, err := l.itemURL(name, line.Kind == protocols.Directory); err == nil {
				line.Link = u
			}
		}
		if !yield(line, nil) {
			return false
		}
	}
	return true
}

// trim removes the padding before a name.
func (g *together) trim(name string) string {
	n := 0
	for n < min(g.padding, len(name)-1) && name[n] == ' ' {
		n++
	}
	return name[n:]
}

// dateOrders is a set of orders of day, month and year.
type dateOrders uint8

const (
	monthFirst dateOrders = 1 << iota
	dayFirst
	yearFirst
	allOrders = monthFirst | dayFirst | yearFirst
)

// parse parses a date of three numbers in the order o.
func (o dateOrders) parse(s string) (year, month, day int, ok bool) {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if len(parts) != 3 {
		return 0, 0, 0, false
	}
	switch o {
	case dayFirst:
		parts[0], parts[1] = parts[1], parts[0]
	case yearFirst:
		parts[0], parts[1], parts[2] = parts[1], parts[2], parts[0]
	}
	year, month, day = parseFullYear(parts[2]), parseNumber(parts[0]), parseNumber(parts[1])
	return year, month, day, year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

// ordersOf returns the possible orders of the date s. It leaves out orders with a date in the future if there are
// others.
func ordersOf(s string, now time.Time) (all dateOrders) {
	past := dateOrders(0)
	for o := monthFirst; o <= yearFirst; o <<= 1 {
		year, month, day, ok := o.parse(s)
		if !ok {
			continue
		}
		if all |= o; makeDate(year, time.Month(month), day, 0, 0, 0).Before(now.Add(maxZoneSkew)) {
			past |= o
		}
	}
	return cmp.Or(past, all)
}

// orderedDate parses a date and a time of day. If several orders are possible, orderedDate uses the first, with the
// month first, if the parameter guess is true, and otherwise returns zero, unless all give the same date.
func orderedDate(text string, orders dateOrders, guess bool) (t time.Time) {
	numbers, clock, _ := strings.Cut(text, " ")
	h, m, s, _ := parseClock(clock)
	for o := monthFirst; o <= yearFirst; o <<= 1 {
		year, month, day, ok := o.parse(numbers)
		if orders&o == 0 || !ok {
			continue
		}
		switch other := makeDate(year, time.Month(month), day, h, m, s); {
		case t.IsZero():
			t = other
		case !guess && !other.Equal(t):
			return time.Time{}
		}
	}
	return t
}

// orderDate sets the date of e by the orders that are possible in the earlier lines. holdTogether may set it again.
func (l *lister) orderDate(e *entry) {
	if e.unclear == "" {
		return
	}
	g := &l.together
	numbers, _, _ := strings.Cut(e.unclear, " ")
	if g.orders == 0 {
		g.orders = allOrders
	}
	if orders := g.orders & ordersOf(numbers, l.now); orders != 0 {
		g.orders = orders
	}
	if t := orderedDate(e.unclear, g.orders, !e.modified.IsZero()); !t.IsZero() {
		e.modified, e.local = t, true
	}
}
