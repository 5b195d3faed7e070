package ftp

import (
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestBusyLogin checks that a refusal because of too many users does not lead to a question for other
// credentials. The credentials must not be recorded as refused.
func TestBusyLogin(t *testing.T) {
	for _, text := range []string{
		"Sorry, the maximum number of clients (3) for this user are already connected.",
		"Too many connections from this IP", "10 users (the maximum) are already logged in, sorry",
	} {
		for _, command := range []string{"USER", "PASS"} {
			f := startFake(t, &fake{replies: map[string]string{command: "530 " + text}, data: map[string]string{"RETR": "abc"}})
			c := newClient(t)
			url := "ftp://joe:sesame@" + f.ln.Addr().String() + "/x"
			_, _, _, err := get(t, c, url)
			e := fetchtest.As[*protocols.Error](t, err, "%s: %s", command, text)
			fetchtest.Equal(t, e.Reason, protocols.ServerFailed, "reason")
			fetchtest.Equal(t, e.Code, 530, "code")
			fetchtest.Equal(t, e.Text, text, "text")
			fetchtest.Equal(t, protocols.IsBusy(e.Text), true, "busy")
			if _, tried := c.logins.LastRefused(wire.Account{
				Scheme: "ftp", Addr: f.ln.Addr().String(), User: "joe", HasUser: true,
			}).Password(); tried {
				t.Errorf("%s: %s: the password is refused", command, text)
			}
		}
	}
}

func TestLogin(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{
			"USER anonymous": "530 no anonymous here", "PASS": "530 wrong", "PASS right": "230 in",
			"PASS echo": "530 I will not take echo from you",
		},
		data: map[string]string{"RETR": "abc"},
	})
	c := newClient(t)
	login := func(path string) *protocols.Login {
		t.Helper()
		_, _, _, err := get(t, c, path)
		l := fetchtest.As[*protocols.Login](t, err, "%s", path)
		fetchtest.Equal(t, l.Server, f.ln.Addr().String(), "Server")
		return l
	}
	addr := f.ln.Addr().String()
	l := login(f.url("x"))
	if l.Failed || l.User != "" || l.Text != "no anonymous here" {
		t.Errorf("refused anonymous login: got %+v", l)
	}
	if l = login("ftp://joe@" + addr + "/x"); l.Failed || l.User != "joe" || l.Text != "password" {
		t.Errorf("URL without a password: got %+v, want the user joe and not Failed", l)
	}
	for _, cmd := range f.commands() {
		if strings.HasPrefix(cmd, "PASS") && cmd != "PASS gofer@" {
			t.Errorf("%s was sent without a password", cmd)
		}
	}
	if l = login("ftp://joe:wrong@" + addr + "/x"); !l.Failed || l.Text != "wrong" && l.Text != "****" {
		t.Errorf("wrong password in the URL: got %+v, want Failed", l)
	}
	fetchtest.NotContains(t, l.URL.String(), "wrong", "the URL of the Login")
	if l = login("ftp://joe:echo@" + addr + "/x"); strings.Contains(l.Text, "echo") {
		t.Errorf("the Text of the Login contains the password: %q", l.Text)
	}
	l.With("joe", "still wrong")
	if l = login("ftp://joe@" + addr + "/x"); !l.Failed {
		t.Errorf("wrong typed password: got %+v, want Failed", l)
	}
	l.With("joe", "right")
	for range 2 {
		head, _, body, err := get(t, c, "ftp://joe@"+addr+"/x")
		if err != nil || body != "abc" {
			t.Fatalf("after the right password was typed: the Body is %q, error %v; want %q", body, err, "abc")
		}
		fetchtest.Equal(t, head.URL.String(), "ftp://joe@"+addr+"/x", "URL")
	}
	// A password in a URL is preferred to a remembered password. If the server refuses the password in the
	// URL, the password typed next is preferred.
	if l = login("ftp://joe:other@" + addr + "/x"); !l.Failed {
		t.Errorf("another wrong password in the URL: got %+v, want Failed", l)
	}
	l.With("joe", "right")
	fetchtest.Returns(t, "abc", "the same URL after the right password was typed")(getBody(t, c, "ftp://joe:other@"+addr+"/x"))
	head, _, _, err := get(t, &Client{PlainPasswords: true}, "ftp://joe:right@"+addr+"/x")
	if err != nil || strings.Contains(head.URL.String(), "right") {
		t.Errorf("Head.URL = %v, error %v; want a URL without the password", head.URL, err)
	}
	l = login(f.url("x"))
	l.With("x\r\nDELE y", "right")
	if _, _, _, err := get(t, c, f.url("x")); err == nil || !errors.Is(err, wire.ErrInjection) {
		t.Errorf("user name with a line end: got %v, want ErrInjection", err)
	}
	c.Close()
}

