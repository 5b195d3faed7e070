package cli

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

// keeper is a news client that keeps nothing; the server a.example.org does not answer.
type keeper struct {
	fallingSilent
	protocols.Fetcher
	asked []string
}

func (k *keeper) KeepGroup(_ context.Context, u urlcore.URL, _ func(*protocols.ArticleNote) bool, _ *int64, _ func(int)) (int, error) {
	k.asked = append(k.asked, u.String())
	if urlcore.Host(u) == "a.example.org" {
		return 0, protocols.NewError(protocols.Refused, "connect", "")
	}
	return 0, nil
}

func (*keeper) Compressed() (received, plain int64) { return 0, 0 }

// TestFetchAfterFailure: the groups of other servers are fetched after one does not answer.
func TestFetchAfterFailure(t *testing.T) {
	k := new(keeper)
	isDemo := func(urlcore.URL) bool { return false }
	st := &state{running: new(running), scores: &scoreFile{isDemo: isDemo}, fetchers: protocols.Registry{"news": k}}
	st.news = newNewsFiles(t.TempDir(), t.TempDir(), "", "", isDemo)
	st.Config.KeptCopies = 1
	f := newsFetch{st: st, report: func(string) {}, try: func(_ context.Context, do func() error) error { return do() }}
	var groups []urlcore.URL
	for _, u := range []string{"nntp://a.example.org/x.one", "nntp://b.example.org/x.two", "nntp://a.example.org/x.three"} {
		groups = append(groups, fetchtest.Must(urlcore.Parse(u))(t))
	}
	err := f.fetch(t.Context(), groups...)
	if want := []string{groups[0].String(), groups[1].String()}; !slices.Equal(k.asked, want) || protocols.ReasonOf(err) != protocols.Refused {
		t.Errorf("asked %q, want %q; %v", k.asked, want, err)
	}
}

// writer is a keeper that keeps one article of each group.
type writer struct {
	keeper
	copies *cache.Store
}

func (w *writer) KeepGroup(_ context.Context, _ urlcore.URL, _ func(*protocols.ArticleNote) bool, _ *int64, kept func(int)) (int, error) {
	w.copies.Put(cache.Key{Addr: "h:119"}, []byte("text"))
	kept(4)
	return 0, nil
}

// TestFetchWithoutDisk fails if articles do not outlive the program: there is no folder, or none can be made.
func TestFetchWithoutDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	fetchtest.NoError(t, os.WriteFile(file, nil, 0o600))
	for dir, want := range map[string]protocols.Reason{"": protocols.LocalFailure, filepath.Join(file, "x"): protocols.LocalFailure, t.TempDir(): 0} {
		isDemo := func(urlcore.URL) bool { return false }
		w := &writer{copies: new(cache.Store)}
		w.copies.Keep(dir, 1<<20)
		st := &state{running: new(running), Setup: Setup{Copies: w.copies}, scores: &scoreFile{isDemo: isDemo}, fetchers: protocols.Registry{"news": w}}
		st.news = newNewsFiles(t.TempDir(), t.TempDir(), "", "", isDemo)
		st.Config.KeptCopies = 1
		f := newsFetch{st: st, report: func(string) {}, try: func(_ context.Context, do func() error) error { return do() }}
		if err := f.fetch(t.Context(), fetchtest.Parse(t, "nntp://h/a.b")); (err == nil) != (want == 0) || err != nil && protocols.ReasonOf(err) != want {
			t.Errorf("in %q: got %v, want the reason %v", dir, err, want)
		}
		w.copies.Close()
	}
}

// openedDraft is a draft that its writer opens while it is fetched to be sent.
type openedDraft struct {
	path string
	sent bool
}

func (d *openedDraft) Fetch(_ context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return nil, errors.Join(os.Remove(d.path+".state"), &protocols.Compose{URL: u, Draft: d})
}

func (d *openedDraft) File() (string, error) { return d.path, nil }

func (d *openedDraft) Preview() (*protocols.Confirm, error) { return new(protocols.Confirm), nil }

func (d *openedDraft) Send(context.Context) error {
	d.sent = true
	return nil
}

// TestPostsOpenedAgain: a draft that is opened again while posts are sent is not sent.
func TestPostsOpenedAgain(t *testing.T) {
	st := &state{running: new(running)}
	st.Dirs = config.Dirs{Data: t.TempDir()}
	fetchtest.NoError(t, os.MkdirAll(st.Dirs.Drafts(), 0o700))
	d := &openedDraft{path: filepath.Join(st.Dirs.Drafts(), "about-1")}
	for suffix, text := range map[string]string{".eml": "Subject: A\n\nB\n", ".url": "about:compose/post?news:x.one\nword\n", ".state": compose.ToBeSent} {
		fetchtest.NoError(t, os.WriteFile(d.path+suffix, []byte(text), 0o600))
	}
	st.fetchers = protocols.Registry{"about": d}
	if n := len(st.unsent()); n != 1 {
		t.Fatalf("%d drafts are to be sent, want 1", n)
	}
	fetchtest.NoError(t, st.sendPosts(t.Context(), st.unsent, nil))
	if d.sent {
		t.Error("the draft was sent")
	}
}
