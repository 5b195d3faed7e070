package nntp

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"gofer/internal/userfile/cache"
	"gofer/protocols"
)

const (
	// segmentSize is the approximate number of articles in a segment. Only the newest
	// segments of a large group are read and written often.
	segmentSize = 1000
	// overlap is the number of articles of the copy that are requested again. If the received articles
	// differ from these articles of the copy, the server has renumbered the group.
	overlap = 20
)

// overviewCopy is the stored overview of a range of article numbers of a group, in segments.
type overviewCopy struct {
	Numbering string   // random string, replaced when the whole copy is replaced
	Count     uint64   // the article count at the last visit
	Low       uint64   // the low mark at the last visit
	First     uint64   // the first article number of the copy
	Lasts     []uint64 // the last article number of each segment, in rising order

	client       *Client
	key          func(name string) cache.Key
	record       cache.Copy               // the stored form of the fields above
	lastSegment  []*protocols.ArticleNote // articles of the newest segment
	overlapFrom  uint64                   // the first article number that is requested again
	segmentsLeft int                      // the number of unread segments
	isCurrent    bool                     // the copy agrees with the server
	hasRemovals  bool                     // canceled articles were removed from lastSegment
}

func (c *Client) newOverviewCopy(t target) *overviewCopy {
	return &overviewCopy{client: c, key: func(name string) cache.Key { return c.copyKey(t, name+" "+t.group) }}
}

// overviewCopy returns the stored overview of t's group, or nil.
func (c *Client) overviewCopy(t target) *overviewCopy {
	if c.Copies == nil {
		return nil
	}
	k := c.newOverviewCopy(t)
	var ok bool
	if k.record, ok = c.Copies.Get(k.key("group")); !ok || json.Unmarshal(k.record.Data, k) != nil || !k.isValid() {
		return nil
	}
	k.segmentsLeft = len(k.Lasts)
	return k
}

func (k *overviewCopy) isValid() bool {
	return len(k.Lasts) > 0 && k.First > 0 && k.First <= k.Lasts[0] && k.Numbering != "" && k.Low > 0 &&
		slices.IsSorted(k.Lasts) && len(slices.Compact(slices.Clone(k.Lasts))) == len(k.Lasts)
}

// segmentStart returns the first article number of segment i.
func (k *overviewCopy) segmentStart(i int) uint64 {
	if i == 0 {
		return k.First
	}
	return k.Lasts[i-1] + 1
}

func (k *overviewCopy) last() uint64 { return k.Lasts[len(k.Lasts)-1] }

func (k *overviewCopy) segmentKey(start uint64) cache.Key {
	return k.key(fmt.Sprintf("overview %s %d", k.Numbering, start))
}

// readSegment reads segment i. It returns false if the segment is no longer stored. It also returns
// false if the stored segment ends before k.Lasts[i]; in this case another process has written the
// segment.
func (k *overviewCopy) readSegment(i int) ([]*protocols.ArticleNote, bool) {
	stored, ok := k.client.Copies.Get(k.segmentKey(k.segmentStart(i)))
	if !ok {
		return nil, false
	}
	last, text, _ := bytes.Cut(stored.Data, []byte("\n"))
	if n, err := strconv.ParseUint(string(last), 10, 64); err != nil || n < k.Lasts[i] {
		return nil, false
	}
	var notes []*protocols.ArticleNote
	for line := range strings.Lines(string(text)) {
		note, ok := parseOverview(strings.TrimSuffix(line, "\n"))
		if !ok {
			return nil, false
		}
		notes = append(notes, note)
	}
	return notes, true
}

// groupFromCopy returns the articles of the stored overview if cause is a network failure. Otherwise, or
// if no overview is stored, it returns cause.
func (c *Client) groupFromCopy(t target, req protocols.Request, cause error) (*protocols.Resource, error) {
	var failure *protocols.Error
	k := c.overviewCopy(t)
	if k == nil || !errors.As(cause, &failure) || !failure.Reason.IsNetworkFailure() {
		return nil, cause
	}
	o := &overview{target: t, newest: c.newestCount(t.addr), copy: k, marks: marks{count: k.Count, low: k.Low, high: k.last()}, search: newSearch(t.url)}
	if o.search != nil {
		o.newest = maxOlder
	}
	o.span.first = k.last() + 1
	if req.Paged {
		o.newest += min(req.Older, maxOlder)
	}
	k.isCurrent = true
	if o.addFromCopy(o.newest); len(o.articles) == 0 {
		return nil, cause
	}
	r := &protocols.Resource{
		Head:   protocols.Head{URL: t.url, Title: t.title(), Layout: protocols.LayoutArticles, Size: -1},
		Closer: io.NopCloser(nil),
		Lines: func(yield func(protocols.Line, error) bool) {
			list := o.newestArticles()
			if s := o.search; s != nil {
				s.searchedFrom, list = o.span.first, slices.Collect(s.matching(list))
				slices.Reverse(list)
				if !yield(protocols.Line{Text: o.foundText(len(list))}, nil) {
					return
				}
			}
			for _, a := range sortByThread(list) {
				if !yield(o.articleLine(a), nil) {
					return
				}
			}
		},
	}
	setCopyHead(&r.Head, k.record, failure)
	return r, nil
}

