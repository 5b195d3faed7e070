package mirror

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestFilter(t *testing.T) {
	day := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	type patterns = []Pattern
	for _, tt := range []struct {
		patterns patterns
		path     string
		dir      bool
		modified time.Time
		want     bool
	}{
		{nil, "a", false, time.Time{}, true},
		{patterns{{"*.iso", false}}, "d/a.iso", false, day, false},
		{patterns{{"*.iso", false}}, "d/a.txt", false, day, true},
		{patterns{{"*.iso", false}, {"a*", true}}, "d/a.iso", false, day, true},
		{patterns{{"*.iso", false}, {"a*", true}, {"a.*", false}}, "d/a.iso", false, day, false},
		{patterns{{"*.txt", true}}, "a.iso", false, day, false},
		{patterns{{"*.txt", true}}, "d/a.txt", false, day, true},
		{patterns{{"*.txt", true}}, "d", true, day, true},
		{patterns{{"old", false}}, "d/old", true, day, false},
		{patterns{{"old/", false}}, "d/old", true, day, false},
		{patterns{{"old/", false}}, "d/old", false, day, true},
		{patterns{{"d/old", false}}, "d/old", false, day, false},
		{patterns{{"d/old", false}}, "e/d/old", false, day, true},
		{patterns{{"/old", false}}, "d/old", false, day, true},
		{patterns{{"/old/", false}}, "old", true, day, false},
		{patterns{{"d/*", false}}, "d/e/f", false, day, true},
		{nil, "a", false, day.Add(-time.Second), false},
		{nil, "a", true, day.Add(-time.Second), true},
	} {
		f := Filter{ModifiedSince: day}
		for _, p := range tt.patterns {
			fetchtest.NoError(t, f.Add(p.Glob, p.Include))
		}
		fetchtest.Equal(
			t, f.Selects(tt.path, tt.dir, tt.modified), tt.want, "Filter with %v selects %q (directory: %v)",
			tt.patterns, tt.path, tt.dir,
		)
	}
	for _, glob := range []string{"", "/", "[", "a["} {
		if new(Filter).Add(glob, true) == nil {
			t.Errorf("Add(%q) = nil, want an error", glob)
		}
	}
}

func failure(r protocols.Reason, code int, text string, cause error) error {
	return &protocols.Error{Reason: r, Code: code, Text: text, Err: cause}
}

func TestTemporary(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{io.EOF, false},
		{context.Canceled, false},
		{failure(protocols.Refused, 0, "", nil), true},
		{failure(protocols.Unreachable, 0, "", nil), true},
		{failure(protocols.ConnectTimeout, 0, "", nil), true},
		{failure(protocols.FirstByteTimeout, 0, "", nil), true},
		{failure(protocols.IdleTimeout, 0, "", nil), true},
		{failure(protocols.Broken, 426, "Connection closed", nil), true},
		{failure(protocols.NameNotFound, 0, "", nil), false},
		{failure(protocols.NameNotFound, 0, "", &net.DNSError{IsNotFound: true}), false},
		{failure(protocols.NameNotFound, 0, "", &net.DNSError{IsTemporary: true}), true},
		{failure(protocols.Insecure, 0, "", x509.UnknownAuthorityError{}), false},
		{failure(protocols.Insecure, 0, "", io.EOF), true},
		{failure(protocols.ServerFailed, 421, "Timeout", nil), true},
		{failure(protocols.ServerFailed, 425, "", nil), true},
		{failure(protocols.ServerFailed, 450, "file busy", nil), false},
		{failure(protocols.ServerFailed, 451, "Too many connections", nil), true},
		{failure(protocols.ServerFailed, 452, "No space", nil), false},
		{failure(protocols.NotFound, 550, "too many users.txt: no such file", nil), false},
		{failure(protocols.Denied, 530, "Login incorrect.", nil), false},
		{failure(protocols.Denied, 530, "Sorry, the maximum number of clients (3) for this user are already connected.", nil), true},
		{failure(protocols.ServerFailed, 530, "10 users (the maximum) are already logged in, sorry", nil), true},
		{failure(protocols.Denied, 530, "Maximum login attempts exceeded", nil), false},
		{failure(protocols.LocalFailure, 0, "", fs.ErrPermission), false},
		{&protocols.Login{Text: "Login incorrect."}, false},
		{&protocols.Login{Text: "Too many users, please try again later."}, true},
		{&protocols.Confirm{}, false},
	} {
		fetchtest.Equal(t, IsTemporary(tt.err), tt.want, "IsTemporary(%#v)", tt.err)
	}
}

