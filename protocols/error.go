package protocols

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"gofer/urlcore"
)

// Error is the error of a failed fetch. It never contains a password.
type Error struct {
	Reason Reason
	Op     string // the failed operation: "connect to gopher.example.org:70"
	Code   int    // the server's reply code, or 0 if there is none
	Text   string // the server's message, neither decoded nor cleaned
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
		s += sep + "the server said " + reply
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

// Question is an error that asks the user a question: an [*Ask], a [*Login], a [*Confirm], a [*Compose] or
// a [*Handoff].
type Question interface {
	error
	question()
}

func (*Ask) question()     {}
func (*Login) question()   {}
func (*Confirm) question() {}
func (*Compose) question() {}
func (*Handoff) question() {}

// QuestionOf returns the Question in err, or nil.
func QuestionOf(err error) Question {
	q, _ := errors.AsType[Question](err)
	return q
}

// Ask is the error of a Fetch that needs input from the user. The input is, for example, search words (RFC
// 1436, section 3.7) or the answers to a Gopher+ form.
type Ask struct {
	URL         urlcore.URL // the URL of the Fetch
	Title       string      // the title from gofer
	Server      string      // host or host:port of the server that sent ServerTitle and the labels of Fields
	ServerTitle string      // the title from the server, not cleaned; may be ""
	Fields      []Field     // at least one
	IsForm      bool        // the server sent a form: it is shown as a page even with a single field
	// Charset is "" if the proposed values, the choices and the answers passed to With are in UTF-8.
	// Otherwise these texts are in the charset of the server's texts, or in Charset if the server's texts
	// are ASCII.
	Charset string
	// With returns the URL to fetch. It takes one answer for each field.
	With func(answers []string) (urlcore.URL, error)
}

// Field is one input field of an Ask.
type Field struct {
	Label       string // the label from gofer; may be "" if ServerLabel is set
	ServerLabel string // the label from the server, not cleaned; may be ""
	Value       string // the proposed answer
	Input       Input
	Choices     []string // the choices of an InputChoice, at least one; not cleaned
	// Required reports whether the server demands an answer.
	Required bool
}

// Input is the kind of input of a field.
type Input uint8

// The kinds of input. The comment of each kind describes the answer.
const (
	InputLine   Input = iota // a line
	InputSecret              // a line that is neither shown nor stored
	InputText                // several lines, separated by line feeds
	InputCheck               // "1" for yes, "0" for no
	InputChoice              // one of the field's choices
	InputFile                // the path of a local file to send
	InputNote                // always "": the field is only a label
)

func (a *Ask) Error() string { return "input needed: " + a.Title }

// Login is the error of a Fetch whose server wants credentials.
type Login struct {
	URL    urlcore.URL // the URL of the Fetch
	Server string      // host:port, for the prompt
	User   string      // the proposed user, from the URL
	Note   string      // the failure that makes a login necessary, or ""
	Text   string      // the server's message, not cleaned
	Failed bool        // the credentials were tried and refused
	// With stores the credentials for this server in memory. After the call, the caller fetches the URL
	// again.
	With func(user, password string)
}

func (l *Login) Error() string {
	if l.Failed {
		return "login failed at " + l.Server
	}
	return l.Server + " requires a login"
}

// Confirm is the error of a Fetch that needs the user's consent, for example to send a password in the
// clear. Nothing that needs the consent was sent.
type Confirm struct {
	URL      urlcore.URL // the URL of the Fetch; may be nil
	Question string      // the question without "?": "Send the password in the clear"
	Reason   string      // why the question is asked, in one or two sentences
	Details  []string    // lines below the reason, such as the message to send; not cleaned
	Consent  Consent     // the kind of consent
	// GiveConsent records in memory that the user agreed. It does no I/O. After the call, the caller
	// fetches the URL again.
	GiveConsent func()
}

// ErrRestricted is wrapped in errors of actions that restricted mode forbids.
var ErrRestricted = errors.New("not allowed at this terminal")

// ErrNoPrograms reports that a program was not started because it uses the network and the user works
// offline.
var ErrNoPrograms = errors.New("programs that use the network are not started offline")

// Consent is a kind of [Confirm]. If gofer runs without a screen, the user can agree in advance to all
// questions of a kind.
type Consent uint8

// The kinds of consent.
const (
	ConsentAsked         Consent = iota // the user cannot agree in advance
	ConsentCertificate                  // accept an unverified certificate
	ConsentPlainPassword                // send a password in the clear
	ConsentReplace                      // replace a file on a server
	ConsentPort                         // connect to a port where another service may listen
)

func (c *Confirm) Error() string { return "not confirmed: " + c.Question }

// Handoff is the error of a Fetch for a URL that another program opens, such as a mailer. Unless Always is
// set, the program is not started before the user has seen Argv and agreed.
type Handoff struct {
	URL    urlcore.URL
	Argv   []string // the program and its arguments, without a shell
	Window bool     // the program opens a window and needs no terminal
	Always bool     // the user has allowed the program in advance
}

func (h *Handoff) Error() string { return h.URL.Scheme() + ": needs another program" }

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