// writeSegments stores articles as segments that cover the article numbers from first to last. The
// articles must be in rising order. It returns the last article number of each segment.
func (k *overviewCopy) writeSegments(articles []*protocols.ArticleNote, first, last uint64) (lasts []uint64) {
	for text := []byte(nil); ; {
		part := articles[:min(len(articles), segmentSize)]
		articles = articles[len(part):]
		end := last
		if len(articles) > 0 {
			end = part[len(part)-1].Number
		}
		text = strconv.AppendUint(text[:0], end, 10)
		for _, a := range part {
			text = appendOverview(append(text, '\n'), a)
		}
		text = append(text, '\n')
		k.client.Copies.Put(k.segmentKey(first), text)
		lasts = append(lasts, end)
		if first = end + 1; len(articles) == 0 {
			return lasts
		}
	}
}

// appendOverview appends to b the line of the article a, in the format that parseOverview reads.
func appendOverview(b []byte, a *protocols.ArticleNote) []byte {
	b = append(append(strconv.AppendUint(b, a.Number, 10), '\t'), a.Subject...)
	b = append(append(append(b, '\t'), a.From...), '\t')
	if !a.Date.IsZero() {
		b = a.Date.AppendFormat(b, time.RFC1123Z)
	} else {
		b = append(b, a.DateText...)
	}
	if b = append(b, '\t'); a.MessageID != "" {
		b = append(append(append(b, '<'), a.MessageID...), '>')
	}
	b = append(b, '\t')
	for _, id := range a.References {
		b = append(append(append(b, '<'), id...), '>')
	}
	b = strconv.AppendInt(append(b, '\t'), a.Bytes, 10)
	b = strconv.AppendInt(append(b, '\t'), a.Lines, 10)
	if a.Xref != "" {
		b = append(append(b, "\tXref: "...), a.Xref...)
	}
	return b
}

// messageID returns the Message-ID, including < >, of the article with the given number.
func (k *overviewCopy) messageID(number uint64) (id string, ok bool) {
	if number < k.First || number > k.last() {
		return "", false
	}
	i, _ := slices.BinarySearch(k.Lasts, number)
	notes, _ := k.readSegment(i)
	for _, a := range notes {
		if a.Number == number && a.MessageID != "" {
			return "<" + a.MessageID + ">", true
		}
	}
	return "", false
}

// useCopy sets o.copy to nil if the copy cannot be used. If only a few articles are newer than the copy,
// it restricts the first request to these articles and the overlap.
func (o *overview) useCopy() {
	k := o.copy
	if k == nil {
		return
	}
	o.copy = nil
	wanted := o.marks.newest(uint64(o.newest)).first
	if k.last() > o.marks.high || k.last() < wanted || k.Low > o.marks.low {
		return
	}
	first, ok := k.overlapStart()
	if !ok {
		return
	}
	k.overlapFrom = max(first, o.marks.low)
	if k.overlapFrom <= wanted {
		return // all wanted articles must be requested anyway
	}
	o.copy = k
	if n := o.marks.high - k.overlapFrom + 1; n <= previewFrom {
		o.firstCount, o.span.first = int(n), k.overlapFrom
	}
}

// overlapStart returns the number of the first article of the copy that is requested again. There is none if k is
// nil or its newest segment is no longer stored.
func (k *overviewCopy) overlapStart() (first uint64, ok bool) {
	if k == nil {
		return 0, false
	}
	if k.lastSegment == nil {
		k.lastSegment, _ = k.readSegment(len(k.Lasts) - 1)
	}
	if len(k.lastSegment) == 0 {
		return 0, false
	}
	return k.lastSegment[max(0, len(k.lastSegment)-overlap)].Number, true
}

// spanBefore returns the n article numbers before o.span, without the numbers in the copy.
func (o *overview) spanBefore(n uint64) span {
	s := o.marks.spanBefore(o.span, n)
	if k := o.copy; k != nil && !k.isCurrent && k.overlapFrom <= s.last {
		s.first = max(s.first, k.overlapFrom)
	}
	return s
}

