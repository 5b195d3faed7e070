package wais_test

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
	"gofer/protocols"
	"gofer/protocols/wais"
	"gofer/urlcore"
)

func original(tb testing.TB) *loopback.WAISServer {
	tb.Helper()
	return fetchtest.Started(loopback.StartOriginalWAIS())(tb)
}

// last fetches u with so many documents beyond the first ones, none if older is
// negative, and returns how many came, and the last line.
func last(t *testing.T, c *wais.Client, u urlcore.URL, older int) (documents int, line protocols.Line) {
	t.Helper()
	ctx := t.Context()
	if older >= 0 {
		ctx = protocols.WithOlder(ctx, older)
	}
	_, all, err := fetchtest.CollectLines(ctx, t, c, u)
	fetchtest.NoError(t, err, "%s", u)
	for _, l := range all {
		switch l.Note.(type) {
		case *wais.Hit, *wais.Database:
			documents++
		}
	}
	return documents, all[len(all)-1]
}

// TestMoreDocuments asks for twice as many documents until there are no more.
func TestMoreDocuments(t *testing.T) {
	s, c := original(t), client(t)
	u := parse(t, s.URL("many?word"))
	for _, tt := range []struct {
		older, documents int
		last             string
		action           protocols.Note
	}{
		{-1, 100, "First 100 of more: the others were not asked for", nil},
		{0, 100, "First 100 of more: Enter for the next", protocols.ActionMore},
		{100, 200, "First 200 of more: Enter for the next", protocols.ActionMore},
		{300, 200, "More documents like these", nil},
	} {
		n, l := last(t, c, u, tt.older)
		if n != tt.documents || l.Text != tt.last || l.Note != tt.action || tt.action != nil && l.Link != u {
			t.Errorf("%d more: got %d documents and %q, which leads to %v by %v, want %d and %q", tt.older, n, l.Text, l.Link, l.Note, tt.documents, tt.last)
		}
	}
	for _, info := range []string{"", "INFO"} {
		if n, l := last(t, c, parse(t, s.URL(info)), 0); n != 60 || strings.HasPrefix(l.Text, "First") {
			t.Errorf("%q: got %d databases and %q, want 60", info, n, l.Text)
		}
	}
}
