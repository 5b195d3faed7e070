package demo

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// gopherTree returns the file tree of the tests.
func gopherTree() fstest.MapFS {
	return fstest.MapFS{
		"gophermap": {Data: []byte("# a comment\nWelcome\n\n1Documents\tdocs\n0Rules\n" +
			"1Files\tURL:ftp://127.0.0.1:2121/\n7Search\t/search\n8Login\tguest\n1Far\t/x\tgopher.example.org\t70\n1Near\t\tgopher.example.org\n")},
		"Rules":              {Data: []byte("one\n.two\n..three\n.\nend")},
		"docs/a.txt":         {Data: []byte("the quick brown fox\n")},
		"docs/b.txt":         {Data: []byte("Lazy DOGS\nand a fox\r\n")},
		"docs/c.bin":         {Data: []byte("fox\x00\n.\n")},
		"docs/pic.gif":       {Data: []byte("GIF89a")},
		"docs/.hidden":       {Data: []byte("fox")},
		"docs/sub/gophermap": {Data: []byte("Before\n0up\t../a.txt\n*\n.\nnever shown\n")},
		"docs/sub/z.html":    {Data: []byte("<p>fox")},
	}
}

func startGopher(t *testing.T) *GopherServer {
	t.Helper()
	return fetchtest.CloseAtEnd(StartGopher(gopherTree()))(t)
}

func askGopher(t *testing.T, s *GopherServer, request string) string {
	t.Helper()
	c := fetchtest.Must(net.Dial("tcp", s.Addr()))(t)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	fetchtest.Must(io.WriteString(c, request))(t)
	answer, err := io.ReadAll(c)
	fetchtest.NoError(t, err, "%q", request)
	return string(answer)
}

