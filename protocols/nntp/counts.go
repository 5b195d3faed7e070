package nntp

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxPipelined is the maximal number of commands sent before the first answer is read (RFC 3977, section
// 3.5).
const maxPipelined = 50

// Counts asks the server of a news URL for the low mark, the high mark and the article count of each
// group. It returns when the server has answered the first command. The result yields one line for each
// group, in the given order. The line is the same as in a list of groups, or a Failure if the server
// does not have the group.
func (c *Client) Counts(ctx context.Context, server urlcore.URL, names []string) (iter.Seq2[protocols.Line, error], error) {
	if len(names) == 0 {
		return func(func(protocols.Line, error) bool) {}, nil
	}
	t, err := c.parseTarget(server)
	if err != nil {
		return nil, err
	}
	w := &watchdog{limit: c.descriptionLimit()}
	ask := func(s *session, i int) (reply, error) {
		if i%maxPipelined == 0 {
			var commands []string
			for _, name := range names[i:min(i+maxPipelined, len(names))] {
				commands = append(commands, groupCommand(name))
			}
			s.queue(commands...)
		}
		return s.runCommand(groupCommand(names[i]))
	}
	ses, r, err := c.openSession(ctx, t, nil, func(s *session) (reply, error) {
		if err := s.learnGroups(names, w); err != nil {
			return reply{}, err
		}
		return ask(s, 0)
	})
	if err != nil && w.expired.Load() && ctx.Err() == nil {
		c.server(t).slowDescriptions.Store(true)
		ses, r, err = c.openSession(ctx, t, nil, func(s *session) (reply, error) { return ask(s, 0) })
	}
	if err != nil {
		return nil, err
	}
	l := ses.lease()
	return func(yield func(protocols.Line, error) bool) {
		defer func() { _ = l.Close() }()
		for i, name := range names {
			if i > 0 {
				r, err = ask(ses, i)
			}
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(protocols.Line{}, err)
				return
			}
			if !yield(ses.countLine(name, r), nil) {
				return
			}
		}
		l.Done()
	}, nil
}

// learnGroups requests the status and the description of groups whose status and description are not known
// yet (RFC 3977, sections 7.6.3 and 7.6.6), for at most maxGroups groups. It stops when w expires.
func (s *session) learnGroups(names []string, w *watchdog) error {
	const inCommand, maxName, maxGroups = 8, 60, 200 // a command has at most 512 octets
	wanted, unknown := make(map[string]*protocols.GroupNote), []string(nil)
	for _, name := range names {
		_, known := s.server.groups.Load(name)
		if !known && wanted[name] == nil && len(name) <= maxName && !strings.ContainsAny(name, "*?[]\\!, \t") && len(unknown) < maxGroups {
			wanted[name], unknown = new(protocols.GroupNote), append(unknown, name)
		}
	}
	if len(wanted) == 0 || w.limit < 0 || s.server.slowDescriptions.Load() {
		return nil
	}
	var lists []string
	for chunk := range slices.Chunk(unknown, inCommand) {
		lists = append(lists, listActive+" "+strings.Join(chunk, ","), listNewsgroups+" "+strings.Join(chunk, ","))
	}
	w.start(s)
	defer w.timer.Stop()
	s.queue(lists...)
	for i, list := range lists {
		r, err := s.runCommand(list)
		for end := err == nil && r.code != 215; err == nil && !end; {
			var line []byte
			line, _, end, err = s.readTextLine()
			name, text := splitDescription(line)
			note := wanted[name]
			if _, active, ok := parseActive(string(line)); note != nil && i%2 == 0 && ok {
				note.Status, note.Moved = active.Status, active.Moved
			} else if note != nil && i%2 == 1 {
				note.Description = text
			}
		}
		if err != nil {
			return err
		}
	}
	for name, note := range wanted {
		s.server.groups.Store(name, note)
	}
	return nil
}

// countLine returns the line to show for a group. The parameter r is the answer to GROUP.
func (s *session) countLine(name string, r reply) protocols.Line {
	m, ok := parseMarks(r.raw)
	if !r.opensGroup(groupCommand(name)) || !ok {
		return protocols.Line{Kind: protocols.Failure, Text: name + ": " + r.error("enter the group").Reason.String()}
	}
	line := s.target.groupLine(name+" 0 0", nil)
	note := new(protocols.GroupNote)
	if known, ok := s.server.groups.Load(name); ok {
		*note = *known.(*protocols.GroupNote)
	}
	note.Low, note.High, note.Count = m.low, m.high, m.count
	if m.isEmpty() {
		note.Count = 0
	}
	line.Note = note
	return line
}

// maxNewGroups is the maximal number of groups that NewGroups returns.
const maxNewGroups = 1000

// NewGroups asks the server of a news URL for newly created groups (RFC 3977, section 7.3). The
// parameter since is a time of the server's clock. NewGroups also returns the current time of the
// server's clock, or the local time if the server does not support DATE. It returns no groups if the
// parameter since is zero, or if the server does not support NEWGROUPS.
func (c *Client) NewGroups(ctx context.Context, server urlcore.URL, since time.Time) (groups []protocols.Line, now time.Time, err error) {
	t, err := c.parseTarget(server)
	if err != nil {
		return nil, now, err
	}
	ses, r, err := c.startCommand(ctx, t, "DATE")
	if err != nil {
		return nil, now, err
	}
	l := ses.lease()
	defer func() { _ = l.Close() }()
	if now, err = time.Parse("20060102150405", r.raw); r.code != 111 || err != nil {
		now, err = time.Now().UTC(), nil
	}
	if !since.IsZero() {
		groups, err = ses.newGroups(since, l)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		l.Done()
	}
	return groups, now, err
}

// newGroups sends NEWGROUPS and reads the answer. If the server refuses a year of four digits, newGroups
// sends a year of two digits (RFC 977). It ends the session after maxActive lines, because the answer
// may be endless.
func (s *session) newGroups(since time.Time, l *wire.Lease) (groups []protocols.Line, err error) {
	var r reply
	for _, layout := range [...]string{"20060102 150405 GMT", "060102 150405 GMT"} {
		if r, err = s.runCommand("NEWGROUPS " + since.UTC().Format(layout)); err != nil || r.code == 231 {
			break
		}
	}
	if err != nil || r.code != 231 {
		return nil, err
	}
	for range maxActive {
		line, _, end, err := s.readTextLine()
		if err != nil || end {
			return groups, err
		}
		if group := s.target.groupLine(string(line), nil); group.Link != nil && len(groups) < maxNewGroups {
			groups = append(groups, group)
		}
	}
	_ = l.Close()
	return groups, nil
}

// StoredCounts returns the low mark, the high mark and the article count of a group from the stored
// overview. It returns nil if no overview is stored.
func (c *Client) StoredCounts(server urlcore.URL, name string) *protocols.GroupNote {
	t, err := c.parseTarget(server)
	t.group = name
	k := c.overviewCopy(t)
	if err != nil || k == nil {
		return nil
	}
	return &protocols.GroupNote{Low: max(k.Low, k.First), High: k.last(), Count: k.Count}
}
