package app

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/pages/followed"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/newsrc"
	"gofer/protocols"
	"gofer/ui/inbox"
	"gofer/urlcore"
)

// TestFollowedGroup counts the unread articles of a followed newsgroup: those that the newsrc file does not have.
func TestFollowedGroup(t *testing.T) {
	home := t.TempDir()
	u := fetchtest.Parse(t, "nntp://127.0.0.1:2119/a.b")
	st := &State{sharedState: new(sharedState)}
	st.Visits = history.OpenStore(filepath.Join(home, "h"))
	defer st.Visits.Close()
	st.news = newNewsFiles(home, home, home, "", func(urlcore.URL) bool { return false })
	fetchtest.Returns(t, true, "Follow")(st.Follow(t.Context(), u, "A group", true))
	now := time.Now()
	unread := func(high uint64, want int) {
		t.Helper()
		now = now.Add(time.Hour)
		fetchtest.Must(followed.Refresh(t.Context(), followed.Options{
			Store: st.Visits, Now: func() time.Time { return now },
			Count: func(context.Context, urlcore.URL) (*protocols.GroupNote, error) {
				return &protocols.GroupNote{Low: 1, High: high, Count: high}, nil
			},
		}))(t)
		fetchtest.Equal(t, fetchtest.Must(st.Followed(t.Context()))(t)[0].Unread, want, "unread articles up to %d", high)
	}
	fetchtest.Equal(t, fetchtest.Must(st.Followed(t.Context()))(t)[0].Unread, 0, "unread before the first check")
	unread(100, 100)
	unread(103, 103)
	fetchtest.NoError(t, st.news.Change(u, func(f *newsrc.File) {
		f.Set(newsrc.Group{Name: "a.b", Read: newsrc.Numbers{{First: 1, Last: 98}, {First: 102, Last: 102}}})
	}))
	unread(103, 4)
}

// TestFollowRefusals checks where nothing is followed or looked for.
func TestFollowRefusals(t *testing.T) {
	u := fetchtest.Parse(t, "gopher://a.example/1")
	for _, tt := range []struct {
		name             string
		store            bool
		private, offline bool
		follows          bool
	}{
		{name: "restricted"},
		{name: "private", store: true, private: true},
		{name: "offline", store: true, offline: true, follows: true},
	} {
		st := &State{sharedState: new(sharedState)}
		if st.Offline = tt.offline; tt.store {
			st.Visits = history.OpenStore(filepath.Join(t.TempDir(), "h"))
			defer st.Visits.Close()
		}
		st.private.Store(tt.private)
		if added, err := st.Follow(t.Context(), u, "", true); added != tt.follows || (err == nil) != tt.follows {
			t.Errorf("%s: Follow = %v, %v", tt.name, added, err)
		}
		if s, err := st.Refresh(t.Context(), followed.Options{Asked: true}, nil); err == nil || s != (followed.Summary{}) {
			t.Errorf("%s: Refresh = %+v, %v; want an error", tt.name, s, err)
		}
	}
}

// TestRefreshReadsNoCopies checks that a page whose server cannot be reached has failed, although a copy of it is kept.
func TestRefreshReadsNoCopies(t *testing.T) {
	var failure error
	s := testStart(t.TempDir(), new(Setup))
	s.Schemes = func(Setup) (protocols.Registry, func()) {
		return protocols.Registry{"gopher": fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
			return protocols.NewPage(protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu}), failure
		})}, func() {}
	}
	st := s.Open(nil)
	defer st.Close()
	st.KeepCopies(false)
	u := fetchtest.Parse(t, "gopher://a.example/1")
	fetchtest.Returns(t, true, "Follow")(st.Follow(t.Context(), u, "", true))
	for _, failure = range []error{nil, protocols.NewError(protocols.Unreachable, "connect", "")} {
		fetchtest.NoError(t, st.inboxStore().Refresh(t.Context(), true, nil, func(r inbox.Result) {
			if (r.Err == nil) != (failure == nil) {
				t.Errorf("the result is %v; want %v", r.Err, failure)
			}
		}))
	}
	fetchtest.Equal(t, st.keeper(st.fetchers).Has(u), true, "a copy is kept")
}
