package gopher

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestTLSServer checks that a TLS server is recognized. The server answers a request in the clear
// with an alert, or it does not answer because the request is too short.
func TestTLSServer(t *testing.T) {
	config, _ := fetchtest.NewSelfSigned(t)
	addr := fetchtest.Serve(t, func(c net.Conn) { // a TLS server, which does not answer a short request
		_, _ = tls.Server(c, config).Read(make([]byte, 1))
	})
	s := startServer(t, fstest.MapFS{})
	setAnswer(s, "/alert", "\x15\x03\x01\x00\x02\x02\x46")
	for _, typ := range []byte("109") {
		for _, u := range []urlcore.Gopher{itemOf(addr, typ, ""), itemOf(addr, typ, "/"), itemOf(s.Addr(), typ, "/alert")} {
			c := &Client{probeAfter: time.Millisecond}
			fetchtest.FailsWith(t, protocols.ErrTLS, "%s", u)(c.Fetch(t.Context(), protocols.Request{URL: u}))
		}
	}
	// For a longer request, the server closes the connection without an answer.
	res, err := new(Client).Fetch(t.Context(), protocols.Request{URL: itemOf(addr, '1', "/longer")})
	if err != nil || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "gophers://"+addr+"/1/longer") {
		t.Fatalf("Fetch = %+v, %v; want one note with the gophers: URL", res, err)
	}
	_ = res.Close()
}

// TestNotTLSServer checks that a document that begins like an alert is shown, and that a slow
// server without TLS has time to answer.
func TestNotTLSServer(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	for selector, text := range map[string]string{
		"/a": "\x15\x03", "/b": "\x15\x03\x01\x00\x03\x01\x00", "/c": "\x15\x03\x01\x00\x02\x03\x00", "/d": "\x15three\r\n",
	} {
		setAnswer(s, selector, text)
		res, err := (&Client{}).Fetch(t.Context(), protocols.Request{URL: itemOf(s.Addr(), '9', selector)})
		if err != nil {
			t.Errorf("Fetch of the document %s: %v", selector, err)
			continue
		}
		fetchtest.Returns(t, text, "%s", selector)(readContent(res))
	}
	l := fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	probed := make(chan struct{})
	go func() {
		first, err := l.Accept()
		if err != nil {
			return
		}
		defer first.Close()
		if line, _ := bufio.NewReader(first).ReadString('\n'); line != "\r\n" {
			t.Errorf("got the request %q; want an empty line", line)
		}
		second, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = second.Read(make([]byte, 1))
		_, _ = io.WriteString(second, "3What?\t\terror.host\t1\r\n.\r\n")
		_ = second.Close()
		close(probed)
		_, _ = io.WriteString(first, "iSlow\t\t\t0\r\n.\r\n")
	}()
	p := new(protocols.Transcript)
	res := fetchtest.Must((&Client{probeAfter: time.Millisecond}).Fetch(
		protocols.WithTranscript(t.Context(), p), protocols.Request{URL: itemOf(l.Addr().String(), '1', "")},
	))(t)
	<-probed
	fetchtest.Returns(t, "info      \"Slow\"\n")(readContent(res))
	transcript, _, _ := p.Lines()
	for _, line := range transcript {
		fetchtest.NotContains(t, line.Text, "What?", "text for the user")
	}
}

// TestSilenceEnds checks that the wait for a silent server ends at the time limit, even after a
// failed probe.
func TestSilenceEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fetchtest.NoError(t, err)
	defer l.Close()
	c := &Client{Dialer: wire.Dialer{Connect: time.Minute, FirstByte: 50 * time.Millisecond}, probeAfter: time.Millisecond}
	_, err = c.Fetch(t.Context(), protocols.Request{URL: itemOf(l.Addr().String(), '1', "")})
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.FirstByteTimeout, "the reason of %v", err)
}
