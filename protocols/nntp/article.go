package nntp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gofer/internal/userfile/cache"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// fetchFromServer fetches an article from the server, by its number in a group or by its Message-ID (RFC
// 3977, section 6.2.1). The result id is the article's Message-ID, or "" if the reply does not contain
// it.
func (c *Client) fetchFromServer(ctx context.Context, t target) (res *protocols.Resource, id string, err error) {
	ses, r, err := c.openSession(ctx, t, t.articleCommands(), func(s *session) (reply, error) { return s.requestArticle(t) })
	if err != nil {
		return nil, "", err
	}
	if t.kind == byNumber && ses.group != t.group {
		return nil, "", ses.refusalError(r, "open the group "+t.group+" on "+t.addr)
	}
	if r.code != 220 {
		return nil, "", ses.refusalError(r, "fetch "+t.name())
	}
	l := ses.lease()
	return &protocols.Resource{
		Head:   protocols.Head{URL: t.url, Title: t.name(), Media: protocols.MediaArticle, Size: -1, Security: ses.conn.Security()},
		Body:   &body{ses: ses, lease: l},
		Closer: l,
	}, t.replyID(r), nil
}

// requestArticle sends ARTICLE. If t has an article number and its group is not selected, it sends GROUP
// first.
func (s *session) requestArticle(t target) (reply, error) {
	for {
		inGroup := t.kind == byID || s.group == t.group
		if !inGroup {
			commands := t.articleCommands()
			s.queue(commands...)
			if r, err := s.runCommand(commands[0]); err != nil || !r.opensGroup(commands[0]) {
				return r, err
			}
		}
		r, err := s.runCommand(t.articleCommand())
		if err != nil || r.code != 412 || !inGroup || t.kind == byID {
			return r, err
		}
		s.group = "" // the server has forgotten the group
	}
}

// articleCommands returns the commands that fetch t's article if no group is selected.
func (t target) articleCommands() []string {
	if t.kind == byID {
		return []string{t.articleCommand()}
	}
	return []string{groupCommand(t.group), t.articleCommand()}
}

func (t target) name() string {
	switch t.kind {
	case byID:
		return "<" + t.id + ">"
	case byNumber:
		return "article " + strconv.FormatUint(t.number, 10) + " of " + t.group
	}
	return t.group
}

// enterGroup selects the target's group and returns the answer to GROUP. The commands next are sent with it.
func (c *Client) enterGroup(ctx context.Context, t target, next ...string) (*session, reply, error) {
	commands := append([]string{groupCommand(t.group)}, next...)
	ses, r, err := c.openSession(ctx, t, commands, func(s *session) (reply, error) {
		s.queue(commands...)
		return s.runCommand(commands[0])
	})
	if err != nil {
		return nil, r, err
	}
	if !r.opensGroup(commands[0]) {
		return nil, r, ses.refusalError(r, "open the group "+t.group+" on "+t.addr)
	}
	return ses, r, nil
}

// refusalError returns the error for r, a reply that refuses a command. If the item does not exist,
// refusalError keeps the connection for the next fetch. Otherwise it ends the session.
func (s *session) refusalError(r reply, op string) error {
	err := r.error(op)
	if err.Reason == protocols.NotFound {
		s.keep()
	} else {
		s.endSession(err)
	}
	return err
}

// body reads an article up to its final dot.
type body struct {
	ses        *session
	lease      *wire.Lease
	pending    []byte // octets in the buffer of the bufio.Reader
	inLine     bool   // the last octets read did not end with a line end
	pendingErr error  // the error to return after the octets in pending
	err        error
}

// Read returns the article's octets without the dot-stuffing.
func (b *body) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	for n < len(p) && b.err == nil {
		if len(b.pending) == 0 {
			if n > 0 && b.ses.in.Buffered() == 0 {
				break
			}
			b.fill()
			continue
		}
		k := copy(p[n:], b.pending)
		b.pending = b.pending[k:]
		n += k
	}
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// fill sets pending to the next line, or to a part of a line that is longer than the buffer.
func (b *body) fill() {
	if b.ses.ctx.Err() != nil {
		b.fail(context.Cause(b.ses.ctx))
		return
	}
	if b.pendingErr != nil {
		b.fail(b.pendingErr)
		return
	}
	line, err := b.ses.in.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		if b.pendingErr = b.ses.endError(err); len(line) == 0 {
			b.fail(b.pendingErr)
			return
		}
	}
	start := !b.inLine
	b.inLine = err != nil
	if start && line[0] == '.' {
		if s := string(line); s == ".\r\n" || s == ".\n" {
			b.err = io.EOF
			b.lease.Done()
			return
		}
		line = line[1:]
	}
	b.pending = line
}

func (b *body) fail(err error) {
	b.err = err
	_ = b.lease.Close()
}

