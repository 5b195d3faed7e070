package term

import (
	"regexp"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Limits of the output that is under way to a terminal. Over SSH a write does not block, so seconds of
// old frames could be under way.
const (
	// maxAhead is the largest number of frames under way.
	maxAhead = 2
	// aheadOctets limits the octets under way. If there are more, no other frame is written.
	aheadOctets = 256
	// slowAnswer is the time after which an answer shows that the terminal is slow.
	slowAnswer = 150 * time.Millisecond
	// answerTime is the time limit of an answer when no output is under way. leastRate is the least
	// rate of a line in octets per second.
	answerTime = 1100 * time.Millisecond
	leastRate  = 240
	// maxUnanswered is the number of missing answers after which no more requests are sent.
	maxUnanswered = 3
)

// pace measures how much output the terminal has processed. After some frames it requests the device
// attributes (CSI c). The answer shows that the terminal has drawn everything before the request. If
// the terminal answers late, frames are written only as fast as the terminal draws them. If it never
// answers, nothing waits for answers.
//
// The mutex of output guards the fields.
type pace struct {
	canAsk bool // the terminal knows the request
	remote bool // frames always wait for answers, even if the terminal is fast

	asked    time.Time // time of the last request for something else, if none of pace followed; otherwise zero
	pending  []request // requests without an answer, the oldest first
	overdue  int       // number of requests whose answers are overdue
	paced    bool      // frames wait for answers, because the terminal is slow
	measured bool      // the speed of the terminal has been measured
	failures int       // number of missing answers in a row
	paused   bool      // no requests are sent: the program ends or has lent the terminal
	waiting  []func()  // called when all answers have arrived
	timer    *time.Timer

	sight
}

type request struct {
	at     time.Time
	octets int    // octets written with the request
	seen   func() // called when the terminal has answered; may be nil
}

// asksAfter reports whether to send a request after n octets.
func (p *pace) asksAfter(n int) bool {
	switch {
	case !p.canAsk || p.paused || p.failures >= maxUnanswered:
		return false
	case p.paced:
		return true
	case len(p.pending) > 0 || p.measured:
		return false
	}
	return p.remote || n >= chunkSize // fewer octets are quick on any line
}

func (p *pace) octetsUnderWay() (octets int) {
	for _, r := range p.pending {
		octets += r.octets
	}
	return octets
}

// ready reports whether another frame may be written.
func (p *pace) ready() bool {
	return !p.paced || len(p.pending) == 0 || len(p.pending) < maxAhead && p.octetsUnderWay() <= aheadOctets
}

// limit returns the time limit of the pending answers.
func (p *pace) limit() time.Duration {
	return answerTime + time.Duration(p.octetsUnderWay())*time.Second/leastRate
}

// IsSlow reports whether the terminal is remote or has answered slowly.
func (t *Terminal) IsSlow() bool {
	if t.out == nil {
		return false
	}
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	return t.out.remote || t.out.paced
}

// SetRemote makes frames always wait for the terminal, or only if it is slow. The terminal is another one than before, so
// its speed is measured again.
func (t *Terminal) SetRemote(remote bool) {
	if t.out == nil {
		return
	}
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	if t.out.remote != remote {
		t.out.remote, t.out.paced, t.out.measured = remote, false, false
	}
}

// recordAnswer records an answer. It returns false if no answer was expected.
func (p *pace) recordAnswer() bool {
	p.recordSight()
	switch {
	case len(p.pending) > 0:
		slow := time.Since(p.pending[0].at) >= slowAnswer
		p.pending = p.pending[1:]
		p.paced = p.paced || p.remote || slow
	case p.overdue > 0:
		p.overdue--
		p.paced = true
	default:
		return false
	}
	p.measured, p.failures = true, 0
	return true
}

func (p *pace) stopWaiting() {
	p.overdue += len(p.pending)
	p.pending, p.paced, p.measured = nil, false, false
	p.failures++
}

// request puts a request into the queue, after n octets of output. The mutex must be held.
func (o *output) request(n int) {
	o.queue = append(o.queue, ansi.RequestPrimaryDeviceAttributes...)
	r := request{time.Now(), n + len(ansi.RequestPrimaryDeviceAttributes), o.takeSeen()}
	o.pending, o.unanswered = append(o.pending, r), append(o.unanswered, r)
	o.asked = time.Time{}
	if len(o.pending) == 1 {
		o.setAnswerLimit(o.limit())
	}
}

// acknowledge records an answer to a device attributes request. It returns false if pace did not
// send the request.
func (o *output) acknowledge() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.pace.recordAnswer() {
		return false
	}
	o.release()
	return true
}

