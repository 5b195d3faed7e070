package gemini_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/gemini"
	"gofer/urlcore"
)

var tree = fstest.MapFS{
	"index.gmi": {Data: []byte("# Front\n=> words.gmi Words\n" + strings.Repeat("A paragraph.\n", 50))},
	"words.gmi": {Data: []byte("# Words\n=> / Front\n")},
	"a.txt":     {Data: []byte("Plain text.\n")},
}

type pins map[string]string

func (p pins) Pin(addr string) (string, bool)    { f, ok := p[addr]; return f, ok }
func (p pins) Agree(addr, fingerprint string)    { p[addr] = fingerprint }
func (p pins) Remember(addr, fingerprint string) {}

func TestConformanceGemini(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartGemini(tree))(t)
	base := "gemini://" + s.Addr()
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &gemini.Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{URL: base + "/", Contains: []string{"# Front"}, Media: "text/gemini; charset=utf-8; lang=en"},
			{URL: base + "/a.txt", Contains: []string{"Plain text."}},
			{URL: base + "/moved", Contains: []string{"# Words"}},
			{URL: base + "/search?a%20b", Contains: []string{"3 octets"}},
		},
		Large:   base + "/large.txt",
		Missing: []string{base + "/none", base + "/gone"},
	})
}

func TestConformanceSpartan(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartSpartan(tree))(t)
	base := "spartan://" + s.Addr()
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &gemini.Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{URL: base + "/", Contains: []string{"# Front"}, Streams: true},
			{URL: base + "/moved", Contains: []string{"# Words"}},
			{URL: base + "/echo?a%20b", Contains: []string{"a b"}},
		},
		Large:   base + "/large.txt",
		Missing: []string{base + "/none"},
	})
}

var parse = fetchtest.Parse

func TestInput(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartGemini(tree))(t)
	c := new(gemini.Client)
	for _, tt := range []struct {
		path  string
		input protocols.Input
		url   string // path and query of the page that is fetched
	}{
		{"/search", protocols.InputLine, "/search?a%3Fb%20c"},
		{"/secret", protocols.InputSecret, "/secret"},
	} {
		u := parse(t, "gemini://"+s.Addr()+tt.path)
		_, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		var ask *protocols.Ask
		if !errors.As(err, &ask) || ask.Fields[0].Input != tt.input {
			t.Fatalf("Fetch(%s): got %v; want an Ask with input %v", u, err, tt.input)
		}
		to := fetchtest.Must(ask.With([]string{"a?b c"}))(t)
		h, body := fetchtest.Read(t, c, to)
		if !strings.Contains(body, "5 octets") || h.URL.String() != "gemini://"+s.Addr()+tt.url {
			t.Errorf("Fetch(%s) with input: got %q from %s; want 5 octets and the path %s", u, body, h.URL, tt.url)
		}
	}
	if _, err := (&gemini.Client{}).Fetch(t.Context(), protocols.Request{URL: parse(t, "spartan://h.example/echo?")}); err == nil {
		t.Error("Fetch of a Spartan URL with an empty query: got no error")
	}
}

// TestAnswers checks valid and malformed first lines of answers. It uses Spartan, which has no TLS.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   protocols.Reason
	}{
		{"4 not here\r\n", protocols.NotFound},
		{"5 broken\r\n", protocols.ServerFailed},
		{"9 what\r\n", protocols.ServerFailed},
		{"3 http://other.example/\r\n", protocols.Malformed},
		{"3 //other.example/\r\n", protocols.Malformed},
		{"3 /again\r\n", protocols.ServerFailed}, // the server redirects again and again
		{"20 text/gemini\r\n", protocols.Malformed},
		{"\r\n", protocols.Malformed},
		{"HTTP/1.1 400 Bad Request\r\n", protocols.Malformed},
		{"", protocols.Broken},
		{"2 text", protocols.Broken},
		{"2", protocols.Broken},
		{"<html>not spartan", protocols.Malformed},
		{"20", protocols.Malformed},
		{"2 " + strings.Repeat("x", 10000) + "\r\n", protocols.Malformed},
		{"-1 x\r\n", protocols.Malformed},
	} {
		addr := fetchtest.Serve(t, func(c net.Conn) {
			_, _ = bufio.NewReader(c).ReadString('\n')
			_, _ = io.WriteString(c, tt.answer)
		})
		r, err := new(gemini.Client).Fetch(t.Context(), protocols.Request{URL: parse(t, "spartan://"+addr+"/")})
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "%.40q: the reason of %v, with %+v", tt.answer, err, r)
	}
}

