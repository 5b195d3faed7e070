package ftp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// memoryStore is a wire.HabitStore in memory.
type memoryStore struct{ sync.Map }

func (m *memoryStore) Load(_ context.Context, addr string) string {
	text, _ := m.Map.Load(addr)
	s, _ := text.(string)
	return s
}

func (m *memoryStore) Save(addr, text string) { m.Store(addr, text) }

// change changes the stored habits of the server f.
func (m *memoryStore) change(t *testing.T, f *fake, change func(*habits)) {
	t.Helper()
	var h habits
	addr := f.ln.Addr().String()
	if text := m.Load(t.Context(), addr); text != "" {
		fetchtest.NoError(t, json.Unmarshal([]byte(text), &h))
	} else {
		h.Learned = time.Now().Add(-time.Minute)
	}
	change(&h)
	text := fetchtest.Must(json.Marshal(h))(t)
	m.Save(addr, string(text))
}

// useStore makes c use the store, and waits until c has loaded the habits of the server at addr: without them, a busy machine
// would make the server unknown after a short wait.
func useStore(t *testing.T, c *Client, store wire.HabitStore, addr string) {
	t.Helper()
	c.Habits = store
	k := c.serverAt(addr)
	k.load(t.Context(), store, addr)
	<-k.loading.Loaded()
}

// fetchAnew fetches the URL s with a new client, and returns the writes that the fake received.
func fetchAnew(t *testing.T, f *fake, store wire.HabitStore, s string) (body, writes string, err error) {
	t.Helper()
	c := newClient(t)
	useStore(t, c, store, f.ln.Addr().String())
	before := f.connections()
	body, err = getBody(t, c, s)
	_ = c.Close()
	return body, strings.TrimSuffix(strings.Join(f.writtenAfter(before), "|"), "|QUIT"), err
}

// TestHabits checks what the next run of the program sends to a server that the last one has got to know.
func TestHabits(t *testing.T) {
	const file = "SIZE x+EPSV|RETR x"
	known := knownBatch + "+" + file
	for _, tt := range []struct {
		name     string
		f        *fake
		user     string // userinfo of the second URL
		change   func(*habits)
		greeting string // of the second connection
		want     string // writes of the second fetch
	}{
		{name: "TLS was refused", want: known},
		{name: "TLS works", f: &fake{tls: selfSigned(t)}, want: "AUTH TLS|" + strings.Replace(known, "TYPE", "PBSZ 0+PROT P+TYPE", 1)},
		{name: "a password", user: "joe:secret@", want: "AUTH TLS|USER joe|PASS secret+" + strings.SplitN(known, "+", 3)[2]},
		{name: "a week ago", change: func(h *habits) { h.Learned = time.Now().Add(-wire.HabitAge) }, want: "AUTH TLS|" + batch + "+" + file},
		{name: "in the future", change: func(h *habits) { h.Learned = time.Now().Add(time.Hour) }, want: "AUTH TLS|" + batch + "+" + file},
		{name: "another greeting", greeting: "220 other", want: known},
		{name: "without EPSV", f: &fake{replies: map[string]string{"EPSV": "500 what"}}, want: knownBatch + "+SIZE x+PASV|RETR x"},
		{
			name: "without pipelining", change: func(h *habits) { h.Pipelining = pipelineFails },
			want: "USER anonymous|PASS gofer@|TYPE I|OPTS UTF8 ON|PWD|SIZE x|EPSV|RETR x",
		},
		{name: "greeting awaited", change: func(h *habits) { h.AwaitsGreeting = true }, want: known},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.f
			if f == nil {
				f = new(fake)
			}
			f.data = map[string]string{"RETR": "data"}
			f = startFake(t, f)
			store := new(memoryStore)
			fetchtest.Returns(t, "data")(getFirst(t, f, store))
			if tt.change != nil {
				store.change(t, f, tt.change)
			}
			if tt.greeting != "" {
				f.setReply("greeting", tt.greeting)
			}
			body, writes, err := fetchAnew(t, f, store, "ftp://"+tt.user+f.ln.Addr().String()+"/x")
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, body, "data", "Body")
			fetchtest.Equal(t, writes, tt.want, "writes")
		})
	}
}

// getFirst fetches a file from f, so that the store has the habits of f.
func getFirst(t *testing.T, f *fake, store wire.HabitStore) (string, error) {
	t.Helper()
	body, _, err := fetchAnew(t, f, store, f.url("x"))
	return body, err
}

// TestForgottenHabits checks that another greeting forgets the habits of a server.
func TestForgottenHabits(t *testing.T) {
	f := startFake(t, &fake{data: map[string]string{"RETR": "data"}})
	store := new(memoryStore)
	fetchtest.Returns(t, "data")(getFirst(t, f, store))
	f.setReply("greeting", "220 other")
	fetchtest.Returns(t, "data")(getFirst(t, f, store))
	_, writes, err := fetchAnew(t, f, store, f.url("x"))
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, writes, authTLS+"|"+batch+"+SIZE x+EPSV|RETR x", "writes after another greeting")
}

