package gopher

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// itemOf returns an item of the server at addr.
func itemOf(addr string, typ byte, selector string) urlcore.Gopher {
	host, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.ParseUint(port, 10, 16)
	return urlcore.Gopher{
		HostPort: urlcore.HostPort{Host: host, Port: uint16(n)}, Type: typ, Selector: selector,
	}
}

func startServer(t *testing.T, root fstest.MapFS) *demo.GopherServer {
	t.Helper()
	return fetchtest.CloseAtEnd(demo.StartGopher(root))(t)
}

// setAnswer makes the server answer the selector with the octets and close the connection.
func setAnswer(s *demo.GopherServer, selector, octets string) {
	s.Handle(selector, func(c net.Conn, _ string) { _, _ = io.WriteString(c, octets) })
}

// readContent returns the content of a resource as text.
func readContent(res *protocols.Resource) (string, error) {
	defer res.Close()
	if res.Lines == nil {
		b, err := io.ReadAll(res.Body)
		return string(b), err
	}
	var b strings.Builder
	var last error
	for line, err := range res.Lines {
		if last = err; err == nil {
			formatLine(&b, line, nil)
		}
	}
	return b.String(), last
}

func TestFetch(t *testing.T) {
	s := startServer(t, fstest.MapFS{
		"gophermap":   {Data: []byte("Welcome\n0Rules\trules.txt\n")},
		"rules.txt":   {Data: []byte("one\n.two\n")},
		"empty.txt":   {},
		"pic.gif":     {Data: []byte("GIF89a\n.\n..\n")},
		"empty/.keep": {},
	})
	setAnswer(s, "/nodots", "a\r\n.b\r\n.\r\nc")
	setAnswer(s, "/zero", "")
	setAnswer(s, "/plain-error", "Error: File or directory not found! (null)\r\n")
	tests := []struct {
		typ         byte
		selector    string
		search      string
		media, want string
		notes       int
	}{
		{'1', "", "", "application/gopher-menu", "info      \"Welcome\"\ntext      \"Rules\" gopher://" + s.Addr() + "/0/rules.txt\n", 0},
		{'1', "/empty", "", "application/gopher-menu", "", 0},
		{'1', "/zero", "", "application/gopher-menu", "", 1},
		{'0', "/zero", "", "text/plain", "", 0},
		{'9', "/zero", "", "application/octet-stream", "", 0},
		{'0', "/rules.txt", "", "text/plain", "one\r\n.two\r\n", 0},
		{'0', "/empty.txt", "", "text/plain", "", 0},
		{'0', "/nodots", "", "text/plain", "a\r\n.b\r\n.\r\nc", 0},
		{'g', "/pic.gif", "", "image/gif", "GIF89a\n.\n..\n", 0},
		{'I', "/pic.gif", "", "image/gif", "GIF89a\n.\n..\n", 0},
		{'9', "/pic.gif", "", "image/gif", "GIF89a\n.\n..\n", 0},
		{'1', "/no", "", "application/gopher-menu", "failure   \"'/no' does not exist\"\n", 0},
		{'1', "/plain-error", "", "application/gopher-menu", "failure   \"Error: File or directory not found! (null)\"\n", 1},
		{
			'7', "/search", "two", "application/gopher-menu",
			"text      \"rules.txt\" gopher://" + s.Addr() + "/0/rules.txt\ninfo      \"    .two\"\n", 0,
		},
		{'+', "", "", "application/gopher-menu", "info      \"Welcome\"\ntext      \"Rules\" gopher://" + s.Addr() + "/0/rules.txt\n", 0},
		{'+', "/nodots", "", "", "a\r\n.b\r\n.\r\nc", 0},
	}
	for _, tt := range tests {
		u := itemOf(s.Addr(), tt.typ, tt.selector)
		if tt.search != "" {
			u.Search, u.HasSearch = tt.search, true
		}
		res, err := (&Client{}).Fetch(context.Background(), protocols.Request{URL: u})
		if err != nil {
			t.Errorf("Fetch(%v): %v", u, err)
			continue
		}
		if (res.Lines == nil) == (res.Body == nil) {
			t.Errorf("Fetch(%v): want either Lines or Body", u)
		}
		fetchtest.Returns(t, tt.want, "%v", u)(readContent(res))
		if res.URL != u || res.MediaType() != tt.media || res.Size != -1 || len(res.Notes) != tt.notes {
			t.Errorf("Fetch(%v): got head %+v; want the same URL, media %q, size -1 and %d notes", u, res.Head, tt.media, tt.notes)
		}
	}
}

