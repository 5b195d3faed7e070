package about

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func newsServer(host string, err error, fresh []string, groups ...string) NewsServer {
	server := urlcore.News{HostPort: urlcore.HostPort{Host: host}, Group: "*"}
	line := func(name string) protocols.Line {
		return protocols.Line{
			Kind: protocols.Group, Text: name, Link: urlcore.NNTP{HostPort: server.HostPort, Group: name},
			Note: &protocols.GroupNote{},
		}
	}
	return NewsServer{
		All: server,
		Groups: func(context.Context, urlcore.News) (iter.Seq2[protocols.Line, error], error) {
			if err != nil && len(groups) == 0 {
				return nil, err
			}
			return func(yield func(protocols.Line, error) bool) {
				for _, g := range groups {
					if !yield(line(g), nil) {
						return
					}
				}
				if err != nil {
					yield(protocols.Line{}, err)
				}
			}, err
		},
		New: func(context.Context, urlcore.News) ([]protocols.Line, time.Time, error) {
			var lines []protocols.Line
			for _, g := range fresh {
				lines = append(lines, line(g))
			}
			return lines, time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local), nil
		},
	}
}

// TestNews checks the subscribed and the new groups of all servers. The failure of one server does
// not hide the others, and only the first server may ask a question.
func TestNews(t *testing.T) {
	login := &protocols.Login{Server: "b"}
	refused := &protocols.Error{Reason: protocols.Refused, Op: "connect to b"}
	for _, tt := range []struct {
		name    string
		servers []NewsServer
		want    string // "" if a question is expected
	}{
		{"one", []NewsServer{newsServer("a", nil, nil, "x.y", "x.z")}, "group|x.y\ngroup|x.z\ngroup|All groups of a:119\n"},
		{"no subscription", []NewsServer{newsServer("a", nil, nil)}, "info|You have not subscribed to any group.\ninfo|Select a group in the list of groups and subscribe to it\ngroup|All groups of a:119\n"},
		{
			"new groups",
			[]NewsServer{newsServer("a", nil, []string{"n.w"}, "x.y")},
			"group|x.y\ninfo|\nheading|New groups since 1 March 2026\ngroup|n.w\ngroup|All groups of a:119\n",
		},
		{
			"one fails, one wants a login",
			[]NewsServer{newsServer("a", nil, nil, "x.y"), newsServer("b", refused, nil, "k.l"), newsServer("c", login, nil)},
			"heading|a:119\ngroup|x.y\ngroup|All groups of a:119\ninfo|\nheading|b:119\ngroup|k.l\nfailure|The unread articles are not known: " +
				refused.Error() +
				"\ngroup|All groups of b:119\ninfo|\nheading|c:119\ngroup|Log in to see the unread articles\n",
		},
		{
			"a certificate is not known",
			[]NewsServer{newsServer("a", nil, nil, "x.y"), newsServer("b", &protocols.Confirm{Question: "Trust the certificate of b"}, nil, "k.l")},
			"heading|a:119\ngroup|x.y\ngroup|All groups of a:119\ninfo|\nheading|b:119\ngroup|k.l\n" +
				"group|To see the unread articles: Trust the certificate of b?\n",
		},
		{"the first wants a login", []NewsServer{newsServer("a", login, nil), newsServer("b", nil, nil, "k.l")}, ""},
	} {
		c := &Client{News: func() []NewsServer { return tt.servers }}
		r, err := c.Fetch(t.Context(), protocols.Request{URL: Page("news")})
		if err != nil {
			if want := new(protocols.Login); tt.want != "" || !errors.As(err, &want) {
				t.Errorf("%s: got the error %v", tt.name, err)
			}
			continue
		}
		var b strings.Builder
		for line, err := range r.Lines {
			fetchtest.NoError(t, err)
			b.WriteString(line.Kind.String() + "|" + line.Text + "\n")
		}
		_ = r.Close()
		fetchtest.Equal(t, b.String(), tt.want, "%s", tt.name)
	}
}

// TestNewsPages checks that each news server of the settings has its own page.
func TestNewsPages(t *testing.T) {
	c := client(t)
	work := newsServer("n.example", nil, nil, "a.b")
	work.Name = "work"
	c.News = func() []NewsServer { return []NewsServer{newsServer("m.example", nil, nil, "k.l"), work} }
	for page, want := range map[string]string{
		"about:news":      "k.l|work|a.b|All groups of work",
		"about:news/work": "a.b|news://n.example/*",
	} {
		got := show(t, c, page)
		for part := range strings.SplitSeq(want, "|") {
			fetchtest.Contains(t, got, part, "%s", page)
		}
	}
	fetchtest.NotContains(t, show(t, c, "about:news/work"), "k.l", "another server")
	fetchtest.Fails(t, protocols.NotFound, "a server that is not set")(c.Fetch(t.Context(), protocols.Request{URL: NewsURL("other")}))
}

// TestNewsWithTLS checks that a server with MaybeTLS is tried with TLS first. It must be tried without TLS
// only if it has no TLS or breaks the connection.
func TestNewsWithTLS(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken, Op: "talk to d"}
	for _, tt := range []struct {
		name  string
		maybe bool
		err   error // returned by the attempt with TLS
		want  string
		asked int
	}{
		{"not asked", false, nil, "news://d:1119/*", 1},
		{"has it", true, nil, "snews://d:1119/*", 1},
		{"has none", true, &protocols.Error{Reason: protocols.Insecure, Op: "set up TLS with d"}, "news://d:1119/*", 2},
		{"hangs up", true, broken, "news://d:1119/*", 2},
		{"nobody listens", true, &protocols.Error{Reason: protocols.Refused, Op: "connect to d"}, "snews://d:1119/*", 1},
		{"another certificate", true, &protocols.Confirm{Question: "Trust it"}, "snews://d:1119/*", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			server := newsServer("d", nil, nil, "x.y")
			server.All.Port, server.MaybeTLS = 1119, tt.maybe
			groups := server.Groups
			server.Groups = func(ctx context.Context, all urlcore.News) (iter.Seq2[protocols.Line, error], error) {
				if asked++; all.Secure && tt.err != nil {
					return nil, tt.err
				}
				return groups(ctx, all)
			}
			section := server.fetchSection(t.Context(), false)
			if last := section.lines[len(section.lines)-1].Link; last.String() != tt.want || asked != tt.asked {
				t.Errorf("got %d requests and a link to %s; want %d, %s", asked, last, tt.asked, tt.want)
			}
		})
	}
}
