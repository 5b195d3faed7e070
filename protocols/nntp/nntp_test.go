package nntp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestSecure fetches by TLS. It checks that no command is sent to a server without TLS.
func TestSecure(t *testing.T) {
	config, roots := fetchtest.NewSelfSigned(t)
	plain := startFake(t, nil)
	f := startFakeOn(t, map[string]string{
		"GROUP": "211 1 7 7 a.b", "OVER": "224 go\n7\ts\t\t\t<c@d>\n.", "ARTICLE": "220 go\nSubject: s\n.", "LIST": "215 go\na.b 7 7 y\n.",
		"AUTHINFO USER me": "281 in",
	}, func(l net.Listener) net.Listener {
		return tls.NewListener(l, config)
	})
	c := plain.client()
	c.Server = ""
	c.Dialer.TLS.Roots = roots
	c.logins.Keep(wire.Account{Scheme: "nntp", Addr: f.addr()}, wire.NewCredentials("me", "in the clear"))
	host, base := hostPortOf(t, f.addr()), "nntps://"+f.addr()
	for _, tt := range []struct {
		url  urlcore.URL
		want string // link of the line
	}{
		{urlcore.News{HostPort: host, Group: "*", Secure: true}, base + "/a.b"},
		{urlcore.NNTP{HostPort: host, Group: "a.b", Secure: true}, base + "/a.b/7"},
	} {
		head, lines, err := fetchLines(t, c, tt.url)
		if err != nil || len(lines) != 1 || lines[0].Link == nil || lines[0].Link.String() != tt.want || head.URL != tt.url ||
			!head.Security.IsSecure() {
			t.Errorf("Fetch(%s): lines %v, Security %+v, error %v; want a link to %s by TLS", tt.url, lines, head.Security, err, tt.want)
		}
	}
	for _, u := range []urlcore.URL{
		urlcore.NNTP{HostPort: host, Group: "a.b", Article: 7, HasArticle: true, Secure: true},
		urlcore.News{HostPort: host, MessageID: "c@d", Secure: true},
	} {
		fetchtest.Returns(t, "Subject: s\r\n", "Fetch(%s)", u)(fetchBody(t, c, u))
		if steps, err := c.Plan(u); err != nil || steps[0].Peer != f.addr() {
			t.Errorf("Plan(%s) = %v, %v; want the peer %s", u, steps, err, f.addr())
		}
	}
	for _, command := range f.sentCommands() {
		if strings.HasPrefix(command, "AUTHINFO") {
			t.Errorf("%s was sent, but the login is for the server without TLS", command)
		}
	}
	fetchtest.Fails(t, protocols.NoServer, "a news: URL")(c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{Group: "a.b"}}))
	u := urlcore.NNTP{HostPort: hostPortOf(t, plain.addr()), Group: "a.b", Secure: true}
	if _, err := c.Fetch(t.Context(), protocols.Request{URL: u}); protocols.ReasonOf(err) != protocols.Insecure ||
		strings.Contains(strings.Join(plain.sentCommands(), " "), "GROUP") {
		t.Errorf("Fetch(%s) = %v, sent %q; want Insecure and no command", u, err, plain.sentCommands())
	}
	u.HostPort = urlcore.HostPort{Host: "h"}
	if steps, err := c.Plan(u); err != nil || steps[0].Peer != "h:563" {
		t.Errorf("Plan(%s) = %v, %v; want port 563", u, steps, err)
	}
}

// TestOwnNewsServer checks that an nntp: URL without a server is fetched from the server of news: URLs, and that
// without one the error is the same.
func TestOwnNewsServer(t *testing.T) {
	f := startFake(t, map[string]string{"GROUP": "211 1 7 7 a.b", "ARTICLE": "220 7 <a@b>\r\nSubject: s\r\n\r\nbody\r\n."})
	c := f.client()
	u := fetchtest.Must(urlcore.Parse("nntp:a.b/7"))(t)
	fetchtest.Must(fetchBody(t, c, u))(t)
	if sent := f.sentCommands(); !slices.Contains(sent, "GROUP a.b") || !slices.Contains(sent, "ARTICLE 7") {
		t.Errorf("%s sent %q, want GROUP a.b and ARTICLE 7", u, sent)
	}
	if steps, err := c.Plan(u); err != nil || steps[0].Peer != f.addr() {
		t.Errorf("Plan(%s) = %v, %v; want the peer %s", u, steps, err, f.addr())
	}
	fetchtest.Fails(t, protocols.NoServer, "%s", u)((&Client{}).Fetch(t.Context(), protocols.Request{URL: u}))
}

