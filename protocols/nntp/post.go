package nntp

import (
	"context"
	"errors"
	"io"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// Post sends an article to the server of a news URL (RFC 3977, section 6.3.1). The lines of the article
// must end with CR LF. If the connection is lost, Post makes a second attempt. If the server refuses
// the article because it already has the Message-ID, Post returns nil.
func (c *Client) Post(ctx context.Context, server urlcore.URL, article string) error {
	t, err := c.parseTarget(server)
	if err != nil {
		return err
	}
	sent, err := c.post(ctx, t, article)
	if err != nil && ctx.Err() == nil && isDead(err) {
		sentBefore := sent
		sent, err = c.post(ctx, t, article)
		sent = sent || sentBefore
	}
	if failed, ok := errors.AsType[*protocols.Error](err); sent && ok && failed.Code == 0 {
		failed.Lines = append(failed.Lines, protocols.Line{}, protocols.Line{Text: "It is not known whether the server has the article. Send it again: the server accepts it only once."})
	}
	if err == nil && c.Copies != nil {
		if id := removedID(article); id != "" {
			c.Copies.Drop(c.copyKey(t, id))
		}
	}
	return t.withServerNote(err)
}

// Addr returns the "host:port" of the server that Post uses, or "".
func (c *Client) Addr(server urlcore.URL) string {
	t, _ := c.parseTarget(server)
	return t.addr
}

// removedID returns the Message-ID, with < >, of the article that the given article cancels or
// supersedes (RFC 5537, sections 5.3 and 5.4).
func removedID(article string) (id string) {
	for line := range strings.SplitSeq(article, "\r\n") {
		switch name, value, _ := strings.Cut(line, ": "); name {
		case "":
			return id
		case "Supersedes":
			id = value
		case "Control":
			id = strings.TrimPrefix(value, "cancel ")
		}
	}
	return id
}

// maxWrite is the maximal size of a write, in octets. Each write has its own time limit.
const maxWrite = 32 << 10

// post makes one attempt to post. The result sent reports whether the article was sent to its end.
func (c *Client) post(ctx context.Context, t target, article string) (sent bool, err error) {
	s, r, err := c.startCommand(ctx, t, post)
	if err != nil {
		return false, err
	}
	if r.code == 340 {
		for text := dotStuff(article); text != "" && err == nil; {
			n := min(len(text), maxWrite)
			_, err = io.WriteString(s.conn, text[:n]) // lines, but no commands
			text = text[n:]
		}
		if sent = err == nil; sent {
			r, err = s.readReply()
		} else if early, e := s.readReply(); e == nil { // the reason why the server stopped reading
			r, err = early, nil
		}
	}
	switch {
	case err != nil:
		s.Drop()
		return sent, err
	case r.code == 480:
		err = s.loginError(r, s.loggedIn)
	case r.code != 240 && !r.isDuplicate():
		err = r.postError(t.addr)
	}
	if err == nil || r.code == 440 || r.code == 441 {
		s.keep()
	} else {
		s.endSession(err)
	}
	return sent, err
}

// dotStuff returns a text with dot-stuffing and the final dot (RFC 3977, section 3.1.1).
func dotStuff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line[0] == '.' {
			b.WriteByte('.')
		}
		b.WriteString(strings.TrimRight(line, "\r\n") + "\r\n")
	}
	return b.String() + ".\r\n"
}

// isDuplicate reports whether r refuses an article because the server already has the article. Some
// servers reply with 435 or 437, which are meant for articles from other servers. A text about a header field
// does not count, because INN also calls a repeated header field a duplicate.
func (r reply) isDuplicate() bool {
	text := strings.ToLower(r.raw)
	switch {
	case r.code == 435, r.code == 441 && strings.HasPrefix(text, "435"):
		return true
	case r.code != 441 && r.code != 437, strings.Contains(text, "header"), strings.Contains(text, "field"):
		return false
	}
	return strings.Contains(text, "duplicate") || strings.Contains(text, "already have")
}

// postError returns the error for a reply that refuses an article.
func (r reply) postError(addr string) error {
	e := r.error("post to " + addr)
	switch r.code {
	case 440:
		e.Reason, e.Err = protocols.Denied, errors.New("the server does not accept articles from this machine")
		e.Lines = []protocols.Line{{}, {Text: "It may accept them after a login, in ~/.netrc or in the URL (nntp://user@host/group). Otherwise use another server."}}
	case 441, 437:
		e.Reason = protocols.Rejected
	}
	return e
}

// GroupStatus returns the status of a group at the server of a news URL (RFC 3977, section 7.6.3): for
// example, 'y' if posting is allowed, 'n' if posting is not allowed, or 'm' if the group is moderated.
// The status is 0 if the group does not exist. The result known is false if the server refuses LIST
// ACTIVE.
func (c *Client) GroupStatus(ctx context.Context, server urlcore.URL, group string) (status byte, known bool, err error) {
	t, err := c.parseTarget(server)
	if err != nil {
		return 0, false, err
	}
	if checkWord("group name", group) != nil || strings.ContainsAny(group, `*?[]\!,`) {
		return 0, true, nil
	}
	s, r, err := c.startCommand(ctx, t, listActive+" "+group)
	if err != nil {
		return 0, false, t.withServerNote(err)
	}
	l := s.lease()
	defer l.Close()
	if r.code != 215 {
		if r.code < 480 || r.isUnknown() {
			l.Done()
		}
		return 0, false, nil
	}
	for range maxActive {
		line, _, end, err := s.readTextLine()
		if err != nil {
			return 0, false, err
		}
		if end {
			l.Done()
			break
		}
		if name, note, ok := parseActive(string(line)); ok && name == group {
			status = note.Status
		}
	}
	return status, true, nil
}

// maxActive is the maximal number of lines read from an answer. A server may ignore the group name in
// LIST ACTIVE and send all groups.
const maxActive = 200_000
