package nav_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/sentence"
	"gofer/internal/wire"
	"gofer/nav"
	"gofer/protocols"
	"gofer/protocols/cso"
	"gofer/protocols/dict"
	"gofer/protocols/external"
	"gofer/protocols/ftp"
	"gofer/protocols/gemini"
	"gofer/protocols/gopher"
	"gofer/protocols/nntp"
	"gofer/protocols/web"
	"gofer/urlcore"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// replies holds the messages of a server. A key is the first word of the client's line. The key "" has
// the greeting, and the key "*" has the reply to a line whose first word is not a key. The server closes
// the connection after such a line. It is silent after a reply that ends in "stall". LF is sent as CR LF.
type replies map[string]string

func (r replies) serve(c net.Conn) {
	say := func(reply string) (more bool) {
		text, stalls := strings.CutSuffix(reply, "stall")
		_, err := c.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
		for b := make([]byte, 512); stalls && err == nil; {
			_, err = c.Read(b)
		}
		return err == nil
	}
	if greeting := r[""]; greeting != "" && !say(greeting) {
		return
	}
	for in := bufio.NewScanner(c); in.Scan(); {
		verb, _, _ := strings.Cut(in.Text(), " ")
		reply, ok := r[verb]
		if !ok {
			say(r["*"])
			return
		}
		if !say(reply) {
			return
		}
	}
}

// vsftpdReplies returns the replies of vsftpd to an anonymous user. The map others adds or replaces replies.
func vsftpdReplies(others map[string]string) replies {
	r := replies{
		"": "220 (vsFTPd 3.0.3)\n", "USER": "230 Login successful.\n", "FEAT": "211-Features:\n211 End\n",
		"TYPE": "200 Switching to Binary mode.\n",
		"PWD":  "257 \"/\" is the current directory\n", "SIZE": "213 5\n", "MDTM": "213 20240101000000\n",
		"CWD": "250 Directory successfully changed.\n",
	}
	maps.Copy(r, others)
	return r
}

// newsServer returns the news server of the settings, or "" if the server has no greeting.
func (r replies) newsServer() string {
	if r[""] == "" {
		return ""
	}
	return "news.example.org"
}

// table returns the clients for a server that sends r.
func (r replies) table() protocols.Registry {
	dialer := wire.Dialer{Proxies: fetchtest.PipeServer(r.serve)}
	menus := &gopher.Client{Dialer: dialer, Phonebook: &cso.Client{Dialer: dialer}}
	news := &nntp.Client{Dialer: dialer, Server: r.newsServer(), PlainPasswords: true}
	return protocols.Registry{
		"gopher": menus, "gophers": menus, "cso": menus.Phonebook,
		"ftp": &ftp.Client{Dialer: dialer, PlainPasswords: true}, "news": news, "nntp": news,
		"http": &web.Client{Dialer: dialer}, "gemini": &gemini.Client{Dialer: dialer},
		"dict": &dict.Client{Dialer: dialer}, "afs": &external.Client{},
	}
}

const (
	group   = "nntp://news.example.org/comp.lang.go"
	article = "news:7@example.org"
	file    = "ftp://ftp.example.org/pub/README"
	menu    = "gopher://gopher.example.org/1/docs"
	text    = "gopher://gopher.example.org/0/docs/a.txt"
	page    = "http://www.example.org/a.html"
)

func newFailure(r protocols.Reason, op string) *protocols.Error {
	return &protocols.Error{Reason: r, Op: op}
}

