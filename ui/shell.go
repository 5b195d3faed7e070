package ui

import (
	"context"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/program"
	"gofer/internal/program/opener"
	"gofer/internal/userfile/config"
	"gofer/ui/aids"
	"gofer/ui/bookmarking"
	"gofer/ui/cell"
	"gofer/ui/inbox"
	"gofer/ui/newsreader"
	"gofer/ui/offline"
	"gofer/ui/outside"
	"gofer/ui/room"
	"gofer/ui/term"
	"gofer/ui/transfer"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// shell gives the features access to the Model; it implements [room.Program].
type shell struct{ m *Model }

func (s shell) Tab() *viewer.Viewer { return &s.m.focusedTab().Viewer }

func (s shell) ScreenTab() *viewer.Viewer { return &s.m.tab.Viewer }

func (s shell) Beside() *viewer.Viewer {
	if other := s.m.otherPane(); other != nil {
		return &other.Viewer
	}
	return nil
}

func (s shell) Opener(v *viewer.Viewer) *viewer.Viewer {
	if t := s.m.findTab(v); t != nil && t.opener != nil {
		return &t.opener.Viewer
	}
	return nil
}

func (s shell) Pending(v *viewer.Viewer) urlcore.URL {
	if t := s.m.findTab(v); t != nil {
		return t.pendingURL()
	}
	return nil
}

func (s shell) Private() bool { return s.m.private }

func (s shell) Tabs() (all []*viewer.Viewer) {
	for _, t := range s.m.tabs {
		all = append(all, &t.Viewer)
	}
	return all
}

func (s shell) Config() *config.Config                   { return &s.m.opts.Config }
func (s shell) Guess(typed string) (urlcore.URL, error)  { return s.m.opts.Guess(typed) }
func (s shell) Context() context.Context                 { return s.m.ctx }
func (s shell) Now() time.Time                           { return s.m.now() }
func (s shell) PromptOpen() bool                         { return s.m.openPrompt() != nil }
func (s shell) Notify(text string) tea.Cmd               { return s.m.notify(text) }
func (s shell) Offer(text string) tea.Cmd                { return s.m.offerLater(text) }
func (s shell) ReloadOwn(changed about.Data) tea.Cmd     { return s.m.reloadOwn(changed) }
func (s shell) KeyOf(action string) string               { return s.m.keys.keyOf(action) }
func (s shell) KeyIn(context, name, usual string) string { return s.m.keys.KeyIn(context, name, usual) }
func (s shell) Tick() tea.Cmd                            { return s.m.tick() }

func (s shell) Visit(target room.Target, how room.How) tea.Cmd { return s.m.visit(target, how) }

func (s shell) NotifyIn(v *viewer.Viewer, text string) tea.Cmd {
	if t := s.m.findTab(v); t != nil {
		return s.m.notifyIn(t, text)
	}
	return s.m.notify(text)
}

// findTab returns the tab that contains v. It returns nil if that tab was closed, or if v is in the
// pane.
func (m *Model) findTab(v *viewer.Viewer) *tab {
	for _, t := range m.tabs {
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

func (s shell) Change(do func() (*room.Undo, func() tea.Cmd)) tea.Cmd { return s.m.change(do) }
func (s shell) Undos() *room.UndoStack                                { return &s.m.undos }

func (s shell) AskInBackground(do func() func() tea.Cmd) tea.Cmd {
	return s.m.expectPrompt(func() resultFunc { return do() })
}

func (s shell) HoldKeys(cmd tea.Cmd) tea.Cmd { return s.m.holdKeys(cmd) }

func (s shell) HoldKeysForQuestion(cmd tea.Cmd) tea.Cmd { return s.m.holdKeysForQuestion(cmd) }

func (s shell) HoldKeysBriefly(cmd tea.Cmd) tea.Cmd { return s.m.holdKeysBriefly(cmd) }

func (s shell) After(d time.Duration, next func() tea.Cmd) tea.Cmd {
	return s.m.after(d, resultFunc(next))
}

// addFeatures creates the features in packages below ui.
func (m *Model) addFeatures() {
	o, s := &m.opts, shell{m}
	edit := s.edit
	if o.Editor == nil {
		edit = nil
	}
	m.inbox = inbox.New(s, inbox.Options{Store: func() *inbox.Store { return m.opts.Inbox }})
	m.bookmarks = bookmarking.New(s, bookmarking.Options{Store: o.Bookmarks, NotifyURL: m.notifyURL, Editor: edit, Following: m.inbox})
	m.aids = aids.New(s, aids.Options{
		Store:   o.Charsets,
		Zone:    o.Zone,
		Back:    m.goBack,
		DarkInk: func() bool { return m.background == cell.LightBackground },
		Viewers: func() []*viewer.Viewer { return append(s.Tabs(), &m.peek.tab.Viewer) },
	})
	m.outside = outside.New(s, outside.Options{
		Opener:  func() *opener.Programs { return m.opts.Programs },
		Manager: o.Downloads,
		Width:   func() int { return m.width },
		Lend: func(p program.Program) tea.Cmd {
			return m.terminal.LendTo(m.ctx, func(l *term.Lease) error { return l.Program(p) }, nil)
		},
	})
	m.downloads = transfer.NewDownloads(s, transfer.DownloadOptions{Manager: o.Downloads, Open: m.outside.OpenSaved, Report: m.reportPanic, Ring: m.ring})
	m.changes = transfer.NewChanges(s, transfer.ChangeOptions{
		Downloads: m.downloads, SaveBundle: o.SaveBundle, Change: o.Change, Upload: o.Upload, Server: o.Server, FetchFile: m.outside.FetchFile, Editor: edit,
		URLText: func(u urlcore.URL) string { return m.glyphs.URL(u, m.width) },
	})
	m.news = newsreader.New(s, newsreader.Options{
		Stores: func() newsreader.Stores {
			o := &m.opts
			return newsreader.Stores{News: o.News, Scores: o.Scores, Prefetch: o.Prefetch, Fetch: o.Offline.FetchNews, Send: o.SendPosts}
		},
		RunJob:    m.changes.RunJob,
		Following: m.inbox,
		MarkRead:  m.markRead,
	})
	m.offline = offline.New(s, offline.Options{
		Stores:        func() *offline.Stores { return m.opts.Offline },
		RunJob:        m.changes.RunJob,
		FetchArticles: m.news.FetchArticles,
	})
}

// edit calls the function begin, and then opens a file in the user's editor. Afterwards it calls the
// function ended.
func (s shell) edit(path string, begin func() error, ended func(err error) tea.Cmd) tea.Cmd {
	editor := program.Program{Argv: s.m.opts.Editor(path, 0), Name: "the editor", Env: os.Environ()}
	return s.m.terminal.LendTo(s.m.ctx, func(l *term.Lease) error {
		if err := begin(); err != nil {
			return err
		}
		return l.Program(editor)
	}, func(err error) tea.Msg { return resultFunc(func() tea.Cmd { return ended(err) }) })
}

// ShowPage shows the page of the session of v, unless findTab returns nil.
func (s shell) ShowPage(v *viewer.Viewer) {
	if t := s.m.findTab(v); t != nil {
		t.Show()
	}
}
