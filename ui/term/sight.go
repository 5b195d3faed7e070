package term

import (
	"slices"
	"time"
)

const (
	// writeTime is the time in which the renderer writes a frame that is due.
	writeTime = 20 * time.Millisecond
	// muteTime is the time after which the user is taken to see a frame on a terminal that has never answered.
	muteTime = 2 * time.Second
	// lostTime is the time after which an answer is taken to be lost.
	lostTime = 10 * time.Second
)

// sight tells when the user can see a frame: when the terminal has answered a request that follows the frame. Over a long or
// stalled line that is long after the frame was written.
//
// In contrast to [pace], which gives up waiting, it counts late answers, because they are the ones that matter.
type sight struct {
	unanswered []request // requests without an answer, also the overdue ones, the oldest first
	answers    bool      // the terminal has answered
	wanted     func()    // to be called when the user can see the next frame, or nil
	due        bool      // the frame has been written: the next request follows it
}

// CallWhenSeen calls f once or twice: when the user can see the next frame, and after a time limit, because the terminal
// may not answer. It returns false, and does not call f, if there is no terminal. Only one f may wait at a time.
func (t *Terminal) CallWhenSeen(f func()) bool {
	if t.out == nil {
		return false
	}
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	t.out.wanted, t.out.due = f, false
	limit := muteTime
	if t.out.answers {
		limit = lostTime
	}
	time.AfterFunc(limit, f)
	return true
}

// requestSight is called when a frame is due. If CallWhenSeen was called before, it sends a request after the frame.
func (o *output) requestSight() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wanted == nil || o.due {
		return
	}
	o.due = true
	time.AfterFunc(writeTime, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.wanted != nil && o.due && o.canAsk && !o.paused && !o.failed && (o.answers || o.failures < maxUnanswered) {
			o.request(0)
			o.startWriting()
		}
	})
}

// takeSeen returns the function that waits for the answer to the next request, or nil.
func (s *sight) takeSeen() func() {
	f := s.wanted
	if !s.due {
		return nil
	}
	s.wanted, s.due = nil, false
	return f
}

// recordSight records an answer, to the oldest request without one.
func (s *sight) recordSight() {
	s.answers = true
	s.unanswered = slices.DeleteFunc(s.unanswered, func(r request) bool { return time.Since(r.at) >= lostTime })
	if len(s.unanswered) == 0 {
		return
	}
	if f := s.unanswered[0].seen; f != nil {
		go f()
	}
	s.unanswered = s.unanswered[1:]
}
