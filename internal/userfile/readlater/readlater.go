// Package readlater keeps the list of pages to read later, in a file that several programs share. The next connection fetches
// the pages that wait.
//
// Each line of the file is one item in JSON. Lines of another form stay unchanged.
package readlater

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

// State is the state of an item.
type State string

// The states.
const (
	Waiting State = "waiting" // for the next connection
	Fetched State = "fetched" // a copy is kept
	Failed  State = "failed"  // it cannot be fetched, see Item.Reason
	Read    State = "read"    // it was opened from the list
)

// IsMissing reports whether a page waits or has failed.
func (s State) IsMissing() bool { return s == Waiting || s == Failed }

// Item is a page to read later.
type Item struct {
	URL    urlcore.URL // without a password
	Title  string      // UTF-8 on one line, or ""
	Added  time.Time
	State  State
	Reason string    // the reason of a failure, UTF-8 on one line
	Tried  time.Time // the last fetch; zero if there was none
}

// The limits of the list.
const (
	MaxItems = 1000
	maxText  = 4 << 10 // octets of a URL
	maxTitle = 300     // octets of a title or a reason
	maxFile  = 16 << 20
)

// ErrFull reports that no item can be added.
var ErrFull = fmt.Errorf("the list has %d pages: remove some", MaxItems)

// List is the list in the file at Path. The file need not exist. Its methods are safe for concurrent use, also by several
// programs.
type List struct{ Path string }

// line is an item in the file.
type line struct {
	URL    string    `json:"url"`
	Title  string    `json:"title,omitempty"`
	Added  time.Time `json:"added"`
	State  State     `json:"state"`
	Reason string    `json:"reason,omitempty"`
	Tried  time.Time `json:"tried,omitzero"`
}

// Items returns the items in the order in which they were added.
func (l *List) Items() ([]Item, error) {
	if l.Path == "" {
		return nil, nil
	}
	data, err := userfile.Read(l.Path, maxFile)
	if err != nil {
		return nil, err
	}
	var all []Item
	for text := range bytes.Lines(data) {
		if it, ok := parse(text); ok && len(all) < MaxItems {
			all = append(all, it)
		}
	}
	return all, nil
}

func parse(text []byte) (it Item, ok bool) {
	var l line
	if json.Unmarshal(text, &l) != nil {
		return it, false
	}
	u, err := urlcore.Parse(l.URL)
	if err != nil || urlcore.Redact(u) != u {
		return it, false
	}
	if l.State != Fetched && l.State != Failed && l.State != Read {
		l.State = Waiting
	}
	return Item{u, l.Title, l.Added, l.State, l.Reason, l.Tried}, true
}

func (it *Item) format() []byte {
	text, _ := json.Marshal(line{it.URL.String(), cut(it.Title), it.Added, it.State, cut(it.Reason), it.Tried})
	return append(text, '\n')
}

// cut shortens a text to maxTitle octets.
func cut(text string) string {
	if len(text) <= maxTitle {
		return text
	}
	return string(bytes.ToValidUTF8([]byte(text[:maxTitle]), nil))
}

// Add adds items at the end of the list. An item whose URL is on the list waits again, with its old title if the new one is
// "". Either all items are added or none.
func (l *List) Add(items ...Item) error {
	return l.change(func(all []Item) ([]Item, error) {
		for _, it := range items {
			it.URL = urlcore.Redact(it.URL)
			if len(it.URL.String()) > maxText {
				return nil, fmt.Errorf("the URL has more than %d octets", maxText)
			}
			if i := slices.IndexFunc(all, func(old Item) bool { return old.URL == it.URL }); i >= 0 {
				if it.Title == "" {
					it.Title = all[i].Title
				}
				all = slices.Delete(all, i, i+1)
			}
			if all = append(all, it); len(all) > MaxItems {
				return nil, ErrFull
			}
		}
		return all, nil
	})
}

// Remove removes items and returns the removed ones.
func (l *List) Remove(urls ...urlcore.URL) (removed []Item, err error) {
	err = l.change(func(all []Item) ([]Item, error) {
		removed = nil
		return slices.DeleteFunc(all, func(it Item) bool {
			found := slices.Contains(urls, it.URL)
			if found {
				removed = append(removed, it)
			}
			return found
		}), nil
	})
	return removed, err
}

// Update sets the state of an item that is still on the list.
func (l *List) Update(u urlcore.URL, state State, reason string, at time.Time) error {
	return l.change(func(all []Item) ([]Item, error) {
		for i := range all {
			if all[i].URL == u {
				all[i].State, all[i].Reason, all[i].Tried = state, reason, at
			}
		}
		return all, nil
	})
}

func (l *List) change(edit func([]Item) ([]Item, error)) error {
	if l.Path == "" {
		return errors.New("there is no folder for the list")
	}
	return userfile.Change(l.Path, maxFile, func(old []byte) ([]byte, error) {
		var items []Item
		var out []byte
		for text := range bytes.Lines(old) {
			if it, ok := parse(text); ok {
				items = append(items, it)
			} else if len(bytes.TrimSpace(text)) > 0 {
				out = append(append(out, bytes.TrimRight(text, "\n")...), '\n')
			}
		}
		items, err := edit(items)
		for i := range items {
			out = append(out, items[i].format()...)
		}
		return out, err
	})
}
