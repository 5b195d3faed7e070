package cli

import (
	"context"
	"errors"
	"io"
	"syscall"

	"gofer/internal/mirror"
	"gofer/internal/pages/dump"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// The exit codes of the program.
const (
	exitDone    = 0
	exitRefused = 1 // the URL cannot be used
	exitUsage   = 2 // the command line is wrong
	exitNetwork = 3 // the network failed
	exitServer  = 4 // the server said no, or nonsense
	exitLocal   = 5 // this machine failed, or the user stopped it
	exitQuit    = 128 + int(syscall.SIGQUIT)
)

// exitCode maps the error of a command to the program's exit code.
func exitCode(err error) int {
	signal, _ := errors.AsType[signalError](err)
	number, _ := signal.Signal.(syscall.Signal)
	partial, _ := errors.AsType[*mirror.PartialError](err)
	switch {
	case err == nil:
		return exitDone
	case is[unfinishedError](err) && number > 0:
		return 128 + int(number) // the shell's exit code for a program that the signal ends
	case errors.Is(err, errQuit):
		return exitQuit
	case errors.Is(err, errUsage):
		return exitUsage
	case partial != nil:
		return exitPartial(partial)
	case errors.Is(err, errRefused), is[*urlcore.Error](err), is[*protocols.Handoff](err), is[*protocols.Compose](err), is[*protocols.Confirm](err):
		return exitRefused
	case errors.Is(err, nav.ErrNoOctets), errors.Is(err, nav.ErrSession), errors.Is(err, dump.ErrTerminal), is[*protocols.Ask](err):
		return exitUsage
	case is[*protocols.Login](err), errors.Is(err, errLeftOut):
		return exitServer
	case errors.Is(err, context.DeadlineExceeded):
		return exitNetwork
	case is[*protocols.Error](err):
		return exitReason(protocols.ReasonOf(err))
	case errors.Is(err, io.EOF):
		return exitDone
	}
	return exitLocal
}

// is reports whether an error of the type E is in the tree of err.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
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
