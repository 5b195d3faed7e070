package ui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/download"
	"gofer/internal/program"
	"gofer/internal/program/opener"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/term"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// openOutside opens the item under the cursor, or the page, with another
// program: a document as a file, anything else by its URL.
func (m *Model) openOutside() tea.Cmd {
	u, programs, t := m.tab.Document(), m.opts.Programs, m.tab
	switch {
	case u == nil:
		return nil
	case u.Scheme() == "about":
		return m.say("this page is gofer's own: " + m.keys.keyOf("pipe text") + " pipes its text, " + m.keys.keyOf("save text") + " saves it")
	case programs == nil:
		return m.say("nothing is opened with other programs here")
	case !viewer.Savable(protocols.KindOf(u)), isWebPage(u):
		return async(func() resultFunc {
			h, err := programs.URL(u)
			if err != nil {
				return m.notOpened(t, u, err)
			}
			return m.opens(t, &opener.Command{Handoff: *h, Kind: u.Scheme()})
		})
	}
	return m.fetchFile(u, func(ctx context.Context, file fetched) resultFunc { return m.openIn(ctx, programs, t, u, file) })
}

// openIn finds the program for a file.
func (m *Model) openIn(ctx context.Context, programs *opener.Programs, t *tab, u urlcore.URL, file fetched) resultFunc {
	if file.err != nil {
		return m.notOpened(t, u, file.err)
	}
	c, err := programs.File(ctx, u, file.path, file.media)
	if err == nil && c.File != file.path {
		err = os.Rename(file.path, c.File)
	}
	if err != nil {
		_ = os.RemoveAll(filepath.Dir(file.path))
		return m.notOpened(t, u, err)
	}
	return m.opens(t, c)
}

// openSaved opens a file that has been saved with another program, which gets it
// under a harmless name.
func (m *Model) openSaved(s *download.Status) tea.Cmd {
	ctx, programs, t, temp := m.ctx, m.opts.Programs, m.tab, m.temp
	if programs == nil {
		return m.say("nothing is opened with other programs here")
	}
	return async(func() resultFunc {
		dir, err := temp.Create()
		if err != nil {
			return m.notOpened(t, s.URL, err)
		}
		name, media := fileName(s.URL, s.Media)
		path := filepath.Join(dir, name)
		if err = os.Symlink(s.Path, path); err != nil {
			err = os.Link(s.Path, path)
		}
		return m.openIn(ctx, programs, t, s.URL, fetched{path, media, err})
	})
}

// isWebPage reports whether u is a page of the web, which a browser fetches
// itself.
func isWebPage(u urlcore.URL) bool {
	h, web := u.(urlcore.HTTP)
	return web && h.Name == "" && protocols.KindOf(u) == protocols.HTML
}

// fetched is a document in a file of its own.
type fetched struct {
	path  string
	media string
	err   error
}

// fetchFile fetches what u names to a private file, and then calls then in the
// same command. The file goes with the program, at the latest.
func (m *Model) fetchFile(u urlcore.URL, then func(context.Context, fetched) resultFunc) tea.Cmd {
	if m.opts.Downloads == nil {
		return m.say("files cannot be saved here")
	}
	ctx, dir, temp := m.ctx, "", m.temp
	item, added := m.opts.Downloads.Add(download.Request{URL: u, Private: true, Dir: func() (_ string, err error) {
		dir, err = temp.Create()
		return dir, err
	}})
	if !added {
		return m.say("this is being saved already")
	}
	return tea.Batch(m.tick(), async(func() resultFunc {
		s := item.Wait()
		if s.State != download.Saved {
			_ = os.RemoveAll(dir) // it may be what has filled the disk
			return then(ctx, fetched{err: cmp.Or(s.Err, nav.ErrStopped)})
		}
		name, media := fileName(u, s.Media)
		path := filepath.Join(dir, name)
		err := os.Rename(s.Path, path)
		return then(ctx, fetched{path, media, err})
	}))
}

// fileName is the name of a file for other programs, of letters, digits and
// harmless marks only and with a suffix that suits its media type, and that
// type.
func fileName(u urlcore.URL, media string) (name, kind string) {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, download.FileName(u))
	promised, _ := protocols.BySuffix(name)
	switch base, _, _ := mime.ParseMediaType(media); {
	case media == "", base == "application/octet-stream" && promised != "":
		media = promised
	case promised == "" && filepath.Ext(name) == "":
		name += suffixOf(base)
	}
	return name, media
}

