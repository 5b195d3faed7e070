package nntp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gofer/internal/wire"
	"gofer/protocols"
)

// fetchGroup lists the newest articles of a group by threads, the oldest thread first. The lines are
// yielded after the whole overview has been received and sorted. A large overview also has a preview.
func (c *Client) fetchGroup(ctx context.Context, t target, req protocols.Request) (*protocols.Resource, error) {
	k := c.overviewCopy(t)
	var ahead span
	var next []string
	if first, ok := k.overlapStart(); ok && newSearch(t.url) == nil && req.Older == 0 {
		ahead = span{first, first + aheadSize - 1}
		next = []string{c.server(t).overviewMethods()[0] + " " + ahead.String()}
	}
	ses, r, err := c.enterGroup(ctx, t, next...)
	if err != nil {
		return c.groupFromCopy(t, req, err)
	}
	return c.fetchOverview(ctx, &overview{target: t, ses: ses, copy: k, ahead: ahead}, req, r)
}

// aheadSize is the number of article numbers whose overview is requested together with GROUP if there is a copy. It
// is small because the answer is of no use if the group has more new articles.
const aheadSize = overlap + 80

// fetchOverview is fetchGroup after r, the answer to GROUP.
func (c *Client) fetchOverview(ctx context.Context, o *overview, req protocols.Request, r reply) (*protocols.Resource, error) {
	t, ses := o.target, o.ses
	m, ok := parseMarks(r.raw)
	if !ok {
		ses.Drop()
		return nil, &protocols.Error{
			Reason: protocols.Malformed, Op: "open the group " + t.group + " on " + t.addr,
			Code: r.code, Text: r.text, Err: errors.New("the reply has no article numbers"),
		}
	}
	o.marks, o.newest, o.lease, o.search = m, c.newestCount(t.addr), ses.lease(), newSearch(t.url)
	o.least = o.newest
	var notes []string
	if !m.isEmpty() && req.FirstArticle != nil {
		first, note := req.FirstArticle(t.group, m.low, m.high)
		if note != "" {
			notes = append(notes, note)
		}
		if first > 0 && first <= m.high {
			o.from, o.newest = first, max(o.newest, int(min(m.high-first+1, maxUnread)))
		}
	}
	if req.Paged {
		o.least, o.newest = o.least+min(req.Older, maxOlder), o.newest+min(req.Older, maxOlder)
		o.offersOlder = o.search == nil
	}
	if !m.isEmpty() && o.search == nil {
		if err := o.requestNewest(); err != nil {
			ses.endSession(err)
			return nil, err
		}
	}
	res := &protocols.Resource{
		Head:   protocols.Head{URL: t.url, Title: t.title(), Layout: protocols.LayoutArticles, Size: -1, Security: ses.conn.Security(), Notes: notes},
		Lines:  o.lines(ctx),
		Closer: o,
	}
	if o.firstCount > 0 || o.search != nil {
		res.Preview = o.preview
	}
	return res, nil
}

// overview reads the newest articles of a group.
type overview struct {
	target      target
	ses         *session // must not be used after the lease has ended
	lease       *wire.Lease
	marks       marks
	newest      int      // maximal number of articles
	least       int      // number of articles wanted, if the group has them
	from        uint64   // all articles from this number on are wanted, up to newest; or 0
	existing    []uint64 // the articles in span that LISTGROUP has listed, or nil
	listed      uint64   // number of article numbers in the last range of LISTGROUP
	offersOlder bool     // the page offers a line for older articles
	span        span     // the article numbers of the last request
	ahead       span     // the article numbers whose overview was requested together with GROUP
	method      string   // OVER, XOVER, XHDR or HEAD
	reply       reply    // the reply to the last command; the text that follows it is unread
	size        int      // octets read

	firstCount  int   // number of articles in the first request if that request is for the preview, else 0
	previewRead bool  // the answer to the first request was read
	previewErr  error // the error that ended the preview
	fewHeads    bool  // HEAD was sent for maxHeads articles only

	copy *overviewCopy // the stored overview, or nil if there is no usable one

	articles      []*protocols.ArticleNote
	unparsedLines []string // lines that cannot be parsed
	complete      bool     // all articles were yielded
	search        *search  // the search in the group, or nil
}

// If more than previewFrom articles are requested, the newest previewSize articles are shown first, as a
// preview.
const (
	previewSize = 500
	previewFrom = 4 * previewSize
)

