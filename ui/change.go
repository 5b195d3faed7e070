package ui

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// serverChange changes a directory of a server.
type serverChange struct {
	tab  *tab
	dir  urlcore.URL                                               // the page
	name string                                                    // of what is changed, for people
	verb string                                                    // "remove"; the names of what is and was done are made of it
	do   func(context.Context, *serverChange) (urlcore.URL, error) // returns what the cursor is to be on, or nil
	stop context.CancelCauseFunc

	begun      time.Time
	upload     *protocols.Upload // nil: it is none
	sent, size atomic.Int64      // of the upload
}

// participles are what is being done and what was done.
var participles = map[string][2]string{
	"remove": {"removing", "removed"}, "rename": {"renaming", "renamed"},
	"make": {"making", "made"}, "upload": {"uploading", "uploaded"},
}

// parent is the URL of a directory in which something can be stored.
type parent interface {
	urlcore.URL
	Child(name string) (urlcore.URL, error)
}

// changeable returns the directory of the page for a change, or says why there is
// none.
func (m *Model) changeable() (dir parent, notice tea.Cmd) {
	p, ok := m.tab.directory()
	if ok && p.Failed == nil {
		dir, ok = p.URL.(parent)
	}
	switch {
	case !ok || dir == nil:
		return nil, m.say("this page is no directory that can be changed")
	case m.opts.Restricted:
		return nil, m.say(restrictedText)
	case m.opts.Change == nil || m.opts.Upload == nil:
		return nil, m.say("read-only: nothing is changed on servers")
	case m.changing != nil:
		return nil, m.say("wait until " + m.changing.name + " is done")
	}
	return dir, nil
}

// changeableItem is changeable for the entry under the cursor.
func (m *Model) changeableItem() (dir parent, line protocols.Line, name string, notice tea.Cmd) {
	if dir, notice = m.changeable(); dir == nil {
		return nil, line, "", notice
	}
	line, ok := m.tab.Pager.Current()
	if !ok || line.Link.Scheme() != dir.Scheme() || urlcore.Host(line.Link) != urlcore.Host(dir) {
		return nil, line, "", m.say("there is no entry of the directory under the cursor")
	}
	return dir, line, m.tab.Pager.LineText(&line), nil
}

// removeItem asks whether to remove the entry under the cursor.
func (m *Model) removeItem() tea.Cmd {
	dir, line, name, notice := m.changeableItem()
	if dir == nil {
		return notice
	}
	what, t := line.Link, m.tab
	return m.tab.Ask(ask.NewQuestion("Remove "+clean.Name(name)+" from "+urlcore.Host(dir)+"?", true, func() tea.Cmd {
		return m.beginChange(m.newChange(t, dir, "remove", name, &protocols.Change{Kind: protocols.Remove, URL: what}))
	}))
}

// renameItem asks for another name of the entry under the cursor.
func (m *Model) renameItem() tea.Cmd {
	dir, line, name, notice := m.changeableItem()
	if dir == nil {
		return notice
	}
	t := m.tab
	return t.AskLine("Rename "+clean.Name(name), "To", name, func(to string) tea.Cmd {
		if to == name {
			return nil
		}
		change := m.newChange(t, dir, "rename", name, &protocols.Change{Kind: protocols.Rename, URL: line.Link, Name: to})
		return t.Ask(ask.NewQuestion("Rename "+clean.Name(name)+" to "+clean.Name(to)+"?", false, func() tea.Cmd { return m.beginChange(change) }))
	})
}

// makeDirectory asks for the name of a new directory in that of the page.
func (m *Model) makeDirectory() tea.Cmd {
	dir, notice := m.changeable()
	if dir == nil {
		return notice
	}
	t := m.tab
	return t.AskLine("Make a directory", "Name", "", func(name string) tea.Cmd {
		change := m.newChange(t, dir, "make", name, &protocols.Change{Kind: protocols.MakeDirectory, URL: dir, Name: name})
		return t.Ask(ask.NewQuestion("Make the directory "+clean.Name(name)+" at "+urlcore.Host(dir)+"?", false, func() tea.Cmd { return m.beginChange(change) }))
	})
}

// uploadFile asks for a file of this machine and stores it in the directory of the
// page.
func (m *Model) uploadFile() tea.Cmd {
	dir, notice := m.changeable()
	if dir == nil {
		return notice
	}
	t := m.tab
	p := ask.NewLine(ask.Head{Title: "Upload a file (" + m.keys.In("prompt", "next field", "Tab") + ": choose)"}, ask.Field{Label: "Path", Input: protocols.InputFile})
	p.Changed = func(string) (tea.Cmd, error) { return nil, nil } // takes the error away
	p.Finish = func(answers []string) tea.Cmd {
		if answers[0] == "" {
			return nil
		}
		path := userfile.ExpandHome(answers[0])
		return m.holdKeys(func() resultFunc {
			info, err := userfile.Stat(path)
			return func() tea.Cmd {
				if err == nil {
					return m.askUpload(t, dir, path, info.Size())
				}
				why := ask.FileError(err)
				if m.tab != t || m.context() != reading {
					return m.sayIn(t, "not uploaded: "+why)
				}
				p.Fail(why)
				t.Prompt = p
				return nil
			}
		})
	}
	t.Prompt = p
	return nil
}

