package ui

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// transfer is a file being saved.
type transfer struct {
	url   urlcore.URL
	name  string // of the file; "" before it is known
	done  int64
	size  int64 // -1 if nobody told
	begun time.Time
	ctx   context.Context
	stop  context.CancelCauseFunc

	forProgram bool // it is no file of the user's: another program waits for it
}

// newTransfer is a transfer that has not begun. The one who removes it from the
// list ends its context.
func (m *Model) newTransfer(u urlcore.URL) *transfer {
	t := &transfer{url: u, size: -1, begun: m.now()}
	t.ctx, t.stop = context.WithCancelCause(m.ctx)
	return t
}

// end ends the context of the transfer.
func (t *transfer) end(cause error) {
	if t.stop != nil {
		t.stop(cause)
	}
}

// downloads are the files being saved in the background. It is safe for
// concurrent use; the zero value has none.
type downloads struct {
	mu     sync.Mutex
	list   []*transfer
	closed bool
	wg     sync.WaitGroup
}

// downloadedMsg is the end of a transfer.
type downloadedMsg struct {
	transfer *transfer
	path     string
	n        int64
	err      error
}

// save saves the item under the cursor, or the page, in the background.
func (m *Model) save() tea.Cmd {
	u := m.document()
	if u == nil {
		return nil
	}
	switch protocols.KindOf(u) {
	case protocols.Menu, protocols.Directory, protocols.Group:
		return m.say("a list of items is no file: " + m.keys.keyOf("save text") + " saves its text from its own page")
	}
	if m.opts.Download == nil {
		return m.say("files cannot be saved here")
	}
	t := m.newTransfer(u)
	if !m.saves.add(t) {
		return m.say("this is being saved already")
	}
	download, saves := m.opts.Download, m.saves
	return tea.Batch(m.tick(), func() tea.Msg {
		if !saves.enter() {
			return nil
		}
		defer saves.wg.Done()
		path, n, err := download(t.ctx, u, func(name string, done, size int64) {
			saves.report(t, name, done, size)
		})
		return downloadedMsg{t, path, n, err}
	})
}

// document is the item under the cursor, or the page.
func (m *Model) document() urlcore.URL {
	u, _ := m.here()
	if line, ok := m.pager.current(); ok && !leadsToFile(&line) && m.session.Page().Layout.Document() {
		u, _ = m.pageHere() // a link in a text leads to no file: the text is meant
	}
	return u
}

// leadsToFile reports whether a line of a document leads to what can be saved: an
// attachment, or a file by its URL.
func leadsToFile(line *protocols.Line) bool {
	if line.Kind == protocols.Header {
		return savable(protocols.KindOf(line.Link))
	}
	return savable(line.Kind)
}

func (m *Model) downloaded(msg downloadedMsg) tea.Cmd {
	m.saves.remove(msg.transfer)
	if msg.err != nil {
		return m.say("not saved: " + short(msg.err.Error()))
	}
	return m.say("saved " + short(msg.path) + " (" + bytesText(msg.n) + ")")
}

func (d *downloads) add(t *transfer) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range d.list {
		if other.url == t.url {
			t.end(nil)
			return false
		}
	}
	d.list = append(d.list, t)
	return true
}

// enter reports whether a transfer may begin; then wg waits for it.
func (d *downloads) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.wg.Add(1)
	}
	return !d.closed
}

func (d *downloads) report(t *transfer, name string, done, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name != "" {
		t.name = short(filepath.Base(name))
	}
	t.done, t.size = done, size
}

func (d *downloads) remove(t *transfer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = slices.DeleteFunc(d.list, func(other *transfer) bool { return other == t })
	t.end(nil)
}

// newest is the transfer that was begun last, or nil.
func (d *downloads) newest() *transfer {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) == 0 {
		return nil
	}
	return d.list[len(d.list)-1]
}

// stopTransfer ends the newest transfer, after a question if it is a file of the
// user's.
func (m *Model) stopTransfer() tea.Cmd {
	t := m.saves.newest()
	if t == nil {
		return nil
	}
	stop := func(*Model) tea.Cmd {
		t.end(nav.ErrStopped) // what comes of it is told by its message
		return nil
	}
	if t.forProgram {
		return stop(m)
	}
	newest, _ := m.saves.state()
	m.prompt = newQuestion("Stop saving "+cmp.Or(newest.name, "the file")+"? (y/N)", true, stop)
	return nil
}

func (d *downloads) busy() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.list) > 0
}

// state is a copy of the newest transfer and how many there are.
func (d *downloads) state() (newest transfer, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n = len(d.list); n > 0 {
		newest = *d.list[n-1]
	}
	return newest, n
}

// close lets no more transfers begin and waits for those that run.
func (d *downloads) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.wg.Wait()
}