// TestWrongHabits fetches from servers that have changed without another greeting.
func TestWrongHabits(t *testing.T) {
	for _, tt := range []struct {
		name        string
		change      func(*habits)
		now         *fake
		connections int
	}{
		{"TLS is required now", func(h *habits) { h.NoTLS, h.Pipelining = true, pipelineWorks }, &fake{tls: selfSigned(t), requiresTLS: true}, 2},
		{"commands together are dropped", func(h *habits) { h.NoTLS, h.Pipelining = true, pipelineWorks }, &fake{pipelining: "drop"}, 3},
		{"commands together close", func(h *habits) { h.NoTLS, h.Pipelining = true, pipelineWorks }, &fake{pipelining: "close"}, 3},
		{"PRET and MLSD are gone", func(h *habits) { h.Extensions = extensions{Known: true, PRET: true, MLSD: true} }, &fake{replies: map[string]string{"PRET": "500 what", "FEAT": "500 what"}}, 1},
		{"PRET is needed", func(h *habits) { h.Extensions.Known = true }, &fake{requiresPRET: true, replies: map[string]string{"FEAT": "211-x\r\n PRET\r\n211 end"}}, 1},
		{"paths of VMS", func(h *habits) { h.VMS = true }, new(fake), 1},
		{"no EPSV", func(h *habits) { h.NoEPSV = true }, &fake{replies: map[string]string{"PASV": "500 what"}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.now.data = map[string]string{"RETR": "data"}
			f := startFake(t, tt.now)
			store := new(memoryStore)
			store.change(t, f, tt.change)
			c := newClient(t)
			useStore(t, c, store, f.ln.Addr().String())
			if f.pipelining == "drop" {
				c.Dialer.QuickReply = 1
			}
			body, err := getBody(t, c, f.url("d/x"))
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, body, "data", "Body")
			fetchtest.Equal(t, f.connections(), tt.connections, "connections (%q)", f.written())
		})
	}
}

// TestCanceledLoad cancels the first fetch from a server while the habits of the server are loaded. The next fetch needs them.
func TestCanceledLoad(t *testing.T) {
	f := startFake(t, &fake{data: map[string]string{"RETR": "data"}})
	store := new(memoryStore)
	fetchtest.Returns(t, "data")(getFirst(t, f, store))
	ctx, cancel := context.WithCancel(t.Context())
	slow := &slowStore{store, make(chan struct{})}
	k := new(server)
	k.load(ctx, slow, f.ln.Addr().String())
	cancel()
	close(slow.ready)
	<-k.loading.Loaded()
	fetchtest.Equal(t, k.current().Extensions.Known, true, "the extensions are known")
}

// slowStore loads nothing before it is ready.
type slowStore struct {
	*memoryStore
	ready chan struct{}
}

func (s *slowStore) Load(ctx context.Context, addr string) string {
	if <-s.ready; ctx.Err() != nil {
		return ""
	}
	return s.memoryStore.Load(ctx, addr)
}

// TestRefusedData fetches again and again from servers that refuse data connections. What is known of the server does not change
// each time: FEAT is sent once more in a session, and then the session ends with the refusal.
func TestRefusedData(t *testing.T) {
	for _, feat := range []string{"211 none", "211-x\r\n PRET\r\n211 end"} {
		f := startFake(t, &fake{replies: map[string]string{"FEAT": feat, "EPSV": "550 no", "PASV": "550 no"}})
		store := new(memoryStore)
		store.change(t, f, func(h *habits) { h.NoTLS, h.Extensions.Known = true, true })
		for range 3 {
			before := f.connections()
			_, _, err := fetchAnew(t, f, store, f.url("x"))
			fetchtest.Equal(t, replyCode(err), 550, "code")
			fetchtest.Equal(t, f.connections(), before+1, "connections")
			var h habits
			store.change(t, f, func(stored *habits) { h = *stored })
			fetchtest.Equal(t, h.Extensions, extensions{Known: true}, "extensions")
		}
	}
}

// TestForgottenExtensions checks that FEAT is sent again after a server has refused a command of an extension that it was
// known to have.
func TestForgottenExtensions(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"MLSD": "500 what"}, data: map[string]string{"LIST": "-rw-r--r-- 1 0 0 3 Nov 29 2020 f\r\n"}})
	store := new(memoryStore)
	store.change(t, f, func(h *habits) { h.NoTLS, h.Extensions = true, extensions{Known: true, MLSD: true} })
	for _, want := range []string{"+PWD+EPSV|MLSD", "FEAT+"} {
		c := newClient(t)
		c.Habits = store
		before := f.connections()
		fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url(""))}))
		_ = c.Close()
		fetchtest.Contains(t, strings.Join(f.writtenAfter(before), "|"), want, "writes")
	}
}
