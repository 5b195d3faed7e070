package nav

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// ErrStopped is the error of a load that [Load.Cancel] or [Load.Stop] ended.
var ErrStopped = errors.New("stopped")

// ErrSessionEnded reports that the session of a page has ended.
var ErrSessionEnded = errors.New("the session has ended")

// DefaultLimit is the largest memory of the lines of a page, in octets. It is also the largest
// number of octets that may arrive before the next line.
const DefaultLimit = 256 << 20

// Bounds of the lines that wait for Next. The load stops reading when one of them is reached.
const (
	maxWaitingLines = 4096
	maxWaitingBytes = 1 << 20
)

// Option changes how [Open] loads.
type Option func(*Load)

// Limit replaces [DefaultLimit]. The limit for the octets before the next line can only be lowered.
// A load beyond the limit ends with an *[protocols.Error] with the reason TooBig. Save has no
// limit.
func Limit(octets int64) Option { return func(l *Load) { l.limit = octets } }

// Received writes all octets that the fetch receives to w, as they arrive (see [protocols.Transcript.CopyReceived]).
func Received(w io.Writer) Option { return func(l *Load) { l.Transcript.CopyReceived(w) } }

// Preview allows lines that a later batch replaces, see [Lines.ReplacesPreview].
func Preview() Option { return func(l *Load) { l.preview = true } }

// Show says how a document is shown.
type Show struct {
	PreferHTML  bool // the HTML of an article that has both text and HTML
	Article     bool // only the article of a web page
	MailboxText bool // the text of a file of messages in place of the list of its messages
	// Charset is the name of the charset that the user has chosen, or "". Documents whose lines are converted
	// to UTF-8 are read in this charset, whichever they declare.
	Charset string
	Width   int                   // the width of the screen in cells, for the tables of a hypertext; 0 if unknown
	Thread  protocols.ThreadPlace // the place of an article in its thread, which its header shows, or zero
}

// Shown shows a document as s says.
func Shown(s Show) Option { return func(l *Load) { l.show = s } }

// Load is one fetch of a URL. Its goroutine reads from the server, and pauses while a few thousand
// lines wait for Next. Wait, Stop and Cancel may be called from any goroutine at any time. Next and
// Save may be called from one goroutine at a time. A Load must be read to its end or canceled. Stop
// does not discard an answer that has arrived.
type Load struct {
	// URL is the requested URL.
	URL urlcore.URL
	// OtherURLs are other readings of the text that was read as URL. They are offered if the load
	// fails. Only the caller of Open uses them.
	OtherURLs []urlcore.URL
	// Guessed is set if the URL was guessed from a text without a scheme. If the load fails, other guesses are offered.
	Guessed bool
	// Progress and Transcript may be read at any time.
	Progress   *protocols.Progress
	Transcript *protocols.Transcript
	// Started is the time at which the load began.
	Started time.Time

	ctx     context.Context
	cancel  context.CancelCauseFunc
	limit   int64
	preview bool
	request protocols.Request
	show    Show
	decode  Decoder
	keep    bool        // keep the octets of a hypertext
	source  *sourceCopy // these octets

	answered chan struct{} // closed when head, session and err are set
	head     protocols.Head
	session  protocols.InteractiveSession
	err      error

	destination chan io.Writer // receives, once, the writer for a document, or nil if Next reads the lines of the document instead
	done        chan struct{}

	mu        sync.Mutex
	changed   *sync.Cond // signals a change of waiting or end, or the end of the context
	reading   bool       // Next was called
	saving    bool       // Save was called
	waiting   Lines
	content   Content
	text      *collectedText // nil: no text is collected
	total     int64          // octets of all lines, including those that wait
	saved     int64
	end       error // the reason why no more lines or octets follow
	lateNotes []string
}

// Open starts to fetch what req asks for with f. The load ends with ctx.
func Open(ctx context.Context, f protocols.Fetcher, req protocols.Request, opts ...Option) *Load {
	l := &Load{
		URL: req.URL, request: req, Progress: new(protocols.Progress), Transcript: new(protocols.Transcript), Started: time.Now(), limit: DefaultLimit,
		answered: make(chan struct{}), destination: make(chan io.Writer, 1), done: make(chan struct{}),
	}
	l.changed = sync.NewCond(&l.mu)
	for _, o := range opts {
		o(l)
	}
	ctx, l.cancel = context.WithCancelCause(ctx)
	l.ctx = protocols.WithTranscript(protocols.WithProgress(ctx, l.Progress), l.Transcript)
	l.expectLine()
	go l.run(f)
	return l
}

// Wait blocks until the server has answered and the first octets of a document have arrived. The
// error may be a [protocols.Question], an *[protocols.Error], or the cause of the context, which is
// [ErrStopped] after Cancel or Stop.
func (l *Load) Wait() (protocols.Head, error) {
	select {
	case <-l.answered:
	case <-l.ctx.Done():
		select {
		case <-l.answered: // the answer came first
		default:
			return protocols.Head{}, context.Cause(l.ctx)
		}
	}
	return l.head, l.err
}

// Session waits for the answer and returns its interactive session, or nil. The session is
// connected until the load is stopped or canceled.
func (l *Load) Session() protocols.InteractiveSession {
	if _, err := l.Wait(); err != nil {
		return nil
	}
	return l.session
}

