package nav

import (
	"context"
	"errors"
	"io"

	"gofer/protocols"
	"gofer/urlcore"
)

// The exit codes of the program, as [ExitCode] gives them.
const (
	ExitDone    = 0
	ExitRefused = 1 // the URL cannot be used
	ExitUsage   = 2 // the command line asks for what does not go
	ExitNetwork = 3 // the network failed
	ExitServer  = 4 // the server said no, or nonsense
	ExitLocal   = 5 // this machine failed, or the user stopped it
)

// ExitCode maps the error of a fetch, of [Dump] or of [Download] to the
// program's exit code.
func ExitCode(err error) int {
	var (
		refused *urlcore.Error
		failure *protocols.Error
		handoff *protocols.Handoff
		ask     *protocols.Ask
		login   *protocols.Login
	)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return ExitDone
	case errors.As(err, &refused), errors.As(err, &handoff):
		return ExitRefused
	case errors.Is(err, ErrNoOctets), errors.Is(err, ErrTerminal), errors.As(err, &ask):
		return ExitUsage
	case errors.As(err, &login):
		return ExitServer
	case errors.Is(err, context.DeadlineExceeded):
		return ExitNetwork
	case errors.As(err, &failure):
		return exitReason(failure.Reason)
	}
	return ExitLocal
}

func exitReason(r protocols.Reason) int {
	switch {
	case r == protocols.BadURL, r == protocols.Unsupported:
		return ExitRefused
	case r.Network():
		return ExitNetwork
	case r.Server():
		return ExitServer
	}
	return ExitLocal
}
