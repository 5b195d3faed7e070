package nav

import (
	"context"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestLateNotes checks that the notes at the end of a document are added to those of its head.
func TestLateNotes(t *testing.T) {
	f := fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: req.URL, Media: "text/plain", Size: -1, Notes: []string{"first"}}, Body: strings.NewReader("a\n"),
			LateNotes: func() []string { return []string{"late"} }, Closer: io.NopCloser(nil),
		}, nil
	})
	var s Session
	l := Open(t.Context(), f, protocols.Request{URL: mustParse(t, "gopher://h/0a")})
	defer l.Cancel()
	head := fetchtest.Must(l.Wait())(t)
	s.Begin(l)
	p := s.Answer(l, head)
	for p.Err == nil {
		lines, err := l.Next()
		s.Append(l, lines, err)
	}
	fetchtest.EqualSlices(t, p.Notes, []string{"first", "late"}, "notes")
}
