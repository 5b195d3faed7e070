package nntp

import (
	"bytes"
	"context"
	"iter"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	listActive     = "LIST ACTIVE"
	listNewsgroups = "LIST NEWSGROUPS"

	maxDescriptions    = 200_000
	maxDescription     = 400      // maximal length of a description in octets; longer ones are cut
	maxDescriptionText = 32 << 20 // octets of all descriptions

	maxDropped = 16 << 20 // maximal number of discarded octets in one fetch
)

// fetchGroups lists the groups of t's server.
//
// A server sends the groups and the descriptions as two lists (RFC 3977, section 7.6). The descriptions
// are requested first, so that every line is complete when it is shown. If the descriptions take longer
// than Client.DescriptionTimeout, fetchGroups closes the connection and requests the groups over a new one. The
// groups are then shown with the descriptions received so far. Descriptions are not requested from this
// server again.
func (c *Client) fetchGroups(ctx context.Context, t target) (*protocols.Resource, error) {
	srv := c.server(t)
	var notes []string
	var descriptions map[string]string
	var ses *session
	if c.descriptionLimit() > 0 && !srv.slowDescriptions.Load() {
		w := &watchdog{limit: c.descriptionLimit()}
		s, r, err := c.openSession(ctx, t, []string{listNewsgroups, listActive}, func(s *session) (reply, error) {
			w.start(s)
			s.queue(listNewsgroups, listActive)
			return s.runCommand(listNewsgroups)
		})
		if err == nil {
			descriptions = s.readDescriptions(ctx, r, w)
		}
		expired := w.stop()
		if s != nil && (expired || ctx.Err() != nil) {
			s.Drop()
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case expired:
			srv.slowDescriptions.Store(true)
		case err != nil:
			return nil, err
		default:
			ses = s
		}
	}
	if srv.slowDescriptions.Load() {
		notes = append(notes, "not all descriptions of groups are shown: the server took too long")
	}
	ses, r, err := c.requestList(ctx, t, ses)
	if err != nil {
		return nil, err
	}
	if r.code != 215 {
		err := r.error("list the groups of " + t.addr)
		ses.endSession(err)
		return nil, err
	}
	l := ses.lease()
	return &protocols.Resource{
		Head: protocols.Head{
			URL: t.url, Title: "Newsgroups of " + t.addr,
			Layout: protocols.LayoutGroups, Size: -1, Notes: notes, Security: ses.conn.Security(),
		},
		Lines:  ses.groupLines(l, descriptions),
		Closer: l,
	}, nil
}

// requestList sends LIST ACTIVE. If the server does not support LIST ACTIVE, it sends LIST (RFC 977).
func (c *Client) requestList(ctx context.Context, t target, ses *session) (*session, reply, error) {
	var r reply
	var err error
	if ses == nil {
		ses, r, err = c.startCommand(ctx, t, listActive)
	} else if r, err = ses.runCommand(listActive); err != nil {
		ses.endSession(err)
	}
	if err == nil && r.isUnknown() {
		if r, err = ses.runCommand("LIST"); err != nil {
			ses.endSession(err)
		}
	}
	return ses, r, err
}

// watchdog closes a connection after a time limit.
type watchdog struct {
	limit   time.Duration
	timer   *time.Timer
	expired atomic.Bool
}

func (w *watchdog) start(s *session) {
	w.stop()
	w.timer = time.AfterFunc(w.limit, func() { w.expire(s) })
}

func (w *watchdog) expire(s *session) {
	w.expired.Store(true)
	_ = s.conn.Conn.Close()
}

// stop stops the timer and reports whether it has expired.
func (w *watchdog) stop() bool {
	if w.timer != nil && !w.timer.Stop() {
		return true
	}
	return w.expired.Load()
}

// readDescriptions reads the answer to LIST NEWSGROUPS until the end of the answer or until w expires.
// It returns nil if the server refuses the command.
func (s *session) readDescriptions(ctx context.Context, r reply, w *watchdog) map[string]string {
	if r.code != 215 {
		return nil
	}
	descriptions := make(map[string]string)
	for size := 0; ctx.Err() == nil; {
		line, long, end, err := s.readTextLine()
		if err != nil || len(descriptions) >= maxDescriptions || size > maxDescriptionText {
			w.expire(s)
		}
		if err != nil || end || w.expired.Load() {
			break
		}
		name, text := splitDescription(line)
		size += len(line)
		if !long && text != "" {
			descriptions[name] = text
		}
	}
	return descriptions
}

