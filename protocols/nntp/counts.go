package nntp

import (
	"context"
	"iter"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// pipelined is how many commands are sent before the first answer is read (RFC
// 3977, section 3.5).
const pipelined = 50

// Counts asks the server that a URL of news names for the numbers of groups and
// yields their lines, in their order: as of a list of groups where the server has
// the group, else a Failure. Many groups take few round trips.
func (c *Client) Counts(ctx context.Context, server urlcore.URL, names []string) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		t, err := c.target(server)
		if err != nil {
			yield(protocols.Line{}, err)
			return
		}
		var ses *session
		l := new(wire.Lease)
		defer func() { _ = l.Close() }()
		for len(names) > 0 {
			var replies []reply
			if ses == nil {
				var r reply
				if ses, r, err = c.start(ctx, t, groupCommand(names[0]), nil); err == nil {
					l, replies = ses.lease(), []reply{r}
				}
			} else {
				replies, err = ses.groups(names[:min(pipelined, len(names))])
			}
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(protocols.Line{}, err)
				return
			}
			for i, r := range replies {
				if !yield(t.countLine(names[i], r), nil) {
					return
				}
			}
			names = names[len(replies):]
		}
		l.Done()
	}
}

// groups sends GROUP for each of the names at once and returns the answers.
func (s *session) groups(names []string) (replies []reply, err error) {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(groupCommand(name) + "\r\n")
	}
	if err := s.send(b.String()); err != nil {
		return nil, err
	}
	for range names {
		r, err := s.reply()
		if err != nil {
			return nil, err
		}
		replies = append(replies, r)
	}
	return replies, nil
}

// countLine makes a line of the answer to GROUP.
func (t target) countLine(name string, r reply) protocols.Line {
	m, ok := parseMarks(r.raw)
	if r.code != 211 || !ok {
		return protocols.Line{Kind: protocols.Failure, Text: name + ": " + r.error("enter the group").Reason.String()}
	}
	line := t.groupLine(name+" 0 0", nil)
	note := &protocols.GroupNote{Low: m.low, High: m.high, Count: m.count}
	if m.empty() {
		note.Count = 0
	}
	line.Note = note
	return line
}
