package term

import (
	"time"

	"github.com/charmbracelet/x/ansi"
)

// What a terminal may be behind with: over SSH a write does not block, so that
// seconds of old frames could be under way to it.
const (
	// maxAhead is how many frames may be under way.
	maxAhead = 2
	// aheadOctets is how many octets may be under way when the next frame
	// follows: of large ones, one at a time.
	aheadOctets = 256
	// slowAnswer is the time after which an answer shows that the terminal is slow.
	slowAnswer = 150 * time.Millisecond
	// answerTime is how long an answer may take when nothing is under way, and
	// leastRate what a line takes in a second at least.
	answerTime = time.Second
	leastRate  = 240
	// maxUnanswered is how many times an answer may fail to come.
	maxUnanswered = 3
	// firstAnswerTime is how long the end of the program waits for a terminal
	// that has not answered yet.
	firstAnswerTime = 300 * time.Millisecond
)

// pace measures how much output the terminal has processed: after a frame it requests the
// device attributes (CSI c), and the answer shows that everything before the request has been
// drawn. To a terminal that answers late, frames are written only as fast as it draws them; for
// one that does not answer, nothing waits.
//
// The mutex of its output guards it.
type pace struct {
	asks   bool // the terminal knows the request
	remote bool // it is always waited for, slow or not

	begun    time.Time // when the first octet was written
	asked    []request // without an answer, the oldest first
	late     int       // requests that are not waited for any more
	paced    bool      // the terminal answers, and is slow: it is waited for
	known    bool      // it has been found out whether it is slow
	failures int       // how many times no answer came
	silent   bool      // nothing is asked: the program ends or is suspended
	settled  []func()  // are called when all answers have come
	timer    *time.Timer
}

type request struct {
	at     time.Time
	octets int // what was written with it
}

// asksAfter reports whether to ask after n octets.
func (p *pace) asksAfter(n int) bool {
	if p.begun.IsZero() {
		p.begun = time.Now()
	}
	switch {
	case !p.asks || p.silent || p.failures >= maxUnanswered:
		return false
	case p.paced:
		return true
	case len(p.asked) > 0 || p.known:
		return false
	}
	return p.remote || n >= chunkSize // less is quick on any line
}

// ahead is how many octets are under way.
func (p *pace) ahead() (octets int) {
	for _, r := range p.asked {
		octets += r.octets
	}
	return octets
}

// ready reports whether another frame may be written.
func (p *pace) ready() bool {
	return !p.paced || len(p.asked) == 0 || len(p.asked) < maxAhead && p.ahead() <= aheadOctets
}

// limit is how long the answers to come may take.
func (p *pace) limit() time.Duration {
	return answerTime + time.Duration(p.ahead())*time.Second/leastRate
}

// Slow reports whether the terminal is at the end of a line, or has been found to be slow.
func (t *Terminal) Slow() bool {
	if t.out == nil {
		return false
	}
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	return t.out.remote || t.out.paced
}

// answered records an answer. It returns false if no answer was expected.
func (p *pace) answered() bool {
	switch {
	case len(p.asked) > 0:
		slow := time.Since(p.asked[0].at) >= slowAnswer
		p.asked = p.asked[1:]
		p.paced = p.paced || p.remote || slow
	case p.late > 0:
		p.late--
		p.paced = true
	default:
		return false
	}
	p.known, p.failures = true, 0
	return true
}

func (p *pace) stopWaiting() {
	p.late += len(p.asked)
	p.asked, p.paced, p.known = nil, false, false
	p.failures++
}

// request asks after n octets. It is called with the mutex held.
func (o *output) request(n int) {
	o.queue = append(o.queue, ansi.RequestPrimaryDeviceAttributes...)
	o.asked = append(o.asked, request{time.Now(), n + len(ansi.RequestPrimaryDeviceAttributes)})
	if len(o.asked) == 1 {
		o.expect(o.limit())
	}
}

// acknowledge takes an answer to a device attributes request. It reports whether
// it was one of ours.
func (o *output) acknowledge() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.pace.answered() {
		return false
	}
	o.release()
	return true
}

// release calls the waiting functions if all answers have arrived. The mutex must be held.
func (o *output) release() {
	if len(o.asked) > 0 {
		o.expect(o.limit())
	} else {
		o.timer.Stop()
		for _, f := range o.settled {
			go f()
		}
		o.settled = nil
	}
	o.wake()
}

// wake calls who waits to draw the next frame, if it may be drawn. It is called
// with the mutex held.
func (o *output) wake() {
	if f := o.idle; f != nil && !o.writing && o.ready() {
		o.idle = nil
		go f()
	}
}

// expect sets the time limit of the missing answers.
func (o *output) expect(limit time.Duration) {
	if o.timer == nil {
		o.timer = time.AfterFunc(limit, o.timedOut)
		return
	}
	o.timer.Reset(limit)
}

func (o *output) timedOut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.asked) > 0 {
		o.stopWaiting()
		o.release()
	}
}

// settle calls f when all answers have arrived, which would otherwise be read by the next user
// of the terminal, or after a second. It returns false if there is nothing to wait for. At the
// start of the program, when more than the device attributes may have been requested, the
// answer to a last request follows all others.
func (o *output) settle(f func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	early := !o.silent && time.Since(o.begun) < answerTime
	o.silent = true
	if o.failed || !o.asks || o.failures > 0 || len(o.asked) == 0 && !early {
		return false
	}
	if early {
		o.request(0)
		o.send()
	}
	o.settled = append(o.settled, f)
	wait := answerTime
	if !o.known {
		wait = firstAnswerTime - time.Since(o.begun)
	}
	o.expect(wait)
	return true
}

// hangUp reports that nothing can be read from the terminal, and waits for no more
// answers. A program in the background, which may not read, can still write.
func (o *output) hangUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asks, o.asked = false, nil
	if o.timer != nil {
		o.release()
	}
	o.gone()
}

// resume asks again.
func (o *output) resume() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.silent = false
}
