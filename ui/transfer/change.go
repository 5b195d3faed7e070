package transfer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/across"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Changes makes changes to directories on servers, one at a time.
type Changes struct {
	program room.Program
	current *change           // or nil
	edits   map[string]string // name of each edited file by its local path
	ChangeOptions
}

// ChangeOptions are what changes need besides the program. If Change is nil, servers are read-only.
type ChangeOptions struct {
	// Downloads is the queue for copies between two directories.
	Downloads *Downloads
	// SaveBundle saves a bundle of pages; nil: bundles cannot be saved.
	SaveBundle SaveBundle
	// Change makes a change and returns the URL of the changed item.
	Change func(ctx context.Context, c *protocols.Change) (urlcore.URL, error)
	// Upload stores the file at path.
	Upload func(ctx context.Context, path string, u urlcore.URL, options *protocols.Upload, report func(sent, size int64)) error
	// Server stores and removes directories with their contents. If Server is nil, only files can be
	// stored.
	Server across.Server
	// FetchFile fetches a document to a temporary file, and calls the function next outside of the event loop.
	FetchFile func(u urlcore.URL, next func(path string, err error) func() tea.Cmd) tea.Cmd
	// Editor calls begin, opens a file in the user's editor, and then calls ended; nil if there is no editor.
	Editor func(path string, begin func() error, ended func(err error) tea.Cmd) tea.Cmd
	// URLText returns the text of a URL for a question.
	URLText func(u urlcore.URL) string
}

// NewChanges returns Changes for a program.
func NewChanges(p room.Program, o ChangeOptions) *Changes {
	return &Changes{program: p, ChangeOptions: o, edits: make(map[string]string)}
}

// IsRunning reports whether a change is running.
func (cs *Changes) IsRunning() bool { return cs.current != nil }

// change is a change to a directory of a server.
type change struct {
	tab  *viewer.Viewer
	dir  urlcore.URL                                         // the URL of the page
	name string                                              // name of the item, for messages
	verb string                                              // verb of the change, a key of participles
	do   func(context.Context, *change) (urlcore.URL, error) // makes the change; returns the URL for the cursor, or nil
	stop context.CancelCauseFunc

	startTime  time.Time
	upload     *protocols.Upload // or nil
	shortText  string            // text of ShortText; "": the verb and the name
	editedPath string            // path of the edited file to store, or ""
	sent, size atomic.Int64      // octets of the upload
	batch      *batch            // or nil
	skip       func()            // leaves the current one of several items out, and is called before the change goes on; or nil
	// If next is not nil, it is called after a successful change, and the result is not shown. If
	// describe and resultText are not nil, they return the texts for the progress and the result.
	next       func() tea.Cmd
	describe   func() string
	resultText func(err error) string
}

// isLong reports whether the user may read on while c runs: it sends or fetches documents.
func (c *change) isLong() bool { return c.verb == "upload" || c.verb == "" }

// participles has the present and past participles of the verbs of changes.
var participles = map[string][2]string{
	"remove": {"removing", "removed"}, "rename": {"renaming", "renamed"},
	"make": {"making", "made"}, "move": {"moving", "moved"}, "list": {"listing", "listed"},
	"chmod": {"changing the mode of", "changed the mode of"}, "upload": {"uploading", "uploaded"},
}

// parentDir is the URL of a directory that can have new items.
type parentDir interface {
	urlcore.URL
	Child(name string) (urlcore.URL, error)
}

// directory returns the directory of the page, if it can have new items.
func (cs *Changes) directory() (dir parentDir, ok bool) { return directoryIn(cs.program.Tab()) }

// directoryIn returns the directory of the page of a tab, if it can have new items.
func directoryIn(t *viewer.Viewer) (dir parentDir, ok bool) {
	p := t.Session.Page()
	if p != nil && p.Layout == protocols.LayoutDirectory && p.Failed == nil {
		dir, ok = p.URL.(parentDir)
	}
	return dir, ok && dir != nil
}

// Blocks reports whether a change is running that the next change of the directory on the page must wait for.
func (cs *Changes) Blocks() bool {
	_, ok := cs.directory()
	return ok && cs.current != nil && cs.Change != nil
}

// changeableDir returns the directory of the page. If the directory cannot be changed, changeableDir
// returns nil and a notice with the reason.
func (cs *Changes) changeableDir() (dir parentDir, notice tea.Cmd) {
	return cs.changeable(cs.program.Tab())
}

// changeable is like changeableDir, for the page of a tab. A directory of this machine can be changed only beside another page.
func (cs *Changes) changeable(t *viewer.Viewer) (dir parentDir, notice tea.Cmd) {
	dir, ok := directoryIn(t)
	_, isLocal := dir.(urlcore.File)
	switch {
	case !ok && t == cs.program.Beside():
		return nil, cs.program.Notify("the page beside this one is not a directory that can be changed")
	case !ok:
		return nil, cs.program.Notify("this page is not a directory that can be changed")
	case isLocal && cs.program.Beside() == nil:
		return nil, cs.program.Notify("files of this machine are changed beside another page only: " + cs.program.KeyOf("pair") + " shows two tabs")
	case cs.program.Config().Restrict.Enabled:
		return nil, cs.program.Notify(room.NotAllowed)
	case cs.Change == nil:
		return nil, cs.program.Notify("read-only: nothing is changed on servers")
	case cs.current != nil:
		return nil, cs.program.Notify("wait until " + noticeName(cs.current.name) + " is done")
	}
	return dir, nil
}