// askUpload asks whether to send a file to a directory.
func (m *Model) askUpload(t *tab, dir parent, path string, size int64) tea.Cmd {
	name := filepath.Base(path)
	to, err := dir.Child(name)
	if err != nil {
		return m.sayIn(t, "not uploaded: "+err.Error())
	}
	up := new(protocols.Upload)
	change := &serverChange{tab: t, dir: dir, verb: "upload", name: name, upload: up}
	change.size.Store(size)
	change.do = func(ctx context.Context, c *serverChange) (urlcore.URL, error) {
		return to, m.opts.Upload(ctx, path, to, up, func(sent, size int64) { c.sent.Store(sent); c.size.Store(size) })
	}
	t.Prompt = ask.NewQuestion("Send "+clean.Name(name)+" ("+cell.Size(size)+") to "+clean.Name(m.glyphs.URL(dir, m.width))+"?", true,
		func() tea.Cmd { return m.beginChange(change) })
	return nil
}

// newChange is a change that has not begun.
func (m *Model) newChange(t *tab, dir urlcore.URL, verb, name string, c *protocols.Change) *serverChange {
	do := func(ctx context.Context, _ *serverChange) (urlcore.URL, error) {
		u, err := m.opts.Change(ctx, c)
		if c.Kind == protocols.Remove {
			u = nil // the cursor stays where the entry was
		}
		return u, err
	}
	return &serverChange{tab: t, dir: dir, verb: verb, name: name, do: do}
}

func (m *Model) beginChange(c *serverChange) tea.Cmd {
	if m.changing != nil {
		return m.say("wait until " + clean.Short(m.changing.name) + " is done")
	}
	m.changing, c.begun = c, m.now()
	var ctx context.Context
	ctx, c.stop = context.WithCancelCause(m.ctx)
	return tea.Batch(m.tick(), m.keep(func() resultFunc {
		u, err := c.do(ctx, c)
		return func() tea.Cmd { return m.changed(c, u, err) }
	}))
}

// changed tells what came of a change, and shows the directory anew, with the cursor
// on u. What the server asks is asked, and the change begun again.
func (m *Model) changed(c *serverChange, u urlcore.URL, failed error) tea.Cmd {
	c.stop(nil)
	m.changing = nil
	retry := func() tea.Cmd { return m.beginChange(c) }
	switch q := protocols.QuestionOf(failed).(type) {
	case *protocols.Confirm:
		question := ask.NewConfirm(q, retry)
		question.Reason = clean.Text(q.Reason)
		c.tab.Prompt = question
		if found := c.found(); found > 0 && q.Consent == protocols.ConsentReplace {
			rest := m.askRest(c, urlcore.Host(c.dir)+" has "+amountText(found, c.size.Load())+" of "+clean.Name(c.name))
			rest.No = func() tea.Cmd {
				c.tab.Prompt = question
				return nil
			}
			c.tab.Prompt = rest
		}
		return nil
	case *protocols.Login:
		c.tab.Prompt = ask.NewLogin(q, c.dir, retry)
		return nil
	}
	cmd := m.sayIn(c.tab, participles[c.verb][1]+" "+clean.Short(c.name))
	if failed != nil {
		err := failed
		if e := new(protocols.Error); errors.As(err, &e) && errors.Is(e, err) { // without its Op, which the message says
			answer := *e
			answer.Op, err = "", &answer
		}
		cmd = m.sayIn(c.tab, "not "+participles[c.verb][1]+": "+clean.Short(err.Error()))
		if e := new(protocols.Error); errors.As(failed, &e) && e.Reason.Network() && c.sent.Load() > 0 && c.tab.Prompt == nil {
			c.tab.Prompt = m.askRest(c, "Part of "+clean.Name(c.name)+" was sent ("+e.Reason.String()+")")
		}
	}
	for _, t := range m.tabs {
		p := t.Session.Page()
		if p == nil || p.URL != c.dir || t.Session.Loading() != nil {
			continue
		}
		cmd = tea.Batch(cmd, m.refresh(t))
		if t == c.tab && failed == nil {
			t.To.Link, t.To.Next = u, 0
		}
	}
	return cmd
}

// found is how much of the upload the server has, if that may be a beginning of it.
func (c *serverChange) found() int64 {
	if c.upload == nil || c.upload.Resume || c.upload.Found >= c.size.Load() {
		return 0
	}
	return c.upload.Found
}

// askRest asks whether to send what is missing at the end of the file on the
// server.
func (m *Model) askRest(c *serverChange, why string) *ask.Question {
	return ask.NewQuestion(why+": send only the rest?", true, func() tea.Cmd {
		c.upload.Resume = true
		return m.beginChange(c)
	})
}

func (s *screen) changingText() string {
	c := s.m.changing
	text := participles[c.verb][0] + " " + clean.Name(c.name)
	if size := c.size.Load(); size > 0 {
		text += " " + amountText(c.sent.Load(), size) + cell.Rate(c.sent.Load(), s.m.now().Sub(c.begun))
	}
	return text
}

// stopChange ends a change after a question.
func (m *Model) stopChange() tea.Cmd {
	c := m.changing
	return m.tab.Ask(ask.NewQuestion("Stop "+m.drawing().changingText()+"?", true, func() tea.Cmd {
		c.stop(nav.ErrStopped) // what comes of it is told by its message
		return nil
	}))
}
