package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// env is a variable of the environment that tells of the terminal.
func (m *Model) env(name string) string {
	if m.opts.Env == nil {
		return ""
	}
	return m.opts.Env(name)
}

// setClipboard puts s on the clipboard of the terminal (OSC 52). Inside tmux
// and screen it is also handed through to the terminal outside: by default
// tmux does not let programs set the clipboard themselves.
func (m *Model) setClipboard(s string) tea.Cmd {
	set := ansi.SetSystemClipboard(s)
	switch {
	case m.env("TMUX") != "":
		return tea.Raw(set + ansi.TmuxPassthrough(set))
	case m.env("STY") != "":
		return tea.Raw(ansi.ScreenPassthrough(set, maxScreenString))
	}
	return tea.SetClipboard(s)
}

// maxScreenString is the longest string that screen hands through.
const maxScreenString = 768

// progressBar is what terminals show in their tab or task bar (OSC 9;4) while
// something is loading or being saved, where the terminal is known not to
// take it for a notification.
func (m *Model) progressBar() *tea.ProgressBar {
	if !m.showsProgress {
		return nil
	}
	if l := m.session.Loading(); l != nil {
		if p := m.session.Page(); p != nil && p.Loading() && p.Size > 0 {
			return progress(l.Progress.State().Bytes, p.Size)
		}
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	if item, n := m.saving(); n > 0 {
		s := item.Status()
		return progress(s.Done, s.Size)
	}
	return nil
}

func progress(done, size int64) *tea.ProgressBar {
	if size <= 0 || done > size {
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return tea.NewProgressBar(tea.ProgressBarDefault, int(float64(done)/float64(size)*100))
}

// knowsProgress reports whether the terminal has a progress bar.
func knowsProgress(env func(string) string) bool {
	switch {
	case env("TMUX") != "" || env("STY") != "":
		return false
	case env("WT_SESSION") != "", env("ConEmuANSI") == "ON":
		return true
	}
	switch env("TERM_PROGRAM") {
	case "ghostty", "WezTerm", "rio":
		return true
	}
	return false
}
