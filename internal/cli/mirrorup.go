package cli

import (
	"context"
	"errors"

	"gofer/protocols"
	"gofer/urlcore"
)

// mirrorUp updates the copy of a local directory on a server.
func (p *Program) mirrorUp(_ context.Context, _ *state, dir string, _ urlcore.URL, _ *mirrorOptions) error {
	return &protocols.Error{Reason: protocols.Unsupported, Op: "store " + dir, Err: errors.New("directories are not stored on servers yet: gofer put stores files")}
}
