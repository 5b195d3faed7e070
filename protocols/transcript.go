package protocols

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

// Bounds of a Transcript.
const (
	maxLines          = 200 // the number of first lines, and of last lines, that are stored
	MaxTranscriptLine = 512 // octets of a line

	maxReceived = 256 << 10 // the number of received octets that are stored unchanged
)

// Transcript holds the first and last lines of the connections of a fetch, without the lines
// of FTP's data connections, and the first received octets. Long lines are cut, passwords are masked. A fetch writes to
// the Transcript in its context (see [WithTranscript]). The zero value is ready; it is safe
// for concurrent use, and all methods work on a nil *Transcript.
type Transcript struct {
	mu    sync.Mutex
	first []TranscriptLine
	last  []TranscriptLine // a ring buffer of the latest lines
	count int
	bytes int64

	received      []byte    // the first received octets, unchanged
	receivedCount int64     // octets received
	copyTo        io.Writer // see CopyReceived; may be nil
}

// TranscriptLine is a line of a Transcript.
type TranscriptLine struct {
	At   time.Time
	Peer string // host:port
	Sent bool   // the line was sent, not received
	With bool   // the line was sent together with the line before, of the same dialogue
	Text string // without the line end, not cleaned
	More int    // number of later received lines that are not stored
}

// WithTranscript returns a context whose fetch is recorded in t, which may be nil.
func WithTranscript(ctx context.Context, t *Transcript) context.Context {
	return context.WithValue(ctx, serviceTranscript, t)
}

// TranscriptFrom returns the Transcript of ctx, or nil.
func TranscriptFrom(ctx context.Context) *Transcript {
	return serviceOf[*Transcript](ctx, serviceTranscript)
}

// Lines returns the first and the last lines, and the number of lines omitted between them.
func (t *Transcript) Lines() (first, last []TranscriptLine, omitted int) {
	if t == nil {
		return nil, nil, 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	first = append(first, t.first...)
	if len(t.last) < maxLines {
		return first, append(last, t.last...), 0
	}
	oldest := (t.count - maxLines) % maxLines
	last = append(append(last, t.last[oldest:]...), t.last[:oldest]...)
	return first, last, t.count - 2*maxLines
}

// Bytes returns the approximate memory of t, in octets.
func (t *Transcript) Bytes() int64 {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

// lineSize is the memory of a TranscriptLine without its text.
const lineSize = 80

// Add adds a line.
func (t *Transcript) Add(s TranscriptLine) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes += int64(lineSize + len(s.Text))
	switch {
	case len(t.first) < maxLines:
		t.first = append(t.first, s)
	case len(t.last) < maxLines:
		t.last = append(t.last, s)
	default:
		old := &t.last[t.count%maxLines]
		t.bytes -= int64(lineSize + len(old.Text))
		*old = s
	}
	t.count++
}

// CopyReceived makes Receive write all received octets to w, and not only the first of them. It is called before
// the fetch. An error of w does not end the fetch.
func (t *Transcript) CopyReceived(w io.Writer) { t.copyTo = w }

// Receive adds received octets unchanged.
func (t *Transcript) Receive(p []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.receivedCount += int64(len(p))
	n := min(len(p), maxReceived-len(t.received))
	if room := cap(t.received); n > room-len(t.received) { // append may allocate more than maxReceived
		t.received = append(make([]byte, 0, min(max(2*room, len(t.received)+n), maxReceived)), t.received...)
	}
	t.received = append(t.received, p[:n]...)
	t.bytes += int64(n)
	if t.copyTo != nil {
		_, _ = t.copyTo.Write(p)
	}
}

// Received returns the first received octets, and the number of all received octets. In the octets that a
// connection received after it had sent a password, the password is masked. The replies of FTP's control connection
// are not included.
func (t *Transcript) Received() (beginning []byte, all int64) {
	if t == nil {
		return nil, 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clip(t.received), t.receivedCount
}

// Skip counts n received lines that are not stored.
func (t *Transcript) Skip(n int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.count == 0:
	case t.count <= maxLines:
		t.first[t.count-1].More += n
	default:
		t.last[(t.count-1)%maxLines].More += n
	}
}
