package ui

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/clean"
	"gofer/nav"
)

// panics keeps the first panic of the program, and ends it: what the reader has
// is saved, the terminal restored, and a report written. It is safe for
// concurrent use.
type panics struct {
	mu    sync.Mutex
	first *nav.Panic
	quit  func() // ends the program; nil: it is not caught
}

// catch is deferred by what may panic.
func (c *panics) catch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quit == nil {
		return
	}
	v := recover()
	if v == nil || c.first != nil {
		return
	}
	c.first = &nav.Panic{Value: v, Stack: debug.Stack()}
	go c.quit()
}

func (c *panics) caught() *nav.Panic {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

// do calls f, which may panic.
func (c *panics) do(f func()) {
	defer c.catch()
	f()
}

// guarded is a Model whose panics are caught, and those of its commands. After
// one it does nothing any more.
type guarded struct{ *Model }

// Init implements [tea.Model], as do the next two.
func (g guarded) Init() (cmd tea.Cmd) {
	defer g.panics.catch()
	return g.command(g.Model.Init())
}

// Update does nothing after a panic.
func (g guarded) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	if g.panics.caught() == nil {
		g.panics.do(func() { _, cmd = g.Model.Update(msg) })
	}
	return g, g.command(cmd)
}

// View is empty after a panic.
func (g guarded) View() (v tea.View) {
	defer g.panics.catch()
	if g.panics.caught() == nil {
		v = g.Model.View()
	}
	return v
}

// command is cmd with its panics caught.
func (g guarded) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.panics.catch()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = g.command(c)
			}
		}
		return msg
	}
}

// crashed reports the panic that ended the program. The tabs have been saved.
func (m *Model) crashed(p *nav.Panic) error {
	path, err := m.report(p)
	if err != nil {
		return fmt.Errorf("%w; no report was written: %w\n%s", p, err, p.Stack)
	}
	how := ""
	if m.opts.Sessions != nil && m.saver.hasPages && !m.private {
		how = "; gofer --restore opens the tabs again"
	}
	return fmt.Errorf("%w; the report is in %s%s", p, path, how)
}

func (m *Model) report(p *nav.Panic) (path string, err error) {
	if m.opts.Report == nil {
		return "", errors.New("there is no place for it")
	}
	return m.opts.Report(p, m.width, m.height)
}

// reportLoad writes a report if the load of which msg tells has panicked, which
// ended nothing else.
func (m *Model) reportLoad(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case answerMsg:
		return m.reportPanic(msg.err)
	case linesMsg:
		return m.reportPanic(msg.err)
	}
	return nil
}

// reportPanic writes a report if err is a panic.
func (m *Model) reportPanic(err error) tea.Cmd {
	p, ok := errors.AsType[*nav.Panic](err)
	if m.opts.Report == nil || !ok {
		return nil
	}
	report, width, height := m.opts.Report, m.width, m.height
	return m.keep(func() resultFunc {
		path, err := report(p, width, height)
		if err != nil {
			return saying("internal error; no report was written: " + clean.Short(err.Error()))
		}
		return saying("internal error; the report is in " + clean.Short(path))
	})
}
