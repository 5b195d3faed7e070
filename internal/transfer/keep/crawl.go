package keep

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Crawl fetches a page and the pages that its links lead to, one after the other. It asks nothing: searches, forms, logins,
// sessions and mail are left out.
type Crawl struct {
	Reader
	Depth        int   // levels of links; 0: only the page itself
	Pages        int   // the most requests; 0: [DefaultPages]
	Octets       int64 // the most octets of all copies
	OtherServers bool  // also links to other servers
	Report       func(c *Crawl, u urlcore.URL)

	// The results.
	Kept         int   // pages with a new copy
	Received     int64 // octets of these pages
	LeftOut      []mirror.LeftOut
	Questions    int // links to searches, forms, sessions and other kinds that are not kept
	OnOthers     int // links to other servers
	BeyondLimits int // links that were not followed, because of Pages or Octets

	queue []queuedPage
	seen  map[uint64]struct{}
	seed  maphash.Seed
	root  string // host:port
}

type queuedPage struct {
	url   urlcore.URL
	depth int
}

const (
	maxSeen  = 1 << 20 // links that are recognized again
	maxNamed = 1000    // of LeftOut, besides the failed pages
)

// Run crawls from root. The error is that of root, the cause of ctx, or a [*mirror.PartialError] if pages failed or were too
// large, or limits were reached.
func (c *Crawl) Run(ctx context.Context, root urlcore.URL) error {
	if c.Pages <= 0 {
		c.Pages = DefaultPages
	}
	c.root, _ = urlcore.Addr(root)
	c.seed, c.seen = maphash.MakeSeed(), make(map[uint64]struct{})
	c.isNew(root)
	c.queue = []queuedPage{{root, 0}}
	requests, failures := 0, 0
	for ; len(c.queue) > 0; requests++ {
		if requests > 0 && c.Received >= c.Octets {
			c.BeyondLimits += len(c.queue)
			break
		}
		if requests > 0 && !mirror.Sleep(ctx, c.Delay) {
			break
		}
		p := c.queue[0]
		c.queue = c.queue[1:]
		err := c.fetchPage(ctx, p, requests)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && requests == 0:
			return err
		case err == nil:
			failures = 0
		default:
			c.leaveOut(p.url, err)
			if !protocols.ReasonOf(err).IsNetworkFailure() {
				continue
			}
			if failures++; failures == mirror.MaxFailures {
				c.BeyondLimits += len(c.queue)
				return c.result(requests+1, err)
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return c.result(requests, nil)
}

func (c *Crawl) fetchPage(ctx context.Context, p queuedPage, requests int) error {
	if c.Report != nil {
		c.Report(c, p.url)
	}
	link := func(line *protocols.Line, u urlcore.URL) { c.follow(line, u, p.depth+1, requests+1) }
	if p.depth >= c.Depth {
		link = nil
	}
	octets, err := c.fetch(ctx, p.url, link)
	if err == nil {
		c.Kept, c.Received = c.Kept+1, c.Received+octets
	}
	return err
}

// follow queues the page that a link leads to, or counts it.
func (c *Crawl) follow(line *protocols.Line, u urlcore.URL, depth, requests int) {
	if u = urlcore.Redact(u); !c.isNew(u) {
		return
	}
	addr, _ := urlcore.Addr(u)
	size := int64(-1)
	if note, ok := line.Note.(*protocols.FileNote); ok {
		size = note.Size
	}
	switch {
	case line.Kind.NeedsAnswers() && line.Link == u, !CanKeep(u), isNews(u):
		c.Questions++
	case addr != c.root && !c.OtherServers:
		c.OnOthers++
	case size > c.maxPage(u) && line.Kind != protocols.Directory:
		if len(c.LeftOut) < maxNamed {
			c.leaveOut(u, tooLarge(c.maxPage(u)))
		} else {
			c.BeyondLimits++
		}
	case requests+len(c.queue) >= c.Pages:
		c.BeyondLimits++
	default:
		c.queue = append(c.queue, queuedPage{u, depth})
	}
}

// isNew reports whether u was not seen yet. Among very many links it reports true again.
func (c *Crawl) isNew(u urlcore.URL) bool {
	hash := maphash.String(c.seed, u.String())
	if _, old := c.seen[hash]; old {
		return false
	}
	if len(c.seen) < maxSeen {
		c.seen[hash] = struct{}{}
	}
	return true
}

func (c *Crawl) leaveOut(u urlcore.URL, err error) {
	if errors.Is(err, ErrQuestion) {
		c.Questions++
		return
	}
	c.LeftOut = append(c.LeftOut, mirror.LeftOut{URL: u, Path: u.String(), Err: err})
}

// result returns the error of a crawl. The parameter cause is the failure that ended it early, or nil.
func (c *Crawl) result(requests int, cause error) error {
	left := c.LeftOut
	if c.BeyondLimits > 0 && cause == nil {
		err := protocols.NewError(protocols.TooBig, "follow "+english.Plural(c.BeyondLimits, "link", ""),
			fmt.Sprintf("the limit is %s or %s", english.Plural(c.Pages, "page", ""), humanize.Bytes(uint64(max(c.Octets, 0)))))
		if len(left) == 0 {
			return err
		}
		left = append(left[:len(left):len(left)], mirror.LeftOut{Path: "more links", Err: err})
	}
	if len(left) == 0 && cause == nil {
		return nil
	}
	return &mirror.PartialError{LeftOut: left, Total: max(requests, len(left)), Verb: "kept", Cause: cause}
}

// Summary returns one line about the results. The parameter hint says where the pages are named that failed or were too large.
func (c *Crawl) Summary(hint string) string {
	text := fmt.Sprintf("%s kept, %s", english.Plural(c.Kept, "page", ""), humanize.Bytes(uint64(c.Received)))
	var more []string
	for _, n := range []struct {
		count int
		what  string
	}{
		{len(c.LeftOut), strings.TrimSpace("failed or too large " + hint)},
		{c.BeyondLimits, "beyond the limits"},
		{c.Questions, "not pages to keep (searches, forms, logins, sessions, mail, news)"},
		{c.OnOthers, "on other servers"},
	} {
		if n.count > 0 {
			more = append(more, humanize.Comma(int64(n.count))+" "+n.what)
		}
	}
	if len(more) > 0 {
		text += "; left out: " + strings.Join(more, ", ")
	}
	return text
}
