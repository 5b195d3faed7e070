// Package outside passes items and pages to other programs. It opens documents, pipes texts and
// documents to commands, and writes texts to files.
package outside

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

	"gofer/internal/program"
	"gofer/internal/program/opener"
	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/internal/transfer/download"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Programs runs other programs for the user.
type Programs struct {
	program room.Program
	Options
	temp        program.TempFolders // folders of files for other programs
	allowed     map[string]bool     // pairs of a program and a kind of document that the user has allowed
	lastCommand string              // last command that was typed for a pipe
}

// Options are what other programs need besides gofer.
type Options struct {
	Opener  func() *opener.Programs // returns the programs for files and URLs, or nil
	Manager *download.Manager       // fetches documents, or nil
	// Lend runs a program in the terminal.
	Lend  func(p program.Program) tea.Cmd
	Width func() int // returns the width of the screen
}

// New returns the programs for p.
func New(p room.Program, o Options) *Programs {
	return &Programs{program: p, Options: o, allowed: make(map[string]bool)}
}

// RemoveFiles removes the temporary files that other programs have opened.
func (ps *Programs) RemoveFiles() { ps.temp.Remove() }

// notifier returns the function that shows a notice.
func (ps *Programs) notifier(text string) func() tea.Cmd {
	return func() tea.Cmd { return ps.program.Notify(text) }
}

// showError shows an error page over the page of v.
func (ps *Programs) showError(v *viewer.Viewer, u urlcore.URL, err error) {
	v.Session.ShowError(u, err)
	ps.program.ShowPage(v)
}

// Open opens the item under the cursor, or the page, with another program. The program gets a document
// as a file, but a web page or anything else as a URL.
func (ps *Programs) Open() tea.Cmd {
	v, programs := ps.program.Tab(), ps.Opener()
	u, fragment := v.DocumentURL(), ""
	if u == v.CurrentURL() {
		fragment = v.CurrentFragment()
	} else if p := v.Session.Page(); p != nil {
		fragment = p.Fragment
	}
	switch {
	case u == nil:
		return nil
	case u.Scheme() == "about":
		return ps.program.Notify("this page is gofer's own: " + ps.program.KeyOf("pipe text") + " pipes its text, " + ps.program.KeyOf("save text") + " saves it")
	case programs == nil:
		return ps.program.Notify("items cannot be opened with other programs here")
	case !viewer.IsSavable(protocols.KindOf(u)), isWebPage(u):
		return ps.program.RunInBackground(func() func() tea.Cmd {
			h, err := programs.HandoffForLink(u, fragment)
			if err != nil {
				return ps.showNotOpened(v, u, err)
			}
			return func() tea.Cmd { return ps.runOutside(v, &opener.Command{Handoff: *h, Media: u.Scheme()}) }
		})
	}
	return ps.fetchFile(u, func(ctx context.Context, file fetchedFile) func() tea.Cmd {
		return ps.openWith(ctx, programs, v, u, file)
	})
}

// openWith finds the program for a file and runs it.
func (ps *Programs) openWith(ctx context.Context, programs *opener.Programs, v *viewer.Viewer, u urlcore.URL, file fetchedFile) func() tea.Cmd {
	if file.err != nil {
		return ps.showNotOpened(v, u, file.err)
	}
	c, err := programs.CommandForFile(ctx, u, file.path, file.media)
	if err == nil && c.File != file.path {
		err = os.Rename(file.path, c.File)
	}
	if err != nil {
		_ = os.RemoveAll(filepath.Dir(file.path))
		return ps.showNotOpened(v, u, err)
	}
	return func() tea.Cmd { return ps.runOutside(v, c) }
}

