package protocols

import (
	"context"
	"sync"
	"time"
)

// Phase is a phase of a fetch. Each phase has its own time limit.
type Phase uint8

// The phases.
const (
	Starting   Phase = iota
	Connecting       // looking up the name and opening the connection
	Waiting          // connected, waiting for the first byte of an answer
	Receiving        // receiving an answer
)

// Progress records the progress of fetches whose context is from [WithProgress]. The zero value is ready
// and safe for concurrent use. All methods except Limit work on a nil *Progress.
type Progress struct {
	mu        sync.Mutex
	state     State
	lines     bool   // see ReadsLines
	maxOctets int64  // the value of state.Bytes above which onExcess is called
	onExcess  func() // nil without a limit
}

// State is a snapshot of a Progress.
type State struct {
	Phase Phase
	Peer  string        // host:port of the connection
	Since time.Time     // the start of the phase; in Receiving, the time of the last byte
	Limit time.Duration // the fetch is given up if this time passes after Since; 0 means never
	Bytes int64         // the number of octets received from the server so far
	Begun time.Time     // the time of the first byte of the answer
	// Searched is the number of articles searched so far, and Articles the number of articles to search.
	// Both are 0 without a search.
	Searched, Articles uint64
}

// Enter records the beginning of a phase and its time limit.
func (p *Progress) Enter(ph Phase, peer string, limit time.Duration) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.state.Phase, p.state.Peer, p.state.Limit, p.state.Since = ph, peer, limit, time.Now()
	p.mu.Unlock()
}

// AddReceived records the arrival of n octets, and the time limit for the next octets.
func (p *Progress) AddReceived(n int, limit time.Duration) {
	if p == nil {
		return
	}
	now := time.Now()
	p.mu.Lock()
	if p.state.Begun.IsZero() {
		p.state.Begun = now
	}
	p.state.Phase, p.state.Limit, p.state.Since = Receiving, limit, now
	p.state.Bytes += int64(n)
	var onExcess func()
	if p.state.Bytes > p.maxOctets {
		onExcess, p.onExcess = p.onExcess, nil
	}
	p.mu.Unlock()
	if onExcess != nil {
		onExcess()
	}
}

// SetSearched records the number of articles searched so far, and the number of articles to search.
func (p *Progress) SetSearched(searched, articles uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.state.Searched, p.state.Articles = searched, articles
	p.mu.Unlock()
}

// Limit makes p call onExcess once when more than n further octets have been received. It replaces any
// earlier limit. If onExcess is nil, there is no limit.
func (p *Progress) Limit(n int64, onExcess func()) {
	p.mu.Lock()
	p.maxOctets, p.onExcess = p.state.Bytes+n, onExcess
	p.mu.Unlock()
}

// ReadLines records that the lines of the answer are shown. A document that is saved may arrive at any rate, but lines have
// a least rate.
func (p *Progress) ReadLines() {
	p.mu.Lock()
	p.lines = true
	p.mu.Unlock()
}

// ReadsLines reports whether ReadLines was called.
func (p *Progress) ReadsLines() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines
}

// State returns the current State.
func (p *Progress) State() State {
	if p == nil {
		return State{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// WithProgress returns a context whose fetch reports to p.
func WithProgress(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, serviceProgress, p)
}

// ProgressFrom returns the Progress of ctx, or nil.
func ProgressFrom(ctx context.Context) *Progress {
	return serviceOf[*Progress](ctx, serviceProgress)
}
