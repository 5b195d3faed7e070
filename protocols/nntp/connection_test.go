package nntp

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestGroupCommand checks that GROUP is sent before ARTICLE only if the group is not known to be selected
// on the server.
func TestGroupCommand(t *testing.T) {
	f := startFake(t, map[string]string{
		"GROUP": "211 9 1 9", "GROUP no.such": "411 no", "ARTICLE": "220 0 x\nbody\n.", "ARTICLE 5": "423 no", "OVER": "224 go\n9\ts\n.",
	})
	c := f.client()
	number := func(group string, n uint64) urlcore.URL { return f.articleURL(group, n) }
	for _, step := range []struct {
		url  urlcore.URL
		fail protocols.Reason
		want string // commands sent
	}{
		{number("a.b", 1), 0, "GROUP a.b|ARTICLE 1"},
		{number("a.b", 2), 0, "ARTICLE 2"},
		{number("a.b", 5), protocols.NotFound, "ARTICLE 5"},
		{number("a.b", 3), 0, "ARTICLE 3"},
		{number("c.d", 1), 0, "GROUP c.d|ARTICLE 1"},
		{urlcore.News{MessageID: "x@y"}, 0, "ARTICLE <x@y>"},
		{number("c.d", 2), 0, "ARTICLE 2"},
		{f.groupURL("a.b"), 0, "GROUP a.b|OVER 1-9"},
		{number("a.b", 1), 0, "ARTICLE 1"},
		{number("no.such", 1), protocols.NotFound, "GROUP no.such|ARTICLE 1"},
		{number("a.b", 1), 0, "ARTICLE 1"},
	} {
		before := len(f.sentCommands())
		if err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: step.url}); protocols.ReasonOf(err) != step.fail {
			t.Fatalf("fetching %s: got %v, want reason %q", step.url, err, step.fail)
		}
		want := strings.Split(step.want, "|")
		waitFor(t, func() bool { return len(f.sentCommands()) >= before+len(want) })
		fetchtest.EqualSlices(t, f.sentCommands()[before:], want, "%s: sent", step.url)
	}
	f.setAnswer("ARTICLE 4", "412 in no group")
	fetchtest.Reason(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: number("a.b", 4)}), protocols.NotFound, "412 to ARTICLE")
	if got := f.sentCommands(); !slices.Equal(got[len(got)-3:], []string{"ARTICLE 4", "GROUP a.b", "ARTICLE 4"}) {
		t.Errorf("after the reply 412 to ARTICLE: sent %q; want ARTICLE, GROUP, ARTICLE at the end", got)
	}
}

// waitFor waits until done returns true.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 6000 {
		if done() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("waitFor timed out after 30 seconds")
}

// TestPipelining fetches from a server that answers only after it has received all commands.
func TestPipelining(t *testing.T) {
	counts := func(c *Client, host urlcore.HostPort) error {
		counts, err := c.Counts(t.Context(), urlcore.News{HostPort: host, Group: "*"}, []string{"a.b", "c.d", "e.f"})
		if err != nil {
			return err
		}
		for _, err = range counts {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for _, tt := range []struct {
		name     string
		commands []string
		answers  string
		fetch    func(c *Client, host urlcore.HostPort) error
	}{
		{
			"an article",
			[]string{"GROUP a.b", "ARTICLE 1"},
			"211 1 1 1 a.b\r\n220 1 x\r\nbody\r\n.\r\n",
			func(c *Client, host urlcore.HostPort) error {
				return fetchtest.Drain(t.Context(), c, protocols.Request{URL: urlcore.NNTP{HostPort: host, Group: "a.b", Article: 1, HasArticle: true}})
			},
		},
		{
			"groups",
			[]string{"LIST NEWSGROUPS", "LIST ACTIVE"},
			"215 go\r\na.b\tText\r\n.\r\n215 go\r\na.b 1 1 y\r\n.\r\n",
			func(c *Client, host urlcore.HostPort) error {
				return fetchtest.Drain(t.Context(), c, protocols.Request{URL: urlcore.News{HostPort: host, Group: "*"}})
			},
		},
		{
			"descriptions",
			[]string{"LIST ACTIVE a.b,c.d,e.f", "LIST NEWSGROUPS a.b,c.d,e.f"},
			"215 go\r\n.\r\n215 go\r\n.\r\n211 1 1 1 a.b\r\n411 no\r\n211 1 1 1 e.f\r\n", counts,
		},
		{
			"counts",
			[]string{"GROUP a.b", "GROUP c.d", "GROUP e.f"},
			"211 1 1 1 a.b\r\n411 no\r\n211 1 1 1 e.f\r\n",
			func(c *Client, host urlcore.HostPort) error {
				c.DescriptionTimeout = -1
				return counts(c, host)
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serveGreeting(t, func(conn net.Conn, in *bufio.Scanner) {
				for _, want := range tt.commands {
					if !in.Scan() || in.Text() != want {
						t.Errorf("the server received %q, want %q before any answer", in.Text(), want)
						return
					}
				}
				_, _ = io.WriteString(conn, tt.answers)
				in.Scan()
			})
			c := &Client{DescriptionTimeout: time.Hour}
			defer c.Close()
			fetchtest.NoError(t, tt.fetch(c, hostPortOf(t, addr)))
		})
	}
}

// serveGreeting starts a server that sends a greeting and then calls serve for each connection.
func serveGreeting(t *testing.T, serve func(net.Conn, *bufio.Scanner)) (addr string) {
	t.Helper()
	return fetchtest.Serve(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "200 hello\r\n")
		serve(conn, bufio.NewScanner(conn))
	})
}

