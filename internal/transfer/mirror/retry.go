// Package mirror has the rules for downloads and uploads of whole directories: which items are
// selected, which errors are temporary, how often to try again, and how servers are spared.
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
	"sync/atomic"
	"syscall"
	"time"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// DefaultTries is the default of [Retry.Tries], the same as lftp's net:max-retries.
const DefaultTries = 1000

// maxPause limits the pauses between attempts. The first pause is Retry.Pause, and each pause is twice as
// long as the pause before it.
const maxPause = 30 * time.Second

// RefusedTries is the default of [Retry.RefusedTries]. With the pauses, eight attempts take 91 s, which is enough for a
// server to restart.
const RefusedTries = 8

// Retry repeats operations that fail because of the network.
type Retry struct {
	Tries int // attempts without progress; 0: DefaultTries
	// ItemTries limits the attempts that lost an established connection without progress, because
	// the item may be the reason. 0: Tries.
	ItemTries int
	// RefusedTries limits the attempts in a row that the server refused, or that lost the connection without progress if
	// ItemTries is 0. A host that refuses connections can be reached, so that a longer wait does not help. 0: Tries.
	RefusedTries int
	// Reached is set by the first attempt that reaches the server. Until then, an attempt that does not reach the server is
	// not repeated, as in the download of a single document. nil: such attempts are repeated.
	Reached *atomic.Bool
	Pause   time.Duration // before the second attempt; 0: one second
	// Yield is called if the server refuses a connection because it has too many. Yield waits until another
	// connection of this program ends, or returns false if there is no other connection. Yield may be nil.
	Yield func(context.Context) bool
}

// Wait describes a pause before the next attempt. The zero Wait means that there is no pause.
type Wait struct {
	Pause time.Duration
	Try   int   // the number of the next attempt
	Tries int   // the limit of attempts
	Err   error // the error of the last attempt
}

// String describes the pause, as in "connection refused, next try in 4 s (3 of 1000)". It returns "" for the zero Wait.
func (w Wait) String() string {
	if w.Err == nil {
		return ""
	}
	reason := protocols.ReasonOf(w.Err).String()
	if e, ok := errors.AsType[*protocols.Error](w.Err); ok && e.Code != 0 {
		reason = clean.Text(e.Reply())
	} else if l, ok := errors.AsType[*protocols.Login](w.Err); ok {
		reason = clean.Text(l.Text)
	}
	return fmt.Sprintf("%s, next try in %d s (%d of %d)", reason, w.Pause/time.Second, w.Try, w.Tries)
}

// Do calls attempt until attempt succeeds or returns a permanent error, or all tries are used. Do returns the
// last error of attempt. Progress resets the count of tries and the pauses. Do calls the function wait with a
// Wait before each pause, and with the zero Wait after the pause. If ctx ends during a pause, Do returns the
// cause of ctx.
func (r Retry) Do(ctx context.Context, wait func(Wait), attempt func() (progress bool, err error)) error {
	tries := cmp.Or(r.Tries, DefaultTries)
	firstPause := cmp.Or(r.Pause, time.Second)
	pause := firstPause
	itemTries := 0 // attempts that lost an established connection
	refusals := 0  // attempts in a row that count for RefusedTries
	for try := 2; ; try++ {
		progress, err := attempt()
		reached := r.hasReached(err)
		if progress {
			try, pause, itemTries, refusals = 2, firstPause, 0, 0
		}
		if r.Yield != nil && isTooManyUsers(err) && r.Yield(ctx) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			try--
			continue
		}
		number, limit := try, tries
		switch isLost := IsLostConnection(err); {
		case isLost && r.ItemTries > 0:
			itemTries, refusals = itemTries+1, 0
			number, limit = itemTries+1, min(tries, r.ItemTries)
		case isLost, protocols.ReasonOf(err) == protocols.Refused:
			if refusals++; r.RefusedTries > 0 {
				number, limit = refusals+1, min(tries, r.RefusedTries)
			}
		default:
			refusals = 0
		}
		if err == nil || ctx.Err() != nil || !IsTemporary(err) || number > limit || try > tries || !reached {
			return err
		}
		wait(Wait{pause, number, limit, err})
		Sleep(ctx, pause)
		wait(Wait{})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		pause = min(2*pause, maxPause)
	}
}

// hasReached reports whether the attempt that returned err, or an earlier one, has reached the server.
func (r Retry) hasReached(err error) bool {
	if r.Reached != nil && !protocols.ReasonOf(err).Is(protocols.NotConnected) {
		r.Reached.Store(true)
	}
	return r.Reached == nil || r.Reached.Load()
}

// IsTemporary reports whether another attempt may succeed after err. This is so if a connection was refused,
// lost or too slow, if the server has too many users, or if the name server does not answer. IsTemporary returns false
// for an unknown host, a wrong password, an untrusted certificate and a missing file.
func IsTemporary(err error) bool {
	if q := protocols.QuestionOf(err); q != nil {
		login, ok := q.(*protocols.Login)
		return ok && isBusyText(login.Text)
	}
	e, ok := errors.AsType[*protocols.Error](err)
	if !ok {
		return false
	}
	switch {
	case e.Reason.Is(protocols.Temporary):
		return true
	case e.Reason == protocols.NameNotFound:
		dns, ok := errors.AsType[*net.DNSError](err)
		return ok && !dns.IsNotFound
	case e.Reason == protocols.Insecure: // temporary only if the connection was lost in the handshake
		return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrDeadlineExceeded)
	case e.Reason == protocols.LocalFailure:
		return false
	}
	switch e.Code { // RFC 959, section 4.2.2
	case 421, 425, 426:
		return !IsFull(err)
	}
	return (e.Code/100 == 4 || e.Code == 530) && isBusyText(e.Text)
}

// IsFull reports whether err is a reply that says that the server has no space for more files, or the user no quota
// (452 and 552 of RFC 959, section 4.2.1; many servers use other codes). The limit for the size of a single file does not
// count.
func IsFull(err error) bool {
	e, ok := errors.AsType[*protocols.Error](err)
	if !ok || e.Code < 400 {
		return false
	}
	says := func(phrases ...string) bool {
		text := strings.ToLower(e.Text)
		return slices.ContainsFunc(phrases, func(words string) bool { return strings.Contains(text, words) })
	}
	if e.Code == 452 || e.Code == 552 {
		return says("quota") || !says("too large", "too big", "file size")
	}
	return says("no space left", "not enough space", "not enough disk space", "disk full", "disk is full", "quota exceeded", "(quota)", "over quota", "writing to local file")
}

// isTooManyUsers reports whether the server refused a connection or a login because it has too many users.
func isTooManyUsers(err error) bool {
	e, ok := errors.AsType[*protocols.Error](err)
	return IsTemporary(err) && (!ok || e.Code == 421 || e.Code/100 != 0 && isBusyText(e.Text))
}

// isBusyText reports whether text, a reply, says that the server has too many users, or asks to try later.
// Some Windows servers reply with the number of a socket error instead (10053, 10054, 10060, 10061).
func isBusyText(text string) bool {
	text = strings.ToLower(text)
	return protocols.IsBusy(text) || slices.ContainsFunc([]string{"try again later", "try later", "10053", "10054", "10060", "10061"}, func(words string) bool {
		return strings.Contains(text, words)
	})
}

// IsLostConnection reports whether err means that an established connection broke or timed out.
func IsLostConnection(err error) bool {
	return protocols.ReasonOf(err).Is(protocols.ConnectionLost)
}
