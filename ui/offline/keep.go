package offline

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/keep"
	"gofer/urlcore"
)

// maxDepth is the largest number of levels of links that are fetched for offline.
const maxDepth = 9

// Fetch keeps copies for reading offline: of the articles of a group or of all groups, of the pages to read later,
// or of the page and the pages that its links lead to. On a page of gofer's own it takes the page of the item.
func (o *Offline) Fetch() tea.Cmd {
	t := o.program.ScreenTab()
	root, title := t.PageURL()
	if own := t.OwnPage(); own.Items == about.Later {
		return o.fetchQueue()
	} else if own.Items == about.Entries {
		return o.keepEntries()
	} else if line, ok := t.Pager.Current(); own.Name != "" && ok && line.Link != nil {
		root, title = line.Link, t.Pager.LineText(&line)
	}
	_, ok := keep.KeyOf(root)
	switch {
	case root == nil || !ok || o.Stores().KeepPages == nil:
		return o.FetchArticles()
	case o.program.Private():
		return o.program.Notify("no copies are kept")
	}
	return t.AskLine("Fetch for reading offline: "+clean.Short(title), "Levels of links (0: none)", "1", func(answer string) tea.Cmd {
		depth, err := strconv.Atoi(strings.TrimSpace(answer))
		if err != nil || depth < 0 || depth > maxDepth {
			return o.program.Notify(clean.Short(answer) + " is not a number from 0 to " + strconv.Itoa(maxDepth))
		}
		return o.keepPages(root, depth)
	})
}

func (o *Offline) keepPages(root urlcore.URL, depth int) tea.Cmd {
	fetch := o.Stores().KeepPages
	shown, _ := o.program.ScreenTab().PageURL()
	return o.runKeepJob(shown, func(ctx context.Context, report func(string)) (string, error) {
		return fetch(ctx, report, root, depth)
	})
}

func (o *Offline) fetchQueue() tea.Cmd {
	fetch := o.Stores().FetchLater
	if fetch == nil || o.program.Private() {
		return o.program.Notify("no copies are kept")
	}
	return o.runKeepJob(about.Page("later"), func(ctx context.Context, _ func(string)) (string, error) {
		notice, err := fetch(ctx, true)
		if notice == "" {
			notice = "nothing waits"
		}
		return notice, err
	})
}

// runKeepJob runs a fetch that keeps copies, and then reloads the page of u.
func (o *Offline) runKeepJob(u urlcore.URL, fetch func(ctx context.Context, report func(string)) (summary string, err error)) tea.Cmd {
	var progress atomic.Value
	progress.Store("pages")
	summary := ""
	return o.RunJob(o.program.ScreenTab(), u, func() string { return "fetching " + progress.Load().(string) }, func(ctx context.Context) (err error) {
		summary, err = fetch(ctx, func(text string) { progress.Store(text) })
		return err
	}, func(failed error) string {
		if failed != nil {
			return "not all fetched: " + failed.Error()
		}
		return summary
	})
}