// addFromCopy adds articles from the copy until the overview has enough articles. It does nothing until
// all articles from o.copy.overlapFrom on have been received.
func (o *overview) addFromCopy(enough int) {
	k := o.copy
	if k == nil || !k.isCurrent && (o.span.first > k.overlapFrom || !k.verify(o)) {
		return
	}
	for ; k.segmentsLeft > 0 && len(o.articles) < enough && o.span.first > o.marks.low; k.segmentsLeft-- {
		i := k.segmentsLeft - 1
		notes, ok := k.lastSegment, true
		if notes == nil || i < len(k.Lasts)-1 {
			notes, ok = k.readSegment(i)
		}
		if !ok { // the segment is no longer stored
			k.First, k.Lasts, k.segmentsLeft = k.segmentStart(k.segmentsLeft), k.Lasts[k.segmentsLeft:], 0
			return
		}
		for _, a := range notes {
			if a.Number >= o.marks.low && a.Number < o.span.first {
				o.articles = append(o.articles, a)
			}
		}
		o.span.first = min(o.span.first, max(k.segmentStart(i), o.marks.low))
	}
}

// verify reports whether the articles from the server agree with the copy. If they agree, verify removes
// canceled articles from the copy. Otherwise it sets o.copy to nil.
func (k *overviewCopy) verify(o *overview) bool {
	known := make(map[uint64]*protocols.ArticleNote, len(k.lastSegment))
	for _, a := range k.lastSegment {
		known[a.Number] = a
	}
	same, others, fresh := 0, 0, uint64(0)
	for _, a := range o.articles {
		switch b := known[a.Number]; {
		case a.Number > k.last():
			fresh++
		case b == nil:
		case a.MessageID == b.MessageID && a.Subject == b.Subject:
			same++
		default:
			others++
		}
	}
	// If the server counts fewer articles than the copy and the new articles together have, articles of
	// the copy were canceled.
	removed := o.marks.count+o.marks.low-k.Low < k.Count+fresh
	if k.isCurrent = same > 0 && others == 0 && !removed; !k.isCurrent {
		o.copy = nil
		return false
	}
	k.removeCanceled(o)
	return true
}

// removeCanceled removes from lastSegment the articles that were requested again but not received. They
// were canceled, although the article count may be unchanged: not every server lowers the count.
func (k *overviewCopy) removeCanceled(o *overview) {
	received := make(map[uint64]bool, len(o.articles))
	for _, a := range o.articles {
		received[a.Number] = true
	}
	n := len(k.lastSegment)
	k.lastSegment = slices.DeleteFunc(k.lastSegment, func(a *protocols.ArticleNote) bool { return a.Number >= o.span.first && !received[a.Number] })
	k.hasRemovals = len(k.lastSegment) < n
}

func (o *overview) storeCopy() {
	c := o.ses.server.client
	if c.Copies == nil || o.method == "XHDR" || len(o.articles) == 0 || len(o.unparsedLines) > 0 {
		return
	}
	k, all := o.copy, o.articles // in rising order, as sorted by newestArticles
	if k == nil || !k.isCurrent {
		if old := c.overviewCopy(o.target); old != nil {
			for i := range old.Lasts {
				c.Copies.Drop(old.segmentKey(old.segmentStart(i)))
			}
		}
		k = c.newOverviewCopy(o.target)
		k.Numbering, k.First = rand.Text(), o.span.first
		k.Lasts = k.writeSegments(all, k.First, o.marks.high)
	} else {
		o.extendCopy(k, all)
	}
	k.Count, k.Low = o.marks.count, o.marks.low
	if data, err := json.Marshal(k); err == nil {
		c.Copies.Put(k.key("group"), data)
	}
}

// extendCopy adds to k the articles that are older or newer than the copy.
func (o *overview) extendCopy(k *overviewCopy, all []*protocols.ArticleNote) {
	above := func(n uint64) int { return sort.Search(len(all), func(i int) bool { return all[i].Number >= n }) }
	if older := all[:above(k.First)]; o.span.first < k.First && len(older) > 0 {
		k.Lasts = append(k.writeSegments(older, o.span.first, k.First-1), k.Lasts...)
		k.First = o.span.first
	}
	newest := len(k.Lasts) - 1
	if fresh := all[above(k.last()+1):]; len(fresh) > 0 || k.hasRemovals {
		first := k.last() + 1
		if len(k.lastSegment) < segmentSize || k.hasRemovals {
			first, fresh = k.segmentStart(newest), append(slices.Clone(k.lastSegment), fresh...)
			k.Lasts = k.Lasts[:newest]
		}
		k.Lasts = append(k.Lasts, k.writeSegments(fresh, first, o.marks.high)...)
	}
}
