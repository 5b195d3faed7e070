package about

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/bundle"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// bundleOf returns a bundle with the pages, as media type and octets by URL. An octet "!" at the beginning makes the digest
// wrong.
func bundleOf(t *testing.T, pages map[string][2]string) string {
	t.Helper()
	dir := t.TempDir()
	var items []bundle.Item
	for u, page := range pages {
		path := filepath.Join(dir, fmt.Sprint(len(items)))
		fetchtest.NoError(t, os.WriteFile(path, []byte(page[1]), 0o600))
		sum := sha256.Sum256([]byte(strings.TrimPrefix(page[1], "!")))
		items = append(items, bundle.Item{Path: path, Entry: bundle.Entry{
			URL: u, Name: fmt.Sprint("e", len(items)), Media: page[0], Size: int64(len(page[1])), SHA256: hex.EncodeToString(sum[:]),
			Saved: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), Title: "\x1b[31mred",
		}})
	}
	var b bytes.Buffer
	fetchtest.NoError(t, bundle.Write(&b, bundle.Head{Saved: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}, items))
	return b.String()
}

// bundleClient returns a Client whose Open knows the documents, and a function that returns the opened URLs.
func bundleClient(t *testing.T, documents map[string]string) (c *Client, opened func() string) {
	c = client(t)
	c.Now = func() time.Time { return time.Date(2026, 11, 29, 13, 0, 0, 0, time.UTC) }
	var urls []string
	c.Open = func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		urls = append(urls, req.URL.String())
		if data, ok := documents[req.URL.String()]; ok {
			return &protocols.Resource{Head: protocols.Head{URL: req.URL, Size: int64(len(data))}, Body: struct{ io.Reader }{strings.NewReader(data)}, Closer: io.NopCloser(nil)}, nil
		}
		return nil, protocols.NewError(protocols.NotFound, "open "+req.URL.String(), "not there")
	}
	return c, func() string {
		all := strings.Join(urls, " ")
		urls = nil
		return all
	}
}

// linksOf returns the head and the links of a page, also those in its text.
func linksOf(t *testing.T, c *Client, u urlcore.URL) (protocols.Head, string) {
	t.Helper()
	l := nav.Open(t.Context(), c, protocols.Request{URL: u})
	defer l.Cancel()
	h := fetchtest.Must(l.Wait())(t)
	page := &nav.Page{Head: h}
	for {
		lines, err := l.Next()
		if err != nil {
			fetchtest.ErrorIs(t, err, io.EOF)
			break
		}
		for i := range lines.Len() {
			page.Lines.Append(lines.At(i))
		}
	}
	links := ""
	for i := range page.Lines.Len() {
		found, _ := page.TextLinks(i)
		for _, l := range found {
			links += urlcore.WithFragment(l.URL.String(), l.Fragment) + "\n"
		}
	}
	return h, links
}

