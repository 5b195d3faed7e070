package term

import (
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
)

// Panics records the first panic of the program and ends the program. The program then saves the user's
// data, restores the terminal and writes a report. Bubble Tea itself would print the panic over the
// screen. A panic in a load ends only the load, see [protocols.Panic]. Panics is safe for concurrent use.
type Panics struct {
	mu    sync.Mutex
	first *protocols.Panic
	quit  func() // ends the program; nil if panics are not caught
}

// Catch recovers a panic. It must be deferred.
func (c *Panics) Catch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quit == nil {
		return
	}
	v := recover()
	if v == nil || c.first != nil {
		return
	}
	c.first = &protocols.Panic{Value: v, Stack: debug.Stack()}
	go c.quit()
}

// First returns the first panic, or nil.
func (c *Panics) First() *protocols.Panic {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

// Run calls f, which may panic.
func (c *Panics) Run(f func()) {
	defer c.Catch()
	f()
}

// panicGuard is a model that catches its own panics and the panics of its commands. After a panic
// it does nothing.
type panicGuard struct {
	tea.Model
	panics *Panics
}

// Init implements [tea.Model], like Update and View.
func (g panicGuard) Init() (cmd tea.Cmd) {
	defer g.panics.Catch()
	return g.catchPanics(g.Model.Init())
}

// Update does nothing after a panic.
func (g panicGuard) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	if g.panics.First() == nil {
		g.panics.Run(func() { g.Model, cmd = g.Model.Update(msg) })
	}
	return g, g.catchPanics(cmd)
}

// View is empty after a panic.
func (g panicGuard) View() (v tea.View) {
	defer g.panics.Catch()
	if g.panics.First() == nil {
		v = g.Model.View()
	}
	return v
}

// catchPanics returns a command that runs cmd and catches its panics.
func (g panicGuard) catchPanics(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.panics.Catch()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = g.catchPanics(c)
			}
		}
		return msg
	}
}
