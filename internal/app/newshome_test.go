package app

import (
	"context"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/newsservers"
	"gofer/protocols"
	"gofer/urlcore"
)

// failingNewsServer is a news server that fails after sending the article numbers of some groups.
type failingNewsServer struct {
	answered int // the number of groups before the failure; 0 if the server does not answer
	err      error
	stored   string // a group with a stored overview
}

func (s failingNewsServer) Counts(_ context.Context, _ urlcore.URL, names []string) (iter.Seq2[protocols.Line, error], error) {
	if s.answered == 0 {
		return nil, s.err
	}
	return func(yield func(protocols.Line, error) bool) {
		for _, name := range names[:s.answered] {
			yield(protocols.Line{Kind: protocols.Group, Text: name, Note: &protocols.GroupNote{Low: 1, High: 9, Count: 9}}, nil)
		}
		yield(protocols.Line{}, s.err)
	}, nil
}

func (s failingNewsServer) StoredCounts(_ urlcore.URL, name string) *protocols.GroupNote {
	if name != s.stored {
		return nil
	}
	return &protocols.GroupNote{Low: 2, High: 9, Count: 9}
}

func (s failingNewsServer) NewGroups(context.Context, urlcore.URL, time.Time) ([]protocols.Line, time.Time, error) {
	return nil, time.Time{}, s.err
}

// TestSubscribedWithoutServer checks that subscribed groups are listed with links even if their
// server does not answer, because their articles may be stored. The caller learns at once that it does not answer.
func TestSubscribedWithoutServer(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{".newsrc", ".newsrc-b.example.org"} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(home, name), []byte("a.b: 1-3\nc.d! 1\nc.é:\n"), 0o600))
	}
	down := errors.New("connection refused")
	s := Setup{news: newNewsFiles(home, t.TempDir(), "", "news.example.org", func(urlcore.URL) bool { return false })}
	for _, tt := range []struct {
		server   urlcore.News
		answered int
		stored   string
		want     string
	}{
		{urlcore.News{Group: "*"}, 0, "", "a.b news:a.b unknown|c.é news:c.%C3%A9 unknown"},
		{urlcore.News{Group: "*"}, 0, "a.b", "a.b news:a.b 6 unread|c.é news:c.%C3%A9 unknown"},
		{urlcore.News{Group: "*"}, 1, "", "a.b - 6 unread|c.é news:c.%C3%A9 unknown"},
		{
			urlcore.News{HostPort: urlcore.HostPort{Host: "b.example.org"}, Group: "*"},
			0, "",
			"a.b nntp://b.example.org/a.b unknown|c.é nntp://b.example.org/c.%C3%A9 unknown",
		},
	} {
		lines, err := subscribedGroups(t.Context(), s, failingNewsServer{tt.answered, down, tt.stored}, tt.server)
		fetchtest.Equal(t, errors.Is(err, down), tt.answered == 0, "%v, %d answered: the error is returned", tt.server, tt.answered)
		var got []string
		for line, err := range lines {
			if err != nil {
				fetchtest.ErrorIs(t, err, down)
				break
			}
			note, u, numbers := line.Note.(*protocols.GroupNote), "-", "6 unread"
			if line.Link != nil {
				u = line.Link.String()
			}
			if note.Unknown {
				numbers = "unknown"
			}
			if !note.Subscribed || !note.Unknown && note.Unread != 6 {
				t.Errorf("%s: got the note %+v, want a subscribed group with 6 unread articles", line.Text, note)
			}
			got = append(got, line.Text+" "+u+" "+numbers)
		}
		fetchtest.Equal(t, strings.Join(got, "|"), tt.want, "%v, %d answered", tt.server, tt.answered)
	}
}

// marksServer is a news server whose groups have the given marks. If err is set, the marks are from stored overviews.
type marksServer struct {
	failingNewsServer
	marks map[string]protocols.GroupNote
}

func (s marksServer) Counts(_ context.Context, _ urlcore.URL, names []string) (iter.Seq2[protocols.Line, error], error) {
	return func(yield func(protocols.Line, error) bool) {
		for _, name := range names {
			note := s.marks[name]
			yield(protocols.Line{Kind: protocols.Group, Text: name, Note: &note}, nil)
		}
		if s.err != nil {
			yield(protocols.Line{}, s.err)
		}
	}, nil
}

