package protocols

import (
	"context"
	"errors"
	"strings"

	"gofer/urlcore"
)

// Compose is the error of a Fetch of a URL for a message from the reader: mail, a news
// article. The reader edits the draft, sees the whole message and agrees before Send is
// called.
type Compose struct {
	URL   urlcore.URL // the URL of the Fetch
	Title string      // in our own words: "Mail to joe@example.org"
	Draft Draft
}

// Draft is a message that is kept in a file until it is sent. Its methods may do I/O.
type Draft interface {
	// File returns the path of the draft, and creates it if necessary.
	File() (path string, err error)
	// Preview reads the draft and returns the question before it is sent, whose
	// Details are the whole message. The error is ErrEmptyDraft if the draft is empty
	// and was removed; any other error says what must be changed.
	Preview() (*Confirm, error)
	// Send sends the message of the last Preview and removes the draft. The error may
	// be a *[Login], or ErrQueued.
	Send(ctx context.Context) error
}

// Kept returns the lines of an error page that say where the draft is and offer to edit
// it.
func (c *Compose) Kept(path string) []Line {
	note := ActionReload
	if kind, ok := strings.CutPrefix(c.URL.String(), "about:compose/"); ok {
		kind, _, _ = strings.Cut(kind, "?")
		note = Action(strings.Replace(kind, "followup", "follow up", 1)) // which does it on the screen
	}
	return []Line{{}, {Text: "The draft is kept as " + path + "."}, {}, {Kind: KindOf(c.URL), Text: "Edit it again", Link: c.URL, Note: note}}
}

// ErrEmptyDraft is the error for an empty draft.
var ErrEmptyDraft = errors.New("nothing was written, so nothing is sent")

// ErrQueued is the error of a Send that did not reach the server.
var ErrQueued error = NewError(Unreachable, "", "the server does not answer: the message is sent with the next connection")

func (c *Compose) Error() string {
	return c.URL.Scheme() + ": a message is written on the screen (" + c.Title + ")"
}
