package wire

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gofer/protocols"
)

// fakeSession is a session without a connection.
type fakeSession struct {
	mu     sync.Mutex
	ctx    context.Context
	dead   bool
	quit   bool
	drop   bool
	unused bool // the session is new
}

func (s *fakeSession) Bind(ctx context.Context) bool { s.ctx = ctx; return !s.dead }
func (s *fakeSession) Quit()                         { s.mu.Lock(); s.quit = true; s.mu.Unlock() }
func (s *fakeSession) Drop()                         { s.drop = true }

func (s *fakeSession) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.quit && !s.drop
}

var errDead = &protocols.Error{Reason: protocols.Broken}

// withSession calls use with a session of p and returns the session.
func withSession(ctx context.Context, p *Pool[*fakeSession], key Key, use func(*fakeSession) error) (s *fakeSession, err error) {
	err = p.Do(ctx, key,
		func() (*fakeSession, error) { return &fakeSession{ctx: ctx, unused: true}, nil },
		func(got *fakeSession) error { s = got; return use(got) }, nil)
	return s, err
}

func succeed(*fakeSession) error { return nil }

func TestPool(t *testing.T) {
	type name string
	ctx := context.WithValue(t.Context(), name("which"), "second")
	key := Key{"ftp", "h:21", NewCredentials("joe", "pw"), ""}
	refusal := errors.New("no such file")
	for _, tt := range []struct {
		name  string
		key   Key
		dead  bool // the connection is known to be closed
		use   func(*fakeSession) error
		want  error
		fresh bool
	}{
		{"idle", key, false, succeed, nil, false},
		{"refusal", key, false, func(*fakeSession) error { return refusal }, refusal, false},
		{"of another scheme", Key{"ftps", "h:21", key.Login, ""}, false, succeed, nil, true},
		{"of another server", Key{"ftp", "i:21", key.Login, ""}, false, succeed, nil, true},
		{"of another user", Key{"ftp", "h:21", NewCredentials("joe", ""), ""}, false, succeed, nil, true},
		{"with an identity", Key{"ftp", "h:21", key.Login, "SHA-256 0a"}, false, succeed, nil, true},
		{"without a login", Key{Scheme: "ftp", Addr: "h:21"}, false, succeed, nil, true},
		{"seen to be dead", key, true, succeed, nil, true},
		{"found dead", key, false, func(s *fakeSession) error {
			if !s.unused {
				return errDead
			}
			return nil
		}, nil, true},
		{"dead again", key, false, func(*fakeSession) error { return errDead }, errDead, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p Pool[*fakeSession]
			first, err := withSession(t.Context(), &p, key, succeed)
			if err != nil {
				t.Fatal(err)
			}
			first.unused = false
			p.Put(key, first, 0)
			if first.ctx != context.Background() {
				t.Error("the idle session is still bound to its last fetch")
			}
			first.dead = tt.dead
			got, err := withSession(ctx, &p, tt.key, tt.use)
			if !errors.Is(err, tt.want) || (got != first) != tt.fresh {
				t.Errorf("got %v, another session %v; want %v, %v", err, got != first, tt.want, tt.fresh)
			}
			if got.ctx != ctx {
				t.Error("the session is not bound to the fetch")
			}
			if tt.dead && !first.drop {
				t.Error("the dead session was not closed")
			}
		})
	}
}

func TestPoolWhenTheFetchHasEnded(t *testing.T) {
	var p Pool[*fakeSession]
	ctx, cancel := context.WithCancel(t.Context())
	p.Put(Key{}, &fakeSession{}, 0)
	s, err := withSession(ctx, &p, Key{}, func(*fakeSession) error { cancel(); return errDead })
	if !errors.Is(err, errDead) || s.unused {
		t.Errorf("got %v, a new session %v; want no new session for a fetch that has ended", err, s.unused)
	}

	p.Put(Key{}, &fakeSession{}, 0)
	if s, err := withSession(ctx, &p, Key{}, succeed); s != nil || !errors.Is(err, context.Canceled) || p.Len() != 1 {
		t.Errorf("context ended before: got %v, session %v, %d idle; want the idle session unused", err, s, p.Len())
	}
	p.Close()
}

func TestPoolCannotOpen(t *testing.T) {
	var p Pool[*fakeSession]
	refused := errors.New("refused")
	err := p.Do(t.Context(), Key{}, func() (*fakeSession, error) { return nil, refused },
		func(*fakeSession) error { t.Error("the pool returned a session that it does not have"); return nil }, nil)
	if !errors.Is(err, refused) {
		t.Errorf("got %v, want %v", err, refused)
	}
}

func TestPoolBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool[*fakeSession]
		put := func(addr string, keep time.Duration) *fakeSession {
			s := &fakeSession{}
			p.Put(Key{Addr: addr}, s, keep)
			return s
		}
		if s := put("none", -1); s.isOpen() || !s.quit {
			t.Error("the pool has a session with a negative time")
		}
		if s := put("", 0); !s.isOpen() {
			t.Error("Put closed the first session")
		}
		if s := put("", 0); s.isOpen() {
			t.Error("the pool has two sessions of one key")
		}
		short := put("short", time.Second)
		for i := range maxIdle - 2 {
			put(string(rune('a'+i)), 0)
		}
		if s := put("many", 0); s.isOpen() || p.Len() != maxIdle {
			t.Errorf("got %d idle sessions, want %d", p.Len(), maxIdle)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if short.isOpen() || p.Len() != maxIdle-1 {
			t.Errorf("a session is open after its idle time")
		}
		last := put("last", 0)
		p.Close()
		if last.isOpen() || p.Len() != 0 {
			t.Error("Close left a session")
		}
		if s := put("after", 0); s.isOpen() {
			t.Error("the pool has a session after Close")
		}
	})
}

// TestPoolSpare checks that PutSpare keeps several sessions of one key, and that the idle ones except
// the first are closed after spareKeep.
func TestPoolSpare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool[*fakeSession]
		defer p.Close()
		first, second, third := &fakeSession{}, &fakeSession{}, &fakeSession{}
		p.PutSpare(Key{}, first)
		p.PutSpare(Key{}, second)
		p.PutSpare(Key{}, third)
		if s, err := withSession(t.Context(), &p, Key{}, succeed); s != third || err != nil || p.Len() != 2 {
			t.Errorf("got session %p, %v, %d idle; want %p, 2 idle", s, err, p.Len(), third)
		}
		time.Sleep(spareKeep)
		synctest.Wait()
		if !first.isOpen() || second.isOpen() || !third.isOpen() || p.Len() != 1 {
			t.Errorf("after %v: open %v, %v, %v, %d idle; want the first idle", spareKeep, first.isOpen(), second.isOpen(), third.isOpen(), p.Len())
		}
		time.Sleep(DefaultKeep)
		synctest.Wait()
		if first.isOpen() || p.Len() != 0 {
			t.Errorf("after %v: open %v, %d idle; want none", DefaultKeep, first.isOpen(), p.Len())
		}
	})
}

// TestPoolAfterSleep checks that a session is closed instead of used if its idle time has passed
// while the machine slept. No timer runs during the sleep.
func TestPoolAfterSleep(t *testing.T) {
	var p Pool[*fakeSession]
	old := &fakeSession{}
	p.Put(Key{}, old, time.Hour)
	p.idle[Key{}][0].until = time.Now().Round(0).Add(-time.Second)
	if s, err := withSession(t.Context(), &p, Key{}, succeed); s == nil || s == old || err != nil || old.isOpen() || p.Len() != 0 {
		t.Errorf(
			"got session %v, the old one %v, %v, open %v, %d idle; want a new session and none idle", s, s == old, err,
			old.isOpen(), p.Len(),
		)
	}
}

// TestQuickReply checks the time limit for the first answer over an idle connection. It is short,
// but longer for a slow server. After the first answer the usual limit applies.
func TestQuickReply(t *testing.T) {
	for _, tt := range []struct {
		before, answer time.Duration // how long the server takes to answer, before and after RequireQuickReply
		want           error
	}{
		{0, time.Second, nil},
		{0, 3 * time.Second, errSilent},
		{3 * time.Second, 5 * time.Second, nil},
		{3 * time.Second, 7 * time.Second, errSilent},
	} {
		synctest.Test(t, func(t *testing.T) {
			var server sync.WaitGroup
			defer server.Wait()
			near, far := net.Pipe()
			c := Dialer{}.newConn(t.Context(), near, "h:119")
			defer far.Close()
			defer c.Close()
			ask := func(takes time.Duration) error {
				server.Go(func() {
					_, _ = far.Read(make([]byte, 10))
					time.Sleep(takes)
					_, _ = far.Write([]byte("answer"))
				})
				if _, err := c.Write([]byte("command")); err != nil {
					return err
				}
				_, err := c.Read(make([]byte, 10))
				return err
			}
			if err := ask(tt.before); err != nil {
				t.Fatal(err)
			}
			c.RequireQuickReply()
			err := ask(tt.answer)
			if !errors.Is(err, tt.want) || err != nil && (protocols.ReasonOf(err) != protocols.Broken) {
				t.Errorf("%+v: got %v, want %v with reason Broken", tt, err, tt.want)
			}
			if err == nil && ask(20*time.Second) != nil {
				t.Errorf("%+v: the usual time limit does not apply after the first answer", tt)
			}
		})
	}
}

// TestLease checks that the first call of Done or Close keeps or drops the session, and that later
// calls do nothing.
func TestLease(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*Lease) error
		want string
	}{
		{"read to the end", func(l *Lease) error { l.Done(); return l.Close() }, "kept"},
		{"closed early", func(l *Lease) error { err := l.Close(); l.Done(); return err }, "dropped"},
	} {
		got := ""
		l := Lease{Keep: func() { got += "kept" }, Drop: func() { got += "dropped" }}
		if err := errors.Join(tt.end(&l), tt.end(new(Lease))); got != tt.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}
