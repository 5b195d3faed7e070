package nntp

import (
	"bytes"
	"context"
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
	// overlap is the number of articles in the copy that are requested again. If they
	// differ, the server has changed its numbers.
	overlap = 20
)

// overviewCopy is the kept overview of a range of a group, in segments.
type overviewCopy struct {
	Numbering string   // identifies the numbering of the server
	Count     uint64   // the last count of the group
	Low       uint64   // the last low mark
	First     uint64   // the first number of the copy
	Lasts     []uint64 // the last numbers of the segments, rising

	client  *Client
	key     func(name string) cache.Key
	kept    cache.Copy // the copy of the fields above
	newest  []*protocols.ArticleNote
	from    uint64 // the first number that is requested again
	left    int    // the number of unread segments
	checked bool   // the server still has the articles of the copy
	removed bool   // newest lacks articles that the server has removed
}

func (c *Client) newOverviewCopy(t target) *overviewCopy {
	return &overviewCopy{client: c, key: func(name string) cache.Key { return c.copyKey(t, name+" "+t.group) }}
}

// overviewCopy returns the kept overview of t's group, or nil.
func (c *Client) overviewCopy(t target) *overviewCopy {
	if c.Copies == nil {
		return nil
	}
	k := c.newOverviewCopy(t)
	var ok bool
	if k.kept, ok = c.Copies.Get(k.key("group")); !ok || json.Unmarshal(k.kept.Data, k) != nil || !k.valid() {
		return nil
	}
	k.left = len(k.Lasts)
	return k
}

func (k *overviewCopy) valid() bool {
	return len(k.Lasts) > 0 && k.First > 0 && k.First <= k.Lasts[0] && k.Numbering != "" && k.Low > 0 &&
		slices.IsSorted(k.Lasts) && len(slices.Compact(slices.Clone(k.Lasts))) == len(k.Lasts)
}

// start returns the first number of segment i.
func (k *overviewCopy) start(i int) uint64 {
	if i == 0 {
		return k.First
	}
	return k.Lasts[i-1] + 1
}

func (k *overviewCopy) last() uint64 { return k.Lasts[len(k.Lasts)-1] }

func (k *overviewCopy) segmentKey(start uint64) cache.Key {
	return k.key(fmt.Sprintf("overview %s %d", k.Numbering, start))
}

