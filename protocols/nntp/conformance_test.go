package nntp_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/userfile/cache"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// newClient returns a function that returns clients with the server addr for news: URLs.
func newClient(addr string) func(wire.Dialer) protocols.Fetcher {
	return func(d wire.Dialer) protocols.Fetcher { return &nntp.Client{Dialer: d, Server: addr} }
}

func TestConformanceLoopback(t *testing.T) {
	spool := fstest.MapFS{"news/newsgroups": {Data: []byte("test.a\tThe first group\ntest.empty\tNothing\n")}}
	for i := range 60 {
		refs := ""
		if i%6 > 0 {
			refs = fmt.Sprintf("References: <a%d@example.invalid>\r\n", i-i%6)
		}
		body := fmt.Sprintf("Body %d.\r\n..\r\n.\r\n", i)
		if i == 59 {
			body = strings.Repeat("0123456789abcd\r\n", 1<<20)
		}
		spool[fmt.Sprintf("news/test.a/%03d.eml", i)] = &fstest.MapFile{Data: []byte(fmt.Sprintf(
			"From: a@example.invalid\r\nNewsgroups: test.a\r\nSubject: Topic %d\r\n"+
				"Date: Wed, 01 Jan 2025 00:%02d:00 +0000\r\nMessage-ID: <a%d@example.invalid>\r\n%s\r\n%s",
			i/6, i, i, refs, body))}
	}
	s := fetchtest.CloseAtEnd(demo.StartNNTP(spool, nil))(t)
	base := "nntp://" + s.Addr()
	fetchtest.Run(t, fetchtest.Target{
		New: newClient(s.Addr()),
		Pages: []fetchtest.Page{
			{URL: base + "/test.a", Layout: protocols.LayoutArticles, Lines: 60, Contains: []string{"Topic 9"}},
			{
				URL:    base + "/test.a?subject=topic%203&from=A%40example&before=2025-01-02",
				Layout: protocols.LayoutArticles, Lines: 7, Contains: []string{"Found 6 in about 60"},
			},
			{URL: base + "/test.a/8", Media: protocols.MediaArticle, Contains: []string{"Body 7.\r\n..\r\n.\r\n"}, Streams: true},
			{URL: "news:a7@example.invalid", Media: protocols.MediaArticle, Contains: []string{"Body 7."}},
			{URL: "news:*", Layout: protocols.LayoutGroups, Lines: 2, Contains: []string{"test.empty"}},
			{URL: base + "/test.empty", Empty: true},
		},
		Large:    base + "/test.a/60",
		Missing:  []string{base + "/test.no-such-group", base + "/test.a/999", "news:none@example.invalid"},
		WalkFrom: []string{base + "/test.a", "news:*"},
	})
}

// daemonTarget returns the tests for INN, which has all groups.
func daemonTarget(s *realserver.Server) fetchtest.Target {
	base := "nntp://" + s.Addr
	t := smallTarget(s, 0)
	t.Pages = append(t.Pages,
		fetchtest.Page{URL: base + "/test.many", Layout: protocols.LayoutArticles, Lines: 300, Contains: []string{"Topic 30"}},
		fetchtest.Page{URL: base + "/test.c++", Lines: 1},
		fetchtest.Page{URL: base + "/test.charset", Lines: 6},
		fetchtest.Page{URL: "news:*", Layout: protocols.LayoutGroups, Lines: len(realserver.Groups()), Contains: []string{"test.moderated"}})
	t.Large = base + "/test.large/1"
	t.Missing = append(t.Missing, base+"/test.many/999")
	return t
}

// smallTarget returns the tests for a server with the small groups only. The parameter more is added to
// the article numbers.
func smallTarget(s *realserver.Server, more uint64) fetchtest.Target {
	base := "nntp://" + s.Addr
	articles := map[string]realserver.Article{}
	for _, a := range realserver.Articles() {
		articles[a.MessageID] = a
		articles[fmt.Sprintf("%s/%d", a.Group, a.Number+more)] = a
	}
	number := func(group string, n uint64) string { return fmt.Sprintf("%s/%s/%d", base, group, n+more) }
	return fetchtest.Target{
		New: newClient(s.Addr),
		Pages: []fetchtest.Page{
			{URL: number("test.headers", 5), Media: protocols.MediaArticle, Contains: []string{"\r\nshort\r\nzzzz"}, Streams: true},
			{URL: number("test.general", 8), Media: protocols.MediaArticle, Contains: []string{"Article 8.\r\n"}},
			{URL: base + "/test.threads", Lines: 20, Contains: []string{"Re: A chain"}},
			{URL: number("test.headers", 2), Contains: []string{"\r\n.\r\n..\r\n...\r\n.leading\r\n\r\n.\r\n"}},
			{URL: base + "/test.charset", Lines: 5, Contains: []string{"Gr\xfc\xdfe"}}, // Leafnode lacks one article
			{URL: base + "/test.empty", Empty: true},
			{
				URL: base + "/test.charset?subject=GR%C3%9C%C3%9FE", Layout: protocols.LayoutArticles, Lines: 3,
				Contains: []string{"Found ", "=?ISO-8859-1?Q?Gr=FC=DFe?=", "Raw Latin-1: Gr\xfc\xdfe"},
			},
			{URL: base + "/test.charset?from=j%C3%BCrgen&subject=gr", Lines: 2, Contains: []string{"Found 1 in"}},
			{
				URL: base + "/test.threads?from=LAB&subject=re%3A%20wide&message-id=wide-3", Lines: 2,
				Contains: []string{"Found 1 in", "Re: A wide thread"},
			},
			{URL: base + "/test.threads?since=2025-01-01&before=2025-01-03", Lines: 21, Contains: []string{"Re: A chain"}},
			{URL: base + "/test.general?from=nobody", Lines: 1, Contains: []string{"Found 0 in"}},
			{URL: "news:mime-mixed@example.invalid", Media: protocols.MediaArticle, Contains: []string{"../../dot.png"}},
			{URL: "news:*", Layout: protocols.LayoutGroups, Lines: len(realserver.SmallGroups()), Contains: realserver.SmallGroups()},
		},
		Missing: []string{
			base + "/test.no-such-group", base + "/test.general/999", "news:none@example.invalid",
			base + "/test.no-such-group?from=joe",
		},
		WalkFrom: []string{"news:*", base + "/test.threads", base + "/test.headers"},
		Known: func(u urlcore.URL) ([]byte, bool) {
			var a realserver.Article
			var ok bool
			switch u := u.(type) {
			case urlcore.News:
				a, ok = articles[u.MessageID]
			case urlcore.NNTP:
				a, ok = articles[fmt.Sprintf("%s/%d", u.Group, u.Article)]
			}
			return []byte("Message-ID: <" + a.MessageID + ">\r\n\r\n" + a.Body), ok
		},
		// The server adds to the header, so only the Message-ID (the first line of want) and
		// the body are compared.
		SameOctets: func(got, want []byte) bool {
			id, body, _ := bytes.Cut(want, []byte("\r\n\r\n"))
			header, gotBody, _ := bytes.Cut(got, []byte("\r\n\r\n"))
			same := bytes.Equal(gotBody, body) || len(body) == 0 && string(gotBody) == "\r\n" // an empty body in sn
			return bytes.Contains(header, id) && same
		},
	}
}

