package across

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/urlcore"
)

var _ download.Task = (*Copy)(nil)

// saved is a Copy in the list of downloads. URLs have no passwords.
type saved struct {
	To       string     `json:"to"`
	From     string     `json:"from"`
	Items    []string   `json:"items"`
	Move     bool       `json:"move,omitempty"`
	Existing Existing   `json:"existing,omitempty"`
	Part     *savedPart `json:"part,omitempty"`
}

type savedPart struct {
	Path     []byte    `json:"path"` // names are octets, which JSON has as base64
	URL      string    `json:"url"`
	Before   int64     `json:"before,omitempty"`
	Replaces bool      `json:"replaces,omitempty"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
}

func textOf(u urlcore.URL) string { return urlcore.Redact(u).String() }

// Encode implements [download.Task].
func (c *Copy) Encode() json.RawMessage {
	if c.invalid != nil {
		return c.encoded
	}
	s := c.description()
	c.mu.Lock()
	if p := c.begun; p != nil {
		s.Part = &savedPart{Path: []byte(p.path), URL: textOf(p.url), Before: p.before, Replaces: p.replaces, Size: p.size, Modified: p.modified}
	}
	c.mu.Unlock()
	data, _ := json.Marshal(s) // a date that JSON does not have is not listed by a server
	return data
}

// description returns what the Copy does, without the part.
func (c *Copy) description() *saved {
	s := &saved{To: textOf(c.To), From: textOf(c.From), Move: c.Move, Existing: c.Existing}
	for _, l := range c.Items {
		s.Items = append(s.Items, textOf(l.Link))
	}
	return s
}

// IsSame implements [download.Task].
func (c *Copy) IsSame(other download.Task) bool {
	o, ok := other.(*Copy)
	switch {
	case !ok || (c.invalid == nil) != (o.invalid == nil):
		return false
	case c.invalid != nil:
		return bytes.Equal(c.encoded, o.encoded)
	}
	return reflect.DeepEqual(c.description(), o.description())
}

// Restore returns the Copy from a list that Encode has encoded. If it cannot be read, Run returns the error, and Encode what it was
// read from.
func Restore(server Server, from urlcore.URL, data json.RawMessage) *Copy {
	c, s := &Copy{Server: server}, new(saved)
	err := json.Unmarshal(data, s)
	if err == nil {
		err = c.restore(s)
	}
	if err != nil {
		err = fmt.Errorf("the list of downloads has no valid description of the copy: remove it, and copy again (%w)", err)
		return &Copy{Server: server, From: from, invalid: err, encoded: bytes.Clone(data)}
	}
	return c
}

func (c *Copy) restore(s *saved) (err error) {
	parse := func(text string) (u urlcore.URL) {
		if err == nil {
			u, err = urlcore.Parse(text)
		}
		return u
	}
	c.From, c.Move, c.Existing = parse(s.From), s.Move, s.Existing
	to := parse(s.To)
	for _, text := range s.Items {
		u := parse(text)
		c.Items = append(c.Items, protocols.Line{Kind: protocols.KindOf(u), Link: u})
	}
	if p := s.Part; p != nil {
		c.begun = &part{path: string(p.Path), url: parse(p.URL), before: p.Before, replaces: p.Replaces, size: p.Size, modified: p.Modified}
	}
	var ok bool
	if c.To, ok = to.(Directory); err == nil && !ok {
		err = protocols.NewError(protocols.BadURL, "copy", "the target is no directory")
	}
	return err
}

// Discard implements [download.Task]. It removes the part of the file that was under way.
func (c *Copy) Discard(ctx context.Context) error {
	c.mu.Lock()
	p := c.begun
	c.begun = nil
	c.mu.Unlock()
	err := c.removePart(ctx, p)
	if err == nil && p != nil && !p.fresh {
		c.mu.Lock()
		c.discarded = p.path
		c.mu.Unlock()
	}
	return err
}

// Discarded returns the path of the file whose part Discard has removed, or "".
func (c *Copy) Discarded() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.discarded
}

// Target implements [download.Task]. It is the list of the items if the target cannot be read.
func (c *Copy) Target() urlcore.URL {
	if c.To == nil {
		return c.From
	}
	return c.To
}

// Name implements [download.Task]. It names the item, or the number of items.
func (c *Copy) Name() string {
	switch {
	case c.invalid != nil:
		return "unreadable copy"
	case len(c.Items) == 1:
		return nameOf(c.Items[0].Link)
	}
	return english.Plural(len(c.Items), "item", "")
}

// Participle implements [download.Task].
func (c *Copy) Participle(done bool) string {
	switch {
	case done:
		return c.verb()
	case c.Move:
		return "moving"
	}
	return "copying"
}

// verb returns the past participle of what the Copy does.
func (c *Copy) verb() string {
	if c.Move {
		return "moved"
	}
	return "copied"
}