// TestFetchNotFound checks that an error in place of a document is recognized.
func TestFetchNotFound(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	setAnswer(s, "/closed", "3Gone\t\terror.host\t1")
	setAnswer(s, "/remarks", "3Gone\t\terror.host\t1\r\niSorry\t\t\t0\r\n.\r\n")
	setAnswer(s, "/words", "Error: File or directory not found! (null)\r\n_____\r\n  Gophered by Gophernicus/3.1.1\r\n")
	s.Handle("/open", func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, "3Gone\t\terror.host\t1\r\n.\r\n")
		_, _ = c.Read(make([]byte, 1))
	})
	const noSuch = "Gone, '/no-such' does not exist, Error: File or directory not found! (null)"
	for _, selector := range []string{"/no-such", "/closed", "/remarks", "/open", "/words"} {
		for _, typ := range []byte("09I") {
			_, err := (&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), typ, selector)})
			if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != protocols.NotFound || e.Text == "" ||
				!strings.Contains(noSuch, e.Text) {
				t.Errorf("Fetch of type %c, %s: got %v; want reason NotFound and the message of the server", typ, selector, err)
			}
		}
	}
	for selector, text := range map[string]string{
		"/errors": "Error: File systems are fallible\r\n", "/e": "E", "/short": "Error: File or",
		"/number": "3.14159\r\n", "/table": "3a\tb\tc\t4\r\n3d\te\tf\tg\r\n", "/list": "3a\tb\tc\t4\r\nand more\r\n",
		"/long": strings.Repeat("3a\tb\tc\t4\r\n", maxFailure),
	} {
		setAnswer(s, selector, text)
		res, err := (&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), '0', selector)})
		if err != nil {
			t.Errorf("Fetch of the document %s: %v", selector, err)
			continue
		}
		fetchtest.Returns(t, text, "%s", selector)(readContent(res))
	}
}

func TestRequest(t *testing.T) {
	base := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: '0', Selector: "/a b\xe9"}
	with := func(change func(*urlcore.Gopher)) urlcore.Gopher {
		g := base
		change(&g)
		return g
	}
	tests := []struct {
		g      urlcore.Gopher
		want   string
		reason protocols.Reason
	}{
		{g: base, want: "/a b\xe9\r\n"},
		{g: with(func(g *urlcore.Gopher) { g.Selector = "" }), want: "\r\n"},
		{g: with(func(g *urlcore.Gopher) { g.Selector = "0/x" }), want: "0/x\r\n"},
		{g: with(func(g *urlcore.Gopher) { g.Search, g.HasSearch = "two words", true }), want: "/a b\xe9\ttwo words\r\n"},
		{g: with(func(g *urlcore.Gopher) { g.HasSearch = true }), want: "/a b\xe9\t\r\n"},
		{g: with(func(g *urlcore.Gopher) { g.HasSearch, g.HasPlus, g.Plus = true, true, "!" }), want: "/a b\xe9\t!\r\n"},
		{g: with(func(g *urlcore.Gopher) { g.Search, g.HasSearch, g.HasPlus, g.Plus = "q", true, true, "+v" }), want: "/a b\xe9\tq\t+v\r\n"},
		{g: with(func(g *urlcore.Gopher) { g.HasSearch, g.HasPlus, g.Plus = true, true, "?" }), want: "/a b\xe9\t!\r\n"},
		{g: with(func(g *urlcore.Gopher) { g.Type, g.HasSearch, g.HasPlus, g.Plus = '7', true, true, "!" }), want: "/a b\xe9\t\t!\r\n"},
		{
			g: with(func(g *urlcore.Gopher) {
				g.Port, g.HasSearch, g.HasPlus, g.Plus = 25, true, true, "+\t1\r\n+-1\r\nDATA\r\n.\r\n"
			}),
			reason: protocols.BadURL,
		},
		{
			g:      with(func(g *urlcore.Gopher) { g.HasSearch, g.HasPlus, g.Plus = true, true, "+\t1\r\n+-1\r\na\x00b\r\n.\r\n" }),
			reason: protocols.BadURL,
		},
		{g: with(func(g *urlcore.Gopher) { g.HasPlus, g.Plus = true, "+\r\nQUIT" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.HasPlus, g.Plus = true, "+\tx" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Selector = "/a\r\nDELE 1" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Selector = "/a\nb" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Selector = "/a\rb" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Selector = "/a\x00b" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Selector = "/a\tb" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Search, g.HasSearch = "a\nb", true }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Search, g.HasSearch = "a\tb", true }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Type, g.Selector = '7', "a\nb" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Host = "" }), reason: protocols.BadURL},
		{g: with(func(g *urlcore.Gopher) { g.Type = '2' }), reason: protocols.Unsupported},
	}
	for _, tt := range tests {
		steps, err := (&Client{}).Plan(tt.g)
		if tt.want != "" {
			if err != nil || len(steps) != 1 || steps[0].Send != tt.want || steps[0].Peer != "gopher.example.org:70" {
				t.Errorf("Plan(%#v) = %q, %v; want the request %q", tt.g, steps, err, tt.want)
			}
			continue
		}
		_, fetchErr := (&Client{}).Fetch(context.Background(), protocols.Request{URL: tt.g})
		for _, err := range []error{err, fetchErr} {
			fetchtest.Equal(t, protocols.ReasonOf(err), tt.reason, "%#v: the reason of %v", tt.g, err)
		}
	}
}

