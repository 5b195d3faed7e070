package protocols

import (
	"context"
	"io"
	"os"
)

// InteractiveSession is a connected session (RFC 1738, section 3.8). It has the whole
// terminal while it runs.
type InteractiveSession interface {
	// Run returns when the session has ended, and does not use the terminal afterwards.
	// It returns nil if the user ended it, io.EOF if the server did, else the cause.
	Run(ctx context.Context, t Terminal) error
}

// Terminal is the user's terminal in raw mode. It is restored after the session.
type Terminal struct {
	Input <-chan []byte // the typed octets; closed when the terminal is gone
	// Output is the screen. Write returns when the terminal has taken the octets or the
	// session's context has ended.
	Output  io.Writer
	Size    func() (columns, rows int)
	Resized <-chan os.Signal // receives when the size may have changed; may be nil
	Type    string           // as in $TERM
}
