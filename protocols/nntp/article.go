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

// askArticle fetches an article from the server, by its number in a group or by its
// Message-ID (RFC 3977, section 6.2.1), and returns it with its Message-ID.
func (c *Client) askArticle(ctx context.Context, t target) (res *protocols.Resource, id string, err error) {
	ses, r, err := c.begin(ctx, t, func(s *session) (reply, error) { return s.askArticle(t) })
	if err != nil {
		return nil, "", err
	}
	if t.want == byNumber && ses.group != t.group {
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

// askArticle sends ARTICLE, for a number with GROUP before it unless that is the current
// group.
func (s *session) askArticle(t target) (reply, error) {
	for {
		there := t.want == byID || s.group == t.group
		if !there {
			s.queue(groupCommand(t.group), t.article())
			if r, err := s.ask(groupCommand(t.group)); err != nil || r.code != 211 {
				return r, err
			}
		}
		r, err := s.ask(t.article())
		if err != nil || r.code != 412 || !there || t.want == byID {
			return r, err
		}
		s.group = "" // the server has no current group any more
	}
}

func (t target) name() string {
	switch t.want {
	case byID:
		return "<" + t.id + ">"
	case byNumber:
		return "article " + strconv.FormatUint(t.number, 10) + " of " + t.group
	}
	return t.group
}

// enter selects the target's group and returns the answer to GROUP.
func (c *Client) enter(ctx context.Context, t target) (*session, reply, error) {
	ses, r, err := c.start(ctx, t, groupCommand(t.group))
	if err != nil {
		return nil, r, err
	}
	if r.code != 211 {
		return nil, r, ses.refusalError(r, "open the group "+t.group+" on "+t.addr)
	}
	return ses, r, nil
}

// refusalError returns the error for a refusal. It keeps the connection if the item does not
// exist, else it ends the session.
func (s *session) refusalError(r reply, op string) error {
	err := r.error(op)
	if err.Reason == protocols.NotThere {
		s.put()
	} else {
		s.leave(err)
	}
	return err
}

// body reads an article up to its final dot.
type body struct {
	ses     *session
	lease   *wire.Lease
	pending []byte // octets in the buffer of the bufio.Reader
	inLine  bool   // the last pending octets ended within a line
	broken  error  // the error after pending
	err     error
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

// fill reads the next line, or a piece of a line that is too long for the buffer.
func (b *body) fill() {
	if b.ses.ctx.Err() != nil {
		b.fail(context.Cause(b.ses.ctx))
		return
	}
	if b.broken != nil {
		b.fail(b.broken)
		return
	}
	line, err := b.ses.in.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		if b.broken = b.ses.endError(err); len(line) == 0 {
			b.fail(b.broken)
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

// articleURL returns the URL of an article of the target's group: with its Message-ID for the
// user's own server, since numbers may change, else with its number.
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

// fetchArticle fetches an article, from its copy if there is one: the article of a
// Message-ID never changes (RFC 5536, section 3.1.3). With [protocols.WithFresh] the copy
// is used only if the server does not send the article.
func (c *Client) fetchArticle(ctx context.Context, t target) (*protocols.Resource, error) {
	if c.Copies == nil {
		r, _, err := c.askArticle(ctx, t)
		return r, err
	}
	if !protocols.WantsFresh(ctx) {
		if kept := c.keptArticle(t, nil); kept != nil {
			return kept, nil
		}
	}
	r, id, err := c.askArticle(ctx, t)
	var refused *protocols.Error
	switch {
	case err == nil:
		c.keepArticle(t, id, r)
	case errors.As(err, &refused):
		if t.want == byNumber && refused.Reason == protocols.NotThere { // the article was cancelled
			defer c.Copies.Drop(c.copyKey(t, "group "+t.group))
		}
		if kept := c.keptArticle(t, refused); kept != nil {
			return kept, nil
		}
	}
	return r, err
}

// copyKey returns the key of a copy from t's server, for the user of the login.
func (c *Client) copyKey(t target, name string) cache.Key {
	srv := c.server(t)
	login, _ := srv.login()
	return cache.Key{Scheme: srv.Scheme, Addr: srv.Addr, User: login.User, Name: name}
}

// keptArticle returns the kept copy of t's article, or nil. refused is the server's refusal if
// it was asked.
func (c *Client) keptArticle(t target, refused *protocols.Error) *protocols.Resource {
	id, ok := c.messageID(t, refused != nil)
	if !ok {
		return nil
	}
	kept, ok := c.Copies.Get(c.copyKey(t, id))
	if !ok {
		return nil
	}
	r := &protocols.Resource{
		Head: protocols.Head{URL: t.url, Title: t.name(), Media: protocols.MediaArticle, Size: -1},
		Body: bytes.NewReader(kept.Data), Closer: io.NopCloser(nil),
	}
	keptHead(&r.Head, kept, refused)
	return r
}

// keptHead sets the time and the note of a copy in its head, unless this process made the copy and
// the server was not asked.
func keptHead(h *protocols.Head, kept cache.Copy, refused *protocols.Error) {
	if kept.Old || refused != nil {
		h.Kept = kept.At
	}
	if refused == nil {
		return
	}
	why := refused.Reason.String()
	if refused.Code != 0 {
		why = fmt.Sprintf("the server refused it (%d)", refused.Code)
	}
	h.Notes = append(h.Notes, "kept copy of "+kept.At.Format("2006-01-02 15:04")+": "+why)
}

// keepArticle keeps the article when all of it was read from r, and for an article that
// was requested by number its Message-ID.
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
		if t.want == byNumber {
			if known, ok := c.messageID(t, true); !ok || known != key.Name {
				c.Copies.Put(c.copyKey(t, t.numberName()), []byte(key.Name))
			}
		}
	})
}

func (t target) numberName() string { return fmt.Sprintf("article %s %d", t.group, t.number) }

// messageID returns the Message-ID of t's article, with < >, if it is known. old allows a
// Message-ID from an earlier run, after which the server may have changed its numbers.
func (c *Client) messageID(t target, old bool) (id string, ok bool) {
	if t.want == byID {
		return "<" + t.id + ">", true
	}
	if kept, ok := c.Copies.Get(c.copyKey(t, t.numberName())); ok && (old || !kept.Old) {
		return string(kept.Data), true
	}
	if k := c.overviewCopy(t); k != nil && (old || !k.kept.Old) {
		return k.messageID(t.number)
	}
	return "", false
}

// replyID returns the Message-ID in the answer to ARTICLE (RFC 3977, section 6.2.1.1),
// without < >, or "".
func (t target) replyID(r reply) string {
	if t.want == byID {
		return t.id
	}
	f := strings.Fields(r.raw)
	if len(f) < 2 || len(f[1]) < 3 || f[1][0] != '<' || f[1][len(f[1])-1] != '>' {
		return ""
	}
	return messageID(f[1])
}
