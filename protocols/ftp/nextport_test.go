package ftp

import (
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestNextPort fetches files from servers that answer a request of the next port, which is sent with a transfer, in
// different ways. Each file must arrive. A request that fails is not repeated.
func TestNextPort(t *testing.T) {
	for _, tt := range []struct {
		name, nextPort string
		wantConns      int
	}{
		{"a port", "", 1},
		{"refused", "450 one port only", 1},
		{"refused before the final reply", early + "450 transfer in progress", 1},
		{"obeyed before the final reply", early + "229 Extended (|||6446|)", 1},
		{"not answered", "drop", 2},
		{"the connection is closed", "!", 2},
		{"no port", "229 none", 1},
		{"not ready any more", "421 bye!", 3},
		{"a closed port", "shut", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{nextPort: tt.nextPort, data: map[string]string{"RETR": "abc"}})
			c := newClient(t)
			if tt.nextPort == "drop" {
				c.Dialer.QuickReply = time.Second // after which a reply counts as missing
			}
			for range 3 {
				fetchtest.Returns(t, "abc")(getBody(t, c, f.url("f")))
			}
			fetchtest.Equal(t, f.connections(), tt.wantConns, "connections")
			h := c.serverAt(f.ln.Addr().String()).current()
			want := turnsBroken
			if tt.nextPort == "" || tt.nextPort == "421 bye!" {
				want = turnsKept
			}
			fetchtest.Equal(t, h.Turns, want, "turns")
		})
	}
}

// TestSlowReplyAfterNextPort fetches a file twice over one connection. The reply to the request of the next port arrives
// with the final reply, so that its short limit must not hold for the next reply, which is late.
func TestSlowReplyAfterNextPort(t *testing.T) {
	b, c := new(batchServer), newClient(t)
	u := b.serve(t, func(_ int, batch []string, reply func(string) string) (text string, more bool) {
		if strings.HasPrefix(batch[0], "SIZE") {
			time.Sleep(100 * time.Millisecond)
		}
		for _, line := range batch {
			text += reply(line)
		}
		return text, true
	}) + "/f"
	c.serverAt(parse(t, u).Addr()).learn(func(h *habits) { h.AwaitsGreeting, h.Turns = true, turnsKept })
	c.Dialer.QuickReply = 1 // a nanosecond of silence makes a reply count as missing
	for range 2 {
		fetchtest.Returns(t, "data")(getBody(t, c, u))
	}
	fetchtest.Equal(t, b.connections.Load(), 1, "connections")
}

// TestTurns fetches files from servers that react in different ways to a command during the first transfer. The port of the
// next transfer is requested early only if the server obeys the command after the transfer.
func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		name, probe string
		wantConns   int
		want        turns
	}{
		{"after the transfer", "", 1, turnsKept},
		{"during the transfer", early + "200 ok", 1, turnsBroken},
		{"refused", "500 what?", 1, turnsBroken},
		{"not answered", "drop", 2, turnsBroken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{probe: tt.probe, replies: map[string]string{"greeting": "220 hello"}, data: map[string]string{"RETR": "abc"}})
			c := newClient(t)
			if tt.probe == "drop" {
				c.Dialer.QuickReply = time.Second // after which a reply counts as missing
			}
			for range 3 {
				fetchtest.Returns(t, "abc")(getBody(t, c, f.url("f")))
			}
			fetchtest.Equal(t, f.connections(), tt.wantConns, "connections")
			fetchtest.Equal(t, c.serverAt(f.ln.Addr().String()).current().Turns, tt.want, "turns")
		})
	}
}

// TestFailureBehindPort checks that a transfer that fails stays failed, whatever the server replies to the request of the
// next port, and in which order.
func TestFailureBehindPort(t *testing.T) {
	for _, nextPort := range []string{"", "200 ok", early + "229 Extended (|||6446|)"} {
		f := startFake(t, &fake{nextPort: nextPort, finalReply: "426 broken", data: map[string]string{"RETR": "abc"}})
		c := newClient(t)
		_, err := getBody(t, c, f.url("f"))
		fetchtest.Equal(t, replyCode(err), 426, "code with the reply %q", nextPort)
	}
}