// maxOlder bounds the number of older articles on a page, and the number of articles in a search.
const maxOlder = 1_000_000

// missingNote returns the note that older articles are not shown, or "". An overview down to the low
// mark is complete even if it has fewer articles than o.marks.count, which is an estimate. For a search,
// missingNote returns the number of articles found.
func (o *overview) missingNote(shown int) string {
	if o.search != nil {
		return o.foundText(shown)
	}
	few := fmt.Sprintf("The newest %d of about %d articles", shown, o.marks.count)
	switch {
	case shown == 0 || uint64(shown) >= o.marks.count || shown < o.newest && o.span.first <= o.marks.low:
		return ""
	case o.fewHeads && o.newest > maxHeads:
		return few + ": the server has no overview."
	case o.marks.count > uint64(o.newest):
		return few + " (the setting newest_articles)."
	}
	return ""
}

// requestNewest requests the overview of the newest articles by the first command that the server
// supports.
func (o *overview) requestNewest() error {
	if o.newest > previewFrom && o.marks.high-o.marks.low > previewFrom {
		o.firstCount = previewSize
	}
	o.span = o.marks.newest(uint64(cmp.Or(o.firstCount, o.newest)))
	o.useCopy()
	if err := o.requestSpan(); err != nil {
		return err
	}
	if o.method == "XHDR" {
		o.firstCount = 0
		o.span = o.marks.newest(uint64(o.newest))
		return nil
	}
	switch o.reply.code {
	case 224, 420, 423:
		return nil
	}
	return o.reply.error("list the articles of " + o.ses.group)
}

// requestSpan requests the overview of o.span. The first call tries OVER and XOVER. If the server
// supports neither, requestSpan sets o.method to XHDR and sends nothing more; readHeaders sends the XHDR
// commands.
func (o *overview) requestSpan() (err error) {
	if o.span.last-o.span.first >= minCompressed && (len(o.ses.unanswered) == 0 || o.ses.unanswered[0] == listCapabilities) {
		if err = o.ses.compress(); err != nil {
			return err
		}
	}
	methods := o.ses.server.overviewMethods()
	if o.method != "" {
		methods = []string{o.method}
	}
	for _, o.method = range methods {
		if o.method == "XHDR" {
			return nil
		}
		command := o.method + " " + o.span.String()
		if sent := o.method + " " + o.ahead.String(); slices.Contains(o.ses.unanswered, sent) && o.ahead.first == o.span.first && o.ahead.last >= o.span.last {
			command = sent
		}
		if o.newest > previewFrom && o.firstCount == previewSize && !o.ses.compressed { // a long overview will follow, compressed
			o.ses.queue(append([]string{command}, o.ses.server.compressCommands()...)...)
		}
		if o.reply, err = o.ses.runCommand(command); err != nil || len(methods) == 1 || !o.reply.isUnknown() {
			return err
		}
		o.ses.server.noOver.Store(true)
	}
	return nil
}

// overviewMethods returns the commands that request an overview, the best first.
func (s *server) overviewMethods() []string {
	methods := []string{"OVER", "XOVER", "XHDR"}
	if s.noOver.Load() {
		return methods[1:]
	}
	return methods
}

// readArticles reads the answer to the first request. It then requests older articles if the first request
// was only for the preview, or if the article numbers have many gaps.
func (o *overview) readArticles() error {
	if o.search != nil { // after an error, the articles found before the error are shown
		o.preview(func(protocols.Line) bool { return true })
		o.articles, o.newest = o.search.hits, len(o.search.hits)
		return o.previewErr
	}
	if o.firstCount > 0 {
		for range o.preview {
			break
		}
		if o.previewErr != nil {
			return o.previewErr
		}
	} else if err := o.readReply(); err != nil {
		return err
	}
	wanted := o.marks.newest(uint64(o.newest)).first
	for o.addFromCopy(o.newest); o.span.first > wanted && !o.fewHeads; o.addFromCopy(o.newest) { // the first request was for the preview
		if err := o.readSpan(o.spanBefore(o.span.first - wanted)); err != nil {
			return err
		}
	}
	return o.readOlder()
}

