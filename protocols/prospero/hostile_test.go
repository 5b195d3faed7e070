package prospero

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// servePackets starts a server for datagrams at a host. It returns the address of the server, which
// calls a function for each datagram.
var servePackets = fetchtest.ServePackets

// newReply returns a packet of the answer to the request p. The parameter rest is the header after
// its length and connection id, in hexadecimal.
func newReply(p []byte, length byte, rest, data string) []byte {
	b, _ := hex.DecodeString(rest)
	return append(append([]byte{length, p[1], p[2]}, b...), data...)
}

const link1, link2 = "LINK L NULL one INTERNET-D h ASCII 1 0\n", "LINK L NULL two INTERNET-D h ASCII 2 0\n"

// TestForgedSource checks that answers from other hosts are ignored, even if they have the right
// connection id. Answers from another port of the host are accepted.
func TestForgedSource(t *testing.T) {
	forger, err := net.ListenPacket("udp", "127.0.0.2:0")
	if err != nil {
		t.Skip(err)
	}
	defer forger.Close()
	stranger := fetchtest.CloseAtEnd(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	addr := servePackets(t, "127.0.0.1", func(_ net.PacketConn, from net.Addr, p []byte) {
		_, _ = forger.WriteTo(newReply(p, 3, "", link2), from)
		_, _ = forger.WriteTo(newReply(p, 13, "00000000000000000001", ""), from)
		_, _ = stranger.WriteTo(newReply(p, 3, "", link1), from)
	})
	fetchtest.Returns(t, "other \"one\" [not readable]\n")(showURL(t, new(Client), "prospero://"+addr+"/x"))
}

// TestRedirects checks that one redirect to the same host is followed. A redirect to another host
// is followed only after consent.
func TestRedirects(t *testing.T) {
	startRedirect := func(host, target string) string {
		a := fetchtest.Must(net.ResolveUDPAddr("udp", target))(t)
		address := fmt.Sprintf("000000000000000000%02x%x%04x", 4, []byte(a.IP.To4()), a.Port)
		return servePackets(t, host, func(c net.PacketConn, from net.Addr, p []byte) {
			_, _ = c.WriteTo(newReply(p, 19, address, ""), from)
		})
	}
	sendLink := func(c net.PacketConn, from net.Addr, p []byte) { _, _ = c.WriteTo(newReply(p, 3, "", link1), from) }
	same, away := servePackets(t, "127.0.0.1", sendLink), servePackets(t, "127.0.0.2", sendLink)
	const want = "other \"one\" [not readable]\n"
	fetchtest.Returns(t, want, "to another port")(showURL(t, new(Client), "prospero://"+startRedirect("127.0.0.1", same)+"/x"))
	doubleRedirect := startRedirect("127.0.0.1", startRedirect("127.0.0.1", same))
	if got, err := showURL(t, new(Client), "prospero://"+doubleRedirect+"/x"); !errors.Is(err, errForwards) {
		t.Errorf("twice: got %q, %v; want %v", got, err, errForwards)
	}
	c := new(Client)
	first := startRedirect("127.0.0.1", away)
	var confirm *protocols.Confirm
	if got, err := showURL(t, c, "prospero://"+first+"/x"); !errors.As(err, &confirm) || !strings.Contains(confirm.Question, away) {
		t.Fatalf("to another host: got %q, %v; want a question about %s", got, err, away)
	}
	confirm.GiveConsent()
	fetchtest.Returns(t, want, "after a yes")(showURL(t, c, "prospero://"+first+"/x"))
	if _, err := showURL(t, c, "prospero://"+startRedirect("127.0.0.1", away)+"/x"); !errors.As(err, &confirm) {
		t.Errorf("a redirect of another server to the same host: got %v, want a question", err)
	}
}

// guard asks the user before a request to a port.
type guard uint16

func (g guard) Allow(_ context.Context, req protocols.Request, _ bool) error {
	if p, ok := req.URL.(urlcore.Prospero); !ok || p.Port != uint16(g) {
		return nil
	}
	return &protocols.Confirm{URL: req.URL, Consent: protocols.ConsentPort}
}

// TestGuard checks that the guard is asked about a redirect to another port of the same host.
func TestGuard(t *testing.T) {
	redirectAddr := servePackets(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, p []byte) {
		_, _ = c.WriteTo(newReply(p, 19, "000000000000000000047f0000010035", ""), from)
	})
	forwardAddr := servePackets(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, p []byte) {
		_, _ = c.WriteTo(newReply(p, 3, "", "FORWARDED INTERNET-D 127.0.0.1(53) ASCII y 0\n"), from)
	})
	for _, addr := range []string{redirectAddr, forwardAddr} {
		r := &protocols.Guarded{Registry: protocols.Registry{"prospero": new(Client)}, Guard: guard(53)}
		_, err := r.Fetch(t.Context(), protocols.Request{URL: parse(t, "prospero://"+addr+"/x")})
		if confirm, ok := errors.AsType[*protocols.Confirm](err); !ok || confirm.Consent != protocols.ConsentPort {
			t.Errorf("got %v, want a question", err)
		}
	}
}