func TestSearchAsks(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	u := itemOf(s.Addr(), '7', "/search")
	_, err := (&Client{}).Fetch(context.Background(), protocols.Request{URL: u})
	var ask *protocols.Ask
	if !errors.As(err, &ask) || ask.URL != u || len(ask.Fields) != 1 {
		t.Fatalf("Fetch without search words: got %v; want an Ask", err)
	}
	if sent := s.Requests(); len(sent) != 0 {
		t.Errorf("Fetch sent %q before it asked for search words", sent)
	}
	if _, err := (&Client{}).Plan(u); !errors.As(err, &ask) {
		t.Errorf("Plan without search words: got %v; want an Ask", err)
	}
	found, err := ask.With([]string{"two words"})
	want := u
	want.Search, want.HasSearch = "two words", true
	if err != nil || found != want {
		t.Errorf("With = %#v, %v; want %#v", found, err, want)
	}
	for _, words := range []string{"a\tb", "a\r\nb", "a\x00"} {
		if found, err := ask.With([]string{words}); protocols.ReasonOf(err) != protocols.BadURL {
			t.Errorf("With(%q) = %v, %v; want reason BadURL", words, found, err)
		}
	}
}

func TestSession(t *testing.T) {
	u := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "gopher.example.org", Port: 23}, Type: '8', Selector: "guest"}
	steps, err := (&Client{}).Plan(u)
	if err != nil || len(steps) != 0 {
		t.Errorf("Plan = %v, %v; want no steps", steps, err)
	}
	res := fetchtest.Must((&Client{}).Fetch(context.Background(), protocols.Request{URL: u}))(t)
	if got, _ := readContent(res); !strings.Contains(got, "telnet://guest@gopher.example.org") {
		t.Errorf("got the page %s; want the link telnet://guest@gopher.example.org", got)
	}
}