// readReply reads one answer. For a range without articles, servers answer 420, 423 or an
// empty 224.
func (o *overview) readReply() error {
	if o.method == "XHDR" {
		return o.readHeaders()
	}
	switch o.reply.code {
	case 420, 423:
		return nil
	case 224:
	default:
		return o.reply.error("list the articles of " + o.ses.group)
	}
	return o.readText(func(line string) {
		if note, ok := parseOverview(line); ok {
			o.articles = append(o.articles, note)
		} else {
			o.unparsedLines = append(o.unparsedLines, line)
		}
	})
}

// readText calls the function handle for every line of an answer. It returns an error if the answer is too
// big.
func (o *overview) readText(handle func(string)) error {
	return o.readLines(o.span.last-o.span.first, handle)
}

// readLines calls the function handle for every line of an answer about a number of articles.
func (o *overview) readLines(articles uint64, handle func(string)) error {
	limit := articles + min(1000, math.MaxUint64-articles)
	for n := uint64(0); ; n++ {
		line, _, end, err := o.ses.readTextLine()
		switch {
		case end:
			return nil
		case o.ses.ctx.Err() != nil:
			return context.Cause(o.ses.ctx)
		case err != nil:
			return err
		}
		if o.size += max(len(line), leastLine); n > limit || o.size > maxOverview {
			return &protocols.Error{Reason: protocols.TooBig, Op: "list the articles of " + o.ses.group}
		}
		handle(string(line))
	}
}

func (o *overview) lines(ctx context.Context) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		var err error
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else if !o.marks.isEmpty() {
			err = o.readArticles()
		}
		if err != nil {
			_ = o.lease.Close()
		} else {
			o.lease.Done()
		}
		articles := o.newestArticles()
		if text := o.missingNote(len(articles)); text != "" && err == nil && !yield(protocols.Line{Text: text}, nil) {
			return
		}
		if o.offersOlder && err == nil && len(articles) > 0 && o.span.first > o.marks.low && !o.fewHeads &&
			!yield(protocols.Line{Kind: protocols.Group, Text: "Older articles", Link: o.target.url, Note: protocols.ActionOlder}, nil) {
			return
		}
		for _, a := range sortByThread(articles) {
			if !yield(o.articleLine(a), nil) {
				return
			}
		}
		for _, s := range o.unparsedLines {
			if !yield(protocols.Line{Kind: protocols.Problem, Text: s}, nil) {
				return
			}
		}
		if o.complete = err == nil; !o.complete {
			yield(protocols.Line{}, err)
		} else if len(o.articles) == 0 && len(o.unparsedLines) == 0 && o.search == nil {
			yield(protocols.Line{Text: "This group has no articles."}, nil)
		}
	}
}

// Close stores the overview if all articles were yielded. It then ends the lease.
func (o *overview) Close() error {
	if o.complete && o.search == nil {
		o.complete = false
		o.storeCopy()
	}
	return o.lease.Close()
}

func (o *overview) articleLine(a *protocols.ArticleNote) protocols.Line {
	return protocols.Line{Kind: protocols.Article, Text: a.Subject, Link: o.target.articleURL(a.Number, a.MessageID), Note: a}
}

// preview reads the first answer and yields its articles in threads. Each line has a copy of the note,
// because sorting the whole overview changes the original notes later.
func (o *overview) preview(yield func(protocols.Line) bool) {
	if o.previewRead {
		return
	}
	o.previewRead = true
	if o.search != nil {
		o.search.yield = yield
		o.previewErr = o.runSearch()
		return
	}
	if o.previewErr = o.readReply(); o.previewErr == nil {
		o.addFromCopy(previewSize)
	}
	articles := make([]*protocols.ArticleNote, 0, len(o.articles))
	for _, a := range o.newestArticles() {
		note := *a
		articles = append(articles, &note)
	}
	for _, a := range sortByThread(articles) {
		if !yield(o.articleLine(a)) {
			return
		}
	}
}

// newestArticles returns the newest articles in rising order of their numbers, without duplicates.
func (o *overview) newestArticles() []*protocols.ArticleNote {
	byNumber := func(a, b *protocols.ArticleNote) int { return cmp.Compare(a.Number, b.Number) }
	slices.SortStableFunc(o.articles, byNumber)
	o.articles = slices.CompactFunc(o.articles, func(a, b *protocols.ArticleNote) bool { return a.Number == b.Number })
	return o.articles[max(0, len(o.articles)-o.newest):]
}
