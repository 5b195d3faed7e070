package ftp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"testing"

	"gofer/internal/policy/portguard"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// startService listens at a port as another service. The channel connections receives a value for each
// connection.
func startService(t *testing.T) (port uint16, connections chan struct{}) {
	connections = make(chan struct{}, 100)
	addr := fetchtest.Serve(t, func(net.Conn) { connections <- struct{}{} })
	_, number, err := net.SplitHostPort(addr)
	fetchtest.NoError(t, err)
	n := fetchtest.Must(strconv.ParseUint(number, 10, 16))(t)
	return uint16(n), connections
}

// TestDataPort fetches from a server that names the port of another service for a data connection.
// Nothing may connect to the port before the user agrees, and the question ends the session.
func TestDataPort(t *testing.T) {
	port, connections := startService(t)
	epsv := fmt.Sprintf("229 Extended (|||%d|)", port)
	pasv := fmt.Sprintf("227 =127,0,0,1,%d,%d", port>>8, port&0xff)
	for name, replies := range map[string]map[string]string{
		"EPSV": {"EPSV": epsv, "CWD b": "550 no"},
		"PASV": {"EPSV": "500 no", "PASV": pasv, "CWD b": "550 no"},
	} {
		t.Run(name, func(t *testing.T) {
			f := startFake(t, &fake{replies: replies, data: map[string]string{"RETR": "the file"}})
			var ports portguard.Ports
			fetchtest.NoError(t, ports.UnmarshalText([]byte(strconv.Itoa(int(port)))))
			guard := &portguard.Guard{Ask: ports}
			c := newClient(t)
			c.AskPort = guard.DataPort
			var confirm *protocols.Confirm
			for what, do := range map[string]func() error{
				"a file":      func() error { _, _, _, err := get(t, c, f.url("a")); return err },
				"a directory": func() error { _, _, _, err := get(t, c, f.url("")); return err },
				"put": func() error {
					return c.Put(t.Context(), parse(t, f.url("b")), &protocols.Upload{Body: bytes.NewReader([]byte("FLUSHALL\r\n")), Size: 10})
				},
				"the rest": func() error {
					r, err := c.Resume(t.Context(), protocols.Request{URL: parse(t, f.url("a")), Offset: 4})
					if err == nil {
						_ = r.Close()
					}
					return err
				},
			} {
				logins := f.connections()
				err := do()
				if !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentPort {
					t.Fatalf("%s: got %v, want a question about the port", what, err)
				}
				if f.connections() != logins+1 {
					t.Errorf("%s: the session was kept after the question", what)
				}
			}
			if sent := f.commands(); slices.ContainsFunc(sent, func(s string) bool { return s == "RETR a" || s == "MLSD" || s == "STOR b" }) {
				t.Errorf("sent %q before the consent, want no transfer command", sent)
			}
			confirm.GiveConsent()
			if r, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, f.url("a"))}); errors.As(err, &confirm) {
				t.Errorf("Fetch() after the consent = %v; want no question", err)
			} else if err == nil {
				_ = r.Close()
			}
			<-connections
			if len(connections) > 0 {
				t.Errorf("the service had %d more connections; want none before the consent", len(connections))
			}
		})
	}
}

// TestOwnPort fetches from servers that name the port of the control connection, or a system port, for the data: at once, or for
// the next transfer. Nothing connects to it.
func TestOwnPort(t *testing.T) {
	for _, own := range []bool{true, false} {
		for _, isNext := range []bool{true, false} {
			f := startFake(t, &fake{data: map[string]string{"MLSD": "type=file; a\r\n"}})
			port := "22"
			if own {
				_, port, _ = net.SplitHostPort(f.ln.Addr().String())
			}
			answer := "229 Extended (|||" + port + "|)"
			c := newClient(t)
			c.AskPort = (&portguard.Guard{Ask: portguard.DefaultPorts()}).DataPort
			f.mu.Lock()
			f.nextPort = answer
			f.mu.Unlock()
			if !isNext {
				f.setReply("EPSV", answer)
			}
			_, lines, _, err := get(t, c, f.url(""))
			if isNext {
				fetchtest.NoError(t, err)
				fetchtest.Equal(t, len(lines), 1, "lines")
				_, _, _, err = get(t, c, f.url("")) // by another port, which is requested alone
				fetchtest.NoError(t, err)
				continue
			}
			var confirm *protocols.Confirm
			if asks := errors.As(err, &confirm); asks == own || own && protocols.ReasonOf(err) != protocols.Malformed {
				t.Errorf("the server named port %s: got %v", port, err)
			}
			fetchtest.Equal(t, f.connections(), 1, "connections")
		}
	}
}

// TestReplaceQuestionKeepsSession checks that the question about an existing file keeps the session.
func TestReplaceQuestionKeepsSession(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"SIZE b": "213 3"}})
	c := newClient(t)
	up := &protocols.Upload{Body: bytes.NewReader([]byte("abc")), Size: 3}
	var confirm *protocols.Confirm
	if err := c.Put(t.Context(), parse(t, f.url("b")), up); !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentReplace {
		t.Fatalf("Put() = %v; want the question about replacing the file", err)
	}
	confirm.GiveConsent()
	if err := c.Put(t.Context(), parse(t, f.url("b")), up); err != nil || f.connections() != 1 {
		t.Errorf("Put() after the consent = %v over %d connections; want no error over 1", err, f.connections())
	}
}
