package followed

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/text/feed"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// Bounds of a page.
const (
	maxPage  = 16 << 20 // octets of its lines in memory
	maxLines = 50_000   // lines that are read, or a few more; the history says if a list is longer than [history.MaxEntries]
)

// page is a followed page that was read.
type page struct {
	protocols.Head
	lines   []protocols.Line
	reading clean.Reading
}

// read fetches and reads a page. Of binary files it reads nothing.
func (c *sourceCheck) read(ctx context.Context, req protocols.Request) (*page, error) {
	req.Modified = true
	l := nav.Open(ctx, c.Fetch, req, nav.Limit(maxPage))
	defer l.Cancel()
	head, err := l.Wait()
	if err != nil {
		return nil, err
	}
	p := &page{Head: head}
	if c.ReadingOf != nil {
		p.reading = c.ReadingOf(head.URL)
	}
	switch {
	case !protocols.MayLead(req.URL, head.URL):
		return nil, &protocols.Error{Reason: protocols.Unsupported, Op: "follow " + urlcore.Redact(req.URL).String(), Err: errors.New("it leads to a page of this machine")}
	case !head.CopiedAt.IsZero():
		return nil, &protocols.Error{Reason: protocols.Unreachable, Op: "look for new entries", Err: errors.New("only a kept copy could be read")}
	case head.Unsaved != nil:
		return nil, head.Unsaved
	case l.Session() != nil:
		return nil, protocols.ErrSession
	case head.Unchanged || head.Layout == protocols.LayoutBinary:
		return p, nil
	}
	for len(p.lines) < maxLines {
		lines, err := l.Next()
		switch {
		case err != nil && ctx.Err() != nil: // the page may be a part
			return nil, context.Cause(ctx)
		case errors.Is(err, io.EOF), protocols.ReasonOf(err) == protocols.EndUnmarked:
			return p, nil
		case err != nil:
			return nil, err
		}
		for _, line := range lines.All(0) {
			p.lines = append(p.lines, line)
		}
	}
	return p, nil
}

func (p *page) media() string {
	media, _, _ := strings.Cut(p.Media, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

func (p *page) isFeed() bool { return feed.IsFeed(p.media()) }

// title returns the title as clean text. A host or an address is no title.
func (p *page) title() string {
	title := p.reading.Short(p.Title)
	if title == urlcore.Host(p.URL) || strings.Contains(title, "://") {
		return ""
	}
	return title
}

// mayBeFeed reports whether u can be the feed of a page. Both are web pages: a URL of another scheme could send any octets to any
// server. A feed may be on another server than its page.
func mayBeFeed(page, u urlcore.URL) bool {
	_, isWeb := page.(urlcore.HTTP)
	_, leadsToWeb := u.(urlcore.HTTP)
	return isWeb && leadsToWeb
}

// feed returns the feed that a web page names, or nil.
func (p *page) feed() urlcore.URL {
	for i := range p.lines {
		if note, ok := p.lines[i].Note.(*protocols.Hypertext); ok && note.Feed && mayBeFeed(p.URL, p.lines[i].Link) {
			return p.lines[i].Link
		}
	}
	return nil
}

// link returns the URL and the fragment to which line i leads, or nil if it leads to no page.
func (p *page) link(i int) (u urlcore.URL, fragment string) {
	l := &p.lines[i]
	u, fragment = l.Link, l.Fragment()
	if note, ok := l.Note.(*protocols.Hypertext); ok && u == nil && len(note.Links) > 0 {
		u, fragment = note.Links[0].URL, note.Links[0].Fragment
	}
	if u == nil || u.Scheme() == "about" || !protocols.MayLead(p.URL, u) {
		return nil, ""
	}
	return u, fragment
}

// failure returns the error of a menu that has only the message of a failed server (RFC 1436, section 3.8, type 3), or nil.
func (p *page) failure() error {
	message := ""
	for i := range p.lines {
		switch {
		case p.lines[i].Link != nil || p.Layout != protocols.LayoutMenu:
			return nil
		case p.lines[i].Kind == protocols.Failure && message == "":
			message = p.lines[i].Text
		}
	}
	if message == "" {
		return nil
	}
	return &protocols.Error{Reason: protocols.ServerFailed, Op: "read the menu", Text: message}
}

// digest returns a short text that identifies the parts.
func digest(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(h[:18])
}
