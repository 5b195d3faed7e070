package followed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gofer/history"
	"gofer/internal/text/feed"
	"gofer/internal/text/sentence"
	"gofer/protocols"
	"gofer/urlcore"
)

// timeout bounds the time for a page.
const timeout = 60 * time.Second

var errTimeout = fmt.Errorf("timed out after %s", timeout)

// state is what the next check of a page needs to know, in JSON in [history.Source].
type state struct {
	Version string `json:"version,omitempty"` // see [protocols.Request.Version]
	Feed    string `json:"feed,omitempty"`    // the feed that is read in place of a web page
	Typed   bool   `json:"typed,omitempty"`   // the user has agreed to the port of the page, see [protocols.Request.Typed]
	Other   bool   `json:"other,omitempty"`   // the page was read and is no feed
	Reason  string `json:"reason,omitempty"`  // of the failure of the last check, in a few words
	NoReply bool   `json:"noreply,omitempty"` // nothing answered the last check, see [protocols.ContactNone]
	// The numbers of the articles of a newsgroup at the last check.
	Low   uint64 `json:"low,omitempty"`
	High  uint64 `json:"high,omitempty"`
	Count uint64 `json:"count,omitempty"`
}

// NewState returns the state of a page that was not checked yet. The parameter typed says that the user has agreed to its port,
// as for [protocols.Request.Typed]: a check asks nobody.
func NewState(typed bool) string { return state{Typed: typed}.String() }

func parseState(text string) (s state) {
	if json.Unmarshal([]byte(text), &s) != nil {
		return state{}
	}
	return s
}

// target returns the URL to read: page, or its feed.
func (s state) target(page urlcore.URL) urlcore.URL {
	if u, err := urlcore.Parse(s.Feed); err == nil && mayBeFeed(page, u) {
		return u
	}
	return page
}

func (s state) String() string {
	b, _ := json.Marshal(s) // strings and numbers
	return string(b)
}

// FeedOf returns the feed of a followed page: the page itself, or the feed that it names. It returns nil if there is none. A web
// page that was never read counts as a feed.
func FeedOf(src *history.Source) urlcore.URL {
	s := parseState(src.State)
	page, isHTTP := src.URL.(urlcore.HTTP)
	if u := s.target(src.URL); u != src.URL || isHTTP && page.Name == "" && !s.Other {
		return u
	}
	return nil
}

// IsGroup reports whether u is a newsgroup, which has a number of articles in place of entries.
func IsGroup(u urlcore.URL) bool {
	_, isNews := u.(urlcore.News)
	_, isNNTP := u.(urlcore.NNTP)
	g := urlcore.NewsGroup(u)
	return (isNews || isNNTP) && g.Group != "" && g.Group != "*" && g.Search == "" && !g.HasArticle
}

// Group returns the numbers of a newsgroup at its last check. It returns nil for other pages, and before the first check.
func Group(src *history.Source) *protocols.GroupNote {
	if !IsGroup(src.URL) || src.Succeeded.IsZero() {
		return nil
	}
	s := parseState(src.State)
	return &protocols.GroupNote{Low: s.Low, High: s.High, Count: s.Count}
}

// check reads a page, unless the parameter failed says why its server cannot be asked. The result has the source to record;
// entries is nil if there is nothing to compare.
func (r *refresh) check(ctx context.Context, src history.Source, failed error) (res Result, entries []history.Entry) {
	ctx, cancel := context.WithTimeoutCause(protocols.Unattended(ctx, src.URL), timeout, errTimeout)
	defer cancel()
	s := parseState(src.State)
	c := sourceCheck{refresh: r, source: &src, state: &s}
	err := failed
	switch {
	case err != nil:
	case IsGroup(src.URL):
		err = c.count(ctx)
	default:
		entries, err = c.readEntries(ctx)
	}
	src.Checked, src.Failure = r.begin, ""
	s.Reason, s.NoReply = "", false
	if err == nil {
		src.Succeeded, src.Failures = src.Checked, 0
	} else {
		src.Failures++
		described := describe(err, src.URL)
		src.Failure, s.Reason, s.NoReply = sentence.Of(described), shortReason(described), isUnreached(err)
		entries = nil
		if s.Feed != "" && protocols.ReasonOf(err) == protocols.NotFound {
			s.Feed, s.Version = "", "" // the page may name another one now, and the version was that of the feed
		}
	}
	src.State = s.String()
	return Result{Source: src, Note: c.note, Err: err}, entries
}

// sourceCheck is the check of one page.
type sourceCheck struct {
	*refresh
	source *history.Source
	state  *state
	note   string
}

func (c *sourceCheck) count(ctx context.Context) error {
	if c.Count == nil {
		return errors.New("no news server")
	}
	note, err := c.Count(ctx, c.source.URL)
	if err != nil {
		return err
	}
	c.state.Low, c.state.High, c.state.Count = note.Low, note.High, note.Count
	return nil
}

// readEntries reads the page, or the feed that it names, and returns its entries. It returns nil if the page has not changed.
func (c *sourceCheck) readEntries(ctx context.Context) ([]history.Entry, error) {
	u := c.state.target(c.source.URL)
	p, err := c.read(ctx, protocols.Request{URL: u, Typed: c.state.Typed && u == c.source.URL, Version: c.state.Version})
	if err != nil {
		return nil, err
	}
	if named := p.feed(); named != nil && u == c.source.URL {
		if p, err = c.readFeed(ctx, p, named); err != nil {
			return nil, err
		}
	}
	if p.Unchanged {
		return nil, nil
	}
	if err := p.failure(); err != nil {
		return nil, err
	}
	if c.source.Title == "" {
		c.source.Title = p.title()
	}
	k := kindOf(p)
	if k == nil {
		return nil, errors.New("it is neither a list nor a text, and has no date: it cannot be compared")
	}
	c.state.Version, c.state.Other = p.Version, !p.isFeed()
	entries := k.entries(p)
	if p.isFeed() && len(entries) >= feed.MaxEntries {
		c.note = fmt.Sprintf("the feed has more than %d entries: the others are left out", feed.MaxEntries-1)
	}
	for i := range entries {
		e := &entries[i]
		e.Source = c.source.URL
		e.ID = digest(c.source.URL.String(), e.ID)
	}
	if entries == nil {
		entries = []history.Entry{} // a page without entries was compared too
	}
	return entries, nil
}

// feedError is the failure of the feed that a page names. The server of the page is not to blame.
type feedError struct{ error }

func (e feedError) Unwrap() error { return e.error }

// readFeed reads the feed that the page p names, and returns it in place of p. If there is no such feed, it returns p without a
// Version, so that the next check asks for the feed again. Any other failure is an error, because a later check may find the feed.
func (c *sourceCheck) readFeed(ctx context.Context, p *page, named urlcore.URL) (*page, error) {
	c.state.Version, p.Version = "", ""
	feedPage, err := c.read(ctx, protocols.Request{URL: named})
	switch {
	case err == nil && feedPage.isFeed():
		c.state.Feed = named.String()
		c.note = "its feed is read: " + c.state.Feed
		return feedPage, nil
	case err == nil, protocols.ReasonOf(err) == protocols.NotFound:
		c.note = "it names a feed that does not exist: " + urlcore.Redact(named).String()
		return p, nil
	}
	return nil, feedError{err}
}