// TestFailures checks the errors for answers without the requested object.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		text  string
		want  protocols.Reason
		words string
	}{
		{"FAILURE NOT-AUTHORIZED no\n", protocols.Denied, "no"},
		{"FAILURE AUTHENTICATION-REQUIRED x\n", protocols.Denied, "x"},
		{"FAILURE SERVER-FAILED 'it is'\n", protocols.ServerFailed, "it is"},
		{"FAILURE NOT-FOUND\n", protocols.NotFound, "NOT-FOUND"},
		{"ERROR what ever\n", protocols.ServerFailed, "what ever"},
		{"VERSION-NOT-SUPPORTED TRY 1-4\n", protocols.Unsupported, "VERSION-NOT-SUPPORTED TRY 1-4"},
		{"HTTP/1.1 400 Bad Request\r\n\r\n", protocols.Malformed, "HTTP/1.1 400 Bad Request"},
		{link1 + "'", protocols.Broken, ""},
		{link1 + "FAILURE SERVER-FAILED\n", protocols.ServerFailed, "SERVER-FAILED"},
		{"FORWARDED INTERNET-D h(0) ASCII x 0\n", protocols.Malformed, "FORWARDED INTERNET-D h(0) ASCII x 0"},
	} {
		s := startServer(t)
		s.SetDirectory("x", tt.text)
		got, err := showURL(t, new(Client), s.URL("x"))
		if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != tt.want || e.Text != tt.words {
			t.Errorf("%q: got %q, %v; want the reason %v and the text %q", tt.text, got, err, tt.want, tt.words)
		}
	}
	s := startServer(t)
	s.SetDirectory("x", "WARNING MESSAGE 'slow today'\n"+link1+"LINK L\nODD line\nATTRIBUTE\nUNRESOLVED a\n"+link2)
	want := "failure \"slow today\"\nother \"one\" [not readable]\nproblem \"LINK L\"\nproblem \"ODD line\"\nother \"two\" [not readable]\n"
	fetchtest.Returns(t, want)(showURL(t, new(Client), s.URL("x")))
}

func TestForwarded(t *testing.T) {
	s := startServer(t)
	port := strings.TrimPrefix(s.Addr(), "127.0.0.1:")
	s.SetDirectory("old", "FORWARDED INTERNET-D LOCALHOST ASCII new 3\n")
	s.SetDirectory("new", link1)
	s.SetDirectory("away", "FORWARDED INTERNET-D 127.0.0.2("+port+") ASCII new 0\n")
	s.SetDirectory("a", "FORWARDED INTERNET-D 127.0.0.1("+port+") ASCII b 0\n")
	s.SetDirectory("b", "FORWARDED INTERNET-D 127.0.0.1("+port+") ASCII a 0\n")
	res, err := new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, s.URL("old"))})
	fetchtest.NoError(t, err)
	_ = res.Close()
	if got := res.URL.String(); got != s.URL("new;OBJECT-VERSION=3") || len(res.Notes) != 1 {
		t.Errorf("Fetch returns %s with the notes %q, want %s with one note", got, res.Notes, s.URL("new;OBJECT-VERSION=3"))
	}
	s.SetDirectory("GOPHER-GW/h(70)/1/", link2+link1)
	if res, err = new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, s.URL("GOPHER-GW/h(70)/1/"))}); err != nil ||
		res.Layout.IsSorted() {
		t.Fatalf("a menu of the gateway: got error %v or a sorted layout", err)
	}
	_ = res.Close()
	fetchtest.FailsWith(t, errForwards, "in a circle")(showURL(t, new(Client), s.URL("a")))
	var confirm *protocols.Confirm
	if _, err := showURL(t, new(Client), s.URL("away")); !errors.As(err, &confirm) {
		t.Errorf("to another host: got %v, want a question", err)
	}
}