// suffixOf is a file suffix for a media type, "" if none is known.
func suffixOf(media string) string {
	switch media {
	case "text/plain":
		return ".txt"
	case "text/html":
		return ".html"
	case "message/rfc822":
		return ".eml"
	case "image/jpeg":
		return ".jpg"
	}
	if list, err := mime.ExtensionsByType(media); err == nil && len(list) > 0 {
		return list[0]
	}
	return ""
}

// opens is the result of a program that has been found.
func (m *Model) opens(t *tab, c *opener.Command) resultFunc {
	return func() tea.Cmd { return m.runOutside(t, c) }
}

// runOutside asks whether to run a program, unless the user has said so before for
// this kind of document.
func (m *Model) runOutside(t *tab, c *opener.Command) tea.Cmd {
	p := program.Program{Argv: c.Argv, Window: c.Window, Pager: c.Pager}
	if c.Stdin {
		p.Stdin = func() (io.ReadCloser, error) { return os.Open(c.File) }
	}
	if c.File != "" && !c.Window {
		p.Ended = func() { _ = os.RemoveAll(filepath.Dir(c.File)) }
	}
	kind := c.Argv[0] + " " + c.Kind
	if c.Always || m.allowed[kind] {
		return m.runProgram(p)
	}
	t.showError(c.URL, &c.Handoff)
	q := t.askRun(&c.Handoff, func() tea.Cmd {
		m.allowed[kind] = true
		return m.runProgram(p)
	})
	q.No = func() tea.Cmd {
		if c.File != "" {
			_ = os.RemoveAll(filepath.Dir(c.File))
		}
		return t.leaveOverlay()
	}
	return t.Ask(q)
}

// notOpened says why nothing was opened; what has no room in the status line is on a
// page.
func (m *Model) notOpened(t *tab, u urlcore.URL, err error) resultFunc {
	return func() tea.Cmd {
		text := "not opened: " + causeText(err)
		if m.tab.Pager.Cells.Width(text) <= m.width-2 {
			return m.sayIn(t, text)
		}
		t.showError(u, err)
		return m.sayIn(t, "not opened")
	}
}

// causeText tells why something failed, without what was being done.
func causeText(err error) string {
	var e *protocols.Error
	if errors.As(err, &e) && e.Text == "" && e.Err != nil && e.Reason != protocols.LocalFailure {
		return clean.Short(e.Err.Error())
	}
	return nav.Sentence(err)
}

// askRun asks whether to run h, whose argv the page shows. After a yes the page
// before is back.
func (t *tab) askRun(h *protocols.Handoff, run func() tea.Cmd) *ask.Question {
	return ask.NewQuestion("Run "+clean.Name(filepath.Base(h.Argv[0]))+"?", true, func() tea.Cmd {
		t.leaveOverlay()
		return run()
	})
}

// leaveOverlay goes back from a page that lies over another one.
func (t *tab) leaveOverlay() tea.Cmd {
	if p := t.Session.Page(); p != nil && p.Failed != nil && t.Session.CanBack() {
		t.Session.Back()
		t.showPage()
	}
	return nil
}

// handOff asks whether to run the program for a URL that gofer does not open.
func (m *Model) handOff(t *tab, h *protocols.Handoff) tea.Cmd {
	p := program.Program{Argv: h.Argv, Window: h.Window}
	if h.Always {
		return tea.Batch(m.tab.leaveOverlay(), m.runProgram(p))
	}
	t.Prompt = t.askRun(h, func() tea.Cmd { return m.runProgram(p) })
	return nil
}

// programs is what is remembered of other programs while gofer runs.
type programs struct {
	temp        *program.TempFolders // files for them
	allowed     map[string]bool      // programs and kinds of documents to which the reader has said yes
	lastCommand string               // that was typed to pipe something to
}

// runProgram runs p, in the terminal or beside it.
func (m *Model) runProgram(p program.Program) tea.Cmd {
	if m.opts.Restricted {
		return m.say(restrictedText)
	}
	if p.Env == nil {
		p.Env = program.Env(os.Environ())
	}
	if p.Name == "" {
		p.Name = filepath.Base(p.Argv[0])
	}
	ctx, name := m.ctx, p.Name
	if p.Window {
		return tea.Batch(m.say("started "+clean.Short(name)), async(func() resultFunc {
			err := p.Start()
			if err == nil || ctx.Err() != nil {
				return nil
			}
			return m.saying(clean.Short(program.EndText(name, err)))
		}))
	}
	return m.terminal.LendTo(m.ctx, func(l *term.Loan) error { return l.Program(p) }, nil)
}
