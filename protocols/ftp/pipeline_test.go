package ftp

import (
	"errors"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// batch is the login in one write.
const batch = "USER anonymous+PASS gofer@+FEAT+TYPE I+OPTS UTF8 ON+PWD"

// knownBatch is the login if the extensions of the server are known.
const knownBatch = "USER anonymous+PASS gofer@+TYPE I+OPTS UTF8 ON+PWD"

// TestPipelining checks which commands share a write.
func TestPipelining(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{"SIZE": "213 3", "MDTM": "213 20240229120001", "RETR d": "550 directory"},
		data:    map[string]string{"RETR": "abc"},
	})
	c := newClient(t)
	known := protocols.FileFacts{Size: 3}
	checked := 0
	for _, tt := range []struct {
		path  string
		known bool
		want  string
	}{
		{"a/b/f", false, "AUTH TLS|" + batch + "+CWD a+CWD b+SIZE f+MDTM f+EPSV|RETR f"},
		{"a/b/g", false, "SIZE g+MDTM g+RETR g"},
		{"a/b/h", true, "MDTM h+RETR h"},
		{"a/c/f", false, "CWD /home+CWD a+CWD c+SIZE f+MDTM f|RETR f"},
		{"a/c/f;type=a", false, "TYPE A|MDTM f|RETR f"},
		{"a/c/e/", false, "CWD e+MLSD"},
		{"a/c/e/", false, "MLSD"},
		{"d", false, "CWD /home+TYPE I|SIZE d|MDTM d|RETR d|CWD d|MLSD"},
	} {
		req := protocols.Request{URL: parse(t, f.url(tt.path)), Modified: true}
		if tt.known {
			req.Known = &known
		}
		if err := fetchtest.Drain(t.Context(), c, req); err != nil {
			t.Errorf("fetching %s: %v", tt.path, err)
		}
		writes := f.written()
		fetchtest.Equal(t, strings.Join(writes[checked:], "|"), tt.want, "writes for %s", tt.path)
		checked = len(writes)
	}
	fetchtest.Equal(t, f.connections(), 1, "connections")
}

// TestPipeliningUnsupported fetches from servers that do not support pipelining.
func TestPipeliningUnsupported(t *testing.T) {
	for _, tt := range []struct{ mode, greeting string }{
		{"close", "220 fake"},
		{"drop", "220 fake"},
		{"refuse", "220 fake"},
		{"garble", "220 fake"},
		{"close", "220 Microsoft FTP Service"},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			f := startFake(t, &fake{
				pipelining: tt.mode,
				replies:    map[string]string{"greeting": tt.greeting, "SIZE": "213 3"},
				data:       map[string]string{"RETR": "abc", "MLSD": "type=file; f\r\n"},
			})
			c := newClient(t)
			if tt.mode == "drop" {
				c.serverAt(f.ln.Addr().String()).learn(func(h *habits) { h.AwaitsGreeting = true })
				c.Dialer.QuickReply = 1 // a nanosecond of silence makes a reply count as missing
			}
			for _, path := range []string{"a/b/f", "a/b/f", "a/b/"} {
				if err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url(path))}); err != nil {
					t.Errorf("fetching %s: %v", path, err)
				}
			}
			together := 0
			for _, turn := range f.written() {
				if strings.Contains(turn, "+") {
					together++
				}
			}
			limit := map[bool]int{true: 0, false: 1}[strings.Contains(tt.greeting, "Microsoft")]
			if together > limit || f.connections() > 1+limit {
				t.Errorf("%d writes of several commands, want at most %d; %d connections, want at most %d: %q", together, limit, f.connections(), 1+limit, f.written())
			}
		})
	}
}

// TestPipeliningFailsLater fetches from a server that has supported pipelining before.
func TestPipeliningFailsLater(t *testing.T) {
	question := &protocols.Confirm{}
	for _, tt := range []struct {
		name      string
		replies   map[string]string
		questions int // number of ports that AskPort asks about
		want      string
		conns     int
		wantEnd   string // last commands
	}{
		{"one port is asked about", nil, 1, "", 1, "RETR f|SIZE g|EPSV|RETR g"},
		{"many ports are asked about", nil, 9, "question", 1, "RETR f|SIZE g|EPSV|EPSV"},
		{"425 before the data connection", map[string]string{"RETR g": "425 no"}, 0, "425 no", 2, "SIZE g|EPSV|RETR g"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: map[string]string{"SIZE": "213 3"}, data: map[string]string{"RETR": "abc"}})
			c, ask := newClient(t), 0
			c.AskPort = func(string, uint16, bool) error {
				if ask--; ask < 0 {
					return nil
				}
				return question
			}
			fetchtest.Returns(t, "abc")(getBody(t, c, f.url("f")))
			f.mu.Lock()
			for command, reply := range tt.replies {
				f.replies[command] = reply
			}
			f.mu.Unlock()
			ask = tt.questions
			body, err := getBody(t, c, f.url("g"))
			switch {
			case tt.want == "" && body != "abc",
				tt.want == "question" && !errors.Is(err, question),
				tt.want == "425 no" && replyCode(err) != 425:
				t.Errorf("the Body is %q, error %v; want the file, or the error %q", body, err, tt.want)
			}
			fetchtest.Equal(t, f.connections(), tt.conns, "connections")
			if sent := strings.Join(f.commands(), "|"); !strings.HasSuffix(sent, "|"+tt.wantEnd) {
				t.Errorf("sent %s, want %s at the end", sent, tt.wantEnd)
			}
		})
	}
}