// TestNamedNewsServer checks that the server named in a news: URL is used instead of the default one.
func TestNamedNewsServer(t *testing.T) {
	c := startFake(t, nil).client()
	named := startFake(t, map[string]string{
		"LIST ACTIVE": "215 groups\r\na.b 2 1 y\r\n.", "ARTICLE": "220 0 <a@b>\r\nSubject: s\r\n\r\nbody\r\n.",
	})
	addr := named.client().Server
	for _, tt := range []struct{ url, title, link string }{
		{"news://" + addr + "/*", "Newsgroups of " + addr, "nntp://" + addr + "/a.b"},
		{"news://" + addr + "/a@b", "<a@b>", ""},
	} {
		u := fetchtest.Must(urlcore.Parse(tt.url))(t)
		res, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		if err != nil || res.Title != tt.title {
			t.Fatalf("Fetch(%s) = %+v, %v; want the title %q", u, res, err, tt.title)
		}
		if res.Lines != nil {
			for line, err := range res.Lines {
				if err != nil || line.Link == nil || line.Link.String() != tt.link {
					t.Errorf("Fetch(%s): line %+v, error %v; want a link to %s", u, line, err, tt.link)
				}
			}
		}
		_ = res.Close()
		steps, err := c.Plan(u)
		if err != nil || len(steps) == 0 || steps[0].Peer != addr {
			t.Errorf("Plan(%s) = %v, %v; want the peer %s", u, steps, err, addr)
		}
	}
}

func TestFetchRefusals(t *testing.T) {
	group := urlcore.News{Group: "a.b"}
	tests := []struct {
		name    string
		answers map[string]string
		url     urlcore.URL
		want    protocols.Reason
		code    int
	}{
		{"no such group", map[string]string{"GROUP": "411 none"}, group, protocols.NotFound, 411},
		{"no such id", map[string]string{"ARTICLE": "430 none"}, urlcore.News{MessageID: "a@b"}, protocols.NotFound, 430},
		{"group denied", map[string]string{"GROUP": "502 no"}, group, protocols.Denied, 502},
		{"400 as the greeting", map[string]string{"": "400 too busy\nclose"}, group, protocols.ServerFailed, 400},
		{"502 as the greeting", map[string]string{"": "502 go away\nclose"}, group, protocols.Denied, 502},
		{"not a news server", map[string]string{"": "SSH-2.0-thing"}, group, protocols.Malformed, 0},
		{"another server's code", map[string]string{"": "220 ftp ready"}, group, protocols.ServerFailed, 220},
		{"closed before the greeting", map[string]string{"": "close"}, group, protocols.Broken, 0},
		{"closed at the command", map[string]string{"GROUP": "close"}, group, protocols.Broken, 0},
		{"marks missing", map[string]string{"GROUP": "211 fine"}, group, protocols.Malformed, 211},
		{"overview fails", map[string]string{"GROUP": "211 1 1 1 a.b", "OVER": "403 disk broken"}, group, protocols.ServerFailed, 403},
		{"all commands are unknown", map[string]string{}, group, protocols.ServerFailed, 500},
		{"no list", map[string]string{"LIST": "503 not here"}, urlcore.News{Group: "*"}, protocols.ServerFailed, 503},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, tt.answers)
			c := f.client()
			r, err := c.Fetch(context.Background(), protocols.Request{URL: tt.url})
			if err == nil {
				r.Close()
				t.Fatalf("Fetch(%v): got no error, want reason %q and code %d", tt.url, tt.want, tt.code)
			}
			if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != tt.want || e.Code != tt.code {
				t.Errorf("Fetch(%v) = %#v; want reason %q and code %d", tt.url, err, tt.want, tt.code)
			}
			_ = c.Close()
			f.waitClosed()
		})
	}
}