// errorPages are failures of servers and of connections.
var errorPages = []struct {
	name, url string
	server    replies
	err       error // used if server is nil
}{
	{"INN under load", group, replies{"": "400 load at 19.56, try later\n"}, nil},
	{"INN that is stopped", group, replies{"": "400 Server paused\n"}, nil},
	{"INN that does not know the reader", group, replies{"": "502 You have no permission to talk.  Goodbye.\n"}, nil},
	{
		"a news server that wants a login", group,
		replies{"": "200 hello\n", "GROUP": "480 Authentication required for command\n", "MODE": "200 hello\n", "CAPABILITIES": "500 What?\n"},
		nil,
	},
	{
		"a news server that refuses the login", group, nil,
		&protocols.Login{Server: "news.example.org:119", Failed: true, Text: "481 Authentication failed"},
	},
	{"no such group", group, replies{"": "200 hello\n", "GROUP": "411 No such group comp.lang.go\n"}, nil},
	{"no such article", article, replies{"": "200 hello\n", "ARTICLE": "430 No such article\n"}, nil},
	{"no answer of news", group, replies{"": "200 hello\n", "GROUP": "stall"}, nil},
	{"a connection that ends", group, replies{"": "200 hello\n"}, nil},
	{"another server at the port of news", group, replies{"": "SSH-2.0-OpenSSH_9.2p1\n"}, nil},
	{"an article that is refused", "about:compose/post?" + group, nil, &protocols.Error{
		Reason: protocols.Rejected, Op: "post to news.example.org:119", Code: 441, Text: "441 Article has no body",
		Lines: (&protocols.Compose{URL: urlcore.Generic{Name: "about", Rest: "compose/post?" + group}}).DraftLines("/home/joe/draft"),
	}},

	{"too many users of vsftpd", file, replies{"": "421 There are too many connected users, please try later.\n"}, nil},
	{
		"vsftpd refuses the login", "ftp://joe:x@ftp.example.org/README",
		replies{"": "220 (vsFTPd 3.0.3)\n", "USER": "331 Please specify the password.\n", "PASS": "530 Login incorrect.\n"},
		nil,
	},
	{
		"too many anonymous users", file,
		replies{"": "220 ftp\n", "USER": "530-Sorry, we have reached\n530 the maximum number of clients (50).\n"},
		nil,
	},
	{"vsftpd has no such directory", file, vsftpdReplies(map[string]string{"CWD": "550 Failed to change directory.\n"}), nil},
	{
		"vsftpd opens no data connection", "ftp://ftp.example.org/README",
		vsftpdReplies(map[string]string{
			"EPSV": "425 Failed to establish connection.\n", "PASV": "425 Failed to establish connection.\n",
			"EPRT": "425 No.\n", "PORT": "425 No.\n",
		}),
		nil,
	},
	{
		"no permission", "ftp://ftp.example.org/README", nil,
		&protocols.Error{Reason: protocols.Denied, Op: "fetch \"README\"", Code: 550, Text: "README: Permission denied"},
	},
	{
		"words on many lines", file,
		replies{"": "421-Welcome to \"ftp\".\n421-\n421-\x1b[2JIt is \tclosed:\n 1\n 2\n 3\n 4\n 5\n 6\n 7\n 8\n421 Goodbye.\n"},
		nil,
	},

	{"Gophernicus has no such file", text, replies{"*": "3Error: File or directory not found!\tErr\tlocalhost\t70\n.\n"}, nil},
	{"Gophernicus denies access", text, replies{"*": "3Error: Access denied!\tErr\tlocalhost\t70\n.\n"}, nil},
	{"the server of UMN has no such file", text, replies{"*": "3'/docs/a.txt' does not exist (no handler found)\t\terror.host\t1\n.\n"}, nil},
	{
		"a Gopher+ error", "gopher://gopher.example.org/0/docs/a.txt%09%09+",
		replies{"*": "--1\n1 Admin <root@example.org>\n'/docs/a.txt' does not exist!!\n.\n"},
		nil,
	},
	{"Gopher without an answer", text, replies{"*": "stall"}, nil},
	{"a phone book with too many entries", "gopher://gopher.example.org/2%09name=x", replies{"*": "502:Too many matches to request.\n"}, nil},

	{"no such page", page, replies{"*": "HTTP/1.1 404 Not Found\nConnection: close\n\n"}, nil},
	{"a web server that is busy", page, replies{"*": "HTTP/1.1 503 Service Unavailable\nConnection: close\n\n"}, nil},
	{"a web server that fails", page, replies{"*": "HTTP/1.1 500 Internal Server Error\nConnection: close\n\n"}, nil},
	{"the web without an answer", page, replies{"GET": ""}, nil},
	{
		"no such word", "dict://dict.example.org/d:gophar",
		replies{
			"": "220 dict\n", "CLIENT": "250 ok\n", "DEFINE": "552 no match\n",
			"MATCH": "152 1 match\nwn \"gopher\"\n.\n250 ok\n", "QUIT": "221 bye\n",
		},
		nil,
	},
	{"a dictionary that is closed", "dict://dict.example.org/d:gopher", replies{"": "420 Server temporarily unavailable\n"}, nil},
	{
		"a diagnostic of WAIS", "wais://wais.example.org/notes?(", nil,
		&protocols.Error{Reason: protocols.ServerFailed, Op: "search notes", Text: "query syntax error", Err: errors.New("WAIS diagnostic S1")},
	},
	{
		"no TLS", "gophers://gopher.example.org/1", nil,
		&protocols.Error{
			Reason: protocols.Insecure, Op: "set up TLS with gopher.example.org:70",
			Err: errors.New("the server answers without TLS: try the URL without TLS, or another port"),
		},
	},
	{"a scheme of another program", "afs://cell.example.org/a", replies{}, nil},

	{"no host", menu, nil, newFailure(protocols.NameNotFound, "connect to gopher.example.org:70")},
	{"nothing listens", "gopher://gopher.example.org:7070/1/docs", nil, newFailure(protocols.Refused, "connect to gopher.example.org:7070")},
	{
		"no route", menu, nil,
		&protocols.Error{Reason: protocols.Unreachable, Op: "connect to gopher.example.org:70", Err: errors.New("no route to host")},
	},
	{"a host that is down", menu, nil, newFailure(protocols.ConnectTimeout, "connect to gopher.example.org:70")},
	{"an answer that stops", text, nil, newFailure(protocols.IdleTimeout, "read from gopher.example.org:70")},
	{
		"a connection that is reset", text, nil,
		&protocols.Error{Reason: protocols.Broken, Op: "read from gopher.example.org:70", Err: errors.New("connection reset by peer")},
	},
	{"too much", menu, nil, newFailure(protocols.TooBig, "read the menu")},
	{
		"a full disk", menu, nil,
		&protocols.Error{Reason: protocols.LocalFailure, Op: "keep the draft", Err: errors.New("no space left on device")},
	},
	{
		"a line end in a URL", "gopher://gopher.example.org/0a", nil,
		&protocols.Error{Reason: protocols.BadURL, Op: "send the selector", Err: wire.ErrInjection},
	},
	{"no news server", "news:comp.lang.go", replies{}, nil},
	{
		"restricted", "file:///etc/passwd", nil,
		&protocols.Error{
			Reason: protocols.Denied, Op: "open file:///etc/passwd",
			Err: fmt.Errorf("%w: files of this machine are not shown", protocols.ErrRestricted),
		},
	},
}

