package protocols

import (
	"context"
	"errors"

	"gofer/urlcore"
)

// Compose is returned as an error by a Fetch of a URL that wants a message from
// the reader: mail, a news article. The reader edits the draft, sees the message
// whole and agrees before Send is called. All methods may do I/O, but for those of
// other types that they return.
type Compose struct {
	URL   urlcore.URL // what was asked for
	Title string      // in our own words: "Mail to joe@example.org"
	Draft Draft
}

// Draft is a message that is being written. What has been typed is in a file until
// it is sent.
type Draft interface {
	// File returns the path of the draft, which is made if there is none yet.
	File() (path string, err error)
	// Preview reads the draft and returns the question before it is sent, whose
	// Details are all that would be sent. ErrEmptyDraft: there is nothing to send,
	// and the file is gone. Another error tells what is to be changed.
	Preview() (*Confirm, error)
	// Send sends what the last Preview has shown, and removes the draft. A *[Login]
	// may be needed first.
	Send(ctx context.Context) error
}

// Kept tells, on the page of an error, where the draft is, and offers to edit it.
func (c *Compose) Kept(path string) []Line {
	return []Line{{}, {Text: "It is kept as " + path + "."}, {}, {Kind: KindOf(c.URL), Text: "Edit it again", Link: c.URL, Note: ActionReload}}
}

// ErrEmptyDraft is the error of a draft in which nothing was written.
var ErrEmptyDraft = errors.New("nothing was written, so nothing is sent")

// Error says that something must be written.
func (c *Compose) Error() string {
	return c.URL.Scheme() + ": a message is written on the screen (" + c.Title + ")"
}
