package ftp

import (
	"cmp"
	"context"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// longIdle is the idle time after which a connection may have been lost without notice: routers forget connections.
const longIdle = 10 * time.Second

// newUnansweredError returns the error of an idle session that did not answer.
func newUnansweredError() error {
	return protocols.NewError(protocols.Broken, "use the idle connection", "the server does not answer")
}

// spare is a session that is opened beside an idle one that does not answer. The session that answers first is used, because
// the server may only be slow, and may refuse another login.
type spare struct {
	open func(context.Context) (*session, error)
	wait time.Duration // after which the session is opened

	opened chan openedSession // nil if none was opened
}

type openedSession struct {
	session *session
	err     error
}

// newSpare returns a spare session for r, which is not opened yet.
func (c *Client) newSpare(r *request, cred wire.Credentials) *spare {
	return &spare{
		open: func(ctx context.Context) (*session, error) { return c.open(ctx, r, cred) },
		wait: cmp.Or(c.spareWait, wire.DefaultQuickReply),
	}
}

// take returns the session if it was opened, or else opens it.
func (p *spare) take(ctx context.Context) (*session, error) {
	if p.opened != nil {
		if o := <-p.opened; o.err == nil {
			return o.session, nil
		}
	}
	return p.open(ctx)
}

// watch opens the session if s, which was idle, does not answer to r, and then ends s unless it has answered meanwhile. The
// function stop must be called when s was used, with its error. If s has answered, it closes the spare session.
func (p *spare) watch(ctx context.Context, s *session, r *request) (stop func(err error)) {
	if !r.onlyReads || s.idleSince.IsZero() || time.Since(s.idleSince) < longIdle {
		return func(error) {}
	}
	s.ctrl.state.Store(unanswered) // the replies about the last transfer may be old
	ctx, cancel := context.WithCancel(ctx)
	opened := make(chan openedSession, 1)
	timer := time.AfterFunc(max(p.wait, s.conn.SlowAnswer()), func() {
		next, err := p.open(ctx)
		if opened <- (openedSession{next, err}); err == nil && s.ctrl.giveUp() {
			s.bound.cancel(newUnansweredError())
		}
	})
	return func(err error) {
		switch {
		case timer.Stop():
			cancel()
		case isDead(err):
			p.opened = opened
		default:
			cancel()
		}
	}
}
