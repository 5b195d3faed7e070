package demo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// newsTree returns the file tree of the tests.
func newsTree() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"news/newsgroups": file("a.b\tFirst group\nquiet\tNobody here\n"),
		"news/a.b/01.eml": file("From: Me <me@x>\nSubject: One\n and more\n" +
			"Date: Fri, 3 Jan 2025 06:49:46 +0000\nMessage-ID: <1@x>\n\n.\n..x\nat @GOPHER@\n"),
		"news/a.b/02.eml":   file("Subject: Re: One\r\nMessage-ID: <2@x>\r\nReferences: <1@x>\r\n\r\nLast line without end"),
		"news/a.b/note.txt": file("not an article"),
		"news/none/.keep":   file(""),
	}
}

func startNews(t *testing.T) *NNTPServer {
	t.Helper()
	return fetchtest.CloseAtEnd(StartNNTP(newsTree(), map[string]string{"@GOPHER@": "127.0.0.1:70"}))(t)
}

// sendCommands sends the commands and then QUIT. It returns the answers with LF line ends, without
// the greeting and the answer to QUIT.
func sendCommands(t *testing.T, s *NNTPServer, commands ...string) string {
	t.Helper()
	c := fetchtest.Must(net.Dial("tcp", s.Addr()))(t)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	fetchtest.Must(io.WriteString(c, strings.Join(append(commands, "QUIT"), "\r\n")+"\r\n"))(t)
	b := fetchtest.Must(io.ReadAll(c))(t)
	all := strings.ReplaceAll(string(b), "\r\n", "\n")
	if strings.Contains(all, "\r") || strings.Count(string(b), "\n") != strings.Count(string(b), "\r\n") {
		t.Errorf("an answer has a line that does not end in CRLF: %q", b)
	}
	_, all, _ = strings.Cut(all, "\n")
	return strings.TrimSuffix(all, "205 goodbye\n")
}

func TestNNTPCommands(t *testing.T) {
	s := startNews(t)
	const head = "From: Me <me@x>\nSubject: One\n and more\nDate: Fri, 3 Jan 2025 06:49:46 +0000\nMessage-ID: <1@x>\n"
	const body = "..\n...x\nat 127.0.0.1:70\n.\n"
	tests := []struct{ commands, want string }{
		{"MODE READER", "200 reader mode, posting is allowed\n"},
		{"LIST", "215 list follows\na.b 2 1 y\nnone 0 1 y\nquiet 0 1 y\n.\n"},
		{"list active a*", "215 list follows\na.b 2 1 y\n.\n"},
		{"LIST NEWSGROUPS", "215 list follows\na.b\tFirst group\nquiet\tNobody here\n.\n"},
		{"LIST XYZ", "501 unknown list\n"},
		{"GROUP a.b", "211 2 1 2 a.b\n"},
		{"GROUP quiet", "211 0 1 0 quiet\n"},
		{"GROUP a.b.c", "411 no such group\n"},
		{
			"GROUP a.b|OVER 1-9",
			"211 2 1 2 a.b\n224 overview follows\n1\tOne and more\tMe <me@x>\tFri, " +
				"3 Jan 2025 06:49:46 +0000\t<1@x>\t\t126\t3\n2\tRe: One\t\t\t<2@x>\t<1@x>\t81\t1\n.\n",
		},
		{
			"GROUP a.b|XOVER 1",
			"211 2 1 2 a.b\n224 overview follows\n1\tOne and more\tMe <me@x>\tFri, 3 Jan 2025 06:49:46 +0000\t<1@x>\t\t126\t3\n.\n",
		},
		{
			"GROUP a.b|OVER 3-9|OVER 2-1|OVER x|OVER <1@x>",
			"211 2 1 2 a.b\n423 no articles in that range\n423 no articles in that range\n" +
				"423 no articles in that range\n503 only a range of numbers is supported\n",
		},
		{"OVER 1", "412 no group is selected\n"},
		{"GROUP quiet|OVER|GROUP", "211 0 1 0 quiet\n503 only a range of numbers is supported\n411 no such group\n"},
		{
			"GROUP a.b|HDR Subject 1-2|XHDR From 1",
			"211 2 1 2 a.b\n225 headers follow\n1 One and more\n2 Re: One\n.\n221 headers follow\n1 Me <me@x>\n.\n",
		},
		{"ARTICLE <1@x>", "220 0 <1@x>\n" + head + "\n" + body},
		{"HEAD <1@x>", "500 unknown command\n"},
		{"ARTICLE <3@x>|ARTICLE 1|ARTICLE", "430 no such article\n412 no group is selected\n501 which article?\n"},
		{"GROUP a.b|ARTICLE 3|ARTICLE x", "211 2 1 2 a.b\n423 no article of that number\n501 neither a number nor a Message-ID\n"},
		{"GROUP quiet|ARTICLE 1|ARTICLE", "211 0 1 0 quiet\n423 no article of that number\n501 which article?\n"},
		{"X||AUTHINFO USER x", "500 unknown command\n500 no command\n502 no login is needed\n"},
		{"POST|Subject: x|.", "340 send it\n441 there is no From\n"},
		{"POST|From: a@b|Newsgroups: e.f|Subject: x|Date: now|Message-ID: <9@x>||y|.", "340 send it\n441 no such group\n"},
		{
			"GROUP quiet|POST|From: a@b|Newsgroups: quiet,e.f|Subject: x|Date: now|Message-ID: <9@x>||..|..x|.|ARTICLE <9@x>|GROUP quiet|HDR Xref 1",
			"211 0 1 0 quiet\n340 send it\n240 posted\n220 0 <9@x>\nFrom: a@b\nNewsgroups: quiet,e.f\n" +
				"Subject: x\nDate: now\nMessage-ID: <9@x>\nXref: loopback quiet:1\n\n..\n..x\n.\n211 1 1 1 quiet\n" +
				"225 headers follow\n1 loopback quiet:1\n.\n",
		},
		{"POST|From: a@b|Newsgroups: quiet|Subject: x|Date: now|Message-ID: <9@x>||y|.", "340 send it\n441 435 duplicate\n"},
		{"X " + strings.Repeat("y", 600), "501 the command is too long\n"},
	}
	for _, tt := range tests {
		fetchtest.Equal(t, sendCommands(t, s, strings.Split(tt.commands, "|")...), tt.want, "%.60q", tt.commands)
	}
	if got := sendCommands(t, s, "CAPABILITIES"); !strings.Contains(got, "\nREADER\n") || strings.Contains(got, "AUTHINFO") {
		t.Errorf("CAPABILITIES: got %q", got)
	}
	if got := sendCommands(t, s, "DATE"); len(got) != len("111 20250103064946\n") {
		t.Errorf("DATE: got %q", got)
	}
}

