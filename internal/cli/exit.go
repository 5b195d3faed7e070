package cli

import (
	"context"
	"errors"
	"io"
	"syscall"

	"gofer/internal/download"
	"gofer/internal/pages/dump"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// The exit codes of the program.
const (
	exitDone    = 0
	exitRefused = 1 // the URL cannot be used
	exitUsage   = 2 // the command line asks for what does not go
	exitNetwork = 3 // the network failed
	exitServer  = 4 // the server said no, or nonsense
	exitLocal   = 5 // this machine failed, or the user stopped it
	exitQuit    = 128 + int(syscall.SIGQUIT)
)

// exitCode maps the error of a command to the program's exit code.
func exitCode(err error) int {
	var (
		refused *urlcore.Error
		failure *protocols.Error
		handoff *protocols.Handoff
		compose *protocols.Compose
		confirm *protocols.Confirm
		ask     *protocols.Ask
		login   *protocols.Login
		partial *download.PartialError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errQuit):
		return exitQuit
	case errors.Is(err, errUsage):
		return exitUsage
	case errors.As(err, &partial):
		return exitPartial(partial)
	case errors.Is(err, errRefused):
		return exitRefused
	case errors.As(err, &refused), errors.As(err, &handoff), errors.As(err, &compose), errors.As(err, &confirm):
		return exitRefused
	case errors.Is(err, nav.ErrNoOctets), errors.Is(err, nav.ErrSession), errors.Is(err, dump.ErrTerminal), errors.As(err, &ask):
		return exitUsage
	case errors.As(err, &login):
		return exitServer
	case errors.Is(err, context.DeadlineExceeded):
		return exitNetwork
	case errors.As(err, &failure):
		return exitReason(failure.Reason)
	case errors.Is(err, io.EOF):
		return exitDone
	}
	return exitLocal
}

func exitReason(r protocols.Reason) int {
	switch {
	case r == protocols.BadURL, r == protocols.Unsupported:
		return exitRefused
	case r.Network():
		return exitNetwork
	case r.Server():
		return exitServer
	}
	return exitLocal
}