func TestConformanceServers(t *testing.T) {
	fetchtest.RunVariants(t, []fetchtest.Variant{
		{Name: "nnrpd", Start: func(t *testing.T) fetchtest.Target { return daemonTarget(realserver.Nnrpd(t)) }},
		{Name: "nnrpd with a login", Start: loginTarget},
		{Name: "leafnode", Start: func(t *testing.T) fetchtest.Target { return smallTarget(realserver.Leafnode(t), 1) }},
		{Name: "sn", Start: func(t *testing.T) fetchtest.Target { return smallTarget(realserver.Sn(t), 9) }},
	})
}

func TestConformanceInnd(t *testing.T) { fetchtest.Run(t, daemonTarget(realserver.Innd(t))) }

// TestConformanceNnrpdTLS fetches by TLS from the start of the connection.
func TestConformanceNnrpdTLS(t *testing.T) {
	s := realserver.NnrpdTLS(t)
	target := daemonTarget(s)
	target.New = func(d wire.Dialer) protocols.Fetcher {
		d.TLS.Roots = x509.NewCertPool()
		d.TLS.Roots.AddCert(s.Certificate)
		return &nntp.Client{Dialer: d, Server: "nntps://" + s.Addr}
	}
	fetchtest.Run(t, withTLS(target))
}

// withTLS changes the URLs of t to nntps: URLs.
func withTLS(t fetchtest.Target) fetchtest.Target {
	byTLS := func(u string) string { return strings.Replace(u, "nntp://", "nntps://", 1) }
	for i := range t.Pages {
		t.Pages[i].URL = byTLS(t.Pages[i].URL)
		t.Pages[i].Streams = false // an incomplete TLS record shows nothing
	}
	for _, urls := range [][]string{t.Missing, t.WalkFrom} {
		for i := range urls {
			urls[i] = byTLS(urls[i])
		}
	}
	t.Large = byTLS(t.Large)
	return t
}

// loginTarget returns the tests for a server that requires a login, after STARTTLS.
func loginTarget(t *testing.T) fetchtest.Target {
	s := realserver.NnrpdLogin(t)
	target := daemonTarget(s)
	target.New = func(d wire.Dialer) protocols.Fetcher {
		d.TLS.Roots = x509.NewCertPool()
		d.TLS.Roots.AddCert(s.Certificate)
		c := &nntp.Client{Dialer: d, Server: s.Addr, PlainPasswords: true}
		return loginFetcher{c, s}
	}
	for i := range target.Pages {
		target.Pages[i].Streams = false
	}
	c := new(nntp.Client)
	defer c.Close()
	_, err := c.Fetch(t.Context(), protocols.Request{URL: urlcore.NNTP{
		HostPort: urlcore.HostPort{Host: s.Host, Port: s.Port}, Group: "test.many",
	}})
	if _, ok := errors.AsType[*protocols.Login](err); !ok {
		t.Errorf("without credentials: got %v, want the question for a login", err)
	}
	return target
}

// loginFetcher logs in with the account of server when a login is required.
type loginFetcher struct {
	*nntp.Client
	server *realserver.Server
}

func (f loginFetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	r, err := f.Client.Fetch(ctx, req)
	var l *protocols.Login
	if !errors.As(err, &l) || l.Failed {
		return r, err
	}
	l.With(f.server.User, f.server.Password)
	return f.Client.Fetch(ctx, req)
}

// TestConformanceCopies runs the suite with a client that keeps copies.
func TestConformanceCopies(t *testing.T) {
	s := realserver.Innd(t)
	target, dir := daemonTarget(s), t.TempDir()
	target.New = func(d wire.Dialer) protocols.Fetcher {
		copies := new(cache.Store)
		copies.Keep(dir, 64<<20)
		t.Cleanup(copies.Close)
		return &nntp.Client{Dialer: d, Server: s.Addr, Copies: copies}
	}
	fetchtest.Run(t, target)
}
