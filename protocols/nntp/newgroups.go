package nntp

import (
	"context"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxNewGroups is the maximal number of new groups.
const maxNewGroups = 1000

// NewGroups asks the server of a URL of news for the groups created since a time of its
// clock (RFC 3977, section 7.3), and for its time. It asks only for the time if since is
// zero. There are no groups if the server does not know the commands.
func (c *Client) NewGroups(ctx context.Context, server urlcore.URL, since time.Time) (groups []protocols.Line, now time.Time, err error) {
	t, err := c.target(server)
	if err != nil {
		return nil, now, err
	}
	ses, r, err := c.start(ctx, t, "DATE")
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

// newGroups asks for the groups, with a year of two digits for servers of RFC 977. It
// ends the session after an excessive number of lines.
func (s *session) newGroups(since time.Time, l *wire.Lease) (groups []protocols.Line, err error) {
	var r reply
	for _, layout := range [...]string{"20060102 150405 GMT", "060102 150405 GMT"} {
		if r, err = s.ask("NEWGROUPS " + since.UTC().Format(layout)); err != nil || r.code == 231 {
			break
		}
	}
	if err != nil || r.code != 231 {
		return nil, err
	}
	for range maxActive {
		line, _, end, err := s.textLine()
		if err != nil || end {
			return groups, err
		}
		if group := s.url.groupLine(string(line), nil); group.Link != nil && len(groups) < maxNewGroups {
			groups = append(groups, group)
		}
	}
	_ = l.Close() // of what comes without end
	return groups, nil
}