// release calls the waiting functions if no request is pending. The mutex must be held.
func (o *output) release() {
	if len(o.pending) > 0 {
		o.setAnswerLimit(o.limit())
	} else {
		o.timer.Stop()
		for _, f := range o.waiting {
			go f()
		}
		o.waiting = nil
	}
	o.callWaiting()
}

// callWaiting calls the function passed to callWhenReady, if the next frame may be drawn. The mutex
// must be held.
func (o *output) callWaiting() {
	if f := o.idle; f != nil && !o.writing && o.ready() {
		o.idle = nil
		go f()
	}
}

// setAnswerLimit sets the time limit of the missing answers.
func (o *output) setAnswerLimit(limit time.Duration) {
	if o.timer == nil {
		o.timer = time.AfterFunc(limit, o.handleTimeout)
		return
	}
	o.timer.Reset(limit)
}

func (o *output) handleTimeout() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pending) > 0 {
		o.stopWaiting()
		o.release()
	}
}

// callWhenAnswered calls f when all answers have arrived, or when an answer does not come within its
// time limit. The next program must not read the answers. callWhenAnswered returns false if there is
// nothing to wait for. If the last request was for something else, callWhenAnswered sends another one, which
// every terminal answers, and whose answer follows all others.
func (o *output) callWhenAnswered(f func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.paused = true
	if o.failed || !o.canAsk || o.failures > 0 {
		return false
	}
	if time.Since(o.asked) < answerTime {
		o.request(0)
		o.startWriting()
	}
	if len(o.pending) == 0 {
		return false
	}
	o.waiting = append(o.waiting, f)
	wait := answerTime
	if !o.measured { // the terminal may never answer
		wait -= time.Since(o.pending[len(o.pending)-1].at)
	}
	o.setAnswerLimit(wait)
	return true
}

// anyRequest matches the requests that the program and Bubble Tea send to the terminal: device attributes, modes, the
// version, the keyboard, sizes, pictures, the cursor, colors and the clipboard.
var anyRequest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b(?:\[(?:[>=]?0?c|\??\d+\$p|>0?q|\?u|(?:1[1345689]|2[01])t|\?[\d;]+S|\??[56]n)` +
		`|\](?:4;\d+|1\d|52;\w*);\?(?:\x07|\x1b\\)|_G[^;\x1b]*a=q[^\x1b]*\x1b\\|P[+$]q[^\x1b]*\x1b\\)`)
})

// recordRequests records that p has requests. If the program leaves the terminal, recordRequests removes them, because
// their answers would arrive too late. The mutex must be held.
func (o *output) recordRequests(p []byte) []byte {
	switch {
	case !anyRequest().Match(p):
	case o.paused:
		return anyRequest().ReplaceAll(p, nil)
	default:
		o.asked = time.Now()
	}
	return p
}

// replyLimit returns the time limit for the answer to a request at the end of a session.
func (o *output) replyLimit() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.measured {
		return answerTime
	}
	return replyTime
}

// stopAsking stops the requests and ends the program. It is called when the terminal can no longer be
// read. The output stays open, because a program in the background can still write.
func (o *output) stopAsking() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.canAsk, o.pending = false, nil
	if o.timer != nil {
		o.release()
	}
	o.onFailure()
}

// resume sends requests again.
func (o *output) resume() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.paused = false
}