// OpenSaved opens a saved file with another program, under a harmless name.
func (ps *Programs) OpenSaved(s *download.Status) tea.Cmd {
	ctx, programs, v, temp := ps.program.Context(), ps.Opener(), ps.program.Tab(), &ps.temp
	if programs == nil {
		return ps.program.Notify("items cannot be opened with other programs here")
	}
	return ps.program.RunInBackground(func() func() tea.Cmd {
		dir, err := temp.Create()
		if err != nil {
			return ps.showNotOpened(v, s.URL, err)
		}
		name, media := fileName(s.URL, s.Media)
		path := filepath.Join(dir, name)
		if err = os.Symlink(s.Path, path); err != nil {
			err = os.Link(s.Path, path)
		}
		return ps.openWith(ctx, programs, v, s.URL, fetchedFile{path, media, err})
	})
}

// isWebPage reports whether u is a web page, which a browser fetches itself.
func isWebPage(u urlcore.URL) bool {
	h, web := u.(urlcore.HTTP)
	return web && h.Name == "" && protocols.KindOf(u) == protocols.HTML
}

// fetchedFile is a document in a temporary file.
type fetchedFile struct {
	path  string
	media string
	err   error
}

// fetchFile fetches the document at u to a temporary file. It passes the file to the function next, outside
// of the event loop. The file is removed when gofer ends, or earlier.
func (ps *Programs) fetchFile(u urlcore.URL, next func(context.Context, fetchedFile) func() tea.Cmd) tea.Cmd {
	if ps.Manager == nil {
		return ps.program.Notify("files cannot be saved here")
	}
	ctx, dir, temp := ps.program.Context(), "", &ps.temp
	item, added := ps.Manager.Add(download.Request{URL: u, Private: true, Dir: func() (_ string, err error) {
		dir, err = temp.Create()
		return dir, err
	}})
	if !added {
		return ps.program.Notify("already being saved")
	}
	return tea.Batch(ps.program.Tick(), ps.program.RunInBackground(func() func() tea.Cmd {
		s := item.Wait()
		if s.State != download.Saved {
			_ = os.RemoveAll(dir) // since the disk may be full
			return next(ctx, fetchedFile{err: cmp.Or(s.Err, nav.ErrStopped)})
		}
		name, media := fileName(u, s.Media)
		path := filepath.Join(dir, name)
		err := os.Rename(s.Path, path)
		return next(ctx, fetchedFile{path, media, err})
	}))
}

// FetchFile fetches the document at u to a temporary file in its own folder. It passes the path to the
// function next, outside of the event loop. The file is removed when gofer ends, or earlier.
func (ps *Programs) FetchFile(u urlcore.URL, next func(path string, err error) func() tea.Cmd) tea.Cmd {
	return ps.fetchFile(u, func(_ context.Context, f fetchedFile) func() tea.Cmd { return next(f.path, f.err) })
}

// fileName returns a file name for the document at u, and its media type. The name has only letters,
// digits and harmless punctuation. A name without a suffix gets the suffix of the media type. The suffix
// decides the media type if the parameter media is "" or application/octet-stream.
func fileName(u urlcore.URL, media string) (name, kind string) {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, download.FileName(u))
	suffixMedia, _ := protocols.BySuffix(name)
	switch base, _, _ := mime.ParseMediaType(media); {
	case media == "", base == "application/octet-stream" && suffixMedia != "":
		media = suffixMedia
	case suffixMedia == "" && filepath.Ext(name) == "":
		name += suffixOf(base)
	}
	return name, media
}

// suffixOf returns the file suffix of a media type, or "" if the suffix is unknown.
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

// runOutside runs a program. It asks the user first, unless the user has allowed the program for this
// kind of document.
func (ps *Programs) runOutside(v *viewer.Viewer, c *opener.Command) tea.Cmd {
	p := program.Program{Argv: c.Argv, Window: c.Window, Pager: c.Pager}
	if c.Stdin {
		p.Stdin = func() (io.ReadCloser, error) { return os.Open(c.File) }
	}
	if c.File != "" && !c.Window {
		p.OnEnd = func() { _ = os.RemoveAll(filepath.Dir(c.File)) }
	}
	kind := c.Argv[0] + " " + c.Media
	if c.Always || ps.allowed[kind] {
		return ps.Run(p)
	}
	ps.showError(v, c.URL, &c.Handoff)
	q := ps.runQuestion(v, &c.Handoff, func() tea.Cmd {
		ps.allowed[kind] = true
		return ps.Run(p)
	})
	q.No = func() tea.Cmd {
		if c.File != "" {
			_ = os.RemoveAll(filepath.Dir(c.File))
		}
		return ps.leaveOverlay(v)
	}
	return v.Ask(q)
}