// TestChosenAttributes checks that a Gopher+ request with names of attributes is answered with only their blocks.
func TestChosenAttributes(t *testing.T) {
	s := startGopher(t)
	for request, want := range map[string]string{
		"/plus/about\t!+ABSTRACT":        "ABSTRACT",
		"/plus/about\t!+ABSTRACT +VIEWS": "VIEWS ABSTRACT",
		"/plus/about\t!+INFO+ADMIN":      "INFO ADMIN",
		"/plus/about\t!+SMELL":           "",
		"/plus/search\t!+ABSTRACT":       "ABSTRACT",
		"/plus/gone\t!+ADMIN":            "ADMIN",
		"/plus\t!+INFO":                  "INFO",
		"/plus\t$+VIEWS":                 "INFO VIEWS INFO INFO INFO INFO VIEWS INFO INFO INFO INFO",
	} {
		answer, ok := strings.CutPrefix(askGopher(t, s, request+"\r\n"), "+-1\r\n")
		var names []string
		for line := range strings.Lines(answer) {
			if name, ok := strings.CutPrefix(line, "+"); ok {
				name, _, _ = strings.Cut(name, ":")
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); !ok || got != want || !strings.HasSuffix(answer, ".\r\n") {
			t.Errorf("%q: got the blocks %q in %q, want %q", request, got, answer, want)
		}
	}
}

func TestGopherServer(t *testing.T) {
	s := startGopher(t)
	host, port, _ := strings.Cut(s.Addr(), ":")
	own := "\t" + host + "\t" + port + "\r\n"
	info := "\tfake\t(NULL)\t0\r\n"
	noSuch := func(name string) string { return "3'" + name + "' does not exist\t\terror.host\t1\r\n.\r\n" }
	tests := []struct{ request, want string }{
		{"\r\n", "iWelcome" + info + "i" + info + "1Documents\t/docs" + own + "i0Rules" + info +
			"1Files\tURL:ftp://127.0.0.1:2121/" + own + "7Search\t/search" + own + "8Login\tguest" + own +
			"1Far\t/x\tgopher.example.org\t70\r\n1Near\t\tgopher.example.org\t70\r\n.\r\n"},
		{"/Rules\n", "one\r\n..two\r\n...three\r\n..\r\nend\r\n.\r\n"},
		{"Rules\r\n", "one\r\n..two\r\n...three\r\n..\r\nend\r\n.\r\n"},
		{"/docs/\r\n", "0a.txt\t/docs/a.txt" + own + "0b.txt\t/docs/b.txt" + own + "9c.bin\t/docs/c.bin" + own +
			"gpic.gif\t/docs/pic.gif" + own + "1sub\t/docs/sub" + own + ".\r\n"},
		{"/docs/sub\r\n", "iBefore" + info + "0up\t/docs/a.txt" + own + "hz.html\t/docs/sub/z.html" + own + ".\r\n"},
		{"/docs/c.bin\r\n", "fox\x00\n.\n"},
		{"/docs/b.txt\t+\r\n", "Lazy DOGS\r\nand a fox\r\n.\r\n"},
		{"/search\tFOX lazy\r\n", "0docs/b.txt\t/docs/b.txt" + own + "i    and a fox" + info + ".\r\n"},
		{"/search\tunicorn\r\n", "iNothing found for: unicorn" + info + ".\r\n"},
		{"/search\r\n", "3say what to search for\t\terror.host\t1\r\n.\r\n"},
		{"/no\r\n", noSuch("/no")},
		{"/../etc/passwd\r\n", noSuch("/../etc/passwd")},
		{"/docs/../Rules\r\n", noSuch("/docs/../Rules")},
		{"a\rb\r\n", noSuch("a b")},
		{"/big/2\r\n", "0Item number 0000000\t/big/item/0000000" + own + "0Item number 0000001\t/big/item/0000001" + own + ".\r\n"},
		{"/big/item/7\r\n", "This is item number 7.\r\n.\r\n"},
		{"/big/text/1\r\n", "This is line number 0000000 of a text that goes on and on.\r\n.\r\n"},
		{"/big/binary/40\r\n", "000000000000000\n000000000000010\n00000000"},
		{"/big/x\r\n", noSuch("/big/x")},
		{strings.Repeat("x", gopherMaxRequest) + "\r\n", "3the request is too long\t\terror.host\t1\r\n.\r\n"},
	}
	for _, tt := range tests {
		fetchtest.Equal(t, askGopher(t, s, tt.request), tt.want, "%.40q", tt.request)
	}
	fetchtest.Equal(t, s.Requests()[1], "/Rules", "Requests()[1]")
	fetchtest.Equal(t, s.URL(), "gopher://"+s.Addr()+"/1", "URL()")
}

func TestGopherServerBig(t *testing.T) {
	s := startGopher(t)
	c := fetchtest.CloseAtEnd(net.Dial("tcp", s.Addr()))(t)
	fmt.Fprint(c, "/big/100000\r\n")
	lines := 0
	for sc := bufio.NewScanner(c); sc.Scan(); lines++ {
	}
	fetchtest.Equal(t, lines, 100001, "lines")
}

func TestGopherHandle(t *testing.T) {
	s := startGopher(t)
	s.Handle("/odd", func(c net.Conn, request string) { fmt.Fprintf(c, "got %q", request) })
	fetchtest.Equal(t, askGopher(t, s, "/odd\ta\tb\r\n"), `got "/odd\ta\tb"`)
}

// TestGopherClose checks that Close ends all connections. One client sends nothing, one client does not
// read, and one handler waits.
func TestGopherClose(t *testing.T) {
	before := runtime.NumGoroutine()
	s := fetchtest.Must(StartGopher(gopherTree()))(t)
	s.Handle("/stall", func(c net.Conn, _ string) { _, _ = c.Read(make([]byte, 1)) })
	for _, request := range []string{"", "/stall\r\n", "/big/10000000\r\n"} {
		c := fetchtest.Must(net.Dial("tcp", s.Addr()))(t)
		defer c.Close()
		fmt.Fprint(c, request)
	}
	for len(s.Requests()) < 2 {
		time.Sleep(time.Millisecond)
	}
	fetchtest.NoError(t, s.Close(), "Close")
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("got %d goroutines after Close, want %d", n, before)
	}
}
