package nntp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"gofer/protocols"
)

const (
	groupsCopyName = "groups" // the name of the copy of a list of groups
	maxGroupsCopy  = 8 << 20  // maximal size of that copy in octets
)

// listGroups is like fetchGroups, but it stores a copy of a complete list. After a network failure it
// returns the copy. Each line of the copy is a line of LIST ACTIVE, a tab, and the description of the
// group.
func (c *Client) listGroups(ctx context.Context, t target) (*protocols.Resource, error) {
	r, err := c.fetchGroups(ctx, t)
	switch {
	case c.Copies == nil:
		return r, err
	case err != nil:
		return c.groupsFromCopy(t, err)
	}
	lines := r.Lines
	r.Lines = func(yield func(protocols.Line, error) bool) {
		var text []byte
		for line, err := range lines {
			if note, ok := line.Note.(*protocols.GroupNote); ok && line.Kind == protocols.Group && len(text) <= maxGroupsCopy {
				text = fmt.Appendf(text, "%s %d %d %c%s\t%s\n", line.Text, note.High, note.Low, max(note.Status, ' '), note.Moved, note.Description)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
		if len(text) > 0 && len(text) <= maxGroupsCopy {
			c.Copies.Put(c.copyKey(t, groupsCopyName), text)
		}
	}
	return r, nil
}

// groupsFromCopy returns the stored list of groups if cause is a network failure. Otherwise, or if no
// list is stored, it returns cause.
func (c *Client) groupsFromCopy(t target, cause error) (*protocols.Resource, error) {
	failure, ok := errors.AsType[*protocols.Error](cause)
	if !ok || !failure.Reason.IsNetworkFailure() {
		return nil, cause
	}
	stored, ok := c.Copies.Get(c.copyKey(t, groupsCopyName))
	if !ok {
		return nil, cause
	}
	r := &protocols.Resource{
		Head:   protocols.Head{URL: t.url, Title: "Newsgroups of " + t.addr, Layout: protocols.LayoutGroups, Size: -1},
		Closer: io.NopCloser(nil),
		Lines: func(yield func(protocols.Line, error) bool) {
			for text := range strings.Lines(string(stored.Data)) {
				active, description, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\t")
				name, _, _ := strings.Cut(active, " ")
				if !yield(t.groupLine(active, map[string]string{name: description}), nil) {
					return
				}
			}
		},
	}
	setCopyHead(&r.Head, stored, failure)
	return r, nil
}
