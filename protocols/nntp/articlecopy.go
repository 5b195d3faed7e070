package nntp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"gofer/internal/userfile/cache"
	"gofer/protocols"
)

// fetchArticle fetches one article: from its copy, if there is one, for the article
// of a Message-ID never changes (RFC 5536, section 3.1.3). With [protocols.WithFresh]
// the copy is only for when the server does not send the article.
func (c *Client) fetchArticle(ctx context.Context, t target) (*protocols.Resource, error) {
	if c.Copies == nil {
		r, _, err := c.askArticle(ctx, t)
		return r, err
	}
	if !protocols.Fresh(ctx) {
		if id, ok := c.messageID(t, false); ok {
			if kept, ok := c.Copies.Get(c.copyKey(t, id)); ok {
				return t.copied(kept, nil), nil
			}
		}
	}
	r, id, err := c.askArticle(ctx, t)
	var refused *protocols.Error
	switch {
	case err == nil:
		c.keepArticle(t, id, r)
	case errors.As(err, &refused):
		if t.want == byNumber && refused.Reason == protocols.NotThere { // it was cancelled
			defer c.Copies.Drop(c.copyKey(t, "group "+t.group))
		}
		if id, ok := c.messageID(t, true); ok {
			if kept, ok := c.Copies.Get(c.copyKey(t, id)); ok {
				return t.copied(kept, refused), nil
			}
		}
	}
	return r, err
}

// copyKey names a copy of something of t's server, as the user who has logged in.
func (c *Client) copyKey(t target, name string) cache.Key {
	srv := c.server(t)
	login, _ := srv.login()
	return cache.Key{Scheme: srv.Scheme, Addr: srv.Addr, User: login.User, Name: name}
}

// copied is an article that was kept, in place of what the server has refused, if
// it was asked.
func (t target) copied(kept cache.Copy, refused *protocols.Error) *protocols.Resource {
	r := &protocols.Resource{
		Head: protocols.Head{URL: t.url, Title: t.name(), Media: protocols.MediaArticle, Size: -1},
		Body: bytes.NewReader(kept.Data), Closer: io.NopCloser(nil),
	}
	keptHead(&r.Head, kept, refused)
	return r
}

// keptHead tells that what comes is a copy. One that this program has made is as
// good as a page that it goes back to.
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

// keepArticle keeps what is read from r, when it is whole, and of an article that
// was asked for by number its Message-ID.
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

// messageID returns the Message-ID of t's article, with < >, as far as that is
// known without the server. A number is that of the same article as long as the
// server does not number its articles anew: what an earlier program has seen is
// only good enough where the server is no help.
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

// replyID is the Message-ID in the answer to ARTICLE (RFC 3977, section 6.2.1.1),
// without < >; "" if it has none.
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
