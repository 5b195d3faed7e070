package cli

import (
	"context"
	"errors"
	"io"
	"strconv"
	"syscall"

	"gofer/internal/app"
	"gofer/internal/pages/dump"
	"gofer/internal/transfer/collect"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/keep"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Exit codes of the program.
const (
	exitOK      = 0
	exitRefused = 1 // the URL or the message cannot be used, or there is nothing to list
	exitUsage   = 2 // the command line is wrong
	exitNetwork = 3 // the network failed
	exitServer  = 4 // the server refused, or sent an invalid reply, or something was left out
	exitLocal   = 5 // this machine failed, or the user stopped the command
	exitQueue   = 6 // another gofer queue saves the downloads
	exitQuit    = 128 + int(syscall.SIGQUIT)
)

// exitCode returns the exit code for the error of a command.
func exitCode(err error) int {
	signal, _ := errors.AsType[signalError](err)
	number, _ := signal.Signal.(syscall.Signal)
	partial, _ := errors.AsType[*mirror.PartialError](err)
	code, hasCode := errors.AsType[codeError](err)
	switch {
	case err == nil:
		return exitOK
	case hasCode:
		return int(code)
	case hasType[unfinishedError](err) && number > 0:
		return 128 + int(number) // as shells do for a program that the signal ended
	case errors.Is(err, errQuit):
		return exitQuit
	case hasType[*download.RunningQueue](err):
		return exitQueue
	case errors.Is(err, app.ErrUsage):
		return exitUsage
	case partial != nil:
		return partialExitCode(partial)
	case errors.Is(err, errRefused), hasType[refusedError](err), hasType[*urlcore.Error](err), hasType[*protocols.Handoff](err), hasType[*protocols.Compose](err), hasType[*protocols.Confirm](err):
		return exitRefused
	case errors.Is(err, protocols.ErrNoOctets), errors.Is(err, protocols.ErrSession), errors.Is(err, dump.ErrTerminal), errors.Is(err, dump.ErrNoAnswer), hasType[*protocols.Ask](err):
		return exitUsage
	case hasType[*protocols.Login](err), errors.Is(err, collect.ErrLeftOut), errors.Is(err, keep.ErrQuestion), errors.Is(err, keep.ErrPersonal):
		return exitServer
	case errors.Is(err, context.DeadlineExceeded):
		return exitNetwork
	case hasType[*protocols.Error](err):
		return reasonExitCode(protocols.ReasonOf(err))
	case errors.Is(err, io.EOF):
		return exitOK
	}
	return exitLocal
}

// codeError ends a command with an exit code, after the command has printed the reason.
type codeError int

func (e codeError) Error() string { return "exit code " + strconv.Itoa(int(e)) }

// refusedError is the error of a command that was given something that it cannot use.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// errNothingFound ends a command whose list is empty.
const errNothingFound = codeError(exitRefused)

// hasType reports whether err or an error that it wraps has the type E.
func hasType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func reasonExitCode(r protocols.Reason) int {
	switch {
	case r == protocols.BadURL, r == protocols.Unsupported, r == protocols.Unfinished:
		return exitRefused
	case r.IsNetworkFailure():
		return exitNetwork
	case r.IsServerFailure():
		return exitServer
	}
	return exitLocal
}
