package transfer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/upload"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Changes changes directories of servers, one change at a time.
type Changes struct {
	program room.Program
	current *change           // or nil
	edits   map[string]string // names of edited files by the paths that they are kept at
	// Refused is the reason why changes are not allowed, or "".
	Refused string
	// Change makes a change and returns the URL of the changed item.
	Change func(ctx context.Context, c *protocols.Change) (urlcore.URL, error)
	// Upload stores the file at path.
	Upload func(ctx context.Context, path string, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error
	// Server stores and removes directories with all that is in them; nil: only files are stored.
	Server upload.Server
	// FetchFile fetches a document to a temporary file and calls then outside of the event loop.
	FetchFile func(u urlcore.URL, then func(path string, err error) func() tea.Cmd) tea.Cmd
	// Editor opens a file in the user's editor after begin; nil if there is none.
	Editor func(path string, begin func() error, ended func(err error) tea.Cmd) tea.Cmd
	Folder string // for edited files that could not be stored
	// URLText returns a URL as it is shown in a question.
	URLText func(u urlcore.URL) string
	Context func() context.Context // of the program
	Now     func() time.Time
}

// NewChanges returns the changes for a program.
func NewChanges(p room.Program) *Changes { return &Changes{program: p, edits: make(map[string]string)} }

// Active reports whether a change is running.
func (cs *Changes) Active() bool { return cs.current != nil }

// change is a change to a directory of a server.
type change struct {
	tab  *viewer.Viewer
	dir  urlcore.URL                                         // URL of the page
	name string                                              // of the entry, as it is shown
	verb string                                              // a key of participles
	do   func(context.Context, *change) (urlcore.URL, error) // returns the URL to put the cursor on, or nil
	stop context.CancelCauseFunc

	begun      time.Time
	upload     *protocols.Upload // or nil
	edited     string            // the path of the edited file to be stored, or ""
	sent, size atomic.Int64      // of the upload
	batch      *batch            // or nil
	// then is called after a change that has only listed something; text describes the progress,
	// and result the end. All three may be nil.
	then   func() tea.Cmd
	text   func() string
	result func(failed error) string
}

// participles are the present and past participles of the verbs.
var participles = map[string][2]string{
	"remove": {"removing", "removed"}, "rename": {"renaming", "renamed"},
	"make": {"making", "made"}, "move": {"moving", "moved"}, "list": {"listing", "listed"},
	"chmod": {"changing the mode of", "changed the mode of"}, "upload": {"uploading", "uploaded"},
}

// parent is the URL of a directory that can have new entries.
type parent interface {
	urlcore.URL
	Child(name string) (urlcore.URL, error)
}

// changeable returns the directory of the page. If it cannot be changed, it returns nil and the
// notice that says why.
func (cs *Changes) changeable() (dir parent, notice tea.Cmd) {
	p := cs.program.Tab().Session.Page()
	ok := p != nil && p.Layout == protocols.LayoutDirectory && p.Failed == nil
	if ok {
		dir, ok = p.URL.(parent)
	}
	switch {
	case !ok || dir == nil:
		return nil, cs.program.Say("this page is no directory that can be changed")
	case cs.Refused != "":
		return nil, cs.program.Say(cs.Refused)
	case cs.current != nil:
		return nil, cs.program.Say("wait until " + cs.current.name + " is done")
	}
	return dir, nil
}

// changeableItems is like changeable, and also returns the items that are entries of the directory.
func (cs *Changes) changeableItems(items *viewer.Items) (dir parent, _ *viewer.Items, notice tea.Cmd) {
	if dir, notice = cs.changeable(); dir == nil {
		return nil, nil, notice
	}
	items.Lines = slices.DeleteFunc(items.Lines, func(l protocols.Line) bool {
		return l.Link.Scheme() != dir.Scheme() || urlcore.Host(l.Link) != urlcore.Host(dir)
	})
	if len(items.Lines) == 0 {
		return nil, nil, cs.program.Say("there is no entry of the directory under the cursor")
	}
	return dir, items, nil
}

// Rename asks for a new name for the entry under the cursor, or for the directory to move the
// tagged entries to.
func (cs *Changes) Rename() tea.Cmd {
	dir, items, notice := cs.changeableItems(cs.program.Tab().Items())
	switch {
	case dir == nil:
		return notice
	case items.Tagged:
		return cs.move(dir, items)
	}
	t, name := items.View, items.Text(0)
	return t.AskLine("Rename "+clean.Name(name), "To", name, func(to string) tea.Cmd {
		if to == name {
			return nil
		}
		return cs.askChange(t, dir, "rename", name, "Rename "+clean.Name(name)+" to "+clean.Name(to)+"?", &protocols.Change{Kind: protocols.Rename, URL: items.Lines[0].Link, Name: to})
	})
}

// MakeDirectory asks for the name of a new subdirectory of the page's directory.
func (cs *Changes) MakeDirectory() tea.Cmd {
	dir, notice := cs.changeable()
	if dir == nil {
		return notice
	}
	t := cs.program.Tab()
	return t.AskLine("Make a directory", "Name", "", func(name string) tea.Cmd {
		return cs.askChange(t, dir, "make", name, "Make the directory "+clean.Name(name)+" at "+urlcore.Host(dir)+"?", &protocols.Change{Kind: protocols.MakeDirectory, URL: dir, Name: name})
	})
}

// UploadFile asks for a local file and stores it in the directory of the page.
func (cs *Changes) UploadFile() tea.Cmd {
	dir, notice := cs.changeable()
	if dir == nil {
		return notice
	}
	t := cs.program.Tab()
	p := ask.NewLine(ask.Head{Title: "Upload a file or directory (" + cs.program.KeyIn("prompt", "next field", "Tab") + ": choose)"}, ask.Field{Label: "Path", Input: protocols.InputFile})
	p.Changed = func(string) (tea.Cmd, error) { return nil, nil } // removes the error
	p.Finish = func(answers []string) tea.Cmd {
		if answers[0] == "" {
			return nil
		}
		path := userfile.ExpandHome(answers[0])
		return cs.program.AsyncAsk(func() func() tea.Cmd {
			whole, err := filepath.Abs(path) // the name of "."
			name := filepath.Base(whole)
			to, refused := dir.Child(name)
			info, failed := os.Stat(path)
			_, isFTP := to.(urlcore.FTP)
			isTree := isFTP && failed == nil && info.IsDir() && cs.Server != nil
			if err == nil && !isTree {
				info, err = userfile.Stat(path)
			}
			return func() tea.Cmd {
				switch {
				case err == nil && refused != nil:
					return cs.program.SayIn(t, "not uploaded: "+refused.Error())
				case err == nil && isTree:
					return cs.planTree(t, dir, to.(urlcore.FTP), path, name)
				case err == nil:
					return cs.askUpload(t, dir, to, path, name, info.Size())
				}
				why := ask.FileError(err)
				if cs.program.Tab() != t || cs.program.PromptOpen() {
					return cs.program.SayIn(t, "not uploaded: "+why)
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
func (cs *Changes) askUpload(t *viewer.Viewer, dir, to urlcore.URL, path, name string, size int64) tea.Cmd {
	up := new(protocols.Upload)
	ch := &change{tab: t, dir: dir, verb: "upload", name: name, upload: up}
	ch.size.Store(size)
	ch.do = func(ctx context.Context, c *change) (urlcore.URL, error) {
		return to, cs.Upload(ctx, path, to, up, func(sent, size int64) { c.sent.Store(sent); c.size.Store(size) })
	}
	return cs.ask(ch, cs.sendQuestion(ch, clean.Name(name)+" ("+cell.Size(size)+")"))
}

// sendQuestion returns the question whether to begin an upload.
func (cs *Changes) sendQuestion(c *change, what string) *ask.Question {
	return ask.NewQuestion("Send "+what+" to "+clean.Name(cs.URLText(c.dir))+"?", true, func() tea.Cmd { return cs.begin(c) })
}

// askChange asks whether to make a change.
func (cs *Changes) askChange(t *viewer.Viewer, dir urlcore.URL, verb, name, question string, c *protocols.Change) tea.Cmd {
	ch := &change{tab: t, dir: dir, verb: verb, name: name, do: func(ctx context.Context, _ *change) (urlcore.URL, error) {
		return cs.Change(ctx, c)
	}}
	return t.Ask(ask.NewQuestion(question, false, func() tea.Cmd { return cs.begin(ch) }))
}

// Run starts a job that changes nothing on a server. At its end it loads the page shown again.
func (cs *Changes) Run(t *viewer.Viewer, shown urlcore.URL, text func() string, do func(context.Context) error, result func(failed error) string) tea.Cmd {
	each := func(ctx context.Context, _ *change) (urlcore.URL, error) { return nil, do(ctx) }
	return cs.begin(&change{tab: t, dir: shown, name: "the other job", text: text, result: result, do: each})
}

func (cs *Changes) begin(c *change) tea.Cmd {
	if cs.current != nil && c.edited != "" {
		return cs.notStored(c, ": "+clean.Short(cs.current.name)+" is not done")
	}
	if cs.current != nil {
		return cs.program.Say("wait until " + clean.Short(cs.current.name) + " is done")
	}
	cs.current, c.begun = c, cs.Now()
	var ctx context.Context
	ctx, c.stop = context.WithCancelCause(cs.Context())
	return tea.Batch(cs.program.Tick(), cs.program.Keep(func() func() tea.Cmd {
		u, err := c.do(ctx, c)
		return func() tea.Cmd { return cs.changed(c, u, err) }
	}))
}

// changed shows the result of a change and reloads the directory, with the cursor on u. If the
// server has a question, it is asked and the change started again after the answer.
func (cs *Changes) changed(c *change, u urlcore.URL, failed error) tea.Cmd {
	c.stop(nil)
	cs.current = nil
	retry := func() tea.Cmd { return cs.begin(c) }
	var cmd tea.Cmd
	if c.batch != nil && c.batch.settle() && protocols.QuestionOf(failed) != nil {
		cmd = cs.refresh(c, nil)
	}
	switch q := protocols.QuestionOf(failed).(type) {
	case *protocols.Confirm:
		question := ask.NewConfirm(q, retry)
		question.Reason = clean.Text(q.Reason)
		question.No = func() tea.Cmd { return cs.notStored(c, "") }
		first := question
		if c.result != nil && c.batch != nil && q.Consent == protocols.ConsentReplace {
			question.No = func() tea.Cmd {
				c.batch.skip()
				return retry()
			}
		}
		if found := c.found(); found > 0 && q.Consent == protocols.ConsentReplace {
			rest := cs.askRest(c, urlcore.Host(c.dir)+" has "+cell.Amount(found, c.size.Load())+" of "+clean.Name(c.name))
			rest.No = func() tea.Cmd {
				c.tab.Prompt = question
				return nil
			}
			first = rest
		}
		return tea.Batch(cmd, cs.ask(c, first))
	case *protocols.Login:
		login := ask.NewLogin(q, c.dir, retry)
		login.Leave = func([]string) tea.Cmd { return cs.notStored(c, "") }
		return tea.Batch(cmd, cs.ask(c, login))
	}
	if failed == nil && c.then != nil {
		return c.then()
	}
	text := participles[c.verb][1] + " " + clean.Short(c.name)
	e, known := errors.AsType[*protocols.Error](failed)
	switch {
	case c.result != nil && !errors.Is(failed, protocols.ErrNoTarget):
		text = c.result(failed)
	case failed != nil:
		text = "not " + participles[c.verb][1] + ": " + clean.Short(withoutOp(failed).Error())
	}
	cmd = cs.program.SayIn(c.tab, text)
	if known && e.Reason.Network() && c.upload != nil && c.result == nil && c.sent.Load() > 0 && c.tab.Prompt == nil {
		c.tab.Prompt = cs.askRest(c, "Part of "+clean.Name(c.name)+" was sent ("+e.Reason.String()+")")
	}
	if failed != nil {
		u = nil
	}
	return tea.Batch(cmd, cs.refresh(c, u))
}

// refresh reloads the directory of c, with the cursor on u unless it is nil.
func (cs *Changes) refresh(c *change, u urlcore.URL) (cmd tea.Cmd) {
	for _, t := range cs.program.Tabs() {
		p := t.Session.Page()
		if p == nil || p.URL != c.dir || t.Session.Loading() != nil {
			continue
		}
		cmd = tea.Batch(cmd, cs.program.Refresh(t))
		if t == c.tab && u != nil {
			t.To.GoTo(u, "")
		}
	}
	return cmd
}

// withoutOp returns an error without the failed operation, which the notice names.
func withoutOp(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok && errors.Is(e, err) {
		answer := *e
		answer.Op, err = "", &answer
	}
	return err
}

// ask shows the server's question about c. If the tab has been closed, a notice says so.
func (cs *Changes) ask(c *change, p ask.Prompt) tea.Cmd {
	c.tab.AskNext(func() { c.tab.Prompt = p })
	if slices.Contains(cs.program.Tabs(), c.tab) {
		return nil
	}
	text := "not " + participles[c.verb][1] + " yet: the server asks; " + cs.program.KeyOf("undo close") + " opens the tab"
	if c.edited != "" {
		text += "; kept as " + c.edited
	}
	return cs.program.Say(text)
}

// found returns the number of octets of the upload that the server has, or 0 if they cannot be
// its beginning.
func (c *change) found() int64 {
	if c.upload == nil || c.upload.Resume || c.upload.Found >= c.size.Load() {
		return 0
	}
	return c.upload.Found
}

// askRest asks whether to send only the missing end of the file.
func (cs *Changes) askRest(c *change, why string) *ask.Question {
	return ask.NewQuestion(why+": send only the rest?", true, func() tea.Cmd {
		c.upload.Resume = true
		return cs.begin(c)
	})
}

// Text describes the running change, or returns "".
func (cs *Changes) Text() string {
	ch := cs.current
	if ch == nil {
		return ""
	}
	if ch.text != nil {
		return ch.text()
	}
	text := participles[ch.verb][0] + " " + clean.Name(ch.name)
	if size := ch.size.Load(); size > 0 {
		text += " " + cell.Amount(ch.sent.Load(), size) + cell.Rate(ch.sent.Load(), cs.Now().Sub(ch.begun))
	}
	return text
}

// Stop stops the change if the user confirms it.
func (cs *Changes) Stop() tea.Cmd {
	c := cs.current
	return cs.program.Tab().Ask(ask.NewQuestion("Stop "+cs.Text()+"?", true, func() tea.Cmd {
		c.stop(nav.ErrStopped) // changed says so
		return nil
	}))
}