// TestReuse checks the commands over an idle connection, and that a dead connection is replaced.
func TestReuse(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"CWD /gone": "550 no"}, data: map[string]string{"RETR": "abc"}})
	c := newClient(t)
	steps := []struct {
		path string
		want []string
	}{
		{"a/b/;type=d", nil},
		{"a/b/c;type=d", []string{"CWD c", "MLSD"}},
		{"a/b/c/f", []string{"SIZE f", "RETR f"}},
		{"a/b/c/f;type=a", []string{"TYPE A", "RETR f"}},
		{"a/f", []string{"CWD /home", "CWD a", "TYPE I", "SIZE f", "RETR f"}},
		{"a/%2Fgone/f", []string{"CWD /gone", "SIZE f"}},
		{"a/f", []string{"SIZE f", "RETR f"}},
	}
	seen := 0
	for i, s := range steps {
		_, _, _, err := get(t, c, f.url(s.path))
		if (err != nil) != strings.Contains(s.path, "gone") {
			t.Fatalf("fetching %s: %v", s.path, err)
		}
		got := f.commands()[seen:]
		seen += len(got)
		if i > 0 && !reflect.DeepEqual(got, s.want) {
			t.Errorf("fetching %s:\nsent %q\nwant %q", s.path, got, s.want)
		}
	}
	fetchtest.Equal(t, f.connections(), 1, "connections")
	// Another login needs another connection.
	if _, _, _, err := get(t, c, "ftp://joe:pw@"+f.ln.Addr().String()+"/x"); err != nil || f.connections() != 2 {
		t.Errorf("another login: error %v, %d connections; want 2", err, f.connections())
	}
	// The server closes the idle connections, with a reply and without.
	for i, word := range []string{"421 bye\r\n", ""} {
		f.mu.Lock()
		for _, conn := range f.conns {
			_, _ = io.WriteString(conn, word)
			_ = conn.Close()
		}
		f.mu.Unlock()
		fetchtest.Returns(t, "abc", "after %q", word)(getBody(t, c, f.url("a/f")))
		fetchtest.Equal(t, f.connections(), 3+i, "connections")
	}
	fetchtest.NoError(t, c.Close())
	if _, _, _, err := get(t, c, f.url("a/f")); err != nil || c.idle.Len() != 0 {
		t.Errorf("after Close: error %v, %d idle connections; want none", err, c.idle.Len())
	}
}

// TestCancelAtEachStep cancels fetches from servers that stall at each command.
func TestCancelAtEachStep(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, verb := range []string{
		"greeting", "USER", "PASS", "FEAT", "TYPE", "OPTS", "PWD", "CWD", "SIZE", "EPSV", "RETR", "data", "final",
		"MLSD", "list",
	} {
		t.Run(verb, func(t *testing.T) {
			f := &fake{replies: map[string]string{verb: "..."}, data: map[string]string{"RETR": "abc", "MLSD": " a\r\n"}}
			path := "d/f"
			switch verb {
			case "data":
				f.keepsDataOpen = true
			case "final":
				f.finalReply = "..."
			case "MLSD":
				path = "d/"
			case "list":
				path, f.keepsDataOpen = "d/", true
			}
			f = startFake(t, f)
			cause := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan error, 1)
			c := newClient(t)
			go func() { done <- fetchtest.Drain(ctx, c, protocols.Request{URL: parse(t, f.url(path))}) }()
			select {
			case <-f.stalled:
			case err := <-done:
				t.Fatalf("the fetch ended with %v before the server stalled", err)
			}
			cancel(cause)
			if err := <-done; err != cause {
				t.Errorf("got %v, want the cause of the cancellation", err)
			}
			if c.idle.Len() != 0 {
				t.Error("a canceled connection was kept")
			}
		})
	}
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, want %d as before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}