// TestOldPort checks that a port that was requested long ago is not used, however late the reply is read.
func TestOldPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{ctrl: new(control)}
		for wait, want := range map[time.Duration]bool{maxPortAge - time.Second: true, maxPortAge + time.Second: false} {
			s.ctrl.givePortUp("EPSV")
			time.Sleep(wait)
			s.ctrl.keepPort(reply{229, []string{"229 Extended (|||6446|)"}})
			fetchtest.Equal(t, s.hasNextPort(), want, "hasNextPort after %v", wait)
		}
	})
}

// TestDialsFirst fetches files from a server that needs the data connection before the command of the transfer.
func TestDialsFirst(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"RETR f": "425 no connection"}, data: map[string]string{"RETR": "abc"}})
	c := newClient(t)
	_, err := getBody(t, c, f.url("f"))
	fetchtest.Equal(t, replyCode(err), 425, "code")
	fetchtest.Equal(t, f.connections(), 2, "connections")
	fetchtest.Returns(t, "abc")(getBody(t, c, f.url("g")))
	fetchtest.Equal(t, f.connections(), 3, "connections") // a refusal of this kind ends a session
}

// TestNextPortAfterUpload stores a file on a server that does not answer the request of the next port. The file has arrived,
// and is checked over another connection.
func TestNextPortAfterUpload(t *testing.T) {
	for _, nextPort := range []string{"drop", "!"} {
		f := startFake(t, &fake{nextPort: nextPort, replies: map[string]string{"SIZE": "213 3"}})
		c := newClient(t)
		c.Dialer.QuickReply = time.Second // after which a reply counts as missing
		up := protocols.Upload{Listed: true, Replace: true, Body: strings.NewReader("abc"), Size: 3}
		fetchtest.NoError(t, c.Put(t.Context(), parse(t, f.url("d/a")), &up))
		fetchtest.Equal(t, strings.Join(f.written(), "|"), strings.Join([]string{
			authTLS, batch + "+CWD d+EPSV", "STOR a", knownBatch + "+CWD d", "SIZE a",
		}, "|"), "writes")
	}
}

