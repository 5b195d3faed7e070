package term

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
)

const (
	// stallTime is how long the program waits for a terminal that takes no octets.
	stallTime = 100 * time.Millisecond
	// closeTime replaces stallTime at the end of the program, and before another program gets the terminal.
	closeTime = 600 * time.Millisecond
	// chunkSize is the largest number of octets in a write. A terminal at 9600 baud takes 512 octets
	// within closeTime.
	chunkSize = 512
)

// output writes the screen to the terminal. If the terminal stalls, Write returns before everything is
// written. Otherwise neither a key nor a signal could end the program, because Bubble Tea locks its
// mutexes during a Write. The rest is written when the terminal reads again. Until then no frame is
// drawn (see frames).
type output struct {
	w         io.Writer
	onFailure func() // called when w fails or the terminal can no longer be read

	pace    // guarded by mu
	mu      sync.Mutex
	queue   []byte
	writing bool          // a goroutine writes the queue
	step    chan struct{} // closed when a part of the queue has been written
	idle    func()        // called when the terminal is ready for the next frame
	failed  bool

	mark, replacement []byte // Write replaces mark with replacement
	titled            bool   // the title of the window has been saved, and another one is set
}

// replace makes Write replace the text mark with the text replacement. Only the texts of the last call
// are used.
func (o *output) replace(mark, replacement string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mark, o.replacement = []byte(mark), []byte(replacement)
}

// Write writes p after [disableWrapping], replace, saveTitle and recordRequests have changed it.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	q := disableWrapping(p)
	if len(o.mark) > 0 {
		q = bytes.ReplaceAll(q, o.mark, o.replacement)
	}
	o.enqueue(o.recordRequests(o.saveTitle(q)))
	if !o.failed && o.asksAfter(len(p)) {
		o.request(len(p))
	}
	o.startWriting()
	o.mu.Unlock()
	o.wait(stallTime)
	return len(p), nil
}

// enqueue puts p at the end of the queue. It is called with the mutex held.
func (o *output) enqueue(p []byte) {
	if !o.failed {
		o.queue = append(o.queue, p...)
	}
}

// startWriting begins to write the queue. It is called with the mutex held.
func (o *output) startWriting() {
	if !o.writing && len(o.queue) > 0 {
		o.writing, o.step = true, make(chan struct{})
		go o.drain()
	}
}

// writeThrough writes p unchanged and returns when the terminal has taken it or ctx has ended.
func (o *output) writeThrough(ctx context.Context, p []byte) (int, error) {
	o.mu.Lock()
	o.enqueue(p)
	o.startWriting()
	for o.writing && ctx.Err() == nil {
		step := o.step
		o.mu.Unlock()
		select {
		case <-step:
		case <-ctx.Done():
		}
		o.mu.Lock()
	}
	o.mu.Unlock()
	return len(p), context.Cause(ctx)
}

func (o *output) drain() {
	o.mu.Lock()
	for len(o.queue) > 0 {
		chunk := o.queue[:min(len(o.queue), chunkSize)]
		o.mu.Unlock()
		n, err := o.w.Write(chunk)
		if errors.Is(err, syscall.EAGAIN) { // another program has made the terminal non-blocking
			time.Sleep(stallTime / 10)
			err = nil
		}
		o.mu.Lock()
		o.queue = o.queue[min(n, len(o.queue)):]
		if err != nil {
			o.queue, o.failed = nil, true
			o.onFailure()
		}
		close(o.step)
		o.step = make(chan struct{})
	}
	o.writing = false
	close(o.step)
	o.callWaiting()
	o.mu.Unlock()
}

// reset resets the terminal and drops the queue. Nothing is written after it.
func (o *output) reset() {
	o.mu.Lock()
	o.queue, o.failed = nil, true
	o.mu.Unlock()
	_, _ = io.WriteString(o.w, resetTerminal)
	if o.titled {
		_, _ = io.WriteString(o.w, ansi.SetWindowTitle("")+popTitle)
	}
}

// ask writes a request, unless the program leaves the terminal. It returns as writeThrough does.
func (o *output) ask(ctx context.Context, request string) {
	o.mu.Lock()
	paused := o.paused
	if !paused {
		o.asked = time.Now()
	}
	o.mu.Unlock()
	if !paused {
		_, _ = o.writeThrough(ctx, []byte(request))
	}
}

// windowTitle matches the sequence that sets the title of the window.
var windowTitle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\]2;([^\x07\x1b]*)(?:\x07|\x1b\\)`) })

// saveTitle changes p so that the terminal saves the title of its window before it gets the first title of the program,
// and restores it when the program removes its title: at the end, and while another program has the terminal. A
// terminal that cannot do this then has no title. The mutex must be held.
func (o *output) saveTitle(p []byte) []byte {
	if !bytes.Contains(p, []byte("\x1b]2;")) {
		return p
	}
	return windowTitle().ReplaceAllFunc(p, func(set []byte) []byte {
		empty := len(windowTitle().FindSubmatch(set)[1]) == 0
		switch {
		case !empty && !o.titled:
			o.titled = true
			return append([]byte(pushTitle), set...)
		case empty && o.titled:
			o.titled = false
			return append(bytes.Clone(set), popTitle...)
		}
		return set
	})
}

// wait waits until everything is written. It gives up if nothing is written within the time limit.
func (o *output) wait(limit time.Duration) {
	for {
		o.mu.Lock()
		writing, step := o.writing, o.step
		o.mu.Unlock()
		if !writing {
			return
		}
		select {
		case <-step:
		case <-time.After(limit):
			return
		}
	}
}

// callWhenReady calls f as soon as the terminal is ready for a frame, perhaps at once. Only one f may
// wait at a time.
func (o *output) callWhenReady(f func()) {
	o.mu.Lock()
	if o.writing || !o.ready() {
		o.idle = f
		o.mu.Unlock()
		return
	}
	o.mu.Unlock()
	f()
}

// disableWrapping changes p so that automatic wrapping stays off while the alternate screen is shown. A
// character that the terminal draws wider than our tables say then spoils only its row. With wrapping
// it would scroll the screen. The renderer does not need wrapping, but turns it on after the last cell
// of a row.
func disableWrapping(p []byte) []byte {
	p = bytes.ReplaceAll(p, []byte(ansi.SetModeAutoWrap), nil)
	p = bytes.ReplaceAll(p, []byte(ansi.SetModeAltScreenSaveCursor), []byte(ansi.SetModeAltScreenSaveCursor+ansi.ResetModeAutoWrap))
	return bytes.ReplaceAll(p, []byte(ansi.ResetModeAltScreenSaveCursor), []byte(ansi.ResetModeAltScreenSaveCursor+ansi.SetModeAutoWrap))
}