// TestStall checks the time limits for servers that stall.
func TestStall(t *testing.T) {
	for verb, wantReason := range map[string]protocols.Reason{
		"greeting": protocols.FirstByteTimeout, "CWD": protocols.FirstByteTimeout, "RETR": protocols.FirstByteTimeout,
		"data": protocols.IdleTimeout, "final": protocols.IdleTimeout,
	} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			f := &fake{replies: map[string]string{verb: "..."}, data: map[string]string{"RETR": "abc"}}
			f.keepsDataOpen = verb == "data"
			if verb == "final" {
				f.finalReply = "..."
			}
			f = startFake(t, f)
			c := newClient(t)
			if wantReason == protocols.IdleTimeout {
				c.Dialer.Idle = time.Second
			} else {
				c.Dialer.FirstByte = time.Second
			}
			_, _, _, err := get(t, c, f.url("d/f"))
			fetchtest.Equal(t, protocols.ReasonOf(err), wantReason, "the reason of %v", err)
		})
	}
}

// TestCloseDuringTransfer closes a Resource that is being read.
func TestCloseDuringTransfer(t *testing.T) {
	f := startFake(t, &fake{endless: true, data: map[string]string{"RETR": strings.Repeat("x", 1000), "MLSD": "type=file; x\r\n"}})
	c := newClient(t)
	for _, path := range []string{"f", "d/"} {
		r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, f.url(path))}))(t)
		begun, done := make(chan struct{}), make(chan error, 1)
		go func() {
			if r.Body != nil {
				_, _ = io.ReadFull(r.Body, make([]byte, 1000))
				close(begun)
				_, err := io.Copy(io.Discard, r.Body)
				done <- err
				return
			}
			n := 0
			for _, err := range r.Lines {
				if err != nil {
					done <- err
					return
				}
				if n++; n == 1 {
					close(begun)
				}
			}
			done <- nil
		}()
		<-begun
		_ = r.Close()
		fetchtest.ErrorIs(t, <-done, net.ErrClosed, "%s", path)
	}
	if c.idle.Len() != 0 {
		t.Error("a connection with an unfinished transfer was kept")
	}
}

func TestConcurrent(t *testing.T) {
	f := startFake(t, &fake{data: map[string]string{"RETR": strings.Repeat("abc", 10000), "MLSD": "type=dir; a\r\n"}})
	c := newClient(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			for j := range 5 {
				path := "d/f"
				if (i+j)%2 == 0 {
					path = "d/"
				}
				if err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url(path))}); err != nil {
					t.Errorf("fetching %s: %v", path, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestCutResume resumes a file at a server that ignores REST and breaks off after as many octets as are missing: they are the
// beginning of the file.
func TestCutResume(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"SIZE": "213 6", "REST": "350 go"}, data: map[string]string{"RETR": "abc"}, finalReply: "426 cut"})
	r := fetchtest.CloseAtEnd(newClient(t).Resume(t.Context(), protocols.Request{URL: parse(t, f.url("f")), Offset: 3}))(t)
	_, err := io.ReadAll(r.Body)
	fetchtest.Reason(t, err, protocols.Broken)
}

