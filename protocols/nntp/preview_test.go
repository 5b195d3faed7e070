package nntp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestPreview checks the preview of a large group. The list after the preview must be the same as
// without a preview.
func TestPreview(t *testing.T) {
	const n = previewFrom + 100
	over := func(first, last int) string {
		var b strings.Builder
		b.WriteString("224 go\n")
		for i := first; i <= last; i++ {
			refs := ""
			if i > 1 && i%3 > 0 { // article i answers an older article
				refs = fmt.Sprintf("<%d@h>", i/3)
			}
			fmt.Fprintf(&b, "%d\ts%d\tf\t\t<%d@h>\t%s\n", i, i, i, refs)
		}
		return b.String() + "."
	}
	f := startFake(t, map[string]string{
		"GROUP":                             fmt.Sprintf("211 %d 1 %d a.b", n, n),
		"OVER":                              "423 none",
		fmt.Sprintf("OVER %d-%d", n-499, n): over(n-499, n),
		fmt.Sprintf("OVER 1-%d", n-500):     over(1, n-500),
	})
	trips := fetchtest.NewRoundTrips(t)
	c := &Client{Server: f.addr(), NewestArticles: 2 * n, Dialer: wire.Dialer{Proxies: trips}}
	t.Cleanup(func() { _ = c.Close() })
	fetch := func(preview bool) (first, all []protocols.Line) {
		r := fetchtest.Must(c.Fetch(context.Background(), protocols.Request{URL: f.groupURL("a.b")}))(t)
		defer r.Close()
		if preview {
			first = slices.Collect(r.Preview)
		}
		for l, err := range r.Lines {
			fetchtest.NoError(t, err)
			all = append(all, l)
		}
		return first, all
	}
	row := func(l protocols.Line) string {
		a := l.Note.(*protocols.ArticleNote)
		return fmt.Sprint(a.Number, " ", a.Depth, " ", l.Link)
	}
	var plain []protocols.Line
	// connect; greeting; GROUP; OVER for the preview and CAPABILITIES; OVER
	fetchtest.Equal(t, trips.Count(func() { _, plain = fetch(false) }), 5, "round trips")
	first, all := fetch(true)
	if len(first) != 500 || !strings.HasPrefix(row(first[0]), fmt.Sprint(n-499, " 0")) {
		t.Errorf("the preview has %d articles, the first is %s; want the newest 500", len(first), row(first[0]))
	}
	if len(all) != n || !slices.EqualFunc(plain, all, func(a, b protocols.Line) bool { return row(a) == row(b) }) {
		t.Errorf("the list after the preview has %d articles, without a preview %d; want %d in the same order", len(all), len(plain), n)
	}
	previewNotes := make(map[protocols.Note]bool)
	for _, l := range first {
		previewNotes[l.Note] = true
	}
	for _, l := range all {
		if previewNotes[l.Note] {
			t.Fatalf("the line %s shares its note with the preview", row(l))
		}
	}
	c.NewestArticles = previewFrom
	if r, err := c.Fetch(context.Background(), protocols.Request{URL: f.groupURL("a.b")}); err != nil || r.Preview != nil {
		t.Errorf("fetching %d articles: error %v, or an unwanted preview", previewFrom, err)
	} else {
		_ = r.Close()
	}
}
