package nntp

import (
	"fmt"
	"strconv"
)

const (
	// maxUnread is the maximal number of articles that [protocols.Request.FirstArticle] adds to a page.
	maxUnread = 5000
	// maxListed is the maximal number of articles in a group whose numbers are requested by one LISTGROUP.
	maxListed = 200_000
	// listStep is the number of article numbers in the first range of LISTGROUP in a larger group. Each
	// further range is listStepGrowth times as large.
	listStep       = 100_000
	listStepGrowth = 8
)

// isEnough reports whether the overview has the wanted articles, or the group has no older ones.
func (o *overview) isEnough() bool {
	have := len(o.newestArticles())
	return o.span.first <= o.marks.low || have >= o.newest || have >= o.least && (o.from == 0 || o.span.first <= o.from)
}

// missingCount returns how many of the articles before o.span are wanted: as many as o.least requires, or all from
// o.from on.
func (o *overview) missingCount() uint64 {
	have := len(o.newestArticles())
	missing := uint64(max(o.least-have, 0))
	if o.from > 0 && o.from < o.span.first {
		missing = max(missing, min(o.span.first-o.from, uint64(max(o.newest-have, 0))))
	}
	return missing
}

// readOlder requests older articles until the overview has the wanted ones or the group ends. A group of three
// articles may have the marks 1 and 50000, and its count is an estimate (RFC 3977, section 6.1.1.2). Where most
// numbers have no article, readOlder asks the server which numbers have one. If the server does not support
// LISTGROUP, the ranges of numbers grow until they have enough articles.
func (o *overview) readOlder() error {
	step, before := uint64(o.least), uint64(0)
	for least := uint64(1); !o.isEnough() && !(o.fewHeads && len(o.articles) >= maxHeads); o.addFromCopy(o.newest) {
		have, covered := uint64(len(o.articles)), o.marks.high-o.span.first+1
		if (have < covered/4 || have == before) && !o.ses.server.noListGroup.Load() {
			known, err := o.readExisting()
			if err != nil {
				return err
			}
			if known {
				continue
			}
		}
		if before = have; o.fewHeads {
			return nil
		}
		if step <= o.marks.high/4 {
			step *= 4
		}
		n := step
		if have > 0 { // the articles are about as frequent as among the newest numbers
			n = min(n, max(uint64(float64(o.missingCount())*float64(covered)/float64(have)*5/4), least))
			least *= 2
		}
		if err := o.readSpan(o.spanBefore(n)); err != nil {
			return err
		}
	}
	return nil
}

// readSpan requests and reads the overview of a range of numbers.
func (o *overview) readSpan(s span) error {
	o.span = s
	if err := o.requestSpan(); err != nil {
		return err
	}
	return o.readReply()
}

// readExisting asks for the existing articles before o.span (RFC 3977, section 6.1.2) and reads the overview of the
// newest of them. The result known is false if the server does not list them.
func (o *overview) readExisting() (known bool, err error) {
	s := o.spanBefore(o.marks.high)
	if o.marks.count > maxListed {
		o.listed = max(o.listed*listStepGrowth, listStep)
		s = o.spanBefore(o.listed)
	}
	numbers, known, err := o.listNumbers(s)
	if err != nil || !known {
		o.ses.server.noListGroup.Store(err == nil)
		return false, err
	}
	older := numbers
	for o.from > 0 && len(older) > 0 && older[len(older)-1] >= o.from {
		older = older[:len(older)-1]
	}
	first := max(min(len(older), len(numbers)-max(o.least-len(o.newestArticles()), 0)), 0)
	if o.existing = numbers[first:]; len(o.existing) > 0 {
		if err := o.readSpan(span{numbers[first], s.last}); err != nil {
			return true, err
		}
	}
	o.existing = nil
	switch {
	case first == 0 && (len(numbers) == 0 || o.span.first <= numbers[0]):
		o.span.first = s.first
	case first == len(numbers): // there is no article from o.from on
		o.span.first = o.from
	}
	return true, nil
}

// listNumbers returns the numbers in the range s that have articles, in rising order, at most the last o.newest of
// them. A server that does not know a range (RFC 2980, section 2.3) lists the whole group.
func (o *overview) listNumbers(s span) (numbers []uint64, known bool, err error) {
	group := o.ses.group
	commands := []string{fmt.Sprintf("LISTGROUP %s %s", group, s)}
	if o.marks.count <= maxListed {
		commands = append(commands, "LISTGROUP "+group)
	}
	for _, command := range commands {
		r, err := o.ses.runCommand(command)
		if err != nil {
			return nil, false, err
		}
		if r.code != 211 {
			continue
		}
		err = o.readLines(o.marks.high-o.marks.low, func(line string) {
			n, err := strconv.ParseUint(line, 10, 64)
			if err != nil || n < s.first || n > s.last || len(numbers) > 0 && n <= numbers[len(numbers)-1] {
				return
			}
			if numbers = append(numbers, n); len(numbers) >= 2*o.newest+maxListed {
				numbers = append(numbers[:0], numbers[len(numbers)-o.newest:]...)
			}
		})
		return numbers[max(0, len(numbers)-o.newest):], true, err
	}
	return nil, false, nil
}