// TestIsFull checks which replies say that the server has no space. Such errors are not temporary.
func TestIsFull(t *testing.T) {
	for _, tt := range []struct {
		code int
		text string
		want bool
	}{
		{452, "Insufficient storage space in system", true},
		{452, "", true},
		{452, "Too many open files", true},
		{552, "Exceeded storage allocation", true},
		{552, "", true},
		{552, "Quota exceeded: [a.txt] won't be saved", true}, // pure-ftpd
		{552, "STOR denied: quota exceeded: used 12 of 12 kB", true},
		{552, "Transfer aborted. Disk quota exceeded", true},
		{552, "The file is too large for your quota", true},
		{552, "Transfer aborted. File too large", false}, // the limit of one file
		{552, "File exceeds the maximum file size", false},
		{451, "Failure writing to local file.", true}, // vsftpd
		{426, "Transfer aborted (quota)", true},
		{426, "Data connection: No space left on device.", true},
		{553, "Disk full - please upload later", true}, // pure-ftpd
		{550, "There is not enough space on the disk.", true},
		{550, "d: No space left on device", true},
		{550, "d: Disk quota exceeded", true},
		{550, "quota.txt: Permission denied", false},
		{550, "", false},
		{553, "Could not create file.", false},
		{451, "Local error in processing", false},
		{426, "Failure reading network stream.", false},
		{226, "Disk full", false},
	} {
		err := failure(protocols.ServerFailed, tt.code, tt.text, nil)
		fetchtest.Equal(t, IsFull(err), tt.want, "IsFull(%d %s)", tt.code, tt.text)
		if tt.want {
			fetchtest.Equal(t, IsTemporary(err), false, "IsTemporary(%d %s)", tt.code, tt.text)
		}
	}
	fetchtest.Equal(t, IsFull(nil), false, "IsFull(nil)")
	fetchtest.Equal(t, IsFull(failure(protocols.LocalFailure, 0, "disk full", nil)), false, "IsFull for the disk of this machine")
}

// TestRetry calls Do for attempts with given results, and checks the texts of the pauses.
func TestRetry(t *testing.T) {
	refused := failure(protocols.Refused, 0, "", nil)
	lost := failure(protocols.Broken, 0, "", nil)
	unreachable := failure(protocols.Unreachable, 0, "", nil)
	notThere := failure(protocols.NotFound, 550, "", nil)
	type attempt struct {
		progress bool
		err      error
	}
	for _, tt := range []struct {
		name     string
		retry    Retry
		attempts []attempt
		waits    []string
		want     error
	}{
		{"success", Retry{}, []attempt{{true, nil}}, nil, nil},
		{"permanent error", Retry{}, []attempt{{true, notThere}}, nil, notThere},
		{"temporary errors", Retry{}, []attempt{{false, refused}, {false, lost}, {false, refused}, {true, nil}}, []string{
			"connection refused, next try in 1 s (2 of 1000)", "connection lost, next try in 2 s (3 of 1000)",
			"connection refused, next try in 4 s (4 of 1000)",
		}, nil},
		{
			"busy",
			Retry{},
			[]attempt{{false, failure(protocols.ServerFailed, 421, "Too many users\t", nil)}, {true, nil}},
			[]string{"421 Too many users, next try in 1 s (2 of 1000)"},
			nil,
		},
		{
			"two tries",
			Retry{Tries: 2},
			[]attempt{{false, refused}, {false, refused}},
			[]string{"connection refused, next try in 1 s (2 of 2)"},
			refused,
		},
		{"one try", Retry{Tries: 1}, []attempt{{false, refused}}, nil, refused},
		{"progress", Retry{Tries: 2}, []attempt{{false, refused}, {true, lost}, {false, refused}}, []string{
			"connection refused, next try in 1 s (2 of 2)", "connection lost, next try in 1 s (2 of 2)",
		}, refused},
		{"tries of an item", Retry{Tries: 5, ItemTries: 3}, []attempt{{false, lost}, {false, refused}, {false, lost}, {false, lost}}, []string{
			"connection lost, next try in 1 s (2 of 3)", "connection refused, next try in 2 s (3 of 5)", "connection lost, next try in 4 s (3 of 3)",
		}, lost},
		{
			"tries of an item after an outage",
			Retry{Tries: 5, ItemTries: 2},
			[]attempt{{false, refused}, {false, refused}, {false, lost}, {true, nil}},
			[]string{
				"connection refused, next try in 1 s (2 of 5)", "connection refused, next try in 2 s (3 of 5)",
				"connection lost, next try in 4 s (2 of 2)",
			},
			nil,
		},
		{"refused", Retry{RefusedTries: 3}, []attempt{{false, refused}, {false, refused}, {false, refused}}, []string{
			"connection refused, next try in 1 s (2 of 3)", "connection refused, next try in 2 s (3 of 3)",
		}, refused},
		{"refused or lost", Retry{RefusedTries: 3}, []attempt{{false, lost}, {false, refused}, {false, lost}}, []string{
			"connection lost, next try in 1 s (2 of 3)", "connection refused, next try in 2 s (3 of 3)",
		}, lost},
		{"refused after progress", Retry{RefusedTries: 2}, []attempt{{false, refused}, {true, lost}, {false, refused}}, []string{
			"connection refused, next try in 1 s (2 of 2)", "connection lost, next try in 1 s (2 of 2)",
		}, refused},
		{
			"not refused in a row",
			Retry{RefusedTries: 2},
			[]attempt{{false, refused}, {false, unreachable}, {false, refused}, {true, nil}},
			[]string{
				"connection refused, next try in 1 s (2 of 2)", "host unreachable, next try in 2 s (3 of 1000)",
				"connection refused, next try in 4 s (2 of 2)",
			},
			nil,
		},
		{
			"refused more often than an item is tried",
			Retry{RefusedTries: 3, ItemTries: 2},
			[]attempt{{false, refused}, {false, refused}, {false, lost}, {false, refused}, {true, nil}},
			[]string{
				"connection refused, next try in 1 s (2 of 3)", "connection refused, next try in 2 s (3 of 3)",
				"connection lost, next try in 4 s (2 of 2)", "connection refused, next try in 8 s (2 of 3)",
			},
			nil,
		},
		{"all tries", Retry{Tries: 3, ItemTries: 3}, []attempt{{false, refused}, {false, refused}, {false, lost}}, []string{
			"connection refused, next try in 1 s (2 of 3)", "connection refused, next try in 2 s (3 of 3)",
		}, lost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var waits []string
				n, waiting, from := 0, Wait{}, time.Now()
				err := tt.retry.Do(t.Context(), func(w Wait) {
					if w.Err != nil {
						waits = append(waits, w.String())
					} else if got := time.Since(from); got != waiting.Pause {
						t.Errorf("Do paused for %v, want %v", got, waiting.Pause)
					}
					waiting, from = w, time.Now()
				}, func() (bool, error) {
					n++
					return tt.attempts[n-1].progress, tt.attempts[n-1].err
				})
				fetchtest.Equal(t, err, tt.want, "error of Do")
				fetchtest.Equal(t, n, len(tt.attempts), "number of attempts")
				fetchtest.EqualSlices(t, waits, tt.waits, "texts of the pauses")
				fetchtest.Equal(t, waiting, Wait{}, "last Wait")
			})
		})
	}
}

