package wire

import (
	"context"

	"gofer/protocols"
)

// Rebind takes an idle connection over to another context: from now on it
// closes with ctx and reports to the Progress and the Transcript of ctx. It must not run beside a
// Read or Write. It returns false, and the connection is of no more use, when
// the context before has ended already.
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

// ProveAlive has a connection that was idle be Broken unless the next answer
// begins soon: it may have ended in silence, while the machine slept or where a
// router has forgotten it. Who has waited longer for the server before is given
// twice that time.
func (c *Conn) ProveAlive() { c.unproven = true }