func TestNNTPHandlers(t *testing.T) {
	s := startNews(t)
	s.Handle("GROUP", func(c net.Conn, command string) bool {
		fmt.Fprintf(c, "211 hook for %s\r\n", command)
		return true
	})
	s.Handle("GROUP a.b", func(c net.Conn, _ string) bool {
		_, _ = io.WriteString(c, "211 half")
		return false
	})
	c := fetchtest.CloseAtEnd(net.Dial("tcp", s.Addr()))(t)
	_, _ = io.WriteString(c, "MODE READER\r\ngroup x\r\nGROUP a.b\r\nDATE\r\n")
	b, err := io.ReadAll(c)
	if err != nil || !strings.HasSuffix(string(b), "\r\n211 hook for group x\r\n211 half") {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestNNTPClose(t *testing.T) {
	before := runtime.NumGoroutine()
	s := fetchtest.Must(StartNNTP(newsTree(), nil))(t)
	for range 5 {
		c := fetchtest.Must(net.Dial("tcp", s.Addr()))(t)
		defer c.Close()
		fetchtest.Must(bufio.NewReader(c).ReadString('\n'))(t)
	}
	fetchtest.Equal(t, countConns(s), 5, "connections")
	_ = s.Close()
	for i := 0; runtime.NumGoroutine() > before && i < 6000; i++ {
		time.Sleep(5 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("got %d goroutines after Close, want %d", n, before)
	}
}

func TestNNTPBadTree(t *testing.T) {
	for _, tree := range []fstest.MapFS{
		{},
		{"news/a.b/1.eml": {Data: []byte("Subject: no id\n\n")}},
	} {
		if s, err := StartNNTP(tree, nil); err == nil {
			_ = s.Close()
			t.Errorf("%v: got no error", tree)
		}
	}
}

// TestNewsClient reads groups and an article with gofer's news client.
func TestNewsClient(t *testing.T) {
	s := startNews(t)
	c := &nntp.Client{Server: s.Addr()}
	defer c.Close()
	u := fetchtest.Parse(t, s.URL("a.b"))
	var got []string
	for _, u := range []urlcore.URL{urlcore.News{Group: "*"}, u, urlcore.News{Group: "none"}} {
		r := fetchtest.Must(c.Fetch(context.Background(), protocols.Request{URL: u}))(t)
		for l, err := range r.Lines {
			fetchtest.NoError(t, err)
			got = append(got, l.Text)
		}
		_ = r.Close()
	}
	want := []string{"a.b", "none", "quiet", "One and more", "Re: One", "This group has no articles."}
	fetchtest.EqualSlices(t, got, want)
	r := fetchtest.CloseAtEnd(c.Fetch(context.Background(), protocols.Request{URL: urlcore.News{MessageID: "2@x"}}))(t)
	b, err := io.ReadAll(r.Body)
	if want := "Subject: Re: One\r\nMessage-ID: <2@x>\r\nReferences: <1@x>\r\n\r\nLast line without end\r\n"; string(b) != want || err != nil {
		t.Errorf("got %q, %v; want %q", b, err, want)
	}
	for i := 0; countConns(s) != 1 && i < 6000; i++ { // the server notices late that the first connection has ended
		time.Sleep(5 * time.Millisecond)
	}
	fetchtest.Equal(t, countConns(s), 1, "connections")
}

// TestWorldNews checks that the server can serve every article of the demo, and that each article
// has the required header fields.
func TestWorldNews(t *testing.T) {
	s := fetchtest.CloseAtEnd(StartNNTP(os.DirFS("world"), map[string]string{"@GOPHER@": "127.0.0.1:70", "@FTP@": "127.0.0.1:21"}))(t)
	groups := s.Groups()
	if len(groups) < 4 {
		t.Fatalf("got groups %q, want 4 and more", groups)
	}
	for _, g := range groups {
		if u, err := urlcore.Parse("news:" + g); err != nil || u.String() != "news:"+g {
			t.Errorf("group %q: no URL: %v, %v", g, u, err)
		}
		for _, a := range s.spool.Load().byName[g].articles {
			for _, name := range []string{"From", "Subject", "Date", "Newsgroups"} {
				if a.field(name) == "" {
					t.Errorf("%s in %s has no %s", a.id, g, name)
				}
			}
			for _, line := range append(a.head, a.body...) {
				if strings.Contains(line, "@GOPHER@") || strings.Contains(line, "@FTP@") {
					t.Errorf("%s in %s: not replaced: %q", a.id, g, line)
				}
			}
		}
	}
}

// countConns returns the number of open connections of s.
func countConns(s *NNTPServer) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.openConns)
}