// changeableItems is like changeableDir, but it also returns the items that are on the directory's
// server.
func (cs *Changes) changeableItems(items *viewer.Items) (dir parentDir, _ *viewer.Items, notice tea.Cmd) {
	if dir, notice = cs.changeableDir(); dir == nil {
		return nil, nil, notice
	}
	_, isLocal := dir.(urlcore.File)
	items.Lines = slices.DeleteFunc(items.Lines, func(l protocols.Line) bool {
		_, isFile := l.Note.(*protocols.FileNote)
		return isLocal && !isFile || l.Link.Scheme() != dir.Scheme() || urlcore.Host(l.Link) != urlcore.Host(dir)
	})
	if len(items.Lines) == 0 {
		return nil, nil, cs.program.Notify("no item of the directory under the cursor")
	}
	return dir, items, nil
}

// Rename asks for a new name for the item under the cursor, or for a directory to move the tagged
// items to.
func (cs *Changes) Rename() tea.Cmd {
	dir, items, notice := cs.changeableItems(cs.program.Tab().Items())
	switch {
	case dir == nil:
		return notice
	case items.Tagged:
		return cs.move(dir, items)
	}
	t, name := items.View, items.Text(0)
	return t.AskLine("Rename "+clean.Name(name), "To", name, func(newName string) tea.Cmd {
		if newName == name {
			return nil
		}
		return cs.changeOne(t, dir, "rename", name, &protocols.Change{Kind: protocols.Rename, URL: items.Lines[0].Link, Name: newName})
	})
}

// MakeDirectory asks for the name of a new subdirectory of the page's directory.
func (cs *Changes) MakeDirectory() tea.Cmd {
	dir, notice := cs.changeableDir()
	if dir == nil {
		return notice
	}
	t := cs.program.Tab()
	return t.AskLine("Make a directory at "+hostOf(dir), "Name", "", func(name string) tea.Cmd {
		return cs.changeOne(t, dir, "make", name, &protocols.Change{Kind: protocols.MakeDirectory, URL: dir, Name: name})
	})
}

// hostOf returns the name of the host of u, for a question.
func hostOf(u urlcore.URL) string { return cmp.Or(urlcore.Host(u), "this machine") }

// changeOne makes a change to an item or a directory. The user has typed the name or the mode, which is the only question, so
// that the keys after it are for the page.
func (cs *Changes) changeOne(t *viewer.Viewer, dir urlcore.URL, verb, name string, c *protocols.Change) tea.Cmd {
	return cs.begin(&change{tab: t, dir: dir, verb: verb, name: name, do: func(ctx context.Context, _ *change) (urlcore.URL, error) {
		return cs.Change(ctx, c)
	}})
}

// RunJob runs a job that does not change the server, in the same way as a change. After the job it
// reloads the page of u.
func (cs *Changes) RunJob(t *viewer.Viewer, u urlcore.URL, text func() string, do func(context.Context) error, result func(failed error) string) tea.Cmd {
	run := func(ctx context.Context, _ *change) (urlcore.URL, error) { return nil, do(ctx) }
	return cs.begin(&change{tab: t, dir: u, name: "the other job", shortText: text(), describe: text, resultText: result, do: run})
}

// begin starts a change, unless another one is running.
func (cs *Changes) begin(c *change) tea.Cmd {
	if cs.current != nil && c.editedPath != "" {
		return cs.notifyNotStored(c, ": "+clean.Short(cs.current.name)+" is still running")
	}
	if cs.current != nil {
		return cs.program.Notify("wait until " + noticeName(cs.current.name) + " is done")
	}
	cs.current, c.startTime = c, cs.program.Now()
	var ctx context.Context
	ctx, c.stop = context.WithCancelCause(cs.program.Context())
	run := cs.program.WriteInBackground(func() func() tea.Cmd {
		u, err := c.do(ctx, c)
		return func() tea.Cmd { return cs.handleResult(c, u, err) }
	})
	switch {
	case c.next != nil:
		run = cs.program.HoldKeysForQuestion(run)
	case c.isLong():
		run = cs.program.HoldKeysBriefly(run)
	default:
		run = cs.program.HoldKeys(run)
	}
	return tea.Batch(cs.program.Tick(), run)
}

