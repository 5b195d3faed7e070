package ftp

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// failingPort is a wire.Proxies whose connections to one port fail.
type failingPort struct {
	port string
	err  error
}

func (f failingPort) Route(addr string) (wire.Route, error) {
	if _, port, _ := net.SplitHostPort(addr); port == f.port {
		return f, nil
	}
	return nil, nil
}

func (f failingPort) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, f.err
}

func (f failingPort) String() string { return "no proxy" }

// TestUnreachableEPSVPort checks that PASV replaces EPSV if the port of EPSV cannot be reached, also in later sessions, and
// that other errors are reported.
func TestUnreachableEPSVPort(t *testing.T) {
	const port = "6446"
	for _, tt := range []struct {
		err  error
		want protocols.Reason
	}{
		{syscall.ECONNREFUSED, 0},
		{context.DeadlineExceeded, 0}, // no answer
		{os.ErrDeadlineExceeded, 0},
		{syscall.EHOSTUNREACH, 0},
		{syscall.ENETUNREACH, 0},
		{&net.DNSError{IsNotFound: true}, protocols.NameNotFound},
	} {
		f := startFake(t, &fake{replies: map[string]string{"EPSV": "229 Extended (|||" + port + "|)"}, data: map[string]string{"RETR": "data"}})
		c := newClient(t)
		c.Dialer.Proxies = failingPort{port, tt.err}
		for range 2 {
			got, err := getBody(t, c, f.url("b"))
			fetchtest.NoError(t, c.Close())
			if tt.want != 0 {
				fetchtest.Reason(t, err, tt.want)
				break
			}
			fetchtest.NoError(t, err, "%v", tt.err)
			fetchtest.Equal(t, got, "data", "%v", tt.err)
		}
		isOther := func(line string) bool { return line != "EPSV" }
		fetchtest.Equal(t, len(slices.DeleteFunc(f.commands(), isOther)), 1, "number of EPSV after %v", tt.err)
	}
}

// TestGoneAfterEPSV checks that a server that is gone after its reply to EPSV counts as a lost connection, and that EPSV is
// used again.
func TestGoneAfterEPSV(t *testing.T) {
	const port = "6446"
	f := startFake(t, &fake{replies: map[string]string{"EPSV": "229 Extended (|||" + port + "|)", "PASV": "!"}})
	c := newClient(t)
	c.Dialer.Proxies = failingPort{port, syscall.ECONNREFUSED}
	_, err := getBody(t, c, f.url("b"))
	fetchtest.Reason(t, err, protocols.Broken)
	fetchtest.Equal(t, c.serverAt(f.ln.Addr().String()).current().NoEPSV, false, "EPSV counts as broken")
}

// TestPASVAnsweredLikeEPSV checks that the port is read from the reply 229 to PASV.
func TestPASVAnsweredLikeEPSV(t *testing.T) {
	const port = "6446"
	s := &session{noEPSV: true}
	client, server := net.Pipe()
	s.ctrl = newControl(client)
	go func() {
		buf := make([]byte, 16)
		_, _ = server.Read(buf)
		_, _ = server.Write([]byte("229 ok (|||" + port + "|)\r\n"))
	}()
	got, err := s.requestPort()
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, fmt.Sprint(got.port), port, "port")
}

// onceRoute makes one connection, and then gets its refusal.
type onceRoute struct{ used bool }

func (o *onceRoute) Route(string) (wire.Route, error) { return o, nil }
func (*onceRoute) String() string                     { return "a route for one connection" }

func (o *onceRoute) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if o.used {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	o.used = true
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// TestLostBeforeTLS checks that a server that drops the connection at AUTH TLS and then refuses the next one counts as
// lost, and not as one that was never reached.
func TestLostBeforeTLS(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"AUTH": "!"}})
	c := newClient(t)
	c.Dialer.Proxies = new(onceRoute)
	_, err := getBody(t, c, f.url("b"))
	fetchtest.Reason(t, err, protocols.Broken)
}