func TestPlus(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	tests := []struct {
		answer  string
		typ     byte
		plus    string
		want    string
		size    int64
		media   string
		reason  protocols.Reason
		code    int
		readErr bool
		note    string
	}{
		{answer: "+5\r\nab.\r\n.\r\n", typ: '0', plus: "+", want: "ab.\r\n", size: 5, media: "text/plain"},
		{answer: "+9\r\n..a\r\n.\r\n.\r\n", typ: '0', plus: "+", want: "..a\r\n.\r\n.", size: 9, media: "text/plain"},
		{answer: "+0\r\n", typ: '9', plus: "+", want: "", size: 0, media: "application/octet-stream"},
		{answer: "+5\nabcde", typ: '9', plus: "+", want: "abcde", size: 5, media: "application/octet-stream"},
		{answer: "+9\r\nabcde", typ: '9', plus: "+", want: "abcde", size: 9, media: "application/octet-stream", readErr: true},
		{answer: "+9\r\n", typ: '9', plus: "+", want: "", size: 9, media: "application/octet-stream", readErr: true},
		{
			answer: "+9223372036854775807\r\nab", typ: '9', plus: "+", want: "ab", size: 1<<63 - 1,
			media: "application/octet-stream", readErr: true,
		},
		{answer: "+-1\r\n..a\r\n.\r\n", typ: '0', plus: "+", want: ".a\r\n", size: -1, media: "text/plain"},
		{answer: "+-1\r\na", typ: '0', plus: "+", want: "a", size: -1, media: "text/plain", readErr: true},
		{answer: "+-1\r\na\r\n", typ: '0', plus: "+", want: "a\r\n", size: -1, media: "text/plain", note: noteNoDot},
		{answer: "+-2\r\n..a\r\n.\r\n", typ: '0', plus: "+", want: "..a\r\n.\r\n", size: -1, media: "text/plain"},
		{answer: "+-2\r\niA\tx\tx\t1\r\n", typ: '1', plus: "+", want: "info      \"A\"\n", size: -1, media: "application/gopher-menu"},
		{
			answer: "+-1\r\niA\tx\tx\t1\r\n", typ: '1', plus: "+", want: "info      \"A\"\n", size: -1,
			media: "application/gopher-menu", readErr: true,
		},
		{answer: "+10\r\niA\tx\tx\t1\r\nx", typ: '1', plus: "+", want: "info      \"A\"\n", size: 10, media: "application/gopher-menu"},
		{
			answer: "+-1\r\n+INFO: iA\tx\tx\t1\r\n.\r\n", typ: '1', plus: "$", want: "info      \"A\"\n", size: -1,
			media: "application/gopher-menu",
		},
		{
			answer: "+-1\r\n+INFO: iA\tx\tx\t1\r\n", typ: '1', plus: "$", want: "info      \"A\"\n", size: -1,
			media: "application/gopher-menu", readErr: true,
		},
		{
			answer: "+-2\r\n+INFO: iA\tx\tx\t1\r\n+INFO: iB\tx\tx\t1\r\n", typ: '1', plus: "+application/gopher+-menu",
			want: "info      \"A\"\ninfo      \"B\"\n", size: -1, media: "application/gopher-menu",
		},
		{answer: "+2\r\n%!", typ: '0', plus: "+application/PostScript De_DE", want: "%!", size: 2, media: "application/postscript"},
		{
			answer: "+-2\r\niA\tx\tx\t1\r\n", typ: '1', plus: "+application/gopher-menu", want: "info      \"A\"\n",
			size: -1, media: "application/gopher-menu",
		},
		{answer: "no header\r\n.\r\n", typ: '0', plus: "+", want: "no header\r\n", size: -1, media: "text/plain"},
		{answer: "+a\r\n", typ: '0', plus: "+", want: "+a\r\n", size: -1, media: "text/plain"},
		{answer: "-\r\n", typ: '0', plus: "+", want: "-\r\n", size: -1, media: "text/plain"},
		{answer: "+-3\r\n", typ: '0', plus: "+", want: "+-3\r\n", size: -1, media: "text/plain"},
		{
			answer: "+" + strings.Repeat("1", 30) + "\r\n", typ: '0', plus: "+",
			want: "+" + strings.Repeat("1", 30) + "\r\n", size: -1, media: "text/plain",
		},
		{answer: "", typ: '0', plus: "+", want: "", size: -1, media: "text/plain"},
		{answer: "--2\r\n1 Admin <a@example.org>\r\nno such item\r\n", typ: '0', plus: "+", reason: protocols.NotFound, code: 1},
		{answer: "--1\r\n2 Admin <a@example.org>\r\ntry later\r\n.\r\n", typ: '0', plus: "+", reason: protocols.ServerFailed, code: 2},
		{answer: "-12\r\nno such item", typ: '1', plus: "+", reason: protocols.ServerFailed},
	}
	for i, tt := range tests {
		selector := fmt.Sprintf("/%d", i)
		setAnswer(s, selector, tt.answer)
		u := itemOf(s.Addr(), tt.typ, selector)
		u.HasSearch, u.HasPlus, u.Plus = true, true, tt.plus
		res, err := (&Client{}).Fetch(context.Background(), protocols.Request{URL: u})
		if tt.reason != 0 {
			if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != tt.reason || e.Code != tt.code ||
				e.Text != "no such item" && e.Text != "try later" {
				t.Errorf("answer %q: got %#v; want reason %q, code %d and the message of the server", tt.answer, err, tt.reason, tt.code)
			}
			continue
		}
		if err != nil {
			t.Errorf("answer %q: Fetch: %v", tt.answer, err)
			continue
		}
		got, err := readContent(res)
		if got != tt.want || (err != nil) != tt.readErr {
			t.Errorf("answer %q: got %q, %v; want %q, error: %v", tt.answer, got, err, tt.want, tt.readErr)
		}
		if res.LateNotes != nil {
			fetchtest.Equal(t, strings.Join(res.LateNotes(), "|"), tt.note, "%q: note", tt.answer)
		}
		if res.Size != tt.size || res.MediaType() != tt.media {
			t.Errorf("answer %q: got size %d, media %q; want %d, %q", tt.answer, res.Size, res.MediaType(), tt.size, tt.media)
		}
	}
}

