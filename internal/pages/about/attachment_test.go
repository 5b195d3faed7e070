package about

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
)

type closeCounter struct{ n int }

func (c *closeCounter) Close() error { c.n++; return nil }

func TestAttachment(t *testing.T) {
	const article = "Content-Type: image/png; name=\"a b.png\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\n"
	from := parse(t, "news:id@h.example")
	closes := new(closeCounter)
	c := client(t)
	c.Open = func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		switch req.URL {
		case from:
			return &protocols.Resource{Body: strings.NewReader(article), Closer: closes}, nil
		case parse(t, "news:*"):
			return &protocols.Resource{Lines: yieldLines(t.Context(), nil), Closer: closes}, nil
		}
		return nil, errors.New("no such article")
	}
	u := document.AttachmentURL(from, 1, "a b.png")
	r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u}))(t)
	got, err := io.ReadAll(r.Body)
	if string(got) != "\x00\x01\x02" || err != nil || r.URL != u || r.Media != "image/png" || r.Title != "a b.png" {
		t.Errorf("Fetch(%s) = %q, %v, with the head %+v; want the picture a b.png", u, got, err, r.Head)
	}
	if err := r.Close(); err != nil || closes.n != 1 {
		t.Errorf("Close() = %v, closed %d times; want nil, once", err, closes.n)
	}
	for _, s := range []string{
		"about:attachment/2/x?news%3Aid%40h.example", // no such number
		"about:attachment/0/x?news%3Aid%40h.example",
		"about:attachment/x?news%3Aid%40h.example",
		"about:attachment/1/x?news%3Aother%40h.example",
		"about:attachment/1/x?news%3A%2A", // a list
		"about:attachment/1/x?no%20URL",
		"about:attachment/1/x?about%3Aattachment%2F1%2Fx%3Fnews%253Aid%2540h.example",
	} {
		if r, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, s)}); err == nil {
			t.Errorf("%s: got %+v, want an error", s, r.Head)
		}
	}
	fetchtest.Equal(t, closes.n, 3, "closed resources")
}
