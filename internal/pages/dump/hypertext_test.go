package dump

import (
	"context"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

type htmlFetcher string

func (f htmlFetcher) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	head := protocols.Head{URL: req.URL, Media: "text/html", Size: -1}
	return &protocols.Resource{Head: head, Body: strings.NewReader(string(f)), Closer: io.NopCloser(nil)}, nil
}

func TestHypertextIsBroken(t *testing.T) {
	word := strings.Repeat("word ", 20)
	var b strings.Builder
	u := urlcore.HTTP{HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/"}
	page := htmlFetcher("<p>" + word + "<ul><li>" + word + "</ul><pre>" + word + "</pre>")
	fetchtest.NoError(t, Write(t.Context(), page, protocols.Request{URL: u}, &b, Text, false, clean.Reading{}, nav.Show{}))
	row, rest := strings.TrimSpace(word[:16*5]), strings.TrimSpace(word[16*5:])
	item := strings.TrimSpace(word[:15*5])
	want := row + "\n" + rest + "\n\n  * " + item + "\n    word " + rest + "\n\n" + strings.TrimSpace(word) + "\n"
	fetchtest.Equal(t, b.String(), want)
}