// TestResume checks the commands to resume a file, and the errors if the server cannot resume.
func TestResume(t *testing.T) {
	const restAlone = "SIZE f|EPSV|REST 4|USER anonymous|PASS gofer@|TYPE I|OPTS UTF8 ON|PWD|SIZE f|EPSV|REST 4"
	for _, tt := range []struct {
		name, path string
		offset     int64
		replies    map[string]string
		data       string
		wantErr    string // part of the error
		wantSent   string // commands after the login
	}{
		{"good", "f", 4, map[string]string{"SIZE": "213 10", "REST 4": "350 go"}, "456789", "", "SIZE f|EPSV|REST 4|RETR f"},
		{"size unknown", "f", 4, map[string]string{"REST 4": "350 go"}, "456789", "", "SIZE f|EPSV|REST 4|RETR f"},
		{"another code", "f", 4, map[string]string{"REST 4": "300 go"}, "456789", "", "SIZE f|EPSV|REST 4|RETR f"},
		{"from the beginning", "f", 0, nil, "0123456789", "", "SIZE f|EPSV|RETR f"},
		{"nothing is left", "f", 10, map[string]string{"SIZE": "213 10", "REST 10": "350 go"}, "", "", "SIZE f|EPSV|REST 10|RETR f"},
		{"file is smaller", "f", 11, map[string]string{"SIZE": "213 10"}, "", "has only 10 octets", "SIZE f"},
		{"refused", "f", 4, map[string]string{"REST": "501 no"}, "", "501 no: the server cannot resume files", restAlone},
		{"unknown", "f", 4, map[string]string{"REST": "502 no"}, "", "502 no: the server cannot resume files", restAlone},
		{
			"ignored", "f", 4,
			map[string]string{"SIZE": "213 10", "REST": "350 go"},
			"0123456789",
			"more octets than were missing", "SIZE f|EPSV|REST 4|RETR f",
		},
		{"cut off", "f", 4, map[string]string{"SIZE": "213 10", "REST": "350 go"}, "45", "only 2 of 6 octets", "SIZE f|EPSV|REST 4|RETR f"},
		{"no file", "f", 4, map[string]string{"REST": "350 go", "RETR": "550 none"}, "", "550 none", "SIZE f|EPSV|REST 4|RETR f"},
		{"no image type", "f", 4, map[string]string{"TYPE": "504 no"}, "", "504 no", "SIZE f|EPSV|TYPE I"},
		{"text", "f;type=a", 4, nil, "", "image type", ""},
		{"directory", "d/", 4, nil, "", "image type", ""},
		{"before the beginning", "f", -1, nil, "", "image type", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: tt.replies, data: map[string]string{"RETR": tt.data}})
			c := newClient(t)
			r, err := c.Resume(t.Context(), protocols.Request{URL: parse(t, f.url(tt.path)), Offset: tt.offset})
			var body []byte
			if err == nil {
				body, err = io.ReadAll(r.Body)
				_ = r.Close()
			}
			var e *protocols.Error
			switch {
			case tt.wantErr == "" && (err != nil || string(body) != tt.data):
				t.Errorf("Resume(): the Body is %q, error %v; want %q", body, err, tt.data)
			case tt.wantErr != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), tt.wantErr)):
				t.Errorf("got %v, want an error with %q", err, tt.wantErr)
			}
			_, sent, _ := strings.Cut(strings.Join(f.commands(), "|"), "|PWD|")
			sent = strings.Replace(sent, "|RETR f|USER", "|USER", 1) // the fake may not have read it before the connection ended
			sent = strings.TrimSuffix(sent, "|EPSV")                 // nor this
			fetchtest.Equal(t, sent, tt.wantSent, "sent")
			if tt.name == "good" {
				fetchtest.Contains(t, strings.Join(f.written(), "|"), "|REST 4+RETR f", "writes")
			}
		})
	}
}

// TestKnownFacts fetches files whose size and date are known from a listing. The listing may be out of
// date.
func TestKnownFacts(t *testing.T) {
	date := time.Date(2024, 2, 29, 12, 0, 1, 0, time.UTC)
	for _, tt := range []struct {
		name, path string
		known      protocols.FileFacts
		size       string // reply to SIZE
		wantErr    string // part of the error
		wantSent   string
	}{
		{"both", "f", protocols.FileFacts{Size: 4, Modified: date}, "213 4", "", "EPSV|RETR f"},
		{"no date", "f", protocols.FileFacts{Size: 4}, "213 4", "", "MDTM f|EPSV|RETR f"},
		{"no size", "f", protocols.FileFacts{Size: -1, Modified: date}, "213 4", "", "SIZE f|EPSV|RETR f"},
		{"has grown", "f", protocols.FileFacts{Size: 3, Modified: date}, "213 4", "", "EPSV|RETR f"},
		{"was empty", "f", protocols.FileFacts{Modified: date}, "213 4", "", "EPSV|RETR f"},
		{"has shrunk", "f", protocols.FileFacts{Size: 5, Modified: date}, "213 4", "", "EPSV|RETR f|SIZE f"},
		{"has shrunk, no SIZE", "f", protocols.FileFacts{Size: 5, Modified: date}, "500 what", "", "EPSV|RETR f|SIZE f"},
		{"cut off", "f", protocols.FileFacts{Size: 5, Modified: date}, "213 5", "only 4 of 5 octets", "EPSV|RETR f|SIZE f"},
		{"text", "f;type=a", protocols.FileFacts{Size: 5, Modified: date}, "213 5", "", "TYPE A|EPSV|RETR f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: map[string]string{"SIZE": tt.size}, data: map[string]string{"RETR": "data"}})
			c := newClient(t)
			r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, f.url(tt.path)), Modified: true, Known: &tt.known}))(t)
			body, err := io.ReadAll(r.Body)
			_ = r.Close()
			switch {
			case tt.wantErr == "" && (err != nil || string(body) != "data"):
				t.Errorf("the Body is %q, error %v; want %q", body, err, "data")
			case tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)):
				t.Errorf("got %v, want an error with %q", err, tt.wantErr)
			}
			fetchtest.Equal(t, r.Modified, tt.known.Modified, "date")
			fetchtest.Equal(t, c.idle.Len() == 1, tt.wantErr == "", "whether the session is kept")
			_, sent, _ := strings.Cut(strings.Join(f.commands(), "|"), "|PWD|")
			sent = strings.Replace(sent, "|RETR f|USER", "|USER", 1) // the fake may not have read it before the connection ended
			sent = strings.TrimSuffix(sent, "|EPSV")                 // nor this
			fetchtest.Equal(t, sent, tt.wantSent, "sent")
			if tt.name == "good" {
				fetchtest.Contains(t, strings.Join(f.written(), "|"), "|REST 4+RETR f", "writes")
			}
		})
	}
}