// TestFirstAttempt checks that an attempt is repeated only if an attempt has reached the server before.
func TestFirstAttempt(t *testing.T) {
	temporary := &net.DNSError{IsTemporary: true}
	for _, tt := range []struct {
		name  string
		errs  []error
		tries int
	}{
		{"refused", []error{failure(protocols.Refused, 0, "", nil)}, 1},
		{"unreachable", []error{failure(protocols.Unreachable, 0, "", nil)}, 1},
		{"no answer to the connection", []error{failure(protocols.ConnectTimeout, 0, "", nil)}, 1},
		{"no answer of the name server", []error{failure(protocols.NameNotFound, 0, "", temporary)}, 1},
		{"refused after a lost connection", []error{failure(protocols.Broken, 0, "", nil), failure(protocols.Refused, 0, "", nil)}, 4},
		{
			"refused after an answer",
			[]error{failure(protocols.ServerFailed, 421, "too many users", nil), failure(protocols.Refused, 0, "", nil)},
			4,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			err := Retry{Tries: 4, Reached: new(atomic.Bool)}.Do(t.Context(), func(Wait) {}, func() (bool, error) {
				n++
				return false, tt.errs[min(n, len(tt.errs))-1]
			})
			fetchtest.Equal(t, err, tt.errs[len(tt.errs)-1], tt.name)
			fetchtest.Equal(t, n, tt.tries, "attempts: %s", tt.name)
		})
	}
}

// TestRetryPauses checks that pauses grow to 30 s, and that a pause ends with the context.
func TestRetryPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Minute+time.Millisecond, func() { cancel(stop) })
		var pauses []time.Duration
		start := time.Now()
		err := Retry{}.Do(ctx, func(w Wait) {
			if w.Err != nil {
				pauses = append(pauses, w.Pause/time.Second)
			}
		}, func() (bool, error) { return false, failure(protocols.Refused, 0, "", nil) })
		fetchtest.ErrorIs(t, err, stop)
		fetchtest.Equal(t, time.Since(start), 5*time.Minute+time.Millisecond, "duration of Do")
		fetchtest.EqualSlices(t, pauses, []time.Duration{
			1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
		}[:len(pauses)], "pauses in seconds")
		if len(pauses) < 12 {
			t.Errorf("Do made %d pauses, want at least 12", len(pauses))
		}
	})
}

