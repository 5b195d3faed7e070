package ui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/keep"
	"gofer/internal/userfile/readlater"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// maxDepth is the largest number of levels of links that are fetched for offline.
const maxDepth = 9

// readLater adds the tagged items, the item under the cursor or the page to the list of pages to read later.
func (m *Model) readLater() tea.Cmd {
	list, now := m.opts.Later, m.now()
	switch {
	case list == nil:
		return m.notify("no list of pages is kept")
	case m.private:
		return m.notify("private mode: nothing is recorded")
	}
	items, left := m.itemsToRead()
	if len(items) == 0 {
		return m.notify("only pages of servers can be read later")
	}
	var urls []urlcore.URL
	for i := range items {
		items[i].Added, items[i].State = now, readlater.Waiting
		urls = append(urls, items[i].URL)
	}
	what := clean.Short(cmp.Or(items[0].Title, items[0].URL.String()))
	if len(items) > 1 {
		what = english.Plural(len(items), "page", "")
	}
	if left > 0 {
		what += ", " + strconv.Itoa(left) + " left out"
	}
	return m.change(func() (*room.Undo, func() tea.Cmd) {
		before, err := list.Items()
		if err == nil {
			err = list.Add(items...)
		}
		if err != nil {
			return nil, m.noticeResult("not added: " + err.Error())
		}
		undo := m.undoOfLater("to read later: "+what, func() error {
			_, err := list.Remove(urls...)
			return errors.Join(err, list.Add(itemsWith(before, urls)...))
		})
		return undo, func() tea.Cmd {
			text := "to read later: " + what
			switch {
			case m.opts.FetchLater == nil || m.private:
				return tea.Batch(m.notify(text), m.reloadOwn(about.Later))
			case m.opts.NetworkIsDown != nil && m.opts.NetworkIsDown():
				return tea.Batch(m.notify(text+"; waiting for the network"), m.reloadOwn(about.Later))
			}
			return tea.Batch(m.notify(text+"; fetching"), m.reloadOwn(about.Later), m.fetchQueueInBackground())
		}
	})
}

// itemsToRead returns the tagged items, or the item under the cursor, or else the page, and how many of them cannot be kept.
func (m *Model) itemsToRead() (items []readlater.Item, left int) {
	t := m.focusedTab()
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
func (m *Model) undoOfLater(text string, revert func() error) *room.Undo {
	return &room.Undo{Text: text, Revert: func() (func() tea.Cmd, error) {
		if err := revert(); err != nil {
			return nil, err
		}
		return func() tea.Cmd { return m.reloadOwn(about.Later) }, nil
	}}
}

// removeLater removes the page under the cursor from the list of pages to read later.
func (m *Model) removeLater() tea.Cmd {
	line, ok := m.tab.Pager.Current()
	list := m.opts.Later
	if _, isAction := line.Note.(protocols.Action); !ok || isAction || line.Link == nil || list == nil {
		return m.notify("no page under the cursor")
	}
	return m.change(func() (*room.Undo, func() tea.Cmd) {
		removed, err := list.Remove(line.Link)
		if err != nil {
			return nil, m.noticeResult("not removed: " + err.Error())
		}
		text := "removed from the list"
		undo := m.undoOfLater(text, func() error { return list.Add(removed...) })
		return undo, func() tea.Cmd {
			return tea.Batch(m.notify(text+" ("+m.keys.keyOf("undo")+" to undo)"), m.reloadOwn(about.Later))
		}
	})
}

// fetchLater fetches the pages to read later in the background, after the whole page of t came from a server.
func (m *Model) fetchLater(t *tab, end error) tea.Cmd {
	p := t.Session.Page()
	if m.opts.FetchLater == nil || m.private || m.fetchingLater || p.Failed != nil || !errors.Is(end, io.EOF) || !p.CopiedAt.IsZero() || !keep.CanKeep(p.URL) {
		return nil
	}
	return m.fetchQueueInBackground()
}

// fetchQueueInBackground fetches the pages that wait, after a fetch that runs.
func (m *Model) fetchQueueInBackground() tea.Cmd {
	if m.fetchingLater {
		m.fetchLaterAgain = true
		return nil
	}
	m.fetchingLater = true
	ctx, fetch := m.ctx, m.opts.FetchLater
	return m.writeInBackground(func() resultFunc {
		notice, err := fetch(ctx, false)
		return func() tea.Cmd {
			again := m.fetchLaterAgain
			m.fetchingLater, m.fetchLaterAgain = false, false
			if err != nil {
				notice = "pages to read later: " + err.Error()
			}
			var cmd tea.Cmd
			if notice != "" {
				cmd = tea.Batch(m.notify(notice), m.reloadOwn(about.Later))
			}
			if again && err == nil {
				cmd = tea.Batch(cmd, m.fetchQueueInBackground())
			}
			return cmd
		}
	})
}

// fetchForOffline keeps copies for reading offline: of the articles of a group or of all groups, of the pages to read later,
// or of the page and the pages that its links lead to. On a page of gofer's own it takes the page of the item.
func (m *Model) fetchForOffline() tea.Cmd {
	t := m.tab
	root, title := t.PageURL()
	if own := t.OwnPage(); own.Items == about.Later {
		return m.fetchQueue()
	} else if own.Items == about.Entries {
		return m.keepEntries()
	} else if line, ok := t.Pager.Current(); own.Name != "" && ok && line.Link != nil {
		root, title = line.Link, t.Pager.LineText(&line)
	}
	_, ok := keep.KeyOf(root)
	switch {
	case root == nil || !ok || m.opts.KeepPages == nil:
		return m.news.FetchArticles()
	case m.private:
		return m.notify("no copies are kept")
	}
	return t.AskLine("Fetch for reading offline: "+clean.Short(title), "Levels of links (0: none)", "1", func(answer string) tea.Cmd {
		depth, err := strconv.Atoi(strings.TrimSpace(answer))
		if err != nil || depth < 0 || depth > maxDepth {
			return m.notify(clean.Short(answer) + " is not a number from 0 to " + strconv.Itoa(maxDepth))
		}
		return m.keepPages(root, depth)
	})
}

func (m *Model) keepPages(root urlcore.URL, depth int) tea.Cmd {
	fetch := m.opts.KeepPages
	shown, _ := m.tab.PageURL()
	return m.runKeepJob(shown, func(ctx context.Context, report func(string)) (string, error) {
		return fetch(ctx, report, root, depth)
	})
}

func (m *Model) fetchQueue() tea.Cmd {
	fetch := m.opts.FetchLater
	if fetch == nil || m.private {
		return m.notify("no copies are kept")
	}
	return m.runKeepJob(about.Page("later"), func(ctx context.Context, _ func(string)) (string, error) {
		notice, err := fetch(ctx, true)
		if notice == "" {
			notice = "nothing waits"
		}
		return notice, err
	})
}

// runKeepJob runs a fetch that keeps copies, and then reloads the page of u.
func (m *Model) runKeepJob(u urlcore.URL, fetch func(ctx context.Context, report func(string)) (summary string, err error)) tea.Cmd {
	var progress atomic.Value
	progress.Store("pages")
	summary := ""
	return m.changes.RunJob(&m.tab.Viewer, u, func() string { return "fetching " + progress.Load().(string) }, func(ctx context.Context) (err error) {
		summary, err = fetch(ctx, func(text string) { progress.Store(text) })
		return err
	}, func(failed error) string {
		if failed != nil {
			return "not all fetched: " + failed.Error()
		}
		return summary
	})
}