// TestStoredBefore421 stores a file on a server that then ends the session, at the request of the next port or later. The file is
// stored, also if the server takes no other connection. If it does, the size is checked.
func TestStoredBefore421(t *testing.T) {
	for _, tt := range []struct {
		name, nextPort, size, again string
		want                        protocols.Reason
		conns                       int
	}{
		{"another connection", "421 bye!", "213 3", "", 0, 2},
		{"another connection, wrong size", "421 bye!", "213 2", "", protocols.Broken, 2},
		{"at SIZE", "", "421 bye!", "421 busy!", 0, 2},
		{"no other connection", "421 bye!", "213 3", "421 busy!", 0, 2},
		{"no other login", "421 bye!", "213 3", "530 busy!", 0, 2},
	} {
		f := startFake(t, &fake{nextPort: tt.nextPort, replies: map[string]string{"SIZE": tt.size}})
		up := protocols.Upload{Listed: true, Replace: true, Size: 3, Body: readFunc(func(p []byte) (int, error) {
			if tt.again != "" {
				f.setReply("greeting", tt.again)
			}
			return copy(p, "abc"), nil
		})}
		err := newClient(t).Put(t.Context(), parse(t, f.url("d/a")), &up)
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "reason after %s (%v)", tt.name, err)
		fetchtest.Equal(t, f.stored["STOR a"], "abc", "stored")
		fetchtest.Equal(t, f.connections(), tt.conns, "connections for %s (%q)", tt.name, f.written())
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// TestLeftReply fetches files from a server whose final reply is late or never arrives. A file of the announced size needs no
// final reply; any other one does. The next file is fetched over the same connection if the reply has arrived.
func TestLeftReply(t *testing.T) {
	for _, tt := range []struct {
		name, size, final string
		want              protocols.Reason
		conns             int
	}{
		{"after the file", "213 3", "226 done", 0, 1},
		{"a failure", "213 3", "426 broken", 0, 1},
		{"the session ends", "213 3", "421 bye!", 0, 2},
		{"never", "213 3", "...", 0, 2},
		{"a larger size", "213 4", "226 done", protocols.Broken, 1},
		{"no size", "550 no", "426 broken", protocols.Broken, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{
				replies: map[string]string{"SIZE": tt.size}, finalReply: tt.final, finalAfter: make(chan struct{}),
				data: map[string]string{"RETR": "abc"},
			})
			c := newClient(t)
			c.Dialer.QuickReply = time.Second // after which a reply counts as missing
			read := func() (string, error) {
				r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, f.url("f"))}))(t)
				defer r.Close()
				b := make([]byte, len("abc"))
				if _, err := io.ReadFull(r.Body, b); err != nil {
					return "", err
				}
				if tt.want != 0 { // the reply is awaited
					close(f.finalAfter)
				}
				rest, err := io.ReadAll(r.Body)
				return string(b) + string(rest), err
			}
			got, err := read()
			fetchtest.Equal(t, got, "abc", "octets")
			fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "reason (%v)", err)
			if tt.want != 0 {
				return
			}
			close(f.finalAfter)
			fetchtest.Returns(t, "abc", "again")(read())
			fetchtest.Equal(t, f.connections(), tt.conns, "connections")
		})
	}
}

// TestKeptPort fetches after a refused CWD. The port that was requested together with the CWD is used.
func TestKeptPort(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"CWD gone": "550 no"}, data: map[string]string{"RETR": "abc"}})
	c := newClient(t)
	_, err := getBody(t, c, f.url("gone/f"))
	fetchtest.Equal(t, replyCode(err), 550, "code")
	fetchtest.Returns(t, "abc")(getBody(t, c, f.url("g;type=i")))
	fetchtest.Equal(t, strings.Join(f.written(), "|"), authTLS+"|"+batch+"+CWD gone+SIZE f+EPSV|SIZE g+RETR g", "writes")
}

// TestClosedPort fetches a file from a server whose ports can be connected to only after PASV, with and without a request of
// the next port.
func TestClosedPort(t *testing.T) {
	const port = "6446"
	for _, known := range []turns{turnsKept, turnsBroken} {
		f := startFake(t, &fake{replies: map[string]string{"EPSV": "229 Extended (|||" + port + "|)"}, data: map[string]string{"RETR": "abc"}})
		c := newClient(t)
		c.Dialer.Proxies = failingPort{port, syscall.ECONNREFUSED}
		c.serverAt(f.ln.Addr().String()).learn(func(h *habits) { h.Turns = known })
		for range 2 {
			fetchtest.Returns(t, "abc")(getBody(t, c, f.url("f")))
		}
		fetchtest.Equal(t, f.connections(), 2, "connections, turns %d", known)
	}
}

// TestRefusedWhileConnecting fetches a file from a server that refuses the file and closes the port before the connection
// is made.
func TestRefusedWhileConnecting(t *testing.T) {
	const port = "6446"
	for _, err := range []error{syscall.ECONNREFUSED, syscall.ECONNRESET} {
		f := startFake(t, &fake{replies: map[string]string{"EPSV": "229 Extended (|||" + port + "|)", "RETR": "550 no", "CWD x": "550 no"}})
		c := newClient(t)
		c.Dialer.Proxies = failingPort{port, err}
		_, got := getBody(t, c, f.url("x"))
		fetchtest.Equal(t, replyCode(got), 550, "code after %v", err)
		fetchtest.Equal(t, f.connections(), 1, "connections after %v", err)
	}
}
