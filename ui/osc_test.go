package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/term"
)

func envOf(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestProgressBar(t *testing.T) {
	w := library()
	silent := item('0', "/silent")
	w.addStall(silent)
	wez := envOf(map[string]string{"TERM_PROGRAM": "WezTerm"})
	d := drive(t, w, Options{Env: wez}, 80, 24)
	if d.View().ProgressBar != nil {
		t.Error("the View has a progress bar while nothing is loading")
	}
	d.visit(silent)
	d.drawn = false
	if b := d.View().ProgressBar; b == nil || b.State != tea.ProgressBarIndeterminate {
		t.Errorf("progress of a load without a size: got %+v, want an indeterminate bar", b)
	}
	if b := term.Progress(50, 200); b.State != tea.ProgressBarDefault || b.Value != 25 {
		t.Errorf("Progress(50, 200) = %+v; want 25 percent", b)
	}
	for _, env := range []map[string]string{{}, {"TERM_PROGRAM": "WezTerm", "TMUX": "x"}, {"TERM_PROGRAM": "iTerm.app"}} {
		if term.SupportsProgress(envOf(env)) {
			t.Errorf("SupportsProgress = true for %v; want false, because the terminal shows the sequence as a notification", env)
		}
	}
}