func TestStaleConnection(t *testing.T) {
	for _, answer := range []string{"close", "400 idle for too long\nclose"} {
		f := startFake(t, map[string]string{"GROUP": "211 0 1 0 a.b"})
		c := f.client()
		fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: urlcore.News{Group: "a.b"}}))
		f.setAnswer("ARTICLE", "220 0 x\nbody\n.")
		f.setAnswer("GROUP", answer)
		if _, err := c.Fetch(context.Background(), protocols.Request{URL: urlcore.News{Group: "a.b"}}); err == nil {
			t.Errorf("answer %q on every connection: got no error", answer)
		}
		f.setAnswer("GROUP", "211 0 1 0 a.b")
		fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: urlcore.News{Group: "a.b"}}))
		f.dropConnections()
		if _, _, err := fetchLines(t, c, urlcore.News{Group: "a.b"}); err != nil {
			t.Errorf("after the server closed the idle connection: %v", err)
		}
	}
}

func TestInjection(t *testing.T) {
	f := startFake(t, map[string]string{})
	c := f.client()
	for _, u := range []urlcore.URL{
		urlcore.News{Group: "a\r\nQUIT"},
		urlcore.News{Group: "a b"},
		urlcore.News{MessageID: "x@y\nQUIT"},
		urlcore.News{MessageID: "x> <y"},
		urlcore.News{MessageID: "x\x00@y"},
		urlcore.News{},
		f.groupURL("a\nb"), f.groupURL(""), f.groupURL(strings.Repeat("a", 5000)),
		urlcore.NNTP{Group: "a"},
	} {
		fetchtest.Fails(t, protocols.BadURL, "%#v", u)(c.Fetch(context.Background(), protocols.Request{URL: u}))
		fetchtest.Fails(t, protocols.BadURL, "%#v: Plan", u)(c.Plan(u))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.conns) != 0 {
		t.Errorf("there were %d connections, want none", len(f.conns))
	}
}

func TestDefaultServer(t *testing.T) {
	tests := []struct{ server, addr string }{ // a * after the address means TLS
		{"news.example.org", "news.example.org:119"},
		{"News.Example.org:8119", "news.example.org:8119"},
		{"[::1]:1119", "[::1]:1119"},
		{"::1", "[::1]:119"},
		{"[::1]", "[::1]:119"},
		{"", ""},
		{"a b", ""},
		{"h:0", ""},
		{"h:x", ""},
		{" news.example.org\n", "news.example.org:119"},
		{"news:119", "news:119"},
		{"news://h/", "h:119"},
		{"nntp://h:8119", "h:8119"},
		{"NNTPS://H/", "h:563*"},
		{"snews://h:119/", "h:119*"},
		{"nntps://[::1]/", "[::1]:563*"},
		{"nntps://h/a.b", ""},
		{"nntps://user@h/", ""},
		{"nntps:///", ""},
		{"https://h/", ""},
		{"h/", "h:119"},
	}
	for _, tt := range tests {
		c := &Client{Server: tt.server}
		steps, err := c.Plan(urlcore.News{Group: "a.b"})
		if tt.addr == "" {
			if protocols.ReasonOf(err) != protocols.NoServer || !strings.Contains(err.Error(), "$NNTPSERVER") {
				t.Errorf("Plan with the server %q = %v; want an error that names $NNTPSERVER", tt.server, err)
			}
			continue
		}
		addr, secure := strings.CutSuffix(tt.addr, "*")
		if err != nil || steps[0].Peer != addr || strings.Contains(steps[0].Note, "by TLS") != secure {
			t.Errorf("Plan with the server %q = %v, %v; want the peer %q (* for TLS)", tt.server, steps, err, tt.addr)
		}
	}
}