// segment reads segment i. Another process may have written it: it must cover the same numbers.
func (k *overviewCopy) segment(i int) ([]*protocols.ArticleNote, bool) {
	kept, ok := k.client.Copies.Get(k.segmentKey(k.start(i)))
	if !ok {
		return nil, false
	}
	last, text, _ := bytes.Cut(kept.Data, []byte("\n"))
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

// copiedGroup returns the copy of a group after a network failure.
func (c *Client) copiedGroup(ctx context.Context, t target, failed error) (*protocols.Resource, error) {
	var lost *protocols.Error
	k := c.overviewCopy(t)
	if k == nil || !errors.As(failed, &lost) || !lost.Reason.Network() {
		return nil, failed
	}
	o := &overview{target: t, newest: c.newest(t.addr), copied: k, marks: marks{count: k.Count, low: k.Low, high: k.last()}, search: newSearch(t.url)}
	if o.search != nil {
		o.newest = maxOlder
	}
	o.span.first = k.last() + 1
	if older, ok := protocols.OlderCount(ctx); ok {
		o.newest += min(older, maxOlder)
	}
	k.checked = true
	if o.recall(o.newest); len(o.articles) == 0 {
		return nil, failed
	}
	r := &protocols.Resource{
		Head:   protocols.Head{URL: t.url, Title: t.title(), Layout: protocols.LayoutArticles, Size: -1},
		Closer: io.NopCloser(nil),
		Lines: func(yield func(protocols.Line, error) bool) {
			list := o.chosen()
			if s := o.search; s != nil {
				s.from, list = o.span.first, slices.DeleteFunc(list, func(a *protocols.ArticleNote) bool { return !s.matches(a) })
				if !yield(protocols.Line{Text: o.foundText(len(list))}, nil) {
					return
				}
			}
			for _, a := range sortByThread(list) {
				if !yield(o.line(a), nil) {
					return
				}
			}
		},
	}
	keptHead(&r.Head, k.kept, lost)
	return r, nil
}

// write writes articles, in rising order, as the segments from first to last, and returns
// the last number of each.
func (k *overviewCopy) write(articles []*protocols.ArticleNote, first, last uint64) (lasts []uint64) {
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

// appendOverview writes the line that parseOverview reads.
func appendOverview(b []byte, a *protocols.ArticleNote) []byte {
	b = append(append(strconv.AppendUint(b, a.Number, 10), '\t'), a.Subject...)
	b = append(append(append(b, '\t'), a.From...), '\t')
	if !a.Date.IsZero() {
		b = a.Date.AppendFormat(b, time.RFC1123Z)
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

// messageID returns the Message-ID of the article with a number.
func (k *overviewCopy) messageID(number uint64) (id string, ok bool) {
	if number < k.First || number > k.last() {
		return "", false
	}
	i, _ := slices.BinarySearch(k.Lasts, number)
	notes, _ := k.segment(i)
	for _, a := range notes {
		if a.Number == number && a.MessageID != "" {
			return "<" + a.MessageID + ">", true
		}
	}
	return "", false
}

// resume restricts the request to articles newer than the copy, if the copy is useful.
func (o *overview) resume() {
	k := o.copied
	if k == nil {
		return
	}
	o.copied = nil
	wanted := o.marks.newest(uint64(o.newest)).first
	if k.last() > o.marks.high || k.last() < wanted || k.Low > o.marks.low {
		return
	}
	k.newest, _ = k.segment(len(k.Lasts) - 1)
	if len(k.newest) == 0 {
		return
	}
	k.from = max(k.newest[max(0, len(k.newest)-overlap)].Number, o.marks.low)
	if k.from <= wanted {
		return // the copy would not save a request
	}
	o.copied = k
	if n := o.marks.high - k.from + 1; n <= previewFrom {
		o.first, o.span.first = int(n), k.from
	}
}

// before returns the n numbers before the last request, without the numbers in the copy.
func (o *overview) before(n uint64) span {
	s := o.marks.before(o.span, n)
	if k := o.copied; k != nil && !k.checked && k.from <= s.last {
		s.first = max(s.first, k.from)
	}
	return s
}

// recall adds articles of the copy until there are enough, if all newer articles are known.
func (o *overview) recall(enough int) {
	k := o.copied
	if k == nil || !k.checked && (o.span.first > k.from || !k.agrees(o)) {
		return
	}
	for ; k.left > 0 && len(o.articles) < enough && o.span.first > o.marks.low; k.left-- {
		i := k.left - 1
		notes, ok := k.newest, true
		if notes == nil || i < len(k.Lasts)-1 {
			notes, ok = k.segment(i)
		}
		if !ok { // the segment was removed
			k.First, k.Lasts, k.left = k.start(k.left), k.Lasts[k.left:], 0
			return
		}
		for _, a := range notes {
			if a.Number >= o.marks.low && a.Number < o.span.first {
				o.articles = append(o.articles, a)
			}
		}
		o.span.first = min(o.span.first, max(k.start(i), o.marks.low))
	}
}

// agrees reports whether the articles from the server agree with the copy; if not, it drops the
// copy.
func (k *overviewCopy) agrees(o *overview) bool {
	known := make(map[uint64]*protocols.ArticleNote, len(k.newest))
	for _, a := range k.newest {
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
	// Unknown articles of the copy were cancelled if the count is too low.
	removed := o.marks.count+o.marks.low-k.Low < k.Count+fresh
	if k.checked = same > 0 && others == 0 && !removed; !k.checked {
		o.copied = nil
		return false
	}
	k.removeCancelled(o)
	return true
}

// removeCancelled removes cancelled articles: the articles that were requested again and not sent.
// Not every server lowers its count.
func (k *overviewCopy) removeCancelled(o *overview) {
	told := make(map[uint64]bool, len(o.articles))
	for _, a := range o.articles {
		told[a.Number] = true
	}
	n := len(k.newest)
	k.newest = slices.DeleteFunc(k.newest, func(a *protocols.ArticleNote) bool { return a.Number >= o.span.first && !told[a.Number] })
	k.removed = len(k.newest) < n
}

func (o *overview) keepCopy() {
	c := o.ses.server.client
	if c.Copies == nil || o.method == "XHDR" || len(o.articles) == 0 || len(o.odd) > 0 {
		return
	}
	k, all := o.copied, o.articles // in rising order, see chosen
	if k == nil || !k.checked {
		if old := c.overviewCopy(o.target); old != nil {
			for i := range old.Lasts {
				c.Copies.Drop(old.segmentKey(old.start(i)))
			}
		}
		k = c.newOverviewCopy(o.target)
		k.Numbering, k.First = rand.Text(), o.span.first
		k.Lasts = k.write(all, k.First, o.marks.high)
	} else {
		o.extend(k, all)
	}
	k.Count, k.Low = o.marks.count, o.marks.low
	if data, err := json.Marshal(k); err == nil {
		c.Copies.Put(k.key("group"), data)
	}
}

// extend adds new articles to a copy.
func (o *overview) extend(k *overviewCopy, all []*protocols.ArticleNote) {
	above := func(n uint64) int { return sort.Search(len(all), func(i int) bool { return all[i].Number >= n }) }
	if older := all[:above(k.First)]; o.span.first < k.First && len(older) > 0 {
		k.Lasts = append(k.write(older, o.span.first, k.First-1), k.Lasts...)
		k.First = o.span.first
	}
	newest := len(k.Lasts) - 1
	if fresh := all[above(k.last()+1):]; len(fresh) > 0 || k.removed {
		first := k.last() + 1
		if len(k.newest) < segmentSize || k.removed {
			first, fresh = k.start(newest), append(slices.Clone(k.newest), fresh...)
			k.Lasts = k.Lasts[:newest]
		}
		k.Lasts = append(k.Lasts, k.write(fresh, first, o.marks.high)...)
	}
}
