package wire

import (
	"context"
	"io"
)

// Reader reads from R until Context ends, even if R has more octets.
type Reader struct {
	Context context.Context
	R       io.Reader
}

// Read returns [context.Cause] after the end of the Context.
func (r Reader) Read(p []byte) (int, error) {
	if r.Context.Err() != nil {
		return 0, context.Cause(r.Context)
	}
	n, err := r.R.Read(p)
	if err != nil && r.Context.Err() != nil {
		err = context.Cause(r.Context)
	}
	return n, err
}
