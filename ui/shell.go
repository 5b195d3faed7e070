package ui

import (
	"context"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/program"
	"gofer/nav"
	"gofer/ui/aids"
	"gofer/ui/bookmarking"
	"gofer/ui/cell"
	"gofer/ui/outside"
	"gofer/ui/term"
	"gofer/ui/transfer"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// shell gives the features access to the Model; it implements [room.Program].
type shell struct{ m *Model }

func (s shell) Tab() *viewer.Viewer { return &s.m.focusedTab().Viewer }

func (s shell) Tabs() (all []*viewer.Viewer) {
	for _, t := range s.m.tabs {
		all = append(all, &t.Viewer)
	}
	return all
}

func (s shell) PromptOpen() bool                         { return s.m.openPrompt() != nil }
func (s shell) Notify(text string) tea.Cmd               { return s.m.notify(text) }
func (s shell) Visit(u urlcore.URL) tea.Cmd              { return s.m.visit(u) }
func (s shell) ReloadOwn(changed about.Data) tea.Cmd     { return s.m.reloadOwn(changed) }
func (s shell) KeyOf(action string) string               { return s.m.keys.keyOf(action) }
func (s shell) KeyIn(context, name, usual string) string { return s.m.keys.KeyIn(context, name, usual) }
func (s shell) Tick() tea.Cmd                            { return s.m.tick() }

func (s shell) NotifyIn(v *viewer.Viewer, text string) tea.Cmd {
	if t := s.findTab(v); t != nil {
		return s.m.notifyIn(t, text)
	}
	return s.m.notify(text)
}

func (s shell) Reload(v *viewer.Viewer) tea.Cmd {
	if t := s.findTab(v); t != nil {
		return s.m.reloadTab(t)
	}
	return nil
}

// findTab returns the tab that contains v. It returns nil if that tab was closed, or if v is in the
// pane.
func (s shell) findTab(v *viewer.Viewer) *tab {
	for _, t := range s.m.tabs {
		if &t.Viewer == v {
			return t
		}
	}
	return nil
}

func (s shell) RunInBackground(do func() func() tea.Cmd) tea.Cmd {
	return runInBackground(func() resultFunc { return do() })
}

func (s shell) WriteInBackground(do func() func() tea.Cmd) tea.Cmd {
	return s.m.writeInBackground(func() resultFunc { return do() })
}

func (s shell) AskInBackground(do func() func() tea.Cmd) tea.Cmd {
	return s.m.expectPrompt(func() resultFunc { return do() })
}

func (s shell) After(d time.Duration, next func() tea.Cmd) tea.Cmd {
	return s.m.after(d, resultFunc(next))
}

// addFeatures creates the features in packages below ui.
func (m *Model) addFeatures() {
	o := &m.opts
	m.bookmarks = bookmarking.New(shell{m})
	m.bookmarks.Store, m.bookmarks.Guess, m.bookmarks.NotifyURL = o.Bookmarks, o.Guess, m.notifyURL
	if o.Editor != nil {
		m.bookmarks.Editor = shell{m}.edit
	}
	m.aids = aids.New(shell{m})
	m.aids.Viewers = func() []*viewer.Viewer { return append(shell{m}.Tabs(), &m.peek.tab.Viewer) }
	m.aids.PushOverlay = func(v *viewer.Viewer, p *nav.Page) {
		v.Session.PushOverlay(p)
		shell{m}.showPage(v)
	}
	m.aids.Back, m.aids.Zone, m.aids.ASCII = m.goBack, o.Zone, o.Config.ASCII
	m.aids.Store = o.Charsets
	m.aids.ConfiguredCharset = func(server string) string { return o.Config.HostCharset(server) }
	m.aids.Private = func() bool { return m.private }
	m.aids.DarkInk = func() bool { return m.background == cell.LightBackground }
	m.outside = outside.New(shell{m})
	m.outside.Opener, m.outside.Manager, m.outside.Folder = o.Programs, o.Downloads, o.Config.Downloads
	m.outside.Lend = func(p program.Program) tea.Cmd {
		return m.terminal.LendTo(m.ctx, func(l *term.Lease) error { return l.Program(p) }, nil)
	}
	m.outside.ShowPage = shell{m}.showPage
	m.outside.Context = func() context.Context { return m.ctx }
	m.outside.Width = func() int { return m.width }
	m.downloads = transfer.NewDownloads(shell{m})
	m.downloads.Manager, m.downloads.Folder = o.Downloads, o.Config.Downloads
	m.downloads.Now = func() time.Time { return m.now() }
	m.downloads.Open, m.downloads.Report = m.outside.OpenSaved, m.reportPanic
	m.changes = transfer.NewChanges(shell{m})
	m.changes.Change, m.changes.Upload, m.changes.Server = o.Change, o.Upload, o.Server
	m.changes.FetchFile, m.changes.Folder = m.outside.FetchFile, o.Config.Downloads
	if o.Editor != nil {
		m.changes.Editor = shell{m}.edit
	}
	m.changes.URLText = func(u urlcore.URL) string { return m.glyphs.URL(u, m.width) }
	m.changes.Context = func() context.Context { return m.ctx }
	m.changes.Now = func() time.Time { return m.now() }
	switch {
	case o.Config.Restrict.Enabled:
		m.changes.DenyReason, m.outside.DenyReason = restrictedText, restrictedText
	case o.Change == nil || o.Upload == nil:
		m.changes.DenyReason = "read-only: nothing is changed on servers"
	}
}

// edit calls the function begin, and then opens a file in the user's editor. Afterwards it calls the
// function ended.
func (s shell) edit(path string, begin func() error, ended func(err error) tea.Cmd) tea.Cmd {
	editor := program.Program{Argv: s.m.opts.Editor(path), Name: "the editor", Env: os.Environ()}
	return s.m.terminal.LendTo(s.m.ctx, func(l *term.Lease) error {
		if err := begin(); err != nil {
			return err
		}
		return l.Program(editor)
	}, func(err error) tea.Msg { return resultFunc(func() tea.Cmd { return ended(err) }) })
}

// showPage shows the page of the session of v, unless findTab returns nil.
func (s shell) showPage(v *viewer.Viewer) {
	if t := s.findTab(v); t != nil {
		t.showPage()
	}
}