// Next waits for the answer and for at least one line, and returns all lines that have arrived
// since the last call. It returns either lines or an error, which is io.EOF if the page is
// complete.
func (l *Load) Next() (Lines, error) {
	if _, err := l.Wait(); err != nil {
		return Lines{}, err
	}
	if l.session != nil {
		return Lines{}, protocols.ErrSession
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.saving {
		return Lines{}, errors.New("the document is already being saved")
	}
	if !l.reading {
		l.reading = true
		l.Progress.ReadLines()
		l.destination <- nil
	}
	for l.waiting.Len() == 0 && !l.waiting.replace && l.end == nil {
		l.changed.Wait()
	}
	lines := l.waiting
	if lines.Len() == 0 && !lines.replace {
		return Lines{}, l.end
	}
	l.waiting = Lines{parsed: lines.parsed}
	l.changed.Broadcast()
	return lines, nil
}

// Save waits for the answer and writes the exact octets of the document to w. It is called instead
// of Next. It returns the number of octets written. The error is [protocols.ErrNoOctets] if the resource is
// a list; a write error is returned unchanged.
func (l *Load) Save(w io.Writer) (int64, error) {
	if _, err := l.Wait(); err != nil {
		return 0, err
	}
	if l.session != nil {
		return 0, protocols.ErrSession
	}
	if err := l.head.CheckDocument(); err != nil {
		return 0, err
	}
	l.mu.Lock()
	if l.reading || l.saving {
		l.mu.Unlock()
		return 0, errors.New("the document has already been read")
	}
	l.saving = true
	l.destination <- w
	l.mu.Unlock()
	<-l.done
	if errors.Is(l.end, io.EOF) {
		return l.saved, nil
	}
	return l.saved, l.end
}

// keepLateNotes stores the late notes of a document that has ended.
func (l *Load) keepLateNotes(res *protocols.Resource, doc *document.Document) {
	var notes []string
	if res.LateNotes != nil {
		notes = res.LateNotes()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lateNotes = slices.Concat(notes, doc.LateNotes())
}

// LateNotes returns the notes of the document that were known only at its end.
func (l *Load) LateNotes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lateNotes
}

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

// endCause returns the reason why the load was ended, or err if it was not ended.
func (l *Load) endCause(err error) error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	return err
}

// run is the load's goroutine.
func (l *Load) run(f protocols.Fetcher) {
	defer close(l.done)
	defer l.cancel(nil)
	defer context.AfterFunc(l.ctx, func() { l.finish(context.Cause(l.ctx)) })()
	defer func() {
		if v := recover(); v != nil {
			err := protocols.PanicError("fetch", v)
			l.setAnswer(protocols.Head{}, err)
			l.finish(err)
		}
	}()
	res, err := f.Fetch(l.ctx, l.request)
	if err != nil {
		l.setAnswer(protocols.Head{}, l.endCause(err))
		return
	}
	defer closeResource(res)
	head := res.Head
	if head.URL == nil {
		head.URL = l.URL
	}
	switch {
	case res.Lines != nil:
		l.setAnswer(head, nil)
		l.finish(l.pumpList(res))
	case res.Body != nil:
		l.runDocument(head, res)
	case res.Session != nil:
		l.session = res.Session
		l.setAnswer(head, nil)
		<-l.ctx.Done()
	default:
		l.setAnswer(protocols.Head{}, &protocols.Error{Reason: protocols.Malformed, Op: "fetch"})
	}
}

func closeResource(r *protocols.Resource) {
	if r.Closer != nil {
		_ = r.Close()
	}
}

// minTableWidth is the smallest width of a table in a hypertext, in cells.
const minTableWidth = 30

// runDocument reads the first block of a document. Then it waits until Next or Save is called, and
// delivers lines or octets.
func (l *Load) runDocument(head protocols.Head, res *protocols.Resource) {
	head.Charset = l.show.Charset
	doc, err := document.Open(head, l.copySource(res.Body))
	if err != nil {
		l.setAnswer(protocols.Head{}, l.endCause(err))
		return
	}
	defer doc.Wait(func() { l.cancel(nil) })
	if l.source != nil && !document.IsHTML(doc.Media) {
		l.source.drop()
	}
	doc.Item = res.Item
	doc.Thread = l.show.Thread
	if l.show.Width > 0 {
		doc.TableWidth = max(l.show.Width, minTableWidth)
	}
	doc.PreferHTML = l.show.PreferHTML
	if doc.Media == document.MediaMailbox && l.show.MailboxText {
		doc.Media = "text/plain"
	}
	answer := doc.Head
	answer.URL = head.URL
	l.setAnswer(answer, nil)
	select {
	case w := <-l.destination:
		if w == nil {
			err := l.readDocument(doc)
			l.keepLateNotes(res, doc)
			l.finish(err)
			return
		}
		l.Progress.Limit(0, nil)
		n, err := doc.Save(w)
		if err == nil {
			err = io.EOF
		}
		l.saved = n
		l.keepLateNotes(res, doc)
		l.finish(err)
	case <-l.ctx.Done():
		l.finish(context.Cause(l.ctx))
	}
}

// setAnswer makes Wait return h and err. Only the first call has an effect.
func (l *Load) setAnswer(h protocols.Head, err error) {
	select {
	case <-l.answered:
	default:
		l.head, l.err = h, err
		close(l.answered)
	}
}

// finish makes Next return err after the waiting lines. Only the first call has an effect. If the
// load was ended early, the cause of its end replaces err, unless err is io.EOF.
func (l *Load) finish(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end != nil {
		return
	}
	if err != io.EOF {
		err = l.endCause(err)
	}
	l.end = err
	l.changed.Broadcast()
}
