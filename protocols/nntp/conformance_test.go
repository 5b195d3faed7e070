package nntp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/fetchtest"
	"gofer/internal/loopback"
	"gofer/internal/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// newClient returns clients that read news: URLs from the server at addr.
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
			"From: a@example.invalid\r\nNewsgroups: test.a\r\nSubject: Topic %d\r\nDate: Wed, 01 Jan 2025 00:%02d:00 +0000\r\nMessage-ID: <a%d@example.invalid>\r\n%s\r\n%s",
			i/6, i, i, refs, body))}
	}
	s, err := loopback.StartNNTP(spool, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	base := "nntp://" + s.Addr()
	fetchtest.Run(t, fetchtest.Target{
		New: newClient(s.Addr()),
		Pages: []fetchtest.Page{
			{URL: base + "/test.a", Layout: protocols.LayoutArticles, Lines: 60, Contains: []string{"Topic 9"}},
			{URL: base + "/test.a/8", Media: protocols.MediaArticle, Contains: []string{"Body 7.\r\n..\r\n.\r\n"}, Streams: true},
			{URL: "news:a7@example.invalid", Media: protocols.MediaArticle, Contains: []string{"Body 7."}},
			{URL: "news:*", Layout: protocols.LayoutGroups, Lines: 2, Contains: []string{"test.empty"}},
			{URL: base + "/test.empty", Empty: true},
		},
		Slow:    base + "/test.a/60",
		Missing: []string{base + "/test.no-such-group", base + "/test.a/999", "news:none@example.invalid"},
		Walk:    []string{base + "/test.a", "news:*"},
	})
}

// daemonTarget has all groups of INN.
func daemonTarget(s *realserver.Server) fetchtest.Target {
	base := "nntp://" + s.Addr
	articles := map[string]realserver.Article{}
	for _, a := range realserver.Articles() {
		articles[a.MessageID] = a
		articles[fmt.Sprintf("%s/%d", a.Group, a.Number)] = a
	}
	return fetchtest.Target{
		New: newClient(s.Addr),
		Pages: []fetchtest.Page{
			{URL: base + "/test.many", Layout: protocols.LayoutArticles, Lines: 300, Contains: []string{"Topic 30"}},
			{URL: base + "/test.headers/5", Media: protocols.MediaArticle, Contains: []string{"\r\nshort\r\nzzzz"}, Streams: true},
			{URL: base + "/test.general/8", Media: protocols.MediaArticle, Contains: []string{"Article 8.\r\n"}},
			{URL: base + "/test.threads", Lines: 20, Contains: []string{"Re: A chain"}},
			{URL: base + "/test.headers/2", Contains: []string{"\r\n.\r\n..\r\n...\r\n.leading\r\n\r\n.\r\n"}},
			{URL: base + "/test.charset", Lines: 6, Contains: []string{"Gr\xfc\xdfe"}},
			{URL: base + "/test.c++", Lines: 1},
			{URL: base + "/test.empty", Empty: true},
			{URL: "news:mime-mixed@example.invalid", Media: protocols.MediaArticle, Contains: []string{"../../dot.png"}},
			{URL: "news:*", Layout: protocols.LayoutGroups, Lines: len(realserver.Groups()), Contains: []string{"test.moderated"}},
		},
		Slow:    base + "/test.large/1",
		Missing: []string{base + "/test.no-such-group", base + "/test.many/999", "news:none@example.invalid"},
		Walk:    []string{"news:*", base + "/test.threads", base + "/test.headers"},
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
		// The server adds to the header: compared are the Message-ID, the first
		// line of want, and the body.
		Same: func(got, want []byte) bool {
			id, body, _ := bytes.Cut(want, []byte("\r\n\r\n"))
			header, gotBody, _ := bytes.Cut(got, []byte("\r\n\r\n"))
			return bytes.Contains(header, id) && bytes.Equal(gotBody, body)
		},
	}
}

func TestConformanceNnrpd(t *testing.T) { fetchtest.Run(t, daemonTarget(realserver.Nnrpd(t))) }

func TestConformanceInnd(t *testing.T) { fetchtest.Run(t, daemonTarget(realserver.Innd(t))) }
