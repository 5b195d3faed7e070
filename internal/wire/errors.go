package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"

	"gofer/protocols"
)

// errSilent is the cause when an idle connection gets no quick answer.
var errSilent = errors.New("the idle connection is dead")

func dialError(ctx context.Context, addr string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &protocols.Error{Reason: protocols.Unreachable, Op: "connect to " + addr, Err: trimAddresses(err)}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		e.Reason, e.Err = protocols.NameNotFound, nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		e.Reason, e.Err = protocols.ConnectTimeout, nil
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Reason, e.Err = protocols.Refused, nil
	case errors.As(err, &dns):
		e.Reason, e.Err = protocols.NameNotFound, trimAddresses(err)
	}
	return e
}

// trimAddresses removes the addresses that package net puts before the cause of err, because the Op
// of the [protocols.Error] has them already.
func trimAddresses(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		err = op.Err
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		return call.Err
	}
	return err
}

// ErrInjection is the cause of an error for a command that contains CR, LF or NUL (RFC 1738, section 6).
var ErrInjection = errors.New("it contains a line end or a NUL, which the server would read as another command")

// Check returns an *[protocols.Error] with reason BadURL if s contains CR, LF or NUL.
func Check(name, s string) error {
	if strings.ContainsAny(s, "\r\n\x00") {
		return &protocols.Error{Reason: protocols.BadURL, Op: "send the " + name, Err: ErrInjection}
	}
	return nil
}
