package offline

import (
	"cmp"
	"errors"
	"io"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/keep"
	"gofer/internal/userfile/readlater"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// ReadLater adds the tagged items, the item under the cursor or the page to the list of pages to read later.
func (o *Offline) ReadLater() tea.Cmd {
	list, now := o.Stores().Later, o.program.Now()
	switch {
	case list == nil:
		return o.program.Notify("no list of pages is kept")
	case o.program.Private():
		return o.program.Notify("private mode: nothing is recorded")
	}
	items, left := o.itemsToRead()
	if len(items) == 0 {
		return o.program.Notify("only pages of servers can be read later")
	}
	var urls []urlcore.URL
	for i := range items {
		items[i].Added, items[i].State = now, readlater.Waiting
		urls = append(urls, items[i].URL)
	}
	text := "to read later: " + clean.Short(cmp.Or(items[0].Title, items[0].URL.String()))
	if len(items) > 1 {
		text = "to read later: " + english.Plural(len(items), "page", "")
	}
	if left > 0 {
		text += ", " + strconv.Itoa(left) + " left out"
	}
	return o.program.Change(func() (*room.Undo, func() tea.Cmd) {
		before, err := list.Items()
		if err == nil {
			err = list.Add(items...)
		}
		if err != nil {
			return nil, o.notice("not added: " + err.Error())
		}
		undo := o.undoOfLater(text, func() error {
			_, err := list.Remove(urls...)
			return errors.Join(err, list.Add(itemsWith(before, urls)...))
		})
		return undo, func() tea.Cmd { return o.fetchAdded(text) }
	})
}

// fetchAdded fetches pages that were added to the list. The parameter text names them in the notice.
func (o *Offline) fetchAdded(text string) tea.Cmd {
	var fetch tea.Cmd
	switch stores := o.Stores(); {
	case stores.FetchLater == nil || o.program.Private():
	case stores.NetworkIsDown != nil && stores.NetworkIsDown():
		text += "; waiting for the network"
	default:
		text += "; fetching"
		fetch = o.fetchQueueInBackground()
	}
	return tea.Batch(o.program.Notify(text), o.program.ReloadOwn(about.Later), fetch)
}

// itemsToRead returns the tagged items, or the item under the cursor, or else the page, and how many of them cannot be kept.
func (o *Offline) itemsToRead() (items []readlater.Item, left int) {
	t := o.program.Tab()
	if p := t.Session.Page(); p != nil && p.Failed == nil {
		for _, line := range t.Items().Lines {
			if _, isAction := line.Note.(protocols.Action); isAction {
				continue
			}
			u := line.Link
			if u == nil || !keep.CanKeep(u) {
				left++
				continue
			}
			items = append(items, readlater.Item{URL: urlcore.Redact(u), Title: clean.Text(t.Pager.LineText(&line))})
		}
	}
	u, title := t.PageURL()
	if p := t.Session.Page(); p != nil && p.Failed != nil { // "Error" is no title
		title = p.LinkTitle
	}
	if len(items)+left == 0 && u != nil && keep.CanKeep(u) {
		return []readlater.Item{{URL: urlcore.Redact(u), Title: clean.Text(title)}}, 0
	}
	return items, left
}

// itemsWith returns the items with these URLs.
func itemsWith(items []readlater.Item, urls []urlcore.URL) (found []readlater.Item) {
	for _, it := range items {
		for _, u := range urls {
			if it.URL == u {
				found = append(found, it)
			}
		}
	}
	return found
}

// undoOfLater returns the undo of a change of the list.
func (o *Offline) undoOfLater(text string, revert func() error) *room.Undo {
	return &room.Undo{Text: text, Revert: func() (func() tea.Cmd, error) {
		if err := revert(); err != nil {
			return nil, err
		}
		return func() tea.Cmd { return o.program.ReloadOwn(about.Later) }, nil
	}}
}

// Remove removes the page under the cursor from the list of pages to read later.
func (o *Offline) Remove() tea.Cmd {
	line, ok := o.program.ScreenTab().Pager.Current()
	list := o.Stores().Later
	if _, isAction := line.Note.(protocols.Action); !ok || isAction || line.Link == nil || list == nil {
		return o.program.Notify("no page under the cursor")
	}
	return o.program.Change(func() (*room.Undo, func() tea.Cmd) {
		removed, err := list.Remove(line.Link)
		if err != nil {
			return nil, o.notice("not removed: " + err.Error())
		}
		text := "removed from the list"
		undo := o.undoOfLater(text, func() error { return list.Add(removed...) })
		return undo, func() tea.Cmd {
			return tea.Batch(o.program.Notify(text+" ("+o.program.KeyOf("undo")+" to undo)"), o.program.ReloadOwn(about.Later))
		}
	})
}

// MarkRead marks a page to read later as read.
func (o *Offline) MarkRead(u urlcore.URL) tea.Cmd {
	list, now := o.Stores().Later, o.program.Now()
	if list == nil || o.program.Private() {
		return nil
	}
	return o.program.WriteInBackground(func() func() tea.Cmd {
		if err := list.Update(u, readlater.Read, "", now); err != nil {
			return o.notice("not marked as read: " + clean.Short(err.Error()))
		}
		return func() tea.Cmd {
			o.changed = true
			return o.program.ReloadOwn(about.Later)
		}
	})
}

// TakeChange reports whether the list has changed since the last call without being shown again.
func (o *Offline) TakeChange() bool {
	changed := o.changed
	o.changed = false
	return changed
}

// FetchWaiting fetches the pages to read later in the background, after the whole page of t came from a server.
func (o *Offline) FetchWaiting(t *viewer.Viewer, end error) tea.Cmd {
	p := t.Session.Page()
	if o.Stores().FetchLater == nil || o.program.Private() || o.fetching || p.Failed != nil || !errors.Is(end, io.EOF) || !p.CopiedAt.IsZero() || !keep.CanKeep(p.URL) {
		return nil
	}
	return o.fetchQueueInBackground()
}

// fetchQueueInBackground fetches the pages that wait, after a fetch that runs.
func (o *Offline) fetchQueueInBackground() tea.Cmd {
	if o.fetching {
		o.again = true
		return nil
	}
	o.fetching = true
	ctx, fetch := o.program.Context(), o.Stores().FetchLater
	return o.program.WriteInBackground(func() func() tea.Cmd {
		notice, err := fetch(ctx, false)
		return func() tea.Cmd {
			again := o.again
			o.fetching, o.again = false, false
			if err != nil {
				notice = "pages to read later: " + err.Error()
			}
			var cmd tea.Cmd
			if notice != "" {
				cmd = tea.Batch(o.program.Notify(notice), o.program.ReloadOwn(about.Later))
			}
			if again && err == nil {
				cmd = tea.Batch(cmd, o.fetchQueueInBackground())
			}
			return cmd
		}
	})
}