// serveTLS starts a server that answers each request with a line.
func serveTLS(t *testing.T, answer func(request string) string) (addr string) {
	t.Helper()
	config, _ := fetchtest.NewSelfSigned(t)
	return fetchtest.Serve(t, func(conn net.Conn) {
		c := tls.Server(conn, config)
		defer c.Close()
		line, _ := bufio.NewReader(c).ReadString('\n')
		_, _ = io.WriteString(c, answer(strings.TrimSpace(line))+"\r\n")
	})
}

// TestStatuses checks the errors for Gemini statuses without a document.
func TestStatuses(t *testing.T) {
	for answer, want := range map[string]struct {
		reason protocols.Reason
		text   string
	}{
		"44 60": {protocols.ServerFailed, "too many requests"}, "43 x": {protocols.ServerFailed, "43 x"},
		"51 x": {protocols.NotFound, "51 x"}, "52 x": {protocols.NotFound, "52 x"},
		"53 x": {protocols.Denied, "not a proxy"}, "59 x": {protocols.ServerFailed, "bad request"},
		"40 x": {protocols.ServerFailed, "temporary failure"}, "45 x": {protocols.ServerFailed, "temporary failure"},
		"42 x": {protocols.ServerFailed, "CGI error"},
		"50 x": {protocols.ServerFailed, "permanent failure"}, "54 x": {protocols.ServerFailed, "permanent failure"},
		"60 x": {protocols.Denied, "certificate"}, "61 x": {protocols.Denied, "not authorized"}, "62 x": {protocols.Denied, "not valid"},
		"70 x": {protocols.Malformed, "70 x"}, "99 x": {protocols.Malformed, "99 x"},
		"09 x": {protocols.Malformed, "09 x"}, "31": {protocols.Malformed, "redirect"},
		"31 :": {protocols.Malformed, "redirect"}, "31 file:///x": {protocols.Malformed, "redirect"},
	} {
		addr := serveTLS(t, func(string) string { return answer })
		_, err := new(gemini.Client).Fetch(t.Context(), protocols.Request{URL: parse(t, "gemini://"+addr+"/")})
		if protocols.ReasonOf(err) != want.reason || !strings.Contains(err.Error(), want.text) {
			t.Errorf("answer %q: got %v; want reason %s and %q", answer, err, want.reason, want.text)
		}
	}
}

func TestGuardedRedirect(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartSpartan(tree))(t)
	guarded := &protocols.Guarded{
		Registry: protocols.Registry{"spartan": new(gemini.Client)},
		Guard: fetchtest.GuardFunc(func(u urlcore.URL) error {
			if !strings.HasSuffix(u.String(), "/moved") {
				return &protocols.Confirm{URL: u}
			}
			return nil
		}),
	}
	var confirm *protocols.Confirm
	if _, err := guarded.Fetch(t.Context(), protocols.Request{URL: parse(t, "spartan://"+s.Addr()+"/moved")}); !errors.As(err, &confirm) {
		t.Errorf("redirect to a guarded URL: got %v; want a Confirm", err)
	}
}

func TestPlan(t *testing.T) {
	for url, want := range map[string]string{
		"gemini://h.example/a?b%20c":                      "h.example:1965 gemini://h.example/a?b%20c\r\n",
		"spartan://h.example:3000/a?b%20c":                "h.example:3000 h.example /a 3\r\nb c",
		"gemini://h.example/" + strings.Repeat("a", 1005): "h.example:1965 gemini://h.example/" + strings.Repeat("a", 1005) + "\r\n",
		"gemini://h.example/" + strings.Repeat("a", 1006): "",
		"spartan://h/a?" + strings.Repeat("b", 64<<10):    "h:300 h /a 65536\r\n" + strings.Repeat("b", 64<<10),
		"spartan://h/a?" + strings.Repeat("b", 64<<10+1):  "",
		"http://h/": "", "gopher://h/": "",
	} {
		steps, err := new(gemini.Client).Plan(parse(t, url))
		got := ""
		if err == nil {
			got = steps[0].Peer + " " + steps[0].Send
		}
		if got != want {
			t.Errorf("Plan(%.50s): got %.50q, %v; want %.50q", url, got, err, want)
		}
		if err == nil && strings.Contains(steps[0].Note, "TLS") != strings.HasPrefix(url, "gemini:") {
			t.Errorf("Plan(%.50s): got the note %q; want \"TLS\" only for gemini", url, steps[0].Note)
		}
	}
}
