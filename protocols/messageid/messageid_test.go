package messageid

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/mail"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

const article = "Message-ID: <whole@x>\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n" +
	"--b\nContent-Type: text/plain\n\nSee <cid:pic.1@x>\n--b\nContent-Type: image/png\n" +
	"Content-ID: <pic.1@x>\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n" +
	"--b\nContent-Type: text/plain\nContent-ID: <text@x>\n\nthe text\n--b--\n"

func TestParse(t *testing.T) {
	for s, want := range map[string][2]string{
		"mid:a@b": {"news:a@b"}, "mid:a%2Fb@c/d%2Fe@f": {"news:a/b@c", "d/e@f"}, "mid:%3Ca@b%3E": {"news:a@b"},
		"cid:a@b": {}, "mid:a": {}, "mid:a%0D%0Ab@c": {}, "mid:a@b/c%0Ad": {}, "mid:a@b/c%3E": {}, "mid:a%20b@c": {},
		"mid:/a@b": {}, "x-note:a@b": {},
	} {
		u := fetchtest.Must(urlcore.Parse(s))(t)
		article, part, err := parseURL(u)
		if want[0] == "" {
			if err == nil {
				t.Errorf("parseURL(%s) = %v, %q; want an error", s, article, part)
			}
			if e := new(protocols.Error); !errors.As(err, &e) {
				t.Errorf("parseURL(%s): got %v; want an *Error", s, err)
			}
			continue
		}
		if err != nil || article.String() != want[0] || part != want[1] {
			t.Errorf("parseURL(%s) = %v, %q, %v; want %q", s, article, part, err, want)
		}
	}
}

// TestContentID checks that a part of any type is found by its Content-ID. A cid: URL in the text
// must lead to this part.
func TestContentID(t *testing.T) {
	open := func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		if req.URL != (urlcore.News{MessageID: "whole@x"}) {
			t.Errorf("opened %v; want the article whole@x", req.URL)
		}
		r, w := io.Pipe()
		go func() {
			_, err := io.WriteString(w, article)
			_ = w.CloseWithError(err)
		}()
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Media: protocols.MediaArticle}, Body: r, Closer: r}, nil
	}
	pages := &about.Client{Open: open}
	c := &Client{News: new(nntp.Client), Part: document.ContentURL, Open: pages.Fetch}
	for s, want := range map[string]string{"mid:whole@x/pic.1@x": "hello", "mid:whole@x/text@x": "the text", "mid:whole@x/none@x": ""} {
		u, _ := urlcore.Parse(s)
		res, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		if want == "" {
			if err == nil {
				t.Errorf("Fetch(%s): got no error", s)
			}
			continue
		}
		if err != nil {
			t.Errorf("Fetch(%s): %v", s, err)
			continue
		}
		got, err := io.ReadAll(res.Body)
		_ = res.Close()
		if string(got) != want || err != nil {
			t.Errorf("Fetch(%s): got %q, %v; want %q", s, got, err, want)
		}
	}
	head := &protocols.Head{URL: urlcore.News{MessageID: "whole@x"}, Media: protocols.MediaArticle}
	links, _ := document.TextLinks(head, &protocols.Line{Text: "See <cid:pic.1@x>"}, func(int) (string, bool) { return "", false })
	if len(links) == 0 || links[0].URL != document.ContentURL(head.URL, "pic.1@x") {
		t.Errorf("TextLinks of a cid: URL = %+v; want a link to the part pic.1@x", links)
	}
}

// TestArticle checks that the article comes from the user's own server.
func TestArticle(t *testing.T) {
	w := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	news := &nntp.Client{Server: w.NewsServer()}
	defer news.Close()
	c := &Client{News: news, Part: document.ContentURL, Open: news.Fetch}
	first := fetchtest.Must(news.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, w.NNTP.URL("gofer.help")+"/1")}))(t)
	want, err := io.ReadAll(first.Body)
	_ = first.Close()
	fetchtest.NoError(t, err)
	m := fetchtest.Must(mail.ReadMessage(bytes.NewReader(want)))(t)
	id := strings.Trim(m.Header.Get("Message-ID"), "<>")
	res := fetchtest.CloseAtEnd(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "mid:"+id)}))(t)
	fetchtest.ReturnsText(t, string(want))(io.ReadAll(res.Body))
	steps, err := c.Plan(fetchtest.Parse(t, "mid:"+id+"/x@y"))
	if err != nil || len(steps) != 1 || steps[0].Send != "ARTICLE <"+id+">\r\n" {
		t.Errorf("Plan = %v, %v; want ARTICLE <%s>", steps, err, id)
	}
}
