package wire

import (
	"context"
	"time"

	"gofer/protocols"
)

// Rebind ties an idle connection to another context and to its Progress and Transcript. No Read or
// Write may be running. If the previous context has ended, Rebind returns false and the connection
// is unusable.
func (c *Conn) Rebind(ctx context.Context) bool {
	if !c.stop() {
		return false
	}
	c.ctx = ctx
	c.progress = protocols.ProgressFrom(ctx)
	c.recorder.begin(ctx)
	nc := c.raw
	c.stop = context.AfterFunc(ctx, func() { _ = nc.Close() })
	return true
}

// RequireQuickReply sets a short time limit for the next answer over an idle connection. After the
// limit, reads return an error with the reason Broken: the connection may have been lost while the
// machine slept, or in a router. The limit is [Dialer].QuickReply or, if it is longer, twice the
// longest wait for an answer so far.
func (c *Conn) RequireQuickReply() { c.needsQuickReply = true }

// SlowAnswer returns a time after which an answer is unusually late: twice the longest wait for an answer so far.
func (c *Conn) SlowAnswer() time.Duration { return 2 * c.slowest }
