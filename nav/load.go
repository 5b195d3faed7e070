// Package nav moves: a [Load] is a URL being fetched, a [Page] is what has
// come of it, a [Session] is the pages that one tab has gone through. It
// knows protocols by their vocabulary only, and nothing of the screen.
package nav

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"gofer/protocols"
	"gofer/urlcore"
)

// ErrStopped is the cause of a load that [Load.Cancel] or [Load.Stop] ended.
var ErrStopped = errors.New("stopped")

// ErrNoOctets is returned by [Load.Save] for a resource that is a list of
// items: what a protocol said to make that list is not a file.
var ErrNoOctets = errors.New("this is a list of items, which has no octets of its own to save")

// DefaultLimit is the memory, in octets, that the lines of one page may take.
const DefaultLimit = 256 << 20

// What may wait for Next before the load stops reading from the server.
const (
	maxWaitingLines = 4096
	maxWaitingBytes = 1 << 20
)

// Option changes how [Open] loads.
type Option func(*Load)

// Limit sets how much memory, in octets, the lines of the page may take, in
// place of [DefaultLimit]. Past it the load ends with an *[protocols.Error] of
// reason TooBig; Save has no limit.
func Limit(octets int64) Option { return func(l *Load) { l.limit = octets } }

// Load is one fetch of a URL. A goroutine of its own talks to the server; it
// reads no further when a few thousand lines wait for Next. Wait, Stop and
// Cancel may be called from any goroutine at any time, Next and Save from one
// at a time. A Load must be read to its end or cancelled.
type Load struct {
	// URL is what was asked for.
	URL urlcore.URL
	// Progress may be read at any time.
	Progress *protocols.Progress

	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  int64
	saved  atomic.Int64

	answered chan struct{} // closed when head and err are set
	head     protocols.Head
	err      error
	doc      *document // nil if the resource is lines
	done     chan struct{}

	mu      sync.Mutex
	use     use
	reading chan struct{} // closed when Next was called
	saving  chan struct{} // closed when Save was called
	wrote   chan struct{} // closed when Save is through
	waiting []protocols.Line
	bytes   int64 // of waiting
	total   int64
	full    bool // the goroutine waits on space
	end     error
	avail   chan struct{} // something to take, or the end
	space   chan struct{}
}

// use is what became of a document's octets.
type use uint8

const (
	unused use = iota
	asLines
	asOctets
)

// Open starts to fetch u with f. The load ends with ctx.
func Open(ctx context.Context, f protocols.Fetcher, u urlcore.URL, opts ...Option) *Load {
	l := &Load{
		URL: u, Progress: new(protocols.Progress), limit: DefaultLimit,
		answered: make(chan struct{}), done: make(chan struct{}),
		reading: make(chan struct{}), saving: make(chan struct{}), wrote: make(chan struct{}),
		avail: make(chan struct{}, 1), space: make(chan struct{}, 1),
	}
	for _, o := range opts {
		o(l)
	}
	ctx, l.cancel = context.WithCancelCause(ctx)
	l.ctx = protocols.WithProgress(ctx, l.Progress)
	go l.run(f)
	return l
}

// Wait blocks until the server has answered, and of a document the first
// octets have come. The error may be an *[protocols.Ask], a
// *[protocols.Login], a *[protocols.Handoff], an *[protocols.Error], or the
// cause of the context, which is [ErrStopped] after Cancel.
func (l *Load) Wait() (protocols.Head, error) {
	select {
	case <-l.answered:
		return l.head, l.err
	default:
	}
	select {
	case <-l.answered:
		return l.head, l.err
	case <-l.ctx.Done():
		return protocols.Head{}, context.Cause(l.ctx)
	}
}

// Next waits for the answer and then for at least one line, and returns all
// that have come since the last call, as a slice that is the caller's. The
// error comes without lines: io.EOF when the page is whole, else why it ended.
func (l *Load) Next() ([]protocols.Line, error) {
	if _, err := l.Wait(); err != nil {
		return nil, err
	}
	if !l.take(asLines) {
		return nil, errors.New("these octets are being saved")
	}
	for {
		if lines, err := l.poll(); lines != nil || err != nil {
			return lines, err
		}
		select {
		case <-l.avail:
		case <-l.ctx.Done():
		}
	}
}

// poll takes what waits; nil and nil if nothing does yet.
func (l *Load) poll() ([]protocols.Line, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == nil && l.ctx.Err() != nil {
		return nil, context.Cause(l.ctx)
	}
	if len(l.waiting) == 0 {
		return nil, l.end
	}
	lines := l.waiting
	l.waiting, l.bytes = nil, 0
	if l.full {
		l.full = false
		l.space <- struct{}{}
	}
	return lines, nil
}

// take decides once what becomes of the octets.
func (l *Load) take(u use) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.use == unused {
		l.use = u
		if u == asLines {
			close(l.reading)
		} else {
			close(l.saving)
		}
		return true
	}
	return l.use == u && u == asLines
}