// TestSessionAfterRefusal checks that a session is not reused if a refusal leaves its type unknown, and begins at the login
// directory if a refusal leaves its directory unknown.
func TestSessionAfterRefusal(t *testing.T) {
	for _, tt := range []struct {
		name      string
		replies   map[string]string
		paths     string
		wantEnd   string // last commands
		wantConns int
	}{
		{"a type was sent ahead", map[string]string{"CWD no": "550 no"}, "f;type=a no/g f;type=a", "|" + knownBatch + "+TYPE A|EPSV|RETR f", 2},
		{
			"a directory was sent ahead",
			map[string]string{"CWD no": "550 no"},
			"f no/b/g f",
			"|CWD no+CWD b+SIZE g|CWD /home+SIZE f|RETR f", 1,
		},
		{"questions were sent ahead", map[string]string{"CWD no": "550 no"}, "f no/g f", "|CWD no+SIZE g|SIZE f+RETR f", 1},
		{
			"a directory cannot be listed",
			map[string]string{"MLSD": "550 no", "LIST": "550 no", "NLST": "550 permission denied"},
			"a/ b/",
			"|CWD /home+CWD b+MLSD|LIST|NLST", 1,
		},
		{"MLSD is unknown", map[string]string{"MLSD": "502 what"}, "a/ b/", "|CWD /home+CWD b+LIST", 1},
		{
			"VMS accepts only names in brackets",
			map[string]string{"PWD": `257 "DISK:[HOME]"`, "CWD a": "550 no", "CWD b": "550 no", "SIZE": "213 3"},
			"f a/b/g", "|CWD a|CWD [.a]|CWD b|CWD [.b]|SIZE g|RETR g", 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: tt.replies, data: map[string]string{"RETR": "abc"}})
			c := newClient(t)
			for path := range strings.FieldsSeq(tt.paths) {
				_ = fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url(path))})
			}
			if sent := "|" + strings.Join(f.written(), "|"); !strings.HasSuffix(sent, tt.wantEnd) || f.connections() != tt.wantConns {
				t.Errorf("sent %s over %d connections, want %s at the end, %d connections", sent, f.connections(), tt.wantEnd, tt.wantConns)
			}
		})
	}
}

// TestPipelinedStore checks that STOR needs no EPSV after another transfer, and that it is not sent with a CWD or before
// it is known whether the file exists.
func TestPipelinedStore(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		up         protocols.Upload
		want       string
	}{
		{"in the same directory", "d/c", protocols.Upload{Listed: true, Replace: true, Unchecked: true}, "+EPSV|STOR a|STOR c"},
		{"in another directory", "e/c", protocols.Upload{Listed: true, Replace: true, Unchecked: true}, "+EPSV|STOR a|CWD /home+CWD e|STOR c"},
		{"after a check of the size", "d/c", protocols.Upload{Listed: true, Replace: true}, "+EPSV|STOR a|SIZE a|STOR c|SIZE c"},
		{"the file may exist", "d/c", protocols.Upload{Replace: true, Unchecked: true}, "+EPSV|STOR a|SIZE c|STOR c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: map[string]string{"SIZE": "213 3"}})
			c := newClient(t)
			put := func(path string, up protocols.Upload) {
				up.Body, up.Size = strings.NewReader("abc"), 3
				fetchtest.NoError(t, c.Put(t.Context(), parse(t, f.url(path)), &up))
			}
			put("d/a", protocols.Upload{Listed: true, Replace: true, Unchecked: tt.up.Unchecked})
			put(tt.path, tt.up)
			if sent := "|" + strings.Join(f.written(), "|"); !strings.HasSuffix(sent, tt.want) {
				t.Errorf("sent %s, want %s at the end", sent, tt.want)
			}
		})
	}
}