func TestLastServer(t *testing.T) {
	first := startFake(t, map[string]string{
		"GROUP a.b": "211 1 7 7 a.b", "OVER": "224 go\n7\ts\t\t\t<c@d>\n.", "GROUP": "411 none",
		"ARTICLE": "220 go\nSubject: s\n.", "LIST": "215 go\na.b 7 7 y\n.",
	})
	second := startFake(t, map[string]string{"GROUP a.b": "211 0 0 0 a.b", "GROUP": "411 none", "ARTICLE": "430 none"})
	c := &Client{}
	t.Cleanup(func() { _ = c.Close() })
	notes := func(u urlcore.URL) []string {
		t.Helper()
		r, err := c.Fetch(context.Background(), protocols.Request{URL: u})
		if err != nil {
			t.Fatalf("Fetch(%v): %v", u, err)
		}
		defer r.Close()
		if r.URL != u {
			t.Errorf("Fetch(%v): URL of the Resource = %v", u, r.URL)
		}
		for l, err := range r.Lines {
			if _, ok := u.(urlcore.News); ok && err == nil && l.Link != nil && l.Link.Scheme() != "news" {
				t.Errorf("Fetch(%v): link of an item = %v; want a news: URL", u, l.Link)
			}
		}
		return r.Notes
	}
	wantNotes := func(f *fake) []string {
		return []string{"no news server is set; " + f.addr() + " was used, the last one"}
	}
	group := urlcore.News{Group: "a.b"}

	if _, err := c.Fetch(
		context.Background(), protocols.Request{URL: first.groupURL("no.group")},
	); protocols.ReasonOf(err) != protocols.NotFound {
		t.Fatalf("Fetch of a missing group = %v; want reason NotFound", err)
	}
	fetchtest.Fails(t, protocols.NoServer, "before the first fetch")(c.Fetch(context.Background(), protocols.Request{URL: group}))
	if got := notes(first.groupURL("a.b")); got != nil {
		t.Errorf("notes for an nntp: URL = %q; want none", got)
	}
	for _, u := range []urlcore.URL{group, urlcore.News{Group: "*"}} {
		fetchtest.DeepEqual(t, notes(u), wantNotes(first), "%v: notes", u)
	}
	if _, err := fetchBody(t, c, urlcore.News{MessageID: "c@d"}); err != nil {
		t.Errorf("fetching the article from the last server: %v", err)
	}
	notes(second.groupURL("a.b"))
	fetchtest.DeepEqual(t, notes(group), wantNotes(second), "after another server: notes")
	_, err := c.Fetch(context.Background(), protocols.Request{URL: urlcore.News{MessageID: "c@d"}})
	if protocols.ReasonOf(err) != protocols.NotFound || !strings.Contains(err.Error(), wantNotes(second)[0]) {
		t.Errorf("fetching a missing article from the last server: got %v, want NotFound and %q", err, wantNotes(second)[0])
	}
	steps, err := c.Plan(group)
	if err != nil || steps[0].Peer != second.addr() || !strings.Contains(steps[0].Note, "no news server is set") {
		t.Errorf("Plan() = %+v, %v; want the peer %s and a note about the last server", steps, err, second.addr())
	}
}

func TestSetServerBeforeLast(t *testing.T) {
	set := startFake(t, map[string]string{"GROUP": "211 0 0 0 a.b"})
	last := startFake(t, map[string]string{"GROUP": "211 0 0 0 a.b"})
	c := set.client()
	fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: last.groupURL("a.b")}))
	h, _, err := fetchLines(t, c, urlcore.News{Group: "a.b"})
	if err != nil || h.Notes != nil || len(set.sentCommands()) != 1 {
		t.Errorf("notes %q, error %v, sent %q to the server of the settings; want no notes and one command", h.Notes, err, set.sentCommands())
	}
}

func TestPlan(t *testing.T) {
	f := startFake(t, map[string]string{
		"GROUP": "211 9 1 9 a.b", "OVER": "224 here\n.", "ARTICLE": "220 here\n.", "LIST": "215 here\n.",
	})
	for _, u := range []urlcore.URL{
		urlcore.News{Group: "*"},
		urlcore.News{Group: "a.b"},
		urlcore.News{MessageID: "a@b"},
		f.groupURL("a.b"), f.articleURL("a.b", 7),
	} {
		c := f.client()
		before := len(f.sentCommands())
		r := fetchtest.Must(c.Fetch(context.Background(), protocols.Request{URL: u}))(t)
		_ = r.Close()
		f.waitClosed()
		sent := f.sentCommands()[before:]
		steps := fetchtest.Must(c.Plan(u))(t)
		var plan []string
		for _, s := range steps {
			plan = append(plan, strings.ReplaceAll(strings.TrimSuffix(s.Send, "\r\n"), "<first>-<last>", "1-9"))
		}
		if !reflect.DeepEqual(sent, plan) {
			t.Errorf("Fetch(%v) sent %q, but Plan returned %q", u, sent, plan)
		}
	}
}

var errStop = errors.New("the user pressed Esc")

