package protocols

import (
	"context"
	"errors"
	"strings"

	"gofer/urlcore"
)

// Compose is the error of a Fetch whose URL begins a new mail or news article. Before Draft.Send is called,
// the user edits the draft, sees the whole message and agrees.
type Compose struct {
	URL   urlcore.URL // the URL of the Fetch
	Title string      // the title for the user: "Mail to joe@example.org"
	Draft Draft
	// Answer returns the URL of the page to show after Send, or nil. It may be nil.
	Answer func() urlcore.URL
}

// Draft is a message that is stored in a file until it is sent. Its methods may do I/O.
type Draft interface {
	// File returns the path of the file with the draft. It creates the file if necessary.
	File() (path string, err error)
	// StartLine returns the line of the file where the user begins to write: the first empty field that a message needs,
	// else the first line of the body. It counts from 1. It is 0 before a call of File.
	StartLine() int
	// Preview reads the draft and returns the question whether to send the message. The Details of the
	// question are the lines of the text, and then the fields of the header for the user. If the draft is
	// empty, Preview removes the file and returns ErrEmptyDraft. Any other error describes a defect of the draft.
	Preview() (*Confirm, error)
	// Send sends the message of the last Preview and removes the draft. The error may be a *[Login], or
	// ErrQueued.
	Send(ctx context.Context) error
}

// DraftLines returns lines for an error page: the path of the draft, and a link to edit the draft.
func (c *Compose) DraftLines(path string) []Line {
	note := ActionReload
	if kind, ok := strings.CutPrefix(c.URL.String(), "about:compose/"); ok {
		kind, _, _ = strings.Cut(kind, "?")
		kind, _, _ = strings.Cut(kind, "-")                              // "post-" begins the name of an article from standard input
		note = Action(strings.Replace(kind, "followup", "follow up", 1)) // the name of the action that opens the draft
	}
	return []Line{{}, {Text: "The draft is kept as " + path + "."}, {}, {Kind: KindOf(c.URL), Text: "Edit the draft", Link: c.URL, Note: note}}
}

// KeptError reports that a text of the user was not sent and is kept in a file.
type KeptError struct {
	Text string // such as "the message"
	Path string
	Err  error
}

func (e *KeptError) Error() string { return e.Err.Error() + e.Note() }

// Note returns the end of the error's text: the path of the file.
func (e *KeptError) Note() string { return "; " + e.Text + " is kept in " + e.Path }

func (e *KeptError) Unwrap() error { return e.Err }

// ErrEmptyDraft is the error of a Preview of an empty draft.
var ErrEmptyDraft = errors.New("the message is empty and was not sent")

// ErrQueued is the error of a Send after a network failure. The message is sent (again) at the next
// connection to the server.
var ErrQueued error = NewError(Unreachable, "", "no connection or no answer: the message is sent at the next connection")

func (c *Compose) Error() string {
	return c.URL.Scheme() + ": writing a message needs a screen (" + c.Title + ")"
}
