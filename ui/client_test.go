package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/ui/term"
)

// TestOtherClient checks that the screen is drawn for the terminal that is attached now, and when gofer looks for it.
func TestOtherClient(t *testing.T) {
	env := envOf(map[string]string{"TMUX": "/x", "TERM": "screen-256color"})
	client := term.Client{Env: env, Hyperlinks: term.Supported}
	found := 0
	o := Options{Env: env, FindClient: func(context.Context) term.Client {
		found++
		return client
	}}
	d := drive(t, library(), o, 80, 24)
	now := d.now()
	d.Model.now = func() time.Time { return now }
	links := func() int { return strings.Count(d.View().Content, "\x1b]8;;gopher://") }
	if found == 0 || links() == 0 || !d.View().ReportFocus {
		t.Errorf("at the start: looked %d times for the terminal, %d hyperlinks, ReportFocus = %t; want once, some, true", found, links(), d.View().ReportFocus)
	}
	d.press("j", "k")
	found = 0
	for _, tt := range []struct {
		what   string
		change func()
		remote bool
		want   bool
	}{
		{"over SSH, but nothing has happened", func() { d.press("j", "k") }, true, false},
		{"after a focus event", func() { d.send(tea.FocusMsg{}) }, true, true},
		{"after a change of the size", func() { d.send(tea.WindowSizeMsg{Width: 80, Height: 25}) }, false, false},
		{"after a pause", func() { now = now.Add(pauseTime); d.press("j", "k") }, true, true},
		{"with the setting never", func() { d.useRemote(config.RemoteNever) }, true, false},
		{"with the setting always", func() { d.useRemote(config.RemoteAlways) }, false, true},
	} {
		client.Remote = tt.remote
		tt.change()
		fetchtest.Equal(t, d.isRemote(), tt.want, "%s: remote", tt.what)
		fetchtest.Equal(t, links() == 0, tt.want, "%s: only links of the web", tt.what)
		fetchtest.Equal(t, d.styles.Tint == "", tt.want, "%s: only a bar marks the row", tt.what)
	}
	fetchtest.Equal(t, found, 3, "number of searches for the terminal")
}

// useRemote changes the setting remote.
func (d *driver) useRemote(value string) {
	o := d.opts
	o.Config.Remote = value
	d.send(resultFunc(func() tea.Cmd {
		d.useOptions(o)
		return nil
	}))
}

// TestHyperlinksOfDistantTmux checks that links are sent to a tmux on another machine if its version passes them on.
func TestHyperlinksOfDistantTmux(t *testing.T) {
	for version, want := range map[string]bool{
		"tmux 3.3a": false, "tmux 3.4": true, "tmux 3.5a": true, "tmux next-3.6": true, "tmux 4.0": true, "tmux master": true,
		"tmux 2.9": false, "XTerm(390)": false, "": false,
	} {
		d := drive(t, library(), Options{Env: envOf(map[string]string{"TERM": "screen-256color"})}, 80, 24)
		d.run(d.Init())
		d.send(tea.TerminalVersionMsg{Name: version})
		fetchtest.Equal(t, strings.Contains(d.View().Content, "\x1b]8;;gopher://"), want, "hyperlinks with the version %q", version)
	}
}
