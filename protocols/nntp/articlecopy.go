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

// fetchArticle fetches an article, from its copy if there is one: the article of a
// Message-ID never changes (RFC 5536, section 3.1.3). With [protocols.WithFresh] the copy
// is used only if the server does not send the article.
func (c *Client) fetchArticle(ctx context.Context, t target) (*protocols.Resource, error) {
	if c.Copies == nil {
		r, _, err := c.askArticle(ctx, t)
		return r, err
	}
	if !protocols.Fresh(ctx) {
		if kept := c.copied(t, nil); kept != nil {
			return kept, nil
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
		if kept := c.copied(t, refused); kept != nil {
			return kept, nil
		}
	}
	return r, err
}

// copyKey names a copy from t's server, for the user who is logged in.
func (c *Client) copyKey(t target, name string) cache.Key {
	srv := c.server(t)
	login, _ := srv.login()
	return cache.Key{Scheme: srv.Scheme, Addr: srv.Addr, User: login.User, Name: name}
}

// copied returns the kept copy of t's article, or nil. refused is the server's refusal if
// it was asked.
func (c *Client) copied(t target, refused *protocols.Error) *protocols.Resource {
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

// keptHead marks the head of a copy, unless this program has made the copy and the server
// was not asked.
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

// messageID returns the Message-ID of t's article, with < >, if it is known. The server
// may have changed its numbers since an earlier program; old allows such a Message-ID.
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