// Save waits for the answer and writes the document's exact octets to w; it
// is called instead of Next. It returns how many were written. [ErrNoOctets]
// tells that the resource is a list. A write error is returned as it is.
func (l *Load) Save(w io.Writer) (int64, error) {
	if _, err := l.Wait(); err != nil {
		return 0, err
	}
	if l.doc == nil {
		return 0, ErrNoOctets
	}
	if !l.take(asOctets) {
		return 0, errors.New("these octets have already been read")
	}
	defer close(l.wrote)
	buf := make([]byte, 64<<10)
	for {
		n, err := l.doc.read(l.ctx, buf)
		if n > 0 {
			m, werr := w.Write(buf[:n])
			l.saved.Add(int64(m))
			if werr == nil && m < n {
				werr = io.ErrShortWrite
			}
			if werr != nil {
				return l.saved.Load(), werr
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return l.saved.Load(), nil
		case err != nil:
			return l.saved.Load(), l.cause(err)
		}
	}
}

// Saved returns how many octets Save has written so far; any goroutine may
// ask.
func (l *Load) Saved() int64 { return l.saved.Load() }

// Stop ends the load without waiting for its goroutine, which then ends by
// itself within a moment.
func (l *Load) Stop() { l.cancel(ErrStopped) }

// Cancel ends the load and returns when its goroutine and its connections are
// gone. It may be called again.
func (l *Load) Cancel() {
	l.cancel(ErrStopped)
	<-l.done
}

// Done is closed when the load's goroutine and its connections are gone.
func (l *Load) Done() <-chan struct{} { return l.done }

// cause returns why the load was ended, if it was, else err.
func (l *Load) cause(err error) error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	return err
}

// Panic is a mistake of gofer's own that a server's answer brought to light.
type Panic struct {
	Value any
	Stack []byte
}

// Error tells of the mistake, without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("a mistake in gofer itself: %v", p.Value) }

// run is the load's goroutine.
func (l *Load) run(f protocols.Fetcher) {
	defer close(l.done)
	defer l.cancel(nil)
	defer func() {
		if v := recover(); v != nil {
			err := &protocols.Error{Op: "fetch", Err: &Panic{Value: v, Stack: debug.Stack()}}
			l.answer(protocols.Head{}, err)
			l.finish(err)
		}
	}()
	res, err := f.Fetch(l.ctx, l.URL)
	if err != nil {
		l.answer(protocols.Head{}, l.cause(err))
		return
	}
	defer closeResource(res)
	head := res.Head
	if head.URL == nil {
		head.URL = l.URL
	}
	switch {
	case res.Lines != nil:
		l.answer(head, nil)
		l.finish(l.pump(res.Lines))
	case res.Body != nil:
		l.runDocument(head, res.Body)
	default:
		l.answer(protocols.Head{}, &protocols.Error{Reason: protocols.Malformed, Op: "fetch"})
	}
}

func closeResource(r *protocols.Resource) {
	if r.Closer != nil {
		_ = r.Close()
	}
}

// runDocument looks at the first block and waits to hear what the octets are
// wanted for.
func (l *Load) runDocument(head protocols.Head, body io.Reader) {
	doc, err := openDocument(&head, body)
	if err != nil {
		l.answer(protocols.Head{}, l.cause(err))
		return
	}
	l.doc = doc
	l.answer(head, nil)
	select {
	case <-l.reading:
		l.finish(l.pump(doc.lines()))
	case <-l.saving:
		select {
		case <-l.wrote:
		case <-l.ctx.Done():
			doc.lock() // the read that is under way ends with the context
		}
	case <-l.ctx.Done():
	}
}

// answer lets Wait return; only the first call counts.
func (l *Load) answer(h protocols.Head, err error) {
	select {
	case <-l.answered:
	default:
		l.head, l.err = h, err
		close(l.answered)
	}
}

// finish lets Next return err after the lines that wait.
func (l *Load) finish(err error) {
	l.mu.Lock()
	if l.ctx.Err() != nil {
		err, l.waiting = context.Cause(l.ctx), nil
	}
	l.end = err
	l.mu.Unlock()
	l.signal()
}

func (l *Load) signal() {
	select {
	case l.avail <- struct{}{}:
	default:
	}
}

// pump moves lines to where Next finds them and returns why it ended.
func (l *Load) pump(seq iter.Seq2[protocols.Line, error]) error {
	for line, err := range seq {
		if err != nil {
			return err
		}
		if err := l.push(&line); err != nil {
			return err
		}
	}
	return io.EOF
}

// push adds a line, and waits when too many wait already.
func (l *Load) push(line *protocols.Line) error {
	n := cost(line)
	l.mu.Lock()
	if l.total+n > l.limit {
		l.mu.Unlock()
		return l.tooBig()
	}
	l.total += n
	l.bytes += n
	l.waiting = append(l.waiting, *line)
	first := len(l.waiting) == 1
	l.full = len(l.waiting) >= maxWaitingLines || l.bytes >= maxWaitingBytes
	full := l.full
	l.mu.Unlock()
	if first {
		l.signal()
	}
	if full {
		select {
		case <-l.space:
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		}
	}
	return nil
}

func (l *Load) tooBig() error {
	return &protocols.Error{
		Reason: protocols.TooBig, Op: "keep the page in memory",
		Err: fmt.Errorf("it takes more than %d MiB", max(l.limit>>20, 1)),
	}
}
