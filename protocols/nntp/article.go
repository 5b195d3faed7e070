package nntp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"

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
		return nil, "", ses.refused(r, "enter "+t.group+" on "+t.addr)
	}
	if r.code != 220 {
		return nil, "", ses.refused(r, "fetch "+t.name())
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
		s.group = "" // the server has forgotten it
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
		return nil, r, ses.refused(r, "enter "+t.group+" on "+t.addr)
	}
	return ses, r, nil
}

// refused returns the error for a refusal. It keeps the connection if the item does not
// exist, and else ends the session.
func (s *session) refused(r reply, op string) error {
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
	pending []byte // of the bufio.Reader
	inLine  bool   // pending ended in the middle of a line
	broken  error  // came after pending
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
		if b.broken = b.ses.ended(err); len(line) == 0 {
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

// articleURL returns the URL of an article of the target's group: by its Message-ID at the
// reader's own server, since numbers may change, else by its number.
func (t target) articleURL(number uint64, id string) urlcore.URL {
	if t.defaultServer && id != "" {
		if u, err := urlcore.Canon(urlcore.News{MessageID: id}); err == nil {
			return u
		}
	}
	if number == 0 {
		return nil
	}
	u, err := urlcore.Canon(urlcore.NNTP{HostPort: t.host, Group: t.group, Article: number, HasArticle: true, Secure: t.secure})
	if err != nil {
		return nil
	}
	return u
}
