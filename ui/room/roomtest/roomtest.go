// Package roomtest has a [room.Program] without a screen, for the tests of features.
package roomtest

import (
	"context"
	"io"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Program is a [room.Program] that records the calls of a feature.
type Program struct {
	Viewers      []*viewer.Viewer // viewers of the open tabs
	Current      int              // index of the tab on the screen
	Notices      []string         // texts of notices; a notice about another tab begins with "elsewhere: "
	EndedNotices int              // number of ended notices
	Visited      []urlcore.URL
	Reloaded     []*viewer.Viewer
	Changed      about.Data // the data whose pages were reloaded
	Writes       int        // number of calls of WriteInBackground
	Settings     config.Config
	Clock        func() time.Time                  // nil: time.Now
	Guesses      func(string) (urlcore.URL, error) // nil: urlcore.Parse
	Stack        room.UndoStack                    // result of Undos
	BeforeResult func()                            // if not nil, called once between the two functions of RunInBackground
}

// New returns a program with tabs of 80 by 24 cells. The tabs have loaded the same page.
func New(tabs int, head protocols.Head, lines ...protocols.Line) *Program {
	p := new(Program)
	for range tabs {
		v := new(viewer.Viewer)
		v.Begin(&viewer.Host{Notify: p.Notify, KeyOf: p.KeyOf, Patterns: new(ask.InputHistory)})
		l := nav.Open(context.Background(), page{head, lines}, protocols.Request{URL: head.URL})
		v.Session.Begin(l)
		h, err := l.Wait()
		v.Session.Answer(l, h)
		for err == nil {
			var more nav.Lines
			more, err = l.Next()
			v.Session.Append(l, more, err)
		}
		v.Resize(80, 24, 20)
		v.Show()
		p.Viewers = append(p.Viewers, v)
	}
	return p
}

// page is a [protocols.Fetcher] of one page.
type page struct {
	head  protocols.Head
	lines []protocols.Line
}

// Fetch returns the page.
func (p page) Fetch(context.Context, protocols.Request) (*protocols.Resource, error) {
	return &protocols.Resource{Head: p.head, Closer: io.NopCloser(nil), Lines: func(yield func(protocols.Line, error) bool) {
		for _, l := range p.lines {
			if !yield(l, nil) {
				return
			}
		}
	}}, nil
}

// Close closes the tab on the screen and shows the first of the others.
func (p *Program) Close() { p.Viewers, p.Current = slices.Delete(p.Viewers, p.Current, p.Current+1), 0 }

// Type inserts text into the prompt of the tab on the screen.
func (p *Program) Type(text string) { p.Run(p.Tab().Prompt.Insert(text, p.screen())) }

// screen returns the screen of the prompts.
func (p *Program) screen() *ask.Screen {
	return &ask.Screen{Width: 80, Height: 24, Rows: 20, Ruled: true, Context: p.Context(), Notify: p.Notify, RunInBackground: p.RunInBackground, AskInBackground: p.AskInBackground}
}

// RunActions runs actions of the prompt in the tab on the screen, and the next command if the prompt ends.
func (p *Program) RunActions(actions ...string) {
	for _, action := range actions {
		v := p.Tab()
		prompt := v.Prompt
		p.Run(prompt.Key(action, p.screen()))
		if next, done := prompt.Done(); done {
			v.Prompt = nil
			if next != nil {
				p.Run(next())
			}
			v.ShowPending()
		}
	}
}

// Question returns the title of the question in the tab on the screen, or "".
func (p *Program) Question() string {
	if q, ok := p.Tab().Prompt.(*ask.Question); ok {
		return q.Title
	}
	return ""
}

// resultFunc is the message of a finished command: a function that returns the next command.
type resultFunc func() tea.Cmd

// Run runs a command and the commands that follow from it.
func (p *Program) Run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			p.Run(c)
		}
	case resultFunc:
		if msg != nil {
			p.Run(msg())
		}
	}
}

// RunInBackground and the methods below implement [room.Program].
func (p *Program) RunInBackground(do func() func() tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		next := do()
		if f := p.BeforeResult; f != nil {
			p.BeforeResult = nil
			f()
		}
		return resultFunc(next)
	}
}

// WriteInBackground counts its calls in Writes, and is otherwise RunInBackground.
func (p *Program) WriteInBackground(do func() func() tea.Cmd) tea.Cmd {
	p.Writes++
	return p.RunInBackground(do)
}

