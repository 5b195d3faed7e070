package finger_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/finger"
	"gofer/urlcore"
)

// answers are the answers of the server to each query. It sends CR LF in place of LF.
var answers = map[string]string{
	"": "Login     Name       Tty      Idle  Login Time   Office     Office Phone\nmary      Mary Moss  tty1           Mar  1 09:00\n",
	"mary": "Login: mary           \t\t\tName: Mary Moss\nDirectory: /home/mary               \tShell: /bin/sh\n" +
		"Never logged in.\nNo mail.\nPlan:\ngopher://gopher.example/1/mary \x1b[2J\n",
}

func startServer(t *testing.T) *demo.LookupServer {
	t.Helper()
	return fetchtest.CloseAtEnd(demo.StartFinger(answers))(t)
}

func TestConformanceLoopback(t *testing.T) {
	s := startServer(t)
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &finger.Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{URL: s.URL("mary"), Media: "text/plain", Contains: []string{"Name: Mary Moss\r\n"}},
			{URL: s.URL("")[:len(s.URL(""))-1], Contains: []string{"mary      Mary Moss"}},
			{URL: s.URL("/W%20mary"), Contains: []string{"Name: Mary Moss\r\n"}},
			{URL: s.URL("nobody"), Contains: []string{"no such user"}},
		},
		Large: s.URL("many"),
	})
}

// TestPlan checks that the plan has the query and a line end.
func TestPlan(t *testing.T) {
	for s, want := range map[string]string{
		"finger://h": "\r\n", "finger://h/": "\r\n", "finger://h/mary": "mary\r\n",
		"finger://h//W%20a%3Fb": "/W a?b\r\n", "finger://mary@h": "mary\r\n",
	} {
		steps, err := new(finger.Client).Plan(fetchtest.Parse(t, s))
		note := "ask about the user"
		if want == "\r\n" {
			note = "ask who is logged in"
		}
		if err != nil || len(steps) != 1 || steps[0] != (protocols.Step{Peer: "h:79", Send: want, Note: note}) {
			t.Errorf("Plan(%s) = %v, %v; want %q to h:79, note %q", s, steps, err, want, note)
		}
	}
}

// TestRefused checks that a query is not sent if the server would forward it, or if it contains a
// line end or a NUL. URLs without a host and whois URLs are also refused.
func TestRefused(t *testing.T) {
	c := new(finger.Client)
	for _, u := range []urlcore.URL{
		urlcore.Lookup{Name: "finger", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/a%0D%0Ab"},
		urlcore.Lookup{Name: "finger", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/a%00"},
		urlcore.Lookup{Name: "whois", Path: "/a"},
		urlcore.Lookup{Name: "finger", Path: "/a"},
		fetchtest.Parse(t, "finger://h/a@b"), fetchtest.Parse(t, "finger://h/a@b@c"), fetchtest.Parse(t, "finger://h/@b"),
	} {
		var e *protocols.Error
		if _, err := c.Plan(u); !errors.As(err, &e) {
			t.Errorf("Plan(%#v): got %v; want an *Error", u, err)
		}
		if _, err := c.Fetch(t.Context(), protocols.Request{URL: u}); !errors.As(err, &e) {
			t.Errorf("Fetch(%#v): got %v; want an *Error", u, err)
		}
	}
	_, err := c.Plan(fetchtest.Parse(t, "finger://h/a@b.example"))
	if e, ok := errors.AsType[*protocols.Error](err); !ok || len(e.Lines) == 0 ||
		e.Lines[len(e.Lines)-1].Link != fetchtest.Parse(t, "finger://b.example/a") {
		t.Errorf("Plan(finger://h/a@b.example): got %v; want a link to finger://b.example/a", err)
	}
	if _, err := urlcore.Parse("finger://h/a%0Ab"); err == nil {
		t.Error("Parse of a URL with a line end: got no error")
	}
}

// TestNoHost checks that the error for a URL without a host shows the form of a URL with a host.
func TestNoHost(t *testing.T) {
	_, err := new(finger.Client).Plan(fetchtest.Parse(t, "finger:joe"))
	if protocols.ReasonOf(err) != protocols.BadURL || !strings.Contains(err.Error(), "finger://host/") {
		t.Errorf("Plan(finger:joe): got %v; want reason BadURL and the form finger://host/", err)
	}
}

// TestOctets checks that the octets of an answer are unchanged.
func TestOctets(t *testing.T) {
	base := startServer(t).URL("")
	quiet := "finger://" + fetchtest.Serve(t, func(c net.Conn) { _, _ = bufio.NewReader(c).ReadString('\n') }) + "/"
	for url, want := range map[string][2]string{
		base + "mary": {"mary@127.0.0.1", answers["mary"]}, base + "/W%20mary": {"mary@127.0.0.1", answers["mary"]},
		base: {"127.0.0.1", answers[""]}, quiet: {"127.0.0.1", ""},
	} {
		res := fetchtest.CloseAtEnd(new(finger.Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, url)}))(t)
		got, err := io.ReadAll(res.Body)
		if want := strings.ReplaceAll(want[1], "\n", "\r\n"); string(got) != want || err != nil {
			t.Errorf("Fetch(%s): got %q, %v; want %q", url, got, err, want)
		}
		fetchtest.Equal(t, res.Title, want[0], "%s: the title", url)
	}
}