// splitDescription parses a line of LIST NEWSGROUPS (RFC 3977, section 7.6.6). Some
// servers write a space in place of the tab between name and text.
func splitDescription(line []byte) (name, text string) {
	i := bytes.IndexAny(line, " \t")
	if i < 0 {
		return string(line), ""
	}
	rest := bytes.Trim(line[i:], " \t")
	return string(line[:i]), string(rest[:min(len(rest), maxDescription)])
}

// readTextLine reads a line of a multi-line answer and removes the dot-stuffing (RFC 3977, section
// 3.1.1). The line is valid until the next read. The result long reports whether the line was cut at
// wire.MaxLine. The result end reports whether the line was the final dot.
func (s *session) readTextLine() (line []byte, long, end bool, err error) {
	line, long, err = s.lines.Next()
	if err != nil {
		return nil, false, false, s.endError(err)
	}
	if long {
		line = append([]byte(nil), line...)
		for more := true; more; {
			var rest []byte
			if rest, more, err = s.lines.Next(); err != nil {
				return nil, false, false, s.endError(err)
			}
			if s.skippedOctets += len(rest); s.skippedOctets > maxDropped {
				return nil, false, false, s.tooBigError()
			}
		}
	}
	if len(line) > 0 && line[0] == '.' {
		if len(line) == 1 {
			return nil, false, true, nil
		}
		line = line[1:]
	}
	return line, long, false, nil
}

func (s *session) groupLines(l *wire.Lease, descriptions map[string]string) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		found := false
		for {
			b, _, end, err := s.readTextLine()
			if s.ctx.Err() != nil && !end {
				err = context.Cause(s.ctx)
			}
			if err != nil {
				_ = l.Close()
				yield(protocols.Line{}, err)
				return
			}
			if end {
				l.Done()
				if !found {
					yield(protocols.Line{Text: "This server has no groups."}, nil)
				}
				return
			}
			found = true
			if !yield(s.target.groupLine(string(b), descriptions), nil) {
				_ = l.Close()
				return
			}
		}
	}
}

// groupLine returns the line to show for s, a line of LIST ACTIVE. If the group name is not allowed in a
// URL, the line has no link, and the reason follows the name.
func (t target) groupLine(s string, descriptions map[string]string) protocols.Line {
	name, note, ok := parseActive(s)
	if !ok {
		return protocols.Line{Kind: protocols.Problem, Text: s}
	}
	note.Description = descriptions[name]
	var u urlcore.URL = urlcore.News{Group: name}
	if t.host.Host != "" && !t.defaultServer {
		u = urlcore.NNTP{HostPort: t.host, Group: name, Secure: t.secure}
	}
	u, err := urlcore.Canon(u)
	if err != nil || name == "*" {
		return protocols.Line{Kind: protocols.Problem, Text: name + "  (no URL: " + nameProblem(name) + ")", Note: note}
	}
	return protocols.Line{Kind: protocols.Group, Text: name, Link: u, Note: note}
}

// nameProblem returns the reason why a group name is not allowed in a URL (RFC 1738, section 5: group).
func nameProblem(name string) string {
	allowed := func(r rune) bool {
		return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("-.+_", r)
	}
	switch {
	case name == "*":
		return "news:* means all groups"
	case strings.TrimLeftFunc(name, allowed) != "":
		return "RFC 1738 allows only letters, digits, - . + _"
	}
	return "RFC 1738 requires a letter first"
}

// parseActive parses a line of LIST ACTIVE: name, high, low, status (RFC 3977, section
// 7.6.3). The status of a renamed group is "=" and the new name (RFC 6048, section 3.1).
func parseActive(s string) (string, *protocols.GroupNote, bool) {
	f := strings.Fields(s)
	if len(f) < 3 {
		return "", nil, false
	}
	high, err1 := strconv.ParseUint(f[1], 10, 64)
	low, err2 := strconv.ParseUint(f[2], 10, 64)
	if err1 != nil || err2 != nil {
		return "", nil, false
	}
	note := &protocols.GroupNote{Low: low, High: high, Count: countBetween(low, high)}
	if len(f) > 3 {
		note.Status, note.Moved = f[3][0], strings.Clone(f[3][1:])
	}
	return strings.Clone(f[0]), note, true // the name is kept longer than the line
}

// countBetween estimates the number of articles between the marks low and high.
func countBetween(low, high uint64) uint64 {
	switch {
	case high < low, high == 0:
		return 0
	case low == 0:
		return high
	}
	return high - low + 1
}
