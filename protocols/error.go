package protocols

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// Error is the error of a failed fetch. It never contains a password.
type Error struct {
	Reason Reason
	Op     string // the failed operation: "connect to gopher.example.org:70"
	Code   int    // the server's reply code, or 0 if there is none
	Text   string // the message of the server, or of a program on this machine (LocalFailure); neither decoded nor cleaned
	Lines  []Line // links in the server's message; not cleaned
	Err    error  // the cause, or nil
}

// Error returns the failed operation, the server's reply and the cause. The result contains Text and must
// be cleaned before it is shown.
func (e *Error) Error() string {
	s := e.Op
	sep := ": "
	if s == "" {
		sep = ""
	}
	if reply := e.Reply(); reply != "" {
		s += sep + e.Speaker() + " said " + reply
		sep = ": "
	}
	if e.Err != nil {
		return s + sep + e.Err.Error()
	}
	if e.Text != "" || e.Code != 0 {
		return s
	}
	return s + sep + e.Reason.String()
}

// Speaker returns whose words Text has.
func (e *Error) Speaker() string {
	if e.Reason == LocalFailure {
		return "the program"
	}
	return "the server"
}

// Reply returns the server's reply code and message. A code of one digit, as in Gopher+, follows the
// message. In front, such a code would look like a part of the message.
func (e *Error) Reply() string {
	switch {
	case e.Code == 0:
		return e.Text
	case e.Text == "":
		return strconv.Itoa(e.Code)
	case e.Code < 10:
		return e.Text + " (error " + strconv.Itoa(e.Code) + ")"
	}
	return strconv.Itoa(e.Code) + " " + e.Text
}

// NewError returns an Error. The parameter cause is the text of its Err.
func NewError(reason Reason, op, cause string) *Error {
	return &Error{Reason: reason, Op: op, Err: errors.New(cause)}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrNoDatabase reports that the server does not have the database in the URL.
var ErrNoDatabase = errors.New("there is no such database")

// ErrNoTarget reports that the target directory of a move cannot be entered.
var ErrNoTarget = errors.New("the target directory does not exist, or cannot be entered")

// ErrUnavailable reports that a server temporarily refuses service.
var ErrUnavailable = errors.New("the server is busy or temporarily closed")

// ErrBadRequest reports that the server could not understand the request.
var ErrBadRequest = errors.New("bad request")

// ErrTLS reports that the server speaks TLS, although the scheme of the URL does not use TLS.
var ErrTLS = errors.New("the server speaks TLS")

// ErrRestricted is wrapped in errors of actions that restricted mode forbids.
var ErrRestricted = errors.New("not allowed at this terminal")

// ErrNoPrograms reports that a program was not started because it uses the network and the user works
// offline.
var ErrNoPrograms = errors.New("programs that use the network are not started offline")

// ErrNotInstalled is wrapped in errors about a program that opens URLs and is not installed. The settings can name another.
var ErrNotInstalled = errors.New("not installed")

// ErrNoOctets reports that a resource is a list of items: the answers of a protocol for such a list are not a file.
var ErrNoOctets = errors.New("this is a list of items, not a document")

// ErrSession reports that a resource is an interactive session, which is neither a page nor a document.
var ErrSession = errors.New("an interactive session needs a terminal")

// Panic is an error of gofer itself, recovered from a panic.
type Panic struct {
	Value any
	Stack []byte
}

// Error describes the mistake, without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("internal error: %v", p.Value) }

// PanicError returns the error of the operation op, which ended in a panic with the given value. The deferred function
// that recovers from the panic calls it.
func PanicError(op string, value any) *Error {
	return &Error{Op: op, Err: &Panic{Value: value, Stack: debug.Stack()}}
}

// LocalError returns err as an *[Error] with the operation op and the reason LocalFailure. It removes the
// file name from the text of err, because op contains the name. LocalError returns nil if err is nil.
func LocalError(op string, err error) error {
	if err == nil {
		return nil
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	} else if le, ok := errors.AsType[*os.LinkError](err); ok {
		err = le.Err
	}
	return &Error{Reason: LocalFailure, Op: op, Err: err}
}

// IsBusy reports whether text, a message from a server, says that there are too many users.
func IsBusy(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{
		"too many user", "too many connection", "too many client", "too many session", "too many anonymous", "maximum number of c", "maximum number of u",
		"users (the maximum)", "user limit", "connection limit",
	}, func(words string) bool { return strings.Contains(text, words) })
}