var parse = fetchtest.Parse

func TestUnions(t *testing.T) {
	s := startServer(t)
	host := prosperoHost(s)
	union := func(name, host, object string) string {
		return "LINK U DIRECTORY " + name + " " + host + " ASCII " + object + " 0\n"
	}
	s.SetDirectory("top", union("a", host, "a")+link1+union("self", host, "top")+union("gone", host, "gone")+
		union("away", "INTERNET-D h.example", "x"))
	s.SetDirectory("a", link2+union("b", host, "b"))
	s.SetDirectory("b", "LINK L NULL three INTERNET-D h ASCII 3 0\n"+union("top", host, "top"))
	got, err := showURL(t, new(Client), s.URL("top"))
	want := "other \"one\" [not readable]\ndirectory \"away\" prospero://h.example/x [union link]\nother \"two\" [not readable]\n" +
		"failure \"Union " + s.URL("gone") + ": open " + s.URL("gone") + ": the server said NOT-A-DIRECTORY\"\nother \"three\" [not readable]\n"
	if got != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	for i := range 100 { // a chain of more than maxDepth directories
		s.SetDirectory(fmt.Sprintf("deep%d", i), union("more", host, fmt.Sprintf("deep%d", i+1)))
		s.SetDirectory("wide", strings.Repeat(link1, 2))
	}
	if got, err = showURL(t, new(Client), s.URL("deep0")); got != "directory \"more\" "+s.URL("deep5")+" [union link]\n" || err != nil {
		t.Errorf("deep: got %s, %v; want the union link to %s", got, err, s.URL("deep5"))
	}
	var wide strings.Builder
	for i := range 100 {
		wide.WriteString(union(fmt.Sprint(i), host, fmt.Sprintf("none%d", i)))
		s.SetDirectory(fmt.Sprintf("none%d", i), "")
	}
	s.SetDirectory("wide", wide.String())
	if got, err = showURL(t, new(Client), s.URL("wide")); strings.Count(got, "\n") != 100-maxUnions || err != nil {
		t.Errorf("wide: got %d lines, %v; want %d", strings.Count(got, "\n"), err, 100-maxUnions)
	}
}

func prosperoHost(s *demo.ProsperoServer) string {
	host, port, _ := net.SplitHostPort(s.Addr())
	return "INTERNET-D " + host + "(" + port + ")"
}

