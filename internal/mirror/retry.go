// Package mirror has what saving and storing whole directories have in common: which items are
// selected, which failures may go away by themselves, and how often to try again.
package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// DefaultTries is the default of Retry.Tries, as in lftp (net:max-retries).
const DefaultTries = 1000

// longestPause bounds the pauses between attempts, which double from Retry.Pause on.
const longestPause = 30 * time.Second

// Retry repeats what fails for want of a network.
type Retry struct {
	Tries int // attempts without progress; 0: DefaultTries
	// ItemTries bounds the attempts without progress at one item whose connections were made, and
	// broke or timed out: the item may be the reason. 0: Tries.
	ItemTries int
	Pause     time.Duration // before the second attempt; 0: a second
	// Yield is called when the server has refused a connection as one too many. It waits until
	// another one has ended, or returns false if there is none. It may be nil.
	Yield func(context.Context) bool
}

// Wait describes a pause before another attempt. The zero Wait is none.
type Wait struct {
	Pause time.Duration
	Try   int // the number of the attempt after the pause
	Tries int
	Err   error // of the last attempt
}

// String returns "connection refused, next try in 4 s (3 of 1000)", or "" for no pause.
func (w Wait) String() string {
	if w.Err == nil {
		return ""
	}
	why := protocols.ReasonOf(w.Err).String()
	if e, ok := errors.AsType[*protocols.Error](w.Err); ok && e.Code != 0 {
		why = clean.Text(e.Said())
	} else if l, ok := errors.AsType[*protocols.Login](w.Err); ok {
		why = clean.Text(l.Text)
	}
	return fmt.Sprintf("%s, next try in %d s (%d of %d)", why, w.Pause/time.Second, w.Try, w.Tries)
}

// Do calls do until it succeeds, fails for a reason that another attempt does not change, or the
// tries are used up, and returns its last error. The count and the pauses begin again after progress.
// wait is called before each pause, and with the zero Wait after it. If ctx ends in a pause, Do
// returns its cause.
func (r Retry) Do(ctx context.Context, wait func(Wait), do func() (progress bool, err error)) error {
	tries := cmp.Or(r.Tries, DefaultTries)
	first := cmp.Or(r.Pause, time.Second)
	pause := first
	reached := 0 // attempts whose connections were made
	for try := 2; ; try++ {
		progress, err := do()
		if progress {
			try, pause, reached = 2, first, 0
		}
		if r.Yield != nil && refusesMore(err) && r.Yield(ctx) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			try--
			continue
		}
		number, most := try, tries
		if Reached(err) && r.ItemTries > 0 {
			reached++
			number, most = reached+1, min(tries, r.ItemTries)
		}
		if err == nil || ctx.Err() != nil || !Temporary(err) || number > most || try > tries {
			return err
		}
		wait(Wait{pause, number, most, err})
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		wait(Wait{})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		pause = min(2*pause, longestPause)
	}
}

// Temporary reports whether err may go away by itself: a connection that is refused, lost or too
// slow, a server that has too many users, a name server that does not answer. A host that does not
// exist, a wrong password, an untrusted certificate and a missing file do not.
func Temporary(err error) bool {
	if q := protocols.QuestionOf(err); q != nil {
		login, ok := q.(*protocols.Login)
		return ok && busy(login.Text)
	}
	e, ok := errors.AsType[*protocols.Error](err)
	if !ok {
		return false
	}
	switch e.Reason {
	case protocols.Refused, protocols.Unreachable, protocols.ConnectTimeout, protocols.FirstByteTimeout, protocols.IdleTimeout, protocols.Broken:
		return true
	case protocols.NameNotFound:
		dns, ok := errors.AsType[*net.DNSError](err)
		return ok && !dns.IsNotFound
	case protocols.Insecure: // a lost connection in the handshake
		return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrDeadlineExceeded)
	case protocols.LocalFailure:
		return false
	}
	switch e.Code { // RFC 959, section 4.2.2
	case 421, 425, 426:
		return true
	}
	return (e.Code/100 == 4 || e.Code == 530) && busy(e.Text)
}

// refusesMore reports whether err is the refusal of a login because there are too many of them.
func refusesMore(err error) bool {
	e, ok := errors.AsType[*protocols.Error](err)
	return Temporary(err) && (!ok || e.Code == 421 || e.Code/100 != 0 && busy(e.Text))
}

// busy reports whether a server says that it has no room for another user, or asks to try later.
// Windows servers name the errors of their sockets by number.
func busy(text string) bool {
	text = strings.ToLower(text)
	return protocols.IsBusy(text) || slices.ContainsFunc([]string{"try again later", "try later", "10053", "10054", "10060", "10061"}, func(words string) bool {
		return strings.Contains(text, words)
	})
}

// Reached reports whether err is of a connection that was made, and then broke or timed out.
func Reached(err error) bool {
	r := protocols.ReasonOf(err)
	return r == protocols.Broken || r == protocols.FirstByteTimeout || r == protocols.IdleTimeout
}
