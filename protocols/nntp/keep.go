package nntp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// KeepGroup updates the stored overview of the group that req asks for. It then fetches and stores the articles for which
// wanted returns true, if they are not stored yet. It calls onKept with the size of each fetched
// article. All wanted articles together, including those stored before, may take at most *room octets.
// KeepGroup gives the room to the newest articles first, and reduces *room by the size of each article that
// fits. It leaves out an article that does not fit, or that is too large for c.Copies. The result leftOut
// is the number of articles left out that have no copy yet. After an error, the articles fetched before
// the error remain stored.
func (c *Client) KeepGroup(ctx context.Context, req protocols.Request, wanted func(*protocols.ArticleNote) bool, room *int64, onKept func(octets int)) (leftOut int, err error) {
	t, err := c.parseTarget(req.URL)
	if err != nil {
		return 0, err
	}
	ses, marks, err := c.enterGroup(ctx, t, c.server(t).compressCommands()...)
	if err != nil {
		return 0, t.withServerNote(err)
	}
	if err := ses.compress(); err != nil { // also for a small overview
		ses.Drop()
		return 0, t.withServerNote(err)
	}
	r, err := c.fetchOverview(ctx, &overview{target: t, ses: ses, copy: c.overviewCopy(t)}, req, marks)
	if err != nil {
		return 0, t.withServerNote(err)
	}
	var notes []*protocols.ArticleNote
	for line, lineErr := range r.Lines {
		if note, ok := line.Note.(*protocols.ArticleNote); ok && note.MessageID != "" && wanted(note) {
			notes = append(notes, note)
		}
		err = lineErr
	}
	if _ = r.Close(); err != nil {
		return 0, err
	}
	slices.SortFunc(notes, func(a, b *protocols.ArticleNote) int { return cmp.Compare(b.Number, a.Number) })
	notes = slices.DeleteFunc(notes, func(note *protocols.ArticleNote) bool {
		key := c.copyKey(t, "<"+note.MessageID+">")
		old, ok := c.Copies.Get(key)
		size := (max(note.Bytes, int64(len(old.Data)), 1) + block - 1) / block * block
		if size > *room || note.Bytes > c.Copies.MaxSize(key) {
			if !ok {
				leftOut++
			}
			return true
		}
		*room -= size
		return ok
	})
	slices.Reverse(notes)
	return leftOut, t.withServerNote(c.keepArticles(ctx, t, notes, onKept))
}

// block is the size of a disk block in octets. The size of a copy is rounded up to whole blocks.
const block = 4 << 10

// keepArticles fetches and stores articles of a group. It sends the next commands when at most
// maxPipelined/2 answers are still unread.
func (c *Client) keepArticles(ctx context.Context, t target, notes []*protocols.ArticleNote, onKept func(octets int)) error {
	if len(notes) == 0 {
		return nil
	}
	commands := make([]string, 0, len(notes)+1)
	for _, note := range notes {
		commands = append(commands, target{kind: byNumber, number: note.Number}.articleCommand())
	}
	commands = append(commands, flushCommand)
	first, ahead := min(maxPipelined, len(commands)), maxPipelined/2
	if c.server(t).takesBatches.fails() {
		first, ahead = 1, 0
	}
	ses, r, err := c.openSession(ctx, t, nil, func(s *session) (reply, error) { return s.requestArticles(t, commands[:first]) })
	if err != nil {
		return err
	}
	if ses.group != t.group {
		return ses.refusalError(r, "open the group "+t.group+" on "+t.addr)
	}
	l := ses.lease()
	defer func() { _ = l.Close() }()
	for i, note := range notes {
		if i > 0 {
			if r, err = ses.runAhead(commands, i, ahead); err != nil {
				return err
			}
		}
		switch {
		case r.code == 220:
			if !r.mayBringArticle(target{kind: byID, id: note.MessageID}.articleCommand()) {
				return ses.otherArticleError()
			}
			if err := ses.keepArticle(note, onKept); err != nil {
				return err
			}
		case r.reason() != protocols.NotFound: // a canceled or expired article is no error
			return r.error("fetch article")
		}
	}
	l.Done()
	return nil
}

// requestArticles sends commands for articles. If t's group is not selected, requestArticles selects it and
// begins compression first. It returns the answer to the first of the commands, or to GROUP if the group cannot
// be selected.
func (s *session) requestArticles(t target, commands []string) (r reply, err error) {
	for {
		inGroup := s.group == t.group
		if !inGroup {
			enter := groupCommand(t.group)
			if r, err = s.runCommand(enter); err != nil || !r.opensGroup(enter) {
				return r, err
			}
			if err = s.compress(); err != nil {
				return r, err
			}
		}
		if err = s.write(slices.Clone(commands)); err != nil {
			return r, err
		}
		if r, err = s.runCommand(commands[0]); err != nil || r.code != 412 || !inGroup {
			return r, err
		}
		s.group = "" // the server has forgotten the group
	}
}

// runAhead reads the answer to command i, and sends the next commands if at most the given number of answers
// are unread.
func (s *session) runAhead(commands []string, i, ahead int) (reply, error) {
	if sent := i + len(s.unanswered); len(s.unanswered) <= ahead && sent < len(commands) {
		next := commands[sent:min(sent+max(ahead, 1), len(commands))]
		if err := s.send(strings.Join(next, "\r\n") + "\r\n"); err != nil {
			return reply{}, err
		}
		s.unanswered = append(s.unanswered, next...)
	}
	return s.runCommand(commands[i])
}

// keepArticle reads an article to its end. It stores the article unless the article is too large.
func (s *session) keepArticle(note *protocols.ArticleNote, onKept func(octets int)) error {
	key := s.server.client.copyKey(s.target, "<"+note.MessageID+">")
	text := &body{ses: s, lease: new(wire.Lease)}
	octets, err := io.ReadAll(io.LimitReader(text, s.server.client.Copies.MaxSize(key)+1))
	if err == nil {
		_, err = io.CopyN(io.Discard, text, maxDropped)
	}
	switch {
	case err == nil:
		return s.tooBigError()
	case !errors.Is(err, io.EOF):
		return err
	}
	s.server.client.Copies.Put(key, octets)
	onKept(len(octets))
	return nil
}