// TestRequests checks that the version in the URL is requested. No part of a URL may become a
// command.
func TestRequests(t *testing.T) {
	s := startServer(t)
	s.SetInfo("o", "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n")
	s.SetInfo("links", "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP INTERNET-D h ASCII x TEXT\n")
	s.SetContents("it's '%41 b", []byte("x"))
	for _, tt := range []struct{ path, want, requests string }{
		{
			"o;OBJECT-VERSION=7", "does not send this object",
			"DIRECTORY ASCII o 7|LIST ATTRIBUTES COMPONENTS|GET-OBJECT-INFO ACCESS-METHOD+CONTENTS ASCII o 7|GET-OBJECT-INFO CONTENTS ASCII o 7",
		},
		{
			"links;object-version=0;x=y", "ftp://h/x;type=a",
			"DIRECTORY ASCII links 0|LIST ATTRIBUTES COMPONENTS|GET-OBJECT-INFO ACCESS-METHOD+CONTENTS ASCII links 0",
		},
		{
			"it's%20'%2541%20b", "x",
			"DIRECTORY ASCII it's '%41 b|LIST ATTRIBUTES COMPONENTS|GET-OBJECT-INFO ACCESS-METHOD+CONTENTS ASCII it's '%41 b 0",
		},
	} {
		before := len(s.Requests())
		got, err := showURL(t, new(Client), s.URL(tt.path))
		if !strings.Contains(got, tt.want) || err != nil {
			t.Errorf("%s: got %q, %v; want %q in it", tt.path, got, err, tt.want)
		}
		if requests := strings.Join(s.Requests()[before:], "|"); requests != tt.requests {
			t.Errorf("%s: sent %s\nwant %s", tt.path, requests, tt.requests)
		}
	}
	for _, bad := range []urlcore.URL{
		urlcore.Prospero{HostPort: urlcore.HostPort{Host: "h"}, Object: "a\nLIST"},
		urlcore.Prospero{HostPort: urlcore.HostPort{Host: "h"}, Object: "a\x00"},
		urlcore.Prospero{HostPort: urlcore.HostPort{Host: "h"}, Fields: ";OBJECT-VERSION=1%0AX"},
		urlcore.Prospero{HostPort: urlcore.HostPort{Host: "h"}, Fields: ";OBJECT-VERSION="},
		urlcore.Prospero{Object: "a"},
		urlcore.Generic{Name: "prospero", Rest: "x"},
	} {
		var e *protocols.Error
		if _, err := new(Client).Fetch(t.Context(), protocols.Request{URL: bad}); !errors.As(err, &e) ||
			e.Reason != protocols.BadURL && e.Reason != protocols.Unsupported {
			t.Errorf("%#v: got %v, want an *Error", bad, err)
		}
		if _, err := new(Client).Plan(bad); err == nil {
			t.Errorf("%#v: got a plan, want an error", bad)
		}
	}
}

// TestPlan checks that Fetch sends the planned packets, except for the connection id.
func TestPlan(t *testing.T) {
	requests := make(chan string, 100)
	addr := servePackets(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, p []byte) {
		requests <- string(p[:1]) + "BB" + string(p[3:])
		text := "FAILURE NOT-FOUND\n"
		if strings.HasSuffix(string(p), "LIST ATTRIBUTES COMPONENTS\n") {
			text = "FAILURE NOT-A-DIRECTORY\n"
		}
		_, _ = c.WriteTo(newReply(p, 3, "", text), from)
	})
	u := parse(t, "prospero://"+addr+"/AFTP/pub/x")
	steps := fetchtest.Must(new(Client).Plan(u))(t)
	_, _ = new(Client).Fetch(t.Context(), protocols.Request{URL: u})
	var sent []string
	for len(requests) > 0 {
		sent = append(sent, <-requests)
	}
	sent = slices.Compact(sent) // a busy machine may repeat packets
	for i, s := range steps {
		if i >= len(sent) || s.Send != sent[i] || s.Peer != addr {
			t.Errorf("step %d: planned %s %q, but Fetch sent %q", i, s.Peer, s.Send, sent)
		}
	}
	if len(sent) != len(steps) {
		t.Errorf("planned %d packets, sent %d", len(steps), len(sent))
	}
}

// TestStalledContents checks the errors for contents that stall or are cut off.
func TestStalledContents(t *testing.T) {
	const head = "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'abc"
	answer := func(rest string) string {
		return servePackets(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, p []byte) {
			switch {
			case strings.Contains(string(p), "LIST"):
				_, _ = c.WriteTo(newReply(p, 3, "", "FAILURE NOT-A-DIRECTORY\n"), from)
			case strings.Contains(string(p), "GET"):
				_, _ = c.WriteTo(newReply(p, 7, rest, head), from)
			}
		})
	}
	c := &Client{Dialer: wire.Dialer{Idle: 300 * time.Millisecond}}
	for rest, want := range map[string]protocols.Reason{"00010000": protocols.IdleTimeout, "00010001": protocols.Broken} {
		got, err := showURL(t, c, "prospero://"+answer(rest)+"/x")
		if got != "abc" || protocols.ReasonOf(err) != want {
			t.Errorf("%s: got %q, %v; want the part and the reason %v", rest, got, err, want)
		}
	}
	errStop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	res := fetchtest.Must(new(Client).Fetch(ctx, protocols.Request{URL: parse(t, "prospero://"+answer("00010000")+"/x")}))(t)
	cancel(errStop)
	fetchtest.FailsWith(t, errStop, "canceled")(io.ReadAll(res.Body))
	fetchtest.NoError(t, res.Close(), "Close")
}