// articleURL returns the URL of an article of t's group. For the default server, it is a news: URL with the
// Message-ID, which is the same at every server. For other servers, and for an article without a Message-ID,
// it is an nntp: URL with the article number. If there is no number either, articleURL returns nil.
func (t target) articleURL(number uint64, id string) urlcore.URL {
	if t.defaultServer && id != "" {
		if u, err := urlcore.Canon(urlcore.News{MessageID: id}); err == nil {
			return u
		}
	}
	if number == 0 {
		return nil
	}
	u, _ := urlcore.Canon(urlcore.NNTP{HostPort: t.host, Group: t.group, Article: number, HasArticle: true, Secure: t.secure})
	return u
}

// fetchArticle returns the stored copy of an article. If there is no copy, it fetches the article from
// the server. A copy never expires, because the article of a Message-ID never changes (RFC 5536, section
// 3.1.3). If the parameter fresh is set, fetchArticle asks the server first and returns the copy only after
// an error.
func (c *Client) fetchArticle(ctx context.Context, t target, fresh bool) (*protocols.Resource, error) {
	if c.Copies == nil {
		r, _, err := c.fetchFromServer(ctx, t)
		return r, err
	}
	if !fresh {
		if stored := c.articleFromCopy(t, nil); stored != nil {
			return stored, nil
		}
	}
	r, id, err := c.fetchFromServer(ctx, t)
	var failure *protocols.Error
	switch {
	case err == nil:
		c.keepArticle(t, id, r)
	case errors.As(err, &failure):
		if t.kind == byNumber && failure.Reason == protocols.NotFound { // the stored overview may list the removed article
			defer c.Copies.Drop(c.copyKey(t, "group "+t.group))
		}
		if stored := c.articleFromCopy(t, failure); stored != nil {
			return stored, nil
		}
	}
	return r, err
}

// copyKey returns the cache key of the copy called name. The key includes t's server and the user name for
// the login.
func (c *Client) copyKey(t target, name string) cache.Key {
	srv := c.server(t)
	login, _ := srv.login()
	return cache.Key{Scheme: srv.Scheme, Addr: srv.Addr, User: login.User, Name: name}
}

// articleFromCopy returns the stored copy of t's article, or nil if there is no copy. The parameter
// failure is the error of the request to the server, or nil if no request was made.
func (c *Client) articleFromCopy(t target, failure *protocols.Error) *protocols.Resource {
	id, ok := c.messageID(t, failure != nil)
	if !ok {
		return nil
	}
	stored, ok := c.Copies.Get(c.copyKey(t, id))
	if !ok {
		return nil
	}
	r := &protocols.Resource{
		Head: protocols.Head{URL: t.url, Title: t.name(), Media: protocols.MediaArticle, Size: -1},
		Body: bytes.NewReader(stored.Data), Closer: io.NopCloser(nil),
	}
	setCopyHead(&r.Head, stored, failure)
	return r
}

// setCopyHead sets h.CopiedAt to the time of the copy, and adds a note about failure. It does nothing if
// this run of gofer made the copy and failure is nil.
func setCopyHead(h *protocols.Head, stored cache.Copy, failure *protocols.Error) {
	if stored.Old || failure != nil {
		h.CopiedAt = stored.At
	}
	if failure == nil {
		return
	}
	why := failure.Reason.String()
	if failure.Code != 0 {
		why = fmt.Sprintf("the server refused it (%d)", failure.Code)
	}
	h.Notes = append(h.Notes, "copy of "+stored.At.Format("2006-01-02 15:04")+": "+why)
}

// keepArticle wraps r.Body. At the end of the article, the wrapper stores a copy of the article. If t
// has an article number, the wrapper also stores the Message-ID for this number.
func (c *Client) keepArticle(t target, id string, r *protocols.Resource) {
	if id == "" {
		return
	}
	key := c.copyKey(t, "<"+id+">")
	r.Body = cache.Record(r.Body, c.Copies.MaxSize(key), func(octets []byte) {
		if len(octets) == 0 {
			return
		}
		c.Copies.Put(key, octets)
		if t.kind == byNumber {
			if known, ok := c.messageID(t, true); !ok || known != key.Name {
				c.Copies.Put(c.copyKey(t, t.numberName()), []byte(key.Name))
			}
		}
	})
}

func (t target) numberName() string { return fmt.Sprintf("article %s %d", t.group, t.number) }

// messageID returns the Message-ID of t's article, including < >, if it is known. If the parameter old is
// false, messageID ignores data stored by an earlier run of gofer, because the server may have renumbered
// its articles.
func (c *Client) messageID(t target, old bool) (id string, ok bool) {
	if t.kind == byID {
		return "<" + t.id + ">", true
	}
	if stored, ok := c.Copies.Get(c.copyKey(t, t.numberName())); ok && (old || !stored.Old) {
		return string(stored.Data), true
	}
	if k := c.overviewCopy(t); k != nil && (old || !k.record.Old) {
		return k.messageID(t.number)
	}
	return "", false
}

// replyID returns the Message-ID in the answer to ARTICLE (RFC 3977, section 6.2.1.1),
// without < >, or "".
func (t target) replyID(r reply) string {
	if t.kind == byID {
		return t.id
	}
	f := strings.Fields(r.raw)
	if len(f) < 2 || len(f[1]) < 3 || f[1][0] != '<' || f[1][len(f[1])-1] != '>' {
		return ""
	}
	return trimMessageID(f[1])
}
