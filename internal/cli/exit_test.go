package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"gofer/internal/pages/dump"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/collect"
	"gofer/internal/transfer/keep"
	"gofer/internal/transfer/mirror"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestExitCode(t *testing.T) {
	reason := func(r protocols.Reason) error { return fmt.Errorf("x: %w", &protocols.Error{Reason: r}) }
	left := func(reasons ...error) error {
		partial := new(mirror.PartialError)
		for _, err := range reasons {
			partial.LeftOut = append(partial.LeftOut, mirror.LeftOut{Err: err})
		}
		return partial
	}
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0},
		{io.EOF, 0},
		{errors.Join(reason(protocols.Broken), io.EOF), 3},
		{&protocols.Error{Reason: protocols.LocalFailure, Err: io.EOF}, 5},
		{&urlcore.Error{}, 1},
		{reason(protocols.BadURL), 1},
		{reason(protocols.Unsupported), 1},
		{reason(protocols.Unfinished), 1},
		{&protocols.Handoff{}, 1},
		{&protocols.Compose{}, 1},
		{&protocols.Confirm{}, 1},
		{protocols.ErrNoOctets, 2},
		{protocols.ErrSession, 2},
		{dump.ErrTerminal, 2},
		{&protocols.Ask{}, 2},
		{reason(protocols.NameNotFound), 3},
		{reason(protocols.Broken), 3},
		{context.DeadlineExceeded, 3},
		{reason(protocols.NotFound), 4},
		{reason(protocols.Malformed), 4},
		{&protocols.Login{}, 4},
		{reason(protocols.LocalFailure), 5},
		{reason(protocols.NoServer), 5},
		{reason(protocols.Damaged), 4},
		{reason(protocols.Unknown), 5},
		{nav.ErrStopped, 5},
		{left(reason(protocols.NotFound)), 4},
		{left(reason(protocols.BadURL), errors.New("too deep")), 4},
		{left(reason(protocols.Broken), reason(protocols.IdleTimeout)), 3},
		{left(reason(protocols.Broken), reason(protocols.Denied)), 4},
		{left(reason(protocols.LocalFailure)), 5},
		{context.Canceled, 5},
		{collect.ErrLeftOut, 4},
		{keep.ErrQuestion, 4},
		{keep.ErrPersonal, 4},
		{reason(protocols.TooBig), 4},
		{left(reason(protocols.TooBig)), 4},
	}
	for _, tt := range tests {
		fetchtest.Equal(t, exitCode(tt.err), tt.want, "exitCode(%v)", tt.err)
	}
}
