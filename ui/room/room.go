// Package room says what a feature of ui has of the program around it, so that the feature
// can be a package of its own.
package room

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Program is the program around a feature. Its methods are called while a message is
// handled. Functions that they are given return the commands that follow, or nil.
type Program interface {
	// Tab is the tab on the screen, Tabs are all of them.
	Tab() *viewer.Viewer
	Tabs() []*viewer.Viewer
	// Asking reports whether the reader is asked something.
	Asking() bool

	// Say tells the reader something. SayIn names the tab that it is about, if that is
	// not on the screen.
	Say(text string) tea.Cmd
	SayIn(v *viewer.Viewer, text string) tea.Cmd
	// Visit opens a URL in the tab on the screen.
	Visit(u urlcore.URL) tea.Cmd
	// Refresh loads the page of a tab again, RefreshOwn a page of gofer's own in every
	// tab that shows it.
	Refresh(v *viewer.Viewer) tea.Cmd
	RefreshOwn(page string) tea.Cmd

	// KeyOf is the key of an action on pages, as it is printed. KeyIn is that of an
	// action in a section of the table of keys: the usual one if the action still has it.
	KeyOf(action string) string
	KeyIn(section, action, usual string) string

	// Async returns the command for do, which takes time, and for what follows from it.
	// Keep is Async for what the end of the program waits for.
	Async(do func() (then func() tea.Cmd)) tea.Cmd
	Keep(do func() (then func() tea.Cmd)) tea.Cmd
	// AsyncAsk is Async for what ends in a question: keys that are pressed before it is
	// asked are for its answer.
	AsyncAsk(do func() (then func() tea.Cmd)) tea.Cmd
	// After returns the command that calls then after d.
	After(d time.Duration, then func() tea.Cmd) tea.Cmd
	// Tick keeps the status line up to date while something is under way.
	Tick() tea.Cmd
}