// Change is WriteInBackground, and adds the undo to Stack.
func (p *Program) Change(do func() (*room.Undo, func() tea.Cmd)) tea.Cmd {
	return p.WriteInBackground(func() func() tea.Cmd {
		undo, next := do()
		p.Stack.Push(undo)
		return next
	})
}

// Undos returns Stack.
func (p *Program) Undos() *room.UndoStack { return &p.Stack }

// AskInBackground is the same as RunInBackground.
func (p *Program) AskInBackground(do func() func() tea.Cmd) tea.Cmd { return p.RunInBackground(do) }

// HoldKeys returns cmd.
func (p *Program) HoldKeys(cmd tea.Cmd) tea.Cmd { return cmd }

// HoldKeysForQuestion returns cmd.
func (p *Program) HoldKeysForQuestion(cmd tea.Cmd) tea.Cmd { return cmd }

// HoldKeysBriefly returns cmd.
func (p *Program) HoldKeysBriefly(cmd tea.Cmd) tea.Cmd { return cmd }

// After returns a command that calls do without waiting.
func (p *Program) After(_ time.Duration, do func() tea.Cmd) tea.Cmd {
	return func() tea.Msg { return resultFunc(do) }
}

// Tick does nothing.
func (p *Program) Tick() tea.Cmd { return nil }

// Tab returns the tab on the screen.
func (p *Program) Tab() *viewer.Viewer { return p.Viewers[p.Current] }

// ScreenTab returns the tab on the screen.
func (p *Program) ScreenTab() *viewer.Viewer { return p.Tab() }

// Beside returns nil.
func (p *Program) Beside() *viewer.Viewer { return nil }

// Opener returns nil.
func (p *Program) Opener(*viewer.Viewer) *viewer.Viewer { return nil }

// Pending returns nil.
func (p *Program) Pending(*viewer.Viewer) urlcore.URL { return nil }

// Private returns false.
func (p *Program) Private() bool { return false }

// Tabs returns the open tabs.
func (p *Program) Tabs() []*viewer.Viewer { return p.Viewers }

// Config returns Settings.
func (p *Program) Config() *config.Config { return &p.Settings }

// Guess calls Guesses.
func (p *Program) Guess(typed string) (urlcore.URL, error) {
	if p.Guesses != nil {
		return p.Guesses(typed)
	}
	return urlcore.Parse(typed)
}

// Context returns a context that never ends.
func (p *Program) Context() context.Context { return context.Background() }

// Now returns the time of Clock.
func (p *Program) Now() time.Time {
	if p.Clock != nil {
		return p.Clock()
	}
	return time.Now()
}

// ShowPage shows the page.
func (p *Program) ShowPage(v *viewer.Viewer) { v.Show() }

// PromptOpen reports whether the tab on the screen has a prompt.
func (p *Program) PromptOpen() bool { return p.Tab().Prompt != nil }

// Notify records a notice.
func (p *Program) Notify(text string) tea.Cmd {
	p.Notices = append(p.Notices, text)
	return func() tea.Msg { p.EndedNotices++; return nil }
}

// NotifyIn records a notice about a tab.
func (p *Program) NotifyIn(v *viewer.Viewer, text string) tea.Cmd {
	if v != p.Tab() && slices.Contains(p.Viewers, v) {
		text = "elsewhere: " + text
	}
	return p.Notify(text)
}

// Offer is Notify.
func (p *Program) Offer(text string) tea.Cmd { return p.Notify(text) }

// Visit records a URL, or the tab of a page that is loaded again, and where the cursor of that tab goes.
func (p *Program) Visit(target room.Target, how room.How) tea.Cmd {
	if how.Again {
		p.Reloaded = append(p.Reloaded, how.Tab)
		if target.Link != nil {
			how.Tab.To.GoTo(target.Link, target.Fragment)
		}
		return nil
	}
	p.Visited = append(p.Visited, target.URL)
	return nil
}

// ReloadOwn records the data.
func (p *Program) ReloadOwn(changed about.Data) tea.Cmd {
	p.Changed |= changed
	return nil
}

// KeyOf returns the action in angle brackets.
func (p *Program) KeyOf(action string) string { return "<" + action + ">" }

// KeyIn returns the usual key.
func (p *Program) KeyIn(_, _, usual string) string { return usual }