func TestRefused(t *testing.T) {
	s, err := demo.StartGopher(nil)
	fetchtest.NoError(t, err)
	_ = s.Close()
	_, err = (&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), '1', "")})
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Refused, "the reason of %v", err)
	fetchtest.Fails(t, protocols.Unsupported, "news")((&Client{}).Fetch(
		context.Background(), protocols.Request{URL: urlcore.News{Group: "*"}},
	))
}

// TestSecure checks that a request by TLS reaches a TLS server, and that a server without TLS
// receives nothing.
func TestSecure(t *testing.T) {
	plain := startServer(t, fstest.MapFS{"a": {Data: []byte("text")}})
	u := itemOf(plain.Addr(), '0', "/a")
	u.Secure = true
	fetchtest.Fails(t, protocols.Insecure, "Fetch(%s)", u)(new(Client).Fetch(t.Context(), protocols.Request{URL: u}))
	config, roots := fetchtest.NewSelfSigned(t)
	l := fetchtest.Must(tls.Listen("tcp", "127.0.0.1:0", config))(t)
	asked := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		line, _ := bufio.NewReader(c).ReadString('\n')
		asked <- line
		host, port, _ := net.SplitHostPort(l.Addr().String())
		_, _ = fmt.Fprintf(c, "1Here\t/b\t%s\t%s\r\n1There\t/b\t%s\t71\r\n.\r\n", host, port, host)
	}()
	defer l.Close()
	u = itemOf(l.Addr().String(), '1', "/a")
	u.Secure = true
	c := &Client{Dialer: wire.Dialer{TLS: wire.TLS{Roots: roots}}}
	r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u}))(t)
	defer r.Close()
	if r.URL != urlcore.URL(u) {
		t.Errorf("got the URL %s; want %s", r.URL, u)
	}
	if s := r.Security; !s.IsSecure() || s.Trust != protocols.Verified {
		t.Errorf("got the security %+v; want TLS with a verified certificate", s)
	}
	var links []string
	for l, err := range r.Lines {
		fetchtest.NoError(t, err)
		links = append(links, l.Link.String())
	}
	want := []string{"gophers://" + l.Addr().String() + "/1/b", "gopher://127.0.0.1:71/1/b"}
	fetchtest.EqualSlices(t, links, want, "links")
	steps, err := c.Plan(u)
	if sent := <-asked; err != nil || len(steps) != 1 || steps[0].Send != sent || steps[0].Peer != l.Addr().String() {
		t.Errorf("Fetch sent %q; Plan returned %v, %v", sent, steps, err)
	}
}

// TestEnded checks that Ended reports the end of a menu: the dot, or the last announced octet.
func TestEnded(t *testing.T) {
	s := startServer(t, nil)
	for _, tt := range []struct {
		name, answer string
		plus, want   bool
	}{
		{"nothing", "", false, false},
		{"no dot", "iA\tx\tx\t1\r\n", false, false},
		{"a dot", "iA\tx\tx\t1\r\n.\r\n", false, true},
		{"a dot alone", ".\r\n", false, true},
		{"a dot without CR LF", "iA\tx\tx\t1\r\n.", false, true},
		{"a size", "+10\r\niA\tx\tx\t1\r\n", true, true},
		{"no size", "+-2\r\niA\tx\tx\t1\r\n", true, false},
	} {
		setAnswer(s, "/"+tt.name, tt.answer)
		u := itemOf(s.Addr(), '1', "/"+tt.name)
		if tt.plus {
			u.HasSearch, u.HasPlus, u.Plus = true, true, "+"
		}
		res, err := (&Client{}).Fetch(t.Context(), protocols.Request{URL: u})
		fetchtest.NoError(t, err)
		for _, err := range res.Lines {
			fetchtest.NoError(t, err)
		}
		fetchtest.NoError(t, res.Close())
		fetchtest.Equal(t, res.Ended(), tt.want, "%s", tt.name)
	}
}
