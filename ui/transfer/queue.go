package transfer

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/ask"
)

// Find looks for the downloads of other runs of gofer: those that go on without a screen or in another gofer, and those
// that were left unfinished. The function offer shows a notice about them.
func (d *Downloads) Find(offer func(text string) tea.Cmd) tea.Cmd {
	if d.Manager == nil {
		return nil
	}
	return d.program.RunInBackground(func() func() tea.Cmd {
		d.Manager.Recover()
		return func() tea.Cmd {
			var cmd tea.Cmd
			for _, item := range d.Manager.Items() {
				if s := item.Status(); !s.State.IsIdle() && (s.SavedBy != download.ThisRun || !d.followed[item]) {
					cmd = tea.Batch(cmd, d.follow(item))
				}
			}
			if text := d.foundText(); text != "" {
				cmd = tea.Batch(cmd, offer(text))
			}
			return cmd
		}
	})
}

// foundText describes the downloads that Find has found, and names the key that resumes the unfinished ones. It returns
// "" if there are none.
func (d *Downloads) foundText() string {
	running, saved, failed, unfinished := 0, 0, 0, 0
	for _, item := range d.Manager.Items() {
		switch s := item.Status(); {
		case d.followed[item] && s.SavedBy == download.ThisRun, s.Private:
		case !s.State.IsIdle():
			running++
		case s.State == download.Saved:
			saved++
		case s.State == download.Failed:
			failed++
		case s.State == download.Interrupted && s.SavedBy == download.ThisRun:
			unfinished++
		}
	}
	var parts []string
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, english.Plural(n, "download", "")+text)
		}
	}
	key := d.program.KeyOf(string(protocols.ActionResume))
	if unfinished > 0 && key != "" {
		parts = append(parts, key+" resumes "+english.Plural(unfinished, "unfinished download", ""))
	} else {
		add(unfinished, " unfinished")
	}
	add(failed, " failed")
	add(saved, " saved")
	goOn, them := " go on", " lists them"
	if running == 1 {
		goOn = " goes on"
	}
	if add(running, goOn); len(parts) == 0 {
		return ""
	}
	if unfinished+failed+saved+running == 1 {
		them = " lists it"
	}
	return strings.Join(parts, ", ") + ": " + d.listKey() + them
}

// ResumeAll resumes the unfinished and paused downloads.
func (d *Downloads) ResumeAll() tea.Cmd {
	if d.Manager == nil {
		return d.program.Notify("files cannot be saved here")
	}
	return d.program.RunInBackground(func() func() tea.Cmd {
		d.Manager.Recover()
		return func() tea.Cmd {
			var cmd tea.Cmd
			n := 0
			for _, item := range d.Manager.Items() {
				if s := item.Status(); !s.Private && (s.State == download.Interrupted || s.State == download.Paused) {
					n++
					cmd = tea.Batch(cmd, d.resume(item))
				}
			}
			if n == 0 {
				return d.program.Notify("no unfinished downloads")
			}
			return tea.Batch(cmd, d.program.Notify("resumed "+english.Plural(n, "download", "")))
		}
	})
}

// AskRate asks for the limit of the rate of the downloads, and applies it at once. The settings are not changed.
func (d *Downloads) AskRate() tea.Cmd {
	if d.Manager == nil {
		return d.program.Notify("files cannot be saved here")
	}
	p := ask.NewLine(ask.Head{Title: "Limit the rate of the downloads: 500k (512 kB/s), 2M, or nothing for no limit"},
		ask.Field{Label: "Octets per second", Value: config.Octets{N: d.Manager.RateLimit()}.String()})
	p.Finish = func(answers []string) tea.Cmd {
		rate, err := config.ParseOctets(strings.TrimSpace(answers[0]))
		if err != nil {
			return d.program.Notify(clean.Short(err.Error()))
		}
		d.Manager.SetRate(rate.N)
		text := "no limit for the downloads"
		if rate.N > 0 {
			text = "the downloads get at most " + protocols.Octets(rate.N).PerSecond()
		}
		return tea.Batch(d.reloadList(), d.program.Notify(text))
	}
	return d.program.Tab().Ask(p)
}

// ringTime is the least time of a download whose end rings.
const ringTime = 5 * time.Second

// ring tells the user, who may look elsewhere, that a download has ended that began at the given time.
func (d *Downloads) ring(began time.Time, text string) tea.Cmd {
	if d.Ring == nil || began.IsZero() || d.program.Now().Sub(began) < ringTime {
		return nil
	}
	return d.Ring(text)
}

// endsWithRing reports whether the end of the download rings: it is saved or has failed, and does not wait for an answer
// on the screen.
func endsWithRing(s *download.Status) bool {
	return !s.Private && slices.Contains([]download.State{download.Saved, download.Failed}, s.State)
}
