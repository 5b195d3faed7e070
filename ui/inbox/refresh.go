package inbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/urlcore"
)

// showTime is the shortest time between two reloads of the new entries while a refresh runs.
const showTime = time.Second

// lookup says where to look for new entries.
type lookup struct {
	only  []urlcore.URL // the pages; nil: all
	due   bool          // also pages that were looked at a short time ago
	asked bool          // the user has asked for it, and waits for the result
}

// refresh is a running lookup. Only one runs at a time, so that no server gets two requests at once.
type refresh struct {
	lookup
	stop    context.CancelFunc
	arrived chan struct{} // has a value if there are results that are not shown

	mu                   sync.Mutex
	checked, fresh, left int // results: all, new entries, and pages that were not read
}

// add adds a result. It may be called from any goroutine.
func (r *refresh) add(result Result) {
	r.mu.Lock()
	r.checked++
	r.fresh += result.Fresh
	if result.Err != nil {
		r.left++
	}
	r.mu.Unlock()
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// Refresh looks for new entries of all followed pages because the user has asked for it.
func (in *Inbox) Refresh() tea.Cmd {
	switch text := in.refusal(); {
	case text != "":
		return in.program.Notify(text)
	case in.IsRunning():
		return in.program.Notify("already looking for new entries")
	}
	return in.look(lookup{due: true, asked: true})
}

// Schedule returns the command that looks for new entries after the time in the settings, and again and again. It replaces
// the earlier command.
func (in *Inbox) Schedule() tea.Cmd {
	in.timer++
	timer, every := in.timer, in.program.Config().Refresh.Duration
	if every <= 0 || in.Store() == nil {
		return nil
	}
	return in.program.After(every, func() tea.Cmd {
		if timer != in.timer {
			return nil
		}
		look := tea.Cmd(nil)
		if in.CanFollow() {
			look = in.look(lookup{})
		}
		return tea.Batch(look, in.Schedule())
	})
}

// look looks for new entries, after the refresh that runs.
func (in *Inbox) look(l lookup) tea.Cmd {
	store := in.Store()
	switch {
	case store == nil:
		return nil
	case in.running != nil:
		in.waiting = append(in.waiting, l)
		return nil
	}
	ctx, stop := context.WithCancel(in.program.Context())
	r := &refresh{lookup: l, stop: stop, arrived: make(chan struct{}, 1)}
	in.running = r
	ended := make(chan struct{})
	run := in.program.WriteInBackground(func() func() tea.Cmd {
		defer stop()
		err := store.Refresh(ctx, l.due, l.only, r.add)
		close(ended)
		return func() tea.Cmd { return in.finish(r, err) }
	})
	return tea.Batch(in.program.Tick(), run, in.showArrived(r, ended))
}

// showArrived reloads the new entries when results have arrived, until the channel ended is closed.
func (in *Inbox) showArrived(r *refresh, ended chan struct{}) tea.Cmd {
	return in.program.RunInBackground(func() func() tea.Cmd {
		select {
		case <-ended:
			return nil // finish shows the rest
		case <-r.arrived:
		}
		return func() tea.Cmd {
			if in.running != r {
				return nil
			}
			return tea.Batch(in.reload(r), in.program.After(showTime, func() tea.Cmd { return in.showArrived(r, ended) }))
		}
	})
}

// reload loads the new entries again if r has something to show. Otherwise the rows stay where the user sees them.
func (in *Inbox) reload(r *refresh) tea.Cmd {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.asked && r.fresh == 0 && r.left == 0 {
		return nil
	}
	return in.program.ReloadOwn(about.Entries)
}

// finish shows the results of a refresh.
func (in *Inbox) finish(r *refresh, err error) tea.Cmd {
	in.running = nil
	cmd := in.reload(r)
	switch text := r.summary(err); {
	case r.asked && !errors.Is(err, context.Canceled):
		cmd = tea.Batch(cmd, in.program.Notify(text))
	case r.fresh > 0 && !in.isShown():
		cmd = tea.Batch(cmd, in.program.Offer(text+": "+in.program.KeyOf("new")))
	}
	if len(in.waiting) == 0 {
		return cmd
	}
	next := in.waiting[0]
	in.waiting = in.waiting[1:]
	return tea.Batch(cmd, in.look(next))
}

// summary describes the results in a notice.
func (r *refresh) summary(err error) string {
	text := "nothing new"
	if r.fresh > 0 {
		text = english.Plural(r.fresh, "new entry", "new entries")
	}
	if r.left > 0 {
		text += ", " + english.Plural(r.left, "page", "") + " not read"
	}
	if err != nil {
		text += ": " + clean.Short(err.Error())
	}
	return text
}

// IsRunning reports whether a refresh runs that the user has asked for.
func (in *Inbox) IsRunning() bool { return in.running != nil && in.running.asked }

// Text returns the state of a refresh that the user has asked for, or "".
func (in *Inbox) Text() string {
	if !in.IsRunning() {
		return ""
	}
	r := in.running
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("looking for new entries, %s (%s stops)", english.Plural(r.checked, "page", ""), in.program.KeyOf("stop"))
}

// Stop stops the refresh that runs.
func (in *Inbox) Stop() tea.Cmd {
	in.running.stop()
	in.waiting = nil
	return in.program.Notify("stopped looking for new entries")
}
