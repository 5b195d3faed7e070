package wire

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// Bounds of a Transcript.
const (
	maxSaid     = 200 // lines from the beginning, and as many from the end
	maxSaidLine = 512 // octets kept of a line
)

// Transcript is what was said over the connections of one fetch, but for the
// octets of FTP's data connections: the first and the last lines, cut where
// they are long, with stars for passwords. The zero value is ready and safe for
// concurrent use.
type Transcript struct {
	mu    sync.Mutex
	first []Said
	last  []Said // a ring
	count int
}

// Said is a line of a Transcript.
type Said struct {
	At   time.Time
	Peer string // host:port
	Sent bool   // by us; else received
	Text string // without the line end, not cleaned
}

type transcriptKey struct{}

// WithTranscript returns a context whose connections are recorded in t; nil:
// they are not.
func WithTranscript(ctx context.Context, t *Transcript) context.Context {
	return context.WithValue(ctx, transcriptKey{}, t)
}

// Lines returns what has been said so far, and how many lines are left out
// before the last ones.
func (t *Transcript) Lines() (first, last []Said, omitted int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	first = append(first, t.first...)
	if len(t.last) < maxSaid {
		return first, append(last, t.last...), 0
	}
	oldest := (t.count - maxSaid) % maxSaid
	last = append(append(last, t.last[oldest:]...), t.last[:oldest]...)
	return first, last, t.count - 2*maxSaid
}

func (t *Transcript) add(s Said) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.first) < maxSaid:
		t.first = append(t.first, s)
	case len(t.last) < maxSaid:
		t.last = append(t.last, s)
	default:
		t.last[t.count%maxSaid] = s
	}
	t.count++
}

// recorder writes what passes over one connection to a Transcript.
type recorder struct {
	peer     string
	mu       sync.Mutex
	to       *Transcript // may be nil
	secrets  secrets
	sent     unfinished
	received unfinished
}

// unfinished is a line that has no end yet.
type unfinished struct {
	text []byte
	long bool // more has come than is held
}

// begin records in the Transcript of ctx from now on.
func (r *recorder) begin(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to, _ = ctx.Value(transcriptKey{}).(*Transcript)
	r.sent, r.received = unfinished{}, unfinished{}
}

func (r *recorder) hide(password string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = r.secrets.with(password)
}

// record takes octets that are sent or were received. At the end, an
// unfinished line counts as whole.
func (r *recorder) record(p []byte, sent, end bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to == nil {
		return
	}
	u := &r.received
	if sent {
		u = &r.sent
	}
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte("\n"))
		room := min(len(part), MaxLine-len(u.text))
		u.text = append(u.text, part[:room]...)
		u.long = u.long || room < len(part)
		if whole {
			r.line(u, sent)
		}
		p = rest
	}
	if end && len(u.text) > 0 {
		r.line(u, sent)
	}
}

func (r *recorder) line(u *unfinished, sent bool) {
	text := r.secrets.mask(string(bytes.TrimSuffix(u.text, []byte("\r"))))
	if u.long { // its end may be the beginning of a password
		text = text[:max(0, len(text)-r.secrets.longest())]
	}
	r.to.add(Said{time.Now(), r.peer, sent, text[:min(len(text), maxSaidLine)]})
	u.text, u.long = u.text[:0], false
}
