package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/compose"
	"gofer/internal/userfile/cache"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"
)

// fakeKeeper is a news client that records the groups to fetch. Its server a.example.org does not answer.
type fakeKeeper struct {
	failingNewsServer
	protocols.Fetcher
	fetched []string
}

func (k *fakeKeeper) KeepGroup(
	_ context.Context, req protocols.Request, _ func(*protocols.ArticleNote) bool, _ *int64, _ func(int),
) (int, error) {
	k.fetched = append(k.fetched, req.URL.String())
	if urlcore.Host(req.URL) == "a.example.org" {
		return 0, protocols.NewError(protocols.Refused, "connect", "")
	}
	return 0, nil
}

func (*fakeKeeper) Compressed() (received, plain int64) { return 0, 0 }

// TestFetchAfterFailure checks that groups of other servers are fetched after one server fails.
func TestFetchAfterFailure(t *testing.T) {
	k := new(fakeKeeper)
	isDemo := func(urlcore.URL) bool { return false }
	st := &State{sharedState: new(sharedState), scores: &scoreFile{isDemo: isDemo}, fetchers: serving(k)}
	st.news = newNewsFiles(t.TempDir(), t.TempDir(), "", "", isDemo)
	st.Config.KeptCopies = 1
	f := NewsFetcher{State: st, Report: func(string) {}, Retry: func(_ context.Context, do func() error) error { return do() }}
	var groups []urlcore.URL
	for _, u := range []string{"nntp://a.example.org/x.one", "nntp://b.example.org/x.two", "nntp://a.example.org/x.three"} {
		groups = append(groups, fetchtest.Must(urlcore.Parse(u))(t))
	}
	err := f.Fetch(t.Context(), groups...)
	if want := []string{groups[0].String(), groups[1].String()}; !slices.Equal(k.fetched, want) ||
		protocols.ReasonOf(err) != protocols.Refused {
		t.Errorf("fetch requested %q, error %v; want %q, a refused connection", k.fetched, err, want)
	}
}

// renumberedKeeper is a fakeKeeper whose groups end at article 20.
type renumberedKeeper struct{ fakeKeeper }

func (*renumberedKeeper) KeepGroup(
	_ context.Context, req protocols.Request, _ func(*protocols.ArticleNote) bool, _ *int64, _ func(int),
) (int, error) {
	req.FirstArticle(urlcore.NewsGroup(req.URL).Group, 1, 20)
	return 0, nil
}

// TestFetchGroupNumberedAnew checks that a fetch says that the line of a group was cut, and only once.
func TestFetchGroupNumberedAnew(t *testing.T) {
	home, isDemo := t.TempDir(), func(urlcore.URL) bool { return false }
	fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".newsrc"), []byte("x.one: 1-500000\n"), 0o600))
	st := &State{sharedState: new(sharedState), scores: &scoreFile{isDemo: isDemo}, fetchers: serving(new(renumberedKeeper))}
	st.news = newNewsFiles(home, t.TempDir(), "", "", isDemo)
	st.Config.KeptCopies = 1
	for _, want := range []string{
		"x.one ends at 20 now: the higher marks of read articles were removed; 1 group, 0 new articles, 0 B",
		"1 group, 0 new articles, 0 B",
	} {
		f := NewsFetcher{State: st, Retry: func(_ context.Context, do func() error) error { return do() }}
		summary := fetchtest.Must(f.run(t.Context(), func(string) {}, urlcore.News{Group: "x.one"}))(t)
		fetchtest.Equal(t, summary, want)
	}
}

// diskKeeper is a fakeKeeper that stores one article for each group.
type diskKeeper struct {
	fakeKeeper
	copies *cache.Store
}

func (w *diskKeeper) KeepGroup(
	_ context.Context, _ protocols.Request, _ func(*protocols.ArticleNote) bool, _ *int64, stored func(int),
) (int, error) {
	w.copies.Put(cache.Key{Addr: "h:119"}, []byte("text"))
	stored(4)
	return 0, nil
}

// TestFetchWithoutDisk checks that fetch fails if articles cannot be stored on the disk.
func TestFetchWithoutDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	fetchtest.NoError(t, os.WriteFile(file, nil, 0o600))
	for dir, want := range map[string]protocols.Reason{
		"": protocols.LocalFailure, filepath.Join(file, "x"): protocols.LocalFailure, t.TempDir(): 0,
	} {
		isDemo := func(urlcore.URL) bool { return false }
		w := &diskKeeper{copies: new(cache.Store)}
		w.copies.Keep(dir, 1<<20)
		st := &State{sharedState: new(sharedState), Setup: Setup{Copies: w.copies}, scores: &scoreFile{isDemo: isDemo}, fetchers: serving(w)}
		st.news = newNewsFiles(t.TempDir(), t.TempDir(), "", "", isDemo)
		st.Config.KeptCopies = 1
		f := NewsFetcher{State: st, Report: func(string) {}, Retry: func(_ context.Context, do func() error) error { return do() }}
		if err := f.Fetch(t.Context(), fetchtest.Parse(t, "nntp://h/a.b")); (err == nil) != (want == 0) ||
			err != nil && protocols.ReasonOf(err) != want {
			t.Errorf("fetch with the folder %q = %v, want the reason %v", dir, err, want)
		}
		w.copies.Close()
	}
}

// reopenedDraft is a draft that the user opens again while it is being sent.
type reopenedDraft struct {
	path string
	sent bool
}

func (d *reopenedDraft) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	return nil, errors.Join(os.Remove(d.path+".state"), &protocols.Compose{URL: req.URL, Draft: d})
}

func (d *reopenedDraft) File() (string, error) { return d.path, nil }

func (d *reopenedDraft) StartLine() int { return 0 }

func (d *reopenedDraft) Preview() (*protocols.Confirm, error) { return new(protocols.Confirm), nil }

func (d *reopenedDraft) Send(context.Context) error {
	d.sent = true
	return nil
}

// TestReopenedDraftNotSent checks that a draft is not sent if the user opens it again.
func TestReopenedDraftNotSent(t *testing.T) {
	st := &State{sharedState: new(sharedState)}
	st.Dirs = config.Folders{Data: t.TempDir()}
	fetchtest.NoError(t, os.MkdirAll(st.Dirs.Drafts(), 0o700))
	d := &reopenedDraft{path: filepath.Join(st.Dirs.Drafts(), "about-1")}
	for suffix, text := range map[string]string{
		".eml": "Subject: A\n\nB\n", ".url": "about:compose/post?news:x.one\nword\n", ".state": compose.StateQueued,
	} {
		fetchtest.NoError(t, os.WriteFile(d.path+suffix, []byte(text), 0o600))
	}
	st.fetchers = &protocols.Guarded{Registry: protocols.Registry{"about": d}}
	if n := len(st.QueuedDrafts()); n != 1 {
		t.Fatalf("%d drafts are to be sent, want 1", n)
	}
	fetchtest.NoError(t, st.SendPosts(t.Context(), st.QueuedDrafts, nil))
	if d.sent {
		t.Error("the draft was sent")
	}
}