// handleResult shows the result of a change, reloads the directory and moves the cursor to u. If err is
// a question of the server, it asks the user, and starts the change again after the answer.
func (cs *Changes) handleResult(c *change, u urlcore.URL, err error) tea.Cmd {
	c.stop(nil)
	cs.current = nil
	retry := func() tea.Cmd { return cs.begin(c) }
	var cmd tea.Cmd
	if c.batch != nil && c.batch.untagChanged() && protocols.QuestionOf(err) != nil {
		cmd = cs.reloadDirectory(c, nil)
	}
	switch q := protocols.QuestionOf(err).(type) {
	case *protocols.Confirm:
		question := ask.NewConfirm(q, retry)
		question.Reason = clean.Text(q.Reason)
		question.No = func() tea.Cmd { return cs.notifyNotStored(c, "") }
		prompt := question
		if c.skip != nil && q.Consent == protocols.ConsentReplace {
			question.No = func() tea.Cmd {
				c.skip()
				return retry()
			}
		}
		if found := c.resumableOctets(); found > 0 && q.Consent == protocols.ConsentReplace {
			resume := cs.resumeQuestion(c, clean.Name(c.name)+" on "+urlcore.Host(c.dir)+" has "+cell.Size(found)+" of "+cell.Size(c.size.Load()))
			resume.No = func() tea.Cmd {
				c.tab.Prompt = question
				return nil
			}
			prompt = resume
		}
		return tea.Batch(cmd, cs.askAbout(c, prompt))
	case *protocols.Login:
		login := ask.NewLogin(q, c.dir, retry)
		login.Leave = func([]string) tea.Cmd { return cs.notifyNotStored(c, "") }
		return tea.Batch(cmd, cs.askAbout(c, login))
	}
	if err == nil && c.next != nil {
		return c.next()
	}
	text := participles[c.verb][1] + " " + noticeName(c.name)
	e, isProtocolErr := errors.AsType[*protocols.Error](err)
	switch {
	case c.resultText != nil && !errors.Is(err, protocols.ErrNoTarget):
		text = c.resultText(err)
	case err != nil:
		text = "not " + participles[c.verb][1] + ": " + clean.Short(withoutOp(err).Error())
	}
	cmd = cs.program.NotifyIn(c.tab, text)
	if isProtocolErr && e.Reason.IsNetworkFailure() && c.upload != nil && c.resultText == nil && c.sent.Load() > 0 && c.tab.Prompt == nil {
		c.tab.Prompt = cs.resumeQuestion(c, "Part of "+clean.Name(c.name)+" was sent ("+e.Reason.String()+")")
	}
	if err != nil {
		u = nil
	}
	return tea.Batch(cmd, cs.reloadDirectory(c, u))
}

// reloadDirectory reloads the directory of c in all tabs, and moves the cursor to u unless u is nil.
func (cs *Changes) reloadDirectory(c *change, u urlcore.URL) tea.Cmd {
	return reloadDirectories(cs.program, c.tab, u, c.dir)
}

// reloadDirectories reloads directories in all tabs, and moves the cursor of t to u unless u is nil.
func reloadDirectories(program room.Program, t *viewer.Viewer, u urlcore.URL, dirs ...urlcore.URL) (cmd tea.Cmd) {
	for _, other := range program.Tabs() {
		p := other.Session.Page()
		if p == nil || !slices.Contains(dirs, p.URL) || program.Pending(other) != nil {
			continue
		}
		target := room.Target{}
		if other == t {
			target.Link = u
		}
		cmd = tea.Batch(cmd, program.Visit(target, room.How{Tab: other, Again: true, Changed: true}))
	}
	return cmd
}

// withoutOp returns err without the name of the operation, which the notice already has.
func withoutOp(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok && errors.Is(e, err) {
		answer := *e
		answer.Op, err = "", &answer
	}
	return err
}

// askAbout shows a prompt about c in the tab of c. If the tab is closed, a notice says how to open the
// tab.
func (cs *Changes) askAbout(c *change, p ask.Prompt) tea.Cmd {
	c.tab.AskNext(func() { c.tab.Prompt = p })
	if slices.Contains(cs.program.Tabs(), c.tab) {
		return nil
	}
	text := "not " + participles[c.verb][1] + " yet: the server has a question; " + cs.program.KeyOf("undo close") + " opens the tab"
	if c.editedPath != "" {
		text += "; kept as " + c.editedPath
	}
	return cs.program.Notify(text)
}

// ShortText describes the running change without its progress. It returns "" if none is running.
func (cs *Changes) ShortText() string {
	ch := cs.current
	if ch == nil {
		return ""
	}
	return cmp.Or(ch.shortText, participles[ch.verb][0]+" "+clean.Name(ch.name))
}

// Text describes the running change and its progress. It returns "" if none is running.
func (cs *Changes) Text() string {
	ch, text := cs.current, cs.ShortText()
	switch {
	case ch == nil:
		return ""
	case ch.describe != nil:
		return ch.describe()
	}
	if size := ch.size.Load(); size > 0 {
		text += " " + cell.Amount(ch.sent.Load(), size) + cell.Rate(ch.sent.Load(), cs.program.Now().Sub(ch.startTime))
	}
	return text
}

// Stop asks whether to stop the running change.
func (cs *Changes) Stop() tea.Cmd {
	c := cs.current
	return cs.program.Tab().Ask(ask.NewQuestion("Stop "+cs.ShortText()+"?", true, func() tea.Cmd {
		c.stop(nav.ErrStopped) // handleResult shows that the change was stopped
		return nil
	}))
}
