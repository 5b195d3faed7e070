package term

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// sendToClipboard returns the command that sends s to the clipboard of the terminal (OSC 52). tmux and screen pass a
// wrapped sequence on to the outer terminal. By default tmux ignores the plain sequence.
func sendToClipboard(env func(string) string, s string) tea.Cmd {
	set := ansi.SetSystemClipboard(s)
	switch {
	case env("TMUX") != "":
		return tea.Raw(set + ansi.TmuxPassthrough(set))
	case env("STY") != "":
		return tea.Raw(ansi.ScreenPassthrough(set, maxScreenString))
	}
	return tea.SetClipboard(s)
}

// maxScreenString is the longest string that screen passes on.
const maxScreenString = 768

// Progress returns the progress bar of a transfer, from the number of octets that are done and from the
// size of the file. A size of 0 means unknown.
func Progress(done, size int64) *tea.ProgressBar {
	if size <= 0 || done > size {
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return tea.NewProgressBar(tea.ProgressBarDefault, int(float64(done)/float64(size)*100))
}

// SupportsProgress reports whether the terminal has a progress bar.
func SupportsProgress(env func(string) string) bool {
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