func TestCancel(t *testing.T) {
	tests := []struct {
		name    string
		answers map[string]string
		url     urlcore.URL
	}{
		{"at the greeting", map[string]string{"": "stall"}, urlcore.News{Group: "a.b"}},
		{"at GROUP", map[string]string{"GROUP": "stall"}, urlcore.News{Group: "a.b"}},
		{"at OVER", map[string]string{"GROUP": "211 5 1 5 a.b", "OVER": "stall"}, urlcore.News{Group: "a.b"}},
		{"in the overview", map[string]string{"GROUP": "211 5 1 5 a.b", "OVER": "224 go\n1\ts\nstall"}, urlcore.News{Group: "a.b"}},
		{"at XHDR", map[string]string{"GROUP": "211 5 1 5 a.b", "XHDR": "stall"}, urlcore.News{Group: "a.b"}},
		{"at HEAD", map[string]string{"GROUP": "211 5 1 5 a.b", "HEAD": "stall"}, urlcore.News{Group: "a.b"}},
		{"at the descriptions", map[string]string{"LIST NEWSGROUPS": "stall"}, urlcore.News{Group: "*"}},
		{"in the descriptions", map[string]string{"LIST NEWSGROUPS": "215 go\na b\nstall"}, urlcore.News{Group: "*"}},
		{"in the groups", map[string]string{"LIST ACTIVE": "215 go\na 2 1 y\nstall"}, urlcore.News{Group: "*"}},
		{"at ARTICLE", map[string]string{"ARTICLE": "stall"}, urlcore.News{MessageID: "a@b"}},
		{"in the article", map[string]string{"ARTICLE": "220 go\nhalf\nstall"}, urlcore.News{MessageID: "a@b"}},
		{"at MODE READER", map[string]string{"GROUP": "401 reader", "MODE": "stall"}, urlcore.News{Group: "a.b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, tt.answers)
			c := f.client()
			c.DescriptionTimeout = time.Minute
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithCancelCause(context.Background())
			go func() { <-f.stalled; cancel(errStop) }()
			fetchtest.ErrorIs(t, fetchtest.Drain(ctx, c, protocols.Request{URL: tt.url}), errStop)
			f.waitClosed()
			for i := 0; runtime.NumGoroutine() > before && i < 6000; i++ {
				time.Sleep(5 * time.Millisecond)
			}
			if n := runtime.NumGoroutine(); n > before {
				t.Errorf("got %d goroutines, want %d as before", n, before)
			}
		})
	}
}

func TestCloseDuringRead(t *testing.T) {
	f := startFake(t, map[string]string{"ARTICLE": "220 go\nhalf\nstall"})
	c := f.client()
	r := fetchtest.Must(c.Fetch(context.Background(), protocols.Request{URL: urlcore.News{MessageID: "a@b"}}))(t)
	go func() { <-f.stalled; _ = r.Close() }()
	if _, err := io.Copy(io.Discard, r.Body); err == nil {
		t.Error("reading after Close: got no error")
	}
	f.waitClosed()
}

func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, c := pipedFake(t, map[string]string{"GROUP": "stall", "ARTICLE": "220 go\nhalf\nstall"})
		fetchtest.Reason(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: urlcore.News{Group: "a.b"}}), protocols.FirstByteTimeout)
		fetchtest.Reason(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: urlcore.News{MessageID: "a@b"}}), protocols.IdleTimeout)
		f.waitClosed()
	})
}

// TestGreet checks that a server is reached if it greets.
func TestGreet(t *testing.T) {
	for _, tt := range []struct {
		greeting string
		want     protocols.Reason
		ok       bool
	}{
		{"200 ready", 0, true},
		{"201 no posting", 0, true},
		{"502 go away\nclose", protocols.Denied, false},
		{"220 mail.example.org ESMTP", protocols.ServerFailed, false},
		{"close", protocols.Broken, false},
	} {
		f := startFake(t, map[string]string{"": tt.greeting})
		c := new(Client)
		err := c.Greet(t.Context(), f.groupURL("a.b"))
		if (err == nil) != tt.ok || !tt.ok && protocols.ReasonOf(err) != tt.want {
			t.Errorf("greeting %q: Greet returns %v; want reached %v, or %v", tt.greeting, err, tt.ok, tt.want)
		}
	}
}