// TestYield runs eight concurrent attempts at servers that allow few connections. It checks that no attempt pauses
// while another one is connected, and that the servers refuse few connections.
func TestYield(t *testing.T) {
	full := failure(protocols.Denied, 530, "Sorry, the maximum number of clients (1) for this user are already connected.", nil)
	for _, tt := range []struct {
		workers  int // connections of this program; 0: no limit
		allowed  int
		others   int // connections of other programs, for five seconds
		err      error
		refused  int // maximum number of refused connections
		duration time.Duration
	}{
		{0, 1, 0, full, 7, 8 * time.Second},
		{4, 1, 0, failure(protocols.ServerFailed, 421, "There are too many connections", nil), 3, 8 * time.Second},
		{4, 2, 0, &protocols.Login{Text: "Too many users"}, 2, 4 * time.Second},
		{2, 1, 1, full, 1 + 3, 15 * time.Second},
		{2, 2, 0, full, 0, 4 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			slots := &Slots{PerServer: tt.workers, Total: tt.workers}
			var mu sync.Mutex
			used, refused, start := tt.others, 0, time.Now()
			time.AfterFunc(5*time.Second, func() {
				mu.Lock()
				defer mu.Unlock()
				used -= tt.others
			})
			attempt := func() (bool, error) {
				mu.Lock()
				if used++; used > tt.allowed {
					used, refused = used-1, refused+1
					mu.Unlock()
					return false, tt.err
				}
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				used--
				mu.Unlock()
				return true, nil
			}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if err := slots.Wait(t.Context(), slots.Enqueue("h")); err != nil {
						t.Error(err)
						return
					}
					defer slots.Release("h")
					retry := Retry{Tries: 4, Yield: func(ctx context.Context) bool { return slots.Yield(ctx, "h") }}
					fetchtest.NoError(t, retry.Do(t.Context(), func(Wait) {}, attempt))
				})
			}
			wg.Wait()
			if duration := time.Since(start); duration != tt.duration || refused > tt.refused {
				t.Errorf("server with %d connections: refused %d in %v; want at most %d, %v", tt.allowed, refused, duration, tt.refused, tt.duration)
			}
		})
	}
}

// TestYieldEnds checks that Yield ends with its context, and that the limit of connections expires.
func TestYieldEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Slots
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		fetchtest.NoError(t, s.Wait(ctx, s.Enqueue("h")))
		fetchtest.NoError(t, s.Wait(ctx, s.Enqueue("h")))
		time.AfterFunc(time.Second, func() { cancel(stop) })
		retry := Retry{Yield: func(ctx context.Context) bool { return s.Yield(ctx, "h") }}
		fetchtest.ErrorIs(
			t,
			retry.Do(ctx, func(Wait) {}, func() (bool, error) { return false, failure(protocols.ServerFailed, 421, "", nil) }),
			stop,
		)
		s.Release("h")
		s.Release("h")
		fetchtest.Equal(t, s.total, 0, "slots in use")
		ready := s.Enqueue("h")
		fetchtest.NoError(t, s.Wait(t.Context(), ready))
		second, cancelSecond := context.WithTimeout(t.Context(), limitDuration/2)
		defer cancelSecond()
		fetchtest.ErrorIs(t, s.Wait(second, s.Enqueue("h")), context.DeadlineExceeded)
		time.Sleep(limitDuration)
		fetchtest.NoError(t, s.Wait(t.Context(), s.Enqueue("h")), "Wait after the limit has expired")
	})
}

// TestItemTries checks that progress resets the number of attempts at an item.
func TestItemTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		err := Retry{ItemTries: 2}.Do(t.Context(), func(Wait) {}, func() (bool, error) {
			if calls++; calls == 5 {
				return true, nil
			}
			return true, &protocols.Error{Reason: protocols.Broken}
		})
		fetchtest.NoError(t, err)
	})
}

// TestPartialError checks that Unwrap prefers a question to a network error, and a network error to others.
func TestPartialError(t *testing.T) {
	denied, broken := LeftOut{Err: &protocols.Error{Reason: protocols.Denied}}, LeftOut{Err: &protocols.Error{Reason: protocols.Broken}}
	question := LeftOut{Err: new(protocols.Login)}
	for _, tt := range []struct {
		left []LeftOut
		want error
	}{
		{[]LeftOut{question, broken}, question.Err},
		{[]LeftOut{denied, broken, question}, question.Err},
		{[]LeftOut{denied, broken}, broken.Err},
		{[]LeftOut{denied, denied}, denied.Err},
	} {
		fetchtest.Equal(t, errors.Unwrap(&PartialError{LeftOut: tt.left}), tt.want, "Unwrap of %v", tt.left)
	}
}