// TestErrorPages compares the error pages with a file in testdata. Each page there ends with the line
// that gofer dump prints.
func TestErrorPages(t *testing.T) {
	var b strings.Builder
	for _, tt := range errorPages {
		u := fetchtest.Parse(t, tt.url)
		err := tt.err
		if tt.server != nil {
			synctest.Test(t, func(t *testing.T) {
				var res *protocols.Resource
				table := tt.server.table()
				if res, err = table.Fetch(t.Context(), protocols.Request{URL: u}); err == nil {
					res.Close()
				}
				for _, name := range []string{"ftp", "nntp"} {
					fetchtest.NoError(t, table[name].(interface{ Close() error }).Close())
				}
			})
		}
		if err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%s: Fetch returned the error %v, want a failure of the server", tt.name, err)
			continue
		}
		fmt.Fprintf(&b, "=== %s: %s\n", tt.name, tt.url)
		for _, l := range nav.ErrorPage(u, err).Lines.All(0) {
			b.WriteString(l.Text)
			if a, ok := l.Note.(protocols.Action); l.Link != nil && (!ok || l.Link != u || a == protocols.ActionReload) {
				fmt.Fprintf(&b, " -> %s", l.Link)
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "\nIn one line: %s\n\n", sentence.Of(err))
	}
	golden := filepath.Join("testdata", "errorpages.txt")
	if *update {
		fetchtest.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o600))
	}
	const between = "\n=== "
	want := strings.Split(string(fetchtest.Must(os.ReadFile(golden))(t)), between)
	for i, got := range strings.Split(b.String(), between) {
		fetchtest.Equal(t, got, want[min(i, len(want)-1)], "page %d of %d", i+1, len(want))
	}
}