// showNotOpened shows why nothing was opened. If the reason is too long for the status line,
// showNotOpened shows it on a page.
func (ps *Programs) showNotOpened(v *viewer.Viewer, u urlcore.URL, err error) func() tea.Cmd {
	return func() tea.Cmd {
		text := "not opened: " + causeText(err)
		if ps.program.Tab().Pager.Cells.Width(text) <= ps.Width()-2 {
			return ps.program.NotifyIn(v, text)
		}
		ps.showError(v, u, err)
		return ps.program.NotifyIn(v, "not opened")
	}
}

// causeText returns the reason why an operation failed, without the name of the operation.
func causeText(err error) string {
	var e *protocols.Error
	if errors.As(err, &e) && e.Text == "" && e.Err != nil && e.Reason != protocols.LocalFailure {
		return clean.Short(e.Err.Error())
	}
	return sentence.Of(err)
}

// runQuestion returns the question whether to run the program of h. The page on the screen shows the
// arguments. After a yes the previous page is shown again.
func (ps *Programs) runQuestion(v *viewer.Viewer, h *protocols.Handoff, run func() tea.Cmd) *ask.Question {
	return ask.NewQuestion("Run "+clean.Name(filepath.Base(h.Argv[0]))+"?", true, func() tea.Cmd {
		ps.leaveOverlay(v)
		return run()
	})
}

// leaveOverlay goes back from an error page to the page below it.
func (ps *Programs) leaveOverlay(v *viewer.Viewer) tea.Cmd {
	if p := v.Session.Page(); p != nil && p.Failed != nil && v.Session.CanGoBack() {
		v.Session.GoBack()
		ps.program.ShowPage(v)
	}
	return nil
}

// AddFragment adds the fragment of the link that h opens to the arguments of its program.
func (ps *Programs) AddFragment(h *protocols.Handoff, fragment string) {
	if fragment == "" || ps.Opener() == nil {
		return
	}
	if with, err := ps.Opener().HandoffForLink(h.URL, fragment); err == nil {
		h.Argv = with.Argv
	}
}

// HandOff asks whether to run the program for a URL that gofer cannot open. If the user has allowed the
// program in advance, HandOff runs it at once.
func (ps *Programs) HandOff(v *viewer.Viewer, h *protocols.Handoff) tea.Cmd {
	p := program.Program{Argv: h.Argv, Window: h.Window}
	if h.Always {
		return tea.Batch(ps.leaveOverlay(v), ps.Run(p))
	}
	v.AskHere(ps.runQuestion(v, h, func() tea.Cmd { return ps.Run(p) }))
	return nil
}

// Run runs p in the terminal, or in a window.
func (ps *Programs) Run(p program.Program) tea.Cmd {
	if ps.program.Config().Restrict.Enabled {
		return ps.program.Notify(room.NotAllowed)
	}
	if p.Env == nil {
		p.Env = program.Env(os.Environ())
	}
	if p.Name == "" {
		p.Name = filepath.Base(p.Argv[0])
	}
	ctx, name := ps.program.Context(), p.Name
	if p.Window {
		return tea.Batch(ps.program.Notify("started "+clean.Short(name)), ps.program.RunInBackground(func() func() tea.Cmd {
			err := p.Start()
			if err == nil || ctx.Err() != nil {
				return nil
			}
			return ps.notifier(clean.Short(program.EndText(name, err)))
		}))
	}
	return ps.Lend(p)
}