// TestFactsOnly fetches the size and date of a file without its content.
func TestFactsOnly(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"SIZE": "213 4", "MDTM": "213 20240229120001"}})
	c := newClient(t)
	r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, f.url("f")), Facts: true, Modified: true}))(t)
	fetchtest.NoError(t, r.Close())
	fetchtest.Equal(t, r.Size, 4, "Size")
	fetchtest.Equal(t, r.Modified, time.Date(2024, 2, 29, 12, 0, 1, 0, time.UTC), "Modified")
	fetchtest.Equal(t, c.idle.Len(), 1, "number of idle sessions")
	_, sent, _ := strings.Cut(strings.Join(f.commands(), "|"), "|PWD|")
	fetchtest.Equal(t, sent, "SIZE f|MDTM f", "sent")
}

// TestVersion fetches a file only if its size or its date has changed.
func TestVersion(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"SIZE": "213 4", "MDTM": "213 20240229120001"}, data: map[string]string{"RETR": "data"}})
	c := newClient(t)
	for _, tt := range []struct{ version, body, sent string }{
		{"4 2024-02-29T12:00:00Z", "data", "SIZE f|MDTM f|EPSV|RETR f"},
		{"4 2024-02-29T12:00:01Z", "", "SIZE f|MDTM f"},
	} {
		before := len(f.commands())
		r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, f.url("f")), Version: tt.version}))(t)
		fetchtest.Equal(t, string(fetchtest.Must(io.ReadAll(r.Body))(t)), tt.body, "content")
		fetchtest.NoError(t, r.Close())
		fetchtest.Equal(t, r.Unchanged, tt.body == "", "unchanged since %s", tt.version)
		fetchtest.Equal(t, r.Version, "4 2024-02-29T12:00:01Z", "version")
		if sent := strings.Join(f.commands()[before:], "|"); !strings.HasSuffix(sent, tt.sent) {
			t.Errorf("sent %s; want it to end in %s", sent, tt.sent)
		}
	}
}

// TestBusyGreeting connects to servers that announce a delay before the greeting, once or without end.
func TestBusyGreeting(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{"greeting": "120 in a minute\r\n220 hi"},
		data:    map[string]string{"RETR": "the file"},
	})
	fetchtest.Returns(t, "the file")(getBody(t, newClient(t), f.url("a")))
	f = startFake(t, &fake{replies: map[string]string{"greeting": strings.Repeat("120 in a minute\r\n", 2*maxDelays)}})
	_, _, _, err := get(t, newClient(t), f.url("a"))
	if protocols.ReasonOf(err) != protocols.ServerFailed || replyCode(err) != 120 || !errors.Is(err, protocols.ErrUnavailable) {
		t.Errorf("endless delays: got %v, want code 120 and %v", err, protocols.ErrUnavailable)
	}
}