// TestSubscribedGroupsNumberedAnew checks that the list of subscribed groups cuts the lines of groups whose high mark
// fell below the articles read, unless the group is empty or the server does not answer.
func TestSubscribedGroupsNumberedAnew(t *testing.T) {
	marks := map[string]protocols.GroupNote{
		"fallen": {Low: 1, High: 20, Count: 20}, "same": {Low: 1, High: 50, Count: 50}, "no.count": {Low: 1, High: 20}, "no.high": {Count: 3},
		"none": {Low: 21, High: 20, Count: 1}, "unknown": {Low: 1, High: 20, Count: 20, Unknown: true},
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		text += name + ": 1-50\n"
	}
	home := t.TempDir()
	fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".newsrc"), []byte(text), 0o600))
	s := Setup{news: newNewsFiles(home, t.TempDir(), "", "", func(urlcore.URL) bool { return false })}
	down := errors.New("connection refused")
	for _, tt := range []struct {
		err        error
		file, note string
	}{
		{down, text, ""},
		{nil, strings.Replace(text, "fallen: 1-50", "fallen: 1-20", 1), "fallen ends at 20 now: the higher marks of read articles were removed"},
		{nil, strings.Replace(text, "fallen: 1-50", "fallen: 1-20", 1), ""},
	} {
		lines := fetchtest.Must(subscribedGroups(t.Context(), s, marksServer{failingNewsServer{err: tt.err}, marks}, urlcore.News{Group: "*"}))(t)
		note := ""
		for line := range lines {
			if line.Kind == protocols.Heading {
				note += line.Text
			}
		}
		fetchtest.Equal(t, note, tt.note, "note")
		data, _ := os.ReadFile(filepath.Join(home, ".newsrc"))
		fetchtest.Equal(t, string(data), tt.file, "file")
	}
}

// newGroupsServer is a news server with new groups. It records the time in the request.
type newGroupsServer struct {
	failingNewsServer
	since *time.Time
}

func (s newGroupsServer) NewGroups(_ context.Context, _ urlcore.URL, since time.Time) ([]protocols.Line, time.Time, error) {
	*s.since = since
	return []protocols.Line{{Text: "a.b"}, {Text: "c.d"}, {Text: "new.group"}}, since.Add(time.Hour), s.err
}

// TestNewGroups checks that groups created since the last request of an earlier run are listed, except groups
// in the newsrc file. A request that failed does not count.
func TestNewGroups(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".newsrc-h"), []byte("a.b: 1-3\nc.d! 1\n"), 0o600))
	asked := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		err   error
		since time.Time
		want  int
	}{
		{nil, time.Time{}, 1},
		{errors.New("down"), asked, 0},
		{nil, asked, 1},
	} {
		news := newNewsFiles(home, t.TempDir(), "", "", func(urlcore.URL) bool { return false })
		news.timesFile = filepath.Join(state, "times.txt")
		s := Setup{news: news}
		s.Config.News = newsservers.Names{"work": "nntp://h/", "odd": "gopher://h/"}
		var since time.Time
		servers := newsServers(s, newGroupsServer{failingNewsServer{err: tt.err}, &since})
		if len(servers) != 2 || servers[1].Name != "work" {
			t.Fatalf("NewsServers = %+v, want the default server and work", servers)
		}
		groups, _, err := servers[1].New(t.Context(), servers[1].All)
		if len(groups) != tt.want || tt.want == 1 && groups[0].Text != "new.group" || !errors.Is(err, tt.err) || !since.Equal(tt.since) {
			t.Errorf("New = %v, %v with a request since %v; want %d groups, %v since %v", groups, err, since, tt.want, tt.err, tt.since)
		}
		if tt.since.IsZero() {
			fetchtest.NoError(t, news.recordRequest(servers[1].All, asked))
		} else if tt.err == nil && !news.lastRequest(servers[1].All).Equal(asked) {
			t.Error("New changed the time that lastRequest returns")
		}
	}
}