// TestBundle checks that links in a bundle lead to its pages, whatever the format of a page, and that nothing but the bundle
// is fetched.
func TestBundle(t *testing.T) {
	const zip = "http://h.example/x.zip"
	in := "about:bundle/" + zip + "?"
	documents := map[string]string{zip: bundleOf(t, map[string][2]string{
		"http://moles.example/d/a":   {"text/html", `<a href="b#x">b</a> <a href="mailto:a@b">m</a> <a href="file:///etc/passwd">f</a> <a href="about:home">h</a> <img src="http://moles.example/i.png">`},
		"gopher://moles.example/1/":  {protocols.MediaMenu, "0text\t/a\tmoles.example\t70\r\nhweb\tURL:http://moles.example/d/a\tmoles.example\t70\r\n.\r\n"},
		"gopher://moles.example/0/a": {"text/plain", "see http://moles.example/d/a and news:comp.lang.go\n"},
		"news:1@moles.example":       {protocols.MediaArticle, "Newsgroups: a.b\r\nMessage-ID: <1@moles.example>\r\nReferences: <0@moles.example>\r\n\r\ntext\r\n"},
		"gopher://moles.example/0/d": {"text/plain", "!changed\n"},
	})}
	c, opened := bundleClient(t, documents)
	for u, want := range map[string]string{
		"http://moles.example/d/a":   in + "http://moles.example/d/b#x\nmailto:a@b\nabout:link?file%3A%2F%2F%2Fetc%2Fpasswd\nabout:link?about%3Ahome\n" + in + "http://moles.example/i.png\n",
		"gopher://moles.example/1/":  in + "gopher://moles.example/0/a\n" + in + "http://moles.example/d/a\n",
		"gopher://moles.example/0/a": in + "http://moles.example/d/a\n" + in + "news:comp.lang.go\n",
		"news:1@moles.example":       in + "news:a.b\n" + in + "news:1@moles.example\n" + in + "news:0@moles.example\n",
		"gopher://moles.example/0/d": "",
	} {
		at := fetchtest.Must(urlcore.Bundled(fetchtest.Parse(t, zip), fetchtest.Parse(t, u)))(t)
		h, links := linksOf(t, c, at)
		fetchtest.Equal(t, links, want, "links of %s", u)
		fetchtest.Equal(t, h.URL, at, "URL of %s", u)
		if h.Origin == nil || h.Origin.URL.String() != u || h.Origin.Bundle != "x.zip" || h.Origin.Damaged != strings.HasSuffix(u, "/d") || len(h.Notes) == 0 {
			t.Errorf("%s: origin %+v, notes %q", u, h.Origin, h.Notes)
		}
		fetchtest.Equal(t, protocols.MayLead(at, fetchtest.Parse(t, "file:///etc/passwd")), false, "%s may lead to a file", u)
	}
	_, links := linksOf(t, c, fetchtest.Must(urlcore.Bundled(fetchtest.Parse(t, zip), nil))(t))
	fetchtest.Equal(t, strings.Count(links, in), 5, "pages on the start page: %s", links)
	fetchtest.Equal(t, opened(), zip, "opened")
}

// TestLeaveBundle checks that a page that is not in the bundle is fetched after a question, one for each server.
func TestLeaveBundle(t *testing.T) {
	const zip = "http://h.example/x.zip"
	c, opened := bundleClient(t, map[string]string{
		zip: bundleOf(t, map[string][2]string{"http://moles.example/": {"text/plain", "a"}}), "http://moles.example/b": "b", "http://moles.example/c": "c",
	})
	fetch := func(u string) (*protocols.Resource, error) {
		at := fetchtest.Must(urlcore.Bundled(fetchtest.Parse(t, zip), fetchtest.Parse(t, u)))(t)
		return c.Fetch(t.Context(), protocols.Request{URL: at})
	}
	_, err := fetch("http://moles.example/b")
	confirm := fetchtest.As[*protocols.Confirm](t, err)
	fetchtest.Equal(t, opened(), zip, "opened before the answer")
	confirm.GiveConsent()
	for _, u := range []string{"http://moles.example/b", "http://moles.example/c"} {
		res := fetchtest.Must(fetch(u))(t)
		if res.URL.String() != u || res.Origin != nil {
			t.Errorf("the page %s has the URL %s and the origin %+v; want a page of the network", u, res.URL, res.Origin)
		}
	}
	_, err = fetch("http://other.example/")
	fetchtest.As[*protocols.Confirm](t, err)
	fetchtest.Equal(t, opened(), "http://moles.example/b http://moles.example/c", "opened")
}

// TestNoBundle checks the errors of files that are no bundle.
func TestNoBundle(t *testing.T) {
	c, _ := bundleClient(t, map[string]string{"http://h/x.zip": "PK\x05\x06" + strings.Repeat("\x00", 18), "http://h/text": "text"})
	for u, want := range map[string]protocols.Reason{
		"about:bundle/http://h/x.zip": protocols.Unsupported, "about:bundle/http://h/text": protocols.Damaged, "about:bundle/http://h/none": protocols.NotFound,
		"about:bundle/about:home": protocols.NotFound, "about:bundle": protocols.NotFound, "about:bundle/x?y": protocols.NotFound,
	} {
		_, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, u)})
		fetchtest.Reason(t, err, want, u)
	}
}