// TestSkippedAnswers checks that the answers to pipelined commands are skipped if the first command is
// refused.
func TestSkippedAnswers(t *testing.T) {
	f := startFake(t, map[string]string{
		"LIST NEWSGROUPS": "480 who?", "LIST ACTIVE": "215 go\na.b 1 1 y\n.", "AUTHINFO USER me": "281 in",
		"GROUP": "401 first", "ARTICLE": "220 go\nof another group\n.", "MODE READER": "200 now",
	})
	c := f.client()
	account := wire.Account{Scheme: "nntp", Addr: f.addr()}
	c.idle.Close() // the next fetch opens a new connection
	if _, lines, err := fetchLines(t, c, urlcore.News{Group: "*"}); err == nil {
		t.Errorf("the list has the lines %v, want the question for a login", lines)
	}
	c.logins.Keep(account, wire.NewCredentials("me", "pw"))
	f.setAnswer("LIST NEWSGROUPS", "500 what?")
	if _, lines, err := fetchLines(t, c, urlcore.News{Group: "*"}); err != nil || len(lines) != 1 || lines[0].Text != "a.b" {
		t.Errorf("the list has the lines %v, error %v; want only a.b", lines, err)
	}
	if got, err := fetchBody(t, c, f.articleURL("a.b", 1)); err == nil {
		t.Errorf("the article is %q, want the refusal of GROUP", got)
	}
}

// TestDeadIdleConnection checks that an idle connection that does not answer is replaced without an
// error.
func TestDeadIdleConnection(t *testing.T) {
	f := startFake(t, map[string]string{
		"GROUP": "211 1 1 1 a.b", "ARTICLE": "220 go\nbody\n.", "LIST NEWSGROUPS": "215 go\n.",
		"LIST ACTIVE": "215 go\na.b 1 1 y\n.",
	})
	c := f.client()
	c.Dialer.QuickReply = 20 * time.Millisecond
	for verb, u := range map[string]urlcore.URL{
		"GROUP": f.articleURL("a.b", 1), "ARTICLE": urlcore.News{MessageID: "a@b"}, "LIST NEWSGROUPS": urlcore.News{Group: "*"},
	} {
		fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: urlcore.News{MessageID: "x@y"}}))
		answer := f.answerTo(verb)
		f.swallowed.Store(false)
		f.setAnswer(verb, "swallow\n"+answer)
		if err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: u}); err != nil || !f.swallowed.Load() {
			t.Errorf("%s over a dead connection: error %v, sent over it: %v; want a second try without an error", verb, err, f.swallowed.Load())
		}
		f.setAnswer(verb, answer)
		c.idle.Close()
		c.idle = wire.Pool[*session]{}
	}
}
