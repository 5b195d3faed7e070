package nav

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

type octetContent int64

func (h octetContent) Memory() int64 { return int64(h) }

// decodeAll is a [Decoder] that knows all media types. It fails if the octets end in "bad".
func decodeAll(_ context.Context, _ protocols.Head, r io.Reader) (Content, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(string(b), "bad") {
		return nil, errors.New("it is bad")
	}
	return octetContent(len(b)), nil
}

// documentFetcher returns a Fetcher that answers with body, and counts its fetches in n.
func documentFetcher(n *int, body func() io.Reader) fetchFunc {
	return func(context.Context, protocols.Request) (*protocols.Resource, error) {
		*n++
		return &protocols.Resource{Head: protocols.Head{Size: -1}, Body: body(), Closer: io.NopCloser(nil)}, nil
	}
}

func TestContent(t *testing.T) {
	lost := &protocols.Error{Reason: protocols.Broken}
	body := func(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }
	for _, tt := range []struct {
		name  string
		body  func() io.Reader
		want  Content
		lines string // the first lines
		err   error
	}{
		{"shown", body("\x00binary"), octetContent(7), "", io.EOF},
		{"refused", body("\x00bad"), nil, "This cannot be shown: it is bad.", io.EOF},
		{"text", body("text"), nil, "text", io.EOF},
		{"broken off", func() io.Reader {
			return io.MultiReader(strings.NewReader("\x00binary"), iotest.ErrReader(lost))
		}, nil, "", lost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := Open(t.Context(), documentFetcher(new(int), tt.body), protocols.Request{URL: testURL("a")}, Decode(decodeAll))
			defer l.Cancel()
			lines, err := readLines(l)
			if !errors.Is(err, tt.err) || l.Content() != tt.want {
				t.Errorf("Content and error: got %v, %v; want %v, %v", l.Content(), err, tt.want, tt.err)
			}
			if got := strings.Join(texts(lines), "\n"); !strings.HasPrefix(got, tt.lines) || tt.lines == "" && got != "" {
				t.Errorf("lines: got %q, want them to begin with %q", got, tt.lines)
			}
		})
	}
}

// TestContentStopped checks that a decoder ends with its load.
func TestContentStopped(t *testing.T) {
	reading := make(chan struct{})
	l := Open(t.Context(), documentFetcher(
		new(int), func() io.Reader { return strings.NewReader("\x00") },
	), protocols.Request{URL: testURL("a")},
		Decode(func(ctx context.Context, _ protocols.Head, _ io.Reader) (Content, error) {
			close(reading)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}))
	go func() {
		<-reading
		l.Stop()
	}()
	fetchtest.FailsWith(t, ErrStopped)(l.Next())
	l.Cancel()
}

// TestContentKept checks that going back does not fetch a kept content, and that a page whose
// content was dropped for newer pages is Dropped.
func TestContentKept(t *testing.T) {
	fetches := 0
	var s Session
	(&Memory{Limit: 100}).Use(&s)
	defer s.Close()
	visit := func(u testURL, octets int) *Page {
		l := Open(t.Context(), documentFetcher(&fetches, func() io.Reader {
			return strings.NewReader("\x00" +
				strings.Repeat("x", octets-1))
		}), protocols.Request{URL: u}, Decode(decodeAll))
		s.Begin(l)
		h := fetchtest.Must(l.Wait())(t)
		p := s.Answer(l, h)
		lines, err := l.Next()
		s.Append(l, lines, err)
		return p
	}
	first, second := visit("first", 40), visit("second", 40)
	if !s.GoBack() || s.Page() != first || first.Content != octetContent(40) || first.Dropped {
		t.Errorf("after GoBack: got %+v, want the first page with its content", first)
	}
	s.GoForward()
	third := visit("third", 50)
	if !first.Dropped || first.Content != nil || second.Dropped || third.Content != octetContent(50) {
		t.Errorf(
			"three pages of 130 octets: got the contents %v, %v, %v; want only the first page dropped", first.Content,
			second.Content, third.Content,
		)
	}
	if s.GoToPage(testURL("first")) != nil || s.GoToPage(testURL("second")) != second || s.GoToPage(testURL("none")) != nil {
		t.Error("GoToPage returned a wrong page")
	}
	fetchtest.Equal(t, fetches, 3, "fetches")
}
