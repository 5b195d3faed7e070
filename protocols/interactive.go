package protocols

import (
	"context"
	"io"
	"os"
)

// InteractiveSession is a session with a server that is connected already
// (RFC 1738, section 3.8). It has the whole terminal while it runs.
type InteractiveSession interface {
	// Run returns when the server, the user or ctx has ended the session, and
	// then uses the terminal no more. It returns nil if the user ended it,
	// io.EOF if the server did, else why it broke off.
	Run(ctx context.Context, t Terminal) error
}

// Terminal is what an [InteractiveSession] has of the user's terminal, which is in raw mode
// and is restored after the session, whatever was written to it.
type Terminal struct {
	// Input is what is typed. It is closed when the terminal is gone.
	Input <-chan []byte
	// Output is the screen. A Write returns when the terminal has taken the
	// octets or the session's context has ended.
	Output io.Writer
	// Size returns the columns and rows of now.
	Size func() (columns, rows int)
	// Resized receives when the size may have changed; nil: nobody tells.
	Resized <-chan os.Signal
	// Type is the terminal's type, as in $TERM.
	Type string
}
