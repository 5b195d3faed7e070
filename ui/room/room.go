// Package room declares the interface that a feature of ui uses to call the rest of the program, so
// that each feature can have its own package.
package room

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// NotAllowed is the notice for an action that restricted mode does not allow.
const NotAllowed = "not allowed at this terminal"

// Program is the program that a feature belongs to. Its methods are called in the event loop. A
// function passed to one of them returns the command to run next, or nil.
type Program interface {
	// Tab returns the viewer that reads the keys: the pane if it has the focus, else the tab on the
	// screen. ScreenTab returns the tab on the screen. Tabs returns all tabs, without the pane.
	Tab() *viewer.Viewer
	ScreenTab() *viewer.Viewer
	Tabs() []*viewer.Viewer
	// Beside returns the tab that is shown together with the one that reads the keys, or nil.
	Beside() *viewer.Viewer
	// Opener returns the tab with the link that opened the tab v, or nil. Pending returns the URL of the page that
	// replaces the page of v when the server answers, or nil.
	Opener(v *viewer.Viewer) *viewer.Viewer
	Pending(v *viewer.Viewer) urlcore.URL
	// Private reports whether nothing is recorded or marked.
	Private() bool
	// Config returns the settings. They may be read only in the event loop, because the user can change them.
	Config() *config.Config
	// Guess returns the URL for a typed text.
	Guess(typed string) (urlcore.URL, error)
	// Context returns the context of the program. Now returns the time.
	Context() context.Context
	Now() time.Time
	// PromptOpen reports whether a prompt is open.
	PromptOpen() bool

	// Notify shows a notice. NotifyIn shows a notice about the tab v. The notice names the tab if
	// another tab is on the screen.
	Notify(text string) tea.Cmd
	NotifyIn(v *viewer.Viewer, text string) tea.Cmd
	// Offer shows a notice that nobody waits for: beside a hint, and not in place of another notice.
	Offer(text string) tea.Cmd
	// ShowPage shows the page of the session of a tab.
	ShowPage(v *viewer.Viewer)
	// Visit opens a target.
	Visit(target Target, how How) tea.Cmd
	// ReloadOwn reloads gofer's own pages that show the data, in each tab. Keys for such a page wait for the new lines.
	ReloadOwn(changed about.Data) tea.Cmd

	// KeyOf returns the label of the first key of an action on pages. KeyIn returns the label of a key
	// of an action in a context of ui.Bindings. It returns the parameter usual if the key with this
	// label is bound to the action, and otherwise the label of the first key. It returns "" if no
	// key is bound.
	KeyOf(action string) string
	KeyIn(context, action, usual string) string

	// RunInBackground returns the command that calls the function do outside of the event loop. The function
	// that do returns is then called in the event loop. WriteInBackground is like RunInBackground, but the program
	// does not end until do has returned.
	RunInBackground(do func() (next func() tea.Cmd)) tea.Cmd
	WriteInBackground(do func() (next func() tea.Cmd)) tea.Cmd
	// Change is like WriteInBackground, for a change that the user makes. Changes are made one after the other, in the
	// order of the calls of Change. The undo that do returns is added to Undos; it may be nil. Keys for pages wait
	// until next has been called.
	Change(do func() (undo *Undo, next func() tea.Cmd)) tea.Cmd
	// Undos returns the last changes that the user can undo.
	Undos() *UndoStack
	// AskInBackground is like RunInBackground, for a function do that leads to a prompt. The prompt gets the keys
	// that the user presses before it opens.
	AskInBackground(do func() (next func() tea.Cmd)) tea.Cmd
	// HoldKeys returns a command that does the same as cmd, which visits a page, completes or changes the page on the
	// screen, or may open a prompt. Keys for pages wait until the result of cmd has been applied.
	HoldKeys(cmd tea.Cmd) tea.Cmd
	// HoldKeysBriefly is like HoldKeys for a cmd during which the user may read on: keys for pages wait a few seconds at
	// most.
	HoldKeysBriefly(cmd tea.Cmd) tea.Cmd
	// HoldKeysForQuestion is like HoldKeysBriefly for a cmd whose result opens a question that the user knows to come. The
	// keys that have waited are dropped.
	HoldKeysForQuestion(cmd tea.Cmd) tea.Cmd
	// After returns the command that calls the function next after the duration d.
	After(d time.Duration, next func() tea.Cmd) tea.Cmd
	// Tick returns the command that updates the status line while something is running.
	Tick() tea.Cmd
}
