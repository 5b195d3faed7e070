package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer"
	"gofer/internal/transfer/keep"
	"gofer/internal/userfile/cache"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/readlater"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestForgetCopies checks which copies are removed with visits, and that the message names them and the servers
// that were known.
func TestForgetCopies(t *testing.T) {
	group := urlcore.NNTP{HostPort: urlcore.HostPort{Host: "a.example"}, Group: "g"}
	for _, tt := range []struct {
		name string
		sel  history.Selection
		left string
		says string
	}{
		{"all", history.Selection{All: true}, "", "forgot kept copies and what was known of 1 server"},
		{"a day", history.Selection{Day: time.Now()}, "", "forgot kept copies and what was known of 1 server"},
		{"a host", history.Selection{Host: "a.example"}, "b", "forgot kept copies and what was known of 1 server"},
		{"a group", history.Selection{URL: group}, "b", "forgot kept copies and what was known of 1 server"},
		{"an article of the default news server", history.Selection{URL: urlcore.News{MessageID: "1@x"}}, "", "forgot kept copies and what was known of 1 server"},
		{"another scheme", history.Selection{URL: urlcore.Gopher{HostPort: group.HostPort, Type: '1'}}, "ab", "forgot what was known of 1 server"},
	} {
		dir := t.TempDir()
		known := history.OpenStore(filepath.Join(dir, "history.sqlite"))
		known.KeepHabits("a.example:21", "x")
		fetchtest.NoError(t, known.Close())
		st := &State{
			sharedState: new(sharedState),
			Setup: Setup{
				Visits: history.OpenStore(filepath.Join(dir, "history.sqlite")), Dirs: config.Folders{Cache: dir},
				Copies: new(cache.Store),
			},
		}
		st.Copies.Keep(st.Dirs.Copies(), 1<<20)
		for _, name := range []string{"a", "b"} {
			st.Copies.Put(cache.Key{Scheme: "nntp", Addr: name + ".example:119", Name: name}, []byte("x"))
		}
		fetchtest.Returns(t, tt.says, "forget %s", tt.name)(st.Forget(context.Background(), tt.sel))
		left := ""
		for _, name := range []string{"a", "b"} {
			if _, ok := st.Copies.Get(cache.Key{Scheme: "nntp", Addr: name + ".example:119", Name: name}); ok {
				left += name
			}
		}
		fetchtest.Equal(t, left, tt.left, "%s: remaining copies", tt.name)
		st.Copies.Close()
		if err := st.Visits.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestKeepCopies checks that copies are written to the disk, except in private mode, in restricted mode, and
// if the setting kept_copies is 0, and that both modes hide who the user is.
func TestKeepCopies(t *testing.T) {
	for _, tt := range []struct {
		name     string
		restrict bool
		private  bool
		size     int
		onDisk   bool
	}{
		{"as set", false, false, 64, true},
		{"--private", false, true, 64, false},
		{"--restrict", true, false, 64, false},
		{"none set", false, false, 0, false},
	} {
		home := t.TempDir()
		p := testStart(home, new(Setup))
		p.Restrict = tt.restrict
		st := p.Open(nil)
		st.Config.KeptCopies = tt.size
		st.KeepCopies(tt.private)
		fetchtest.Equal(t, st.IsAnonymous(), tt.private || tt.restrict, "%s: servers do not learn who the user is", tt.name)
		k := cache.Key{Scheme: "nntp", Addr: "a.example:119", Name: "x"}
		st.Copies.Put(k, []byte("x"))
		st.Close()
		if _, ok := st.Copies.Get(k); !ok {
			t.Errorf("%s: Get returned no copy after Put", tt.name)
		}
		if _, err := os.Stat(filepath.Join(home, ".cache", "gofer", "copies")); (err == nil) != tt.onDisk {
			t.Errorf("%s: Stat of the folder for copies = %v, want a folder: %v", tt.name, err, tt.onDisk)
		}
	}
}

// TestShowCopies checks that a command that keeps no copies shows those of other runs if the network fails, except in
// restricted mode.
func TestShowCopies(t *testing.T) {
	home, u := t.TempDir(), fetchtest.Parse(t, "gopher://a.example/1/")
	down := false
	schemes := func(s Setup) (protocols.Registry, func()) {
		return protocols.Registry{"gopher": fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
			if down {
				return nil, protocols.NewError(protocols.Unreachable, "connect", "no route")
			}
			return protocols.NewPage(protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu}, protocols.Line{Text: "x"}), nil
		})}, func() {}
	}
	read := func(restrict bool, begin func(*State)) (copied bool, err error) {
		start := testStart(home, new(Setup))
		start.Schemes, start.Restrict = schemes, restrict
		st := start.Open(nil)
		defer st.Close()
		begin(st)
		head, _, err := transfer.ReadAll(t.Context(), st.Fetchers(Way{Use: Print}), protocols.Request{URL: u})
		return !head.CopiedAt.IsZero(), err
	}
	show, keepNew := (*State).ShowCopies, func(st *State) { st.KeepCopies(false) }
	fetchtest.Returns(t, false, "an answer")(read(false, show))
	down = true
	_, err := read(false, show)
	fetchtest.Reason(t, err, protocols.Unreachable)
	down = false
	fetchtest.Returns(t, false, "an answer that is kept")(read(false, keepNew))
	down = true
	fetchtest.Returns(t, true, "a copy")(read(false, show))
	_, err = read(true, show)
	fetchtest.Reason(t, err, protocols.Unreachable)
}

// TestForgetRedirect checks that nothing on the disk names a forgotten page to which another page has redirected.
func TestForgetRedirect(t *testing.T) {
	from, to := fetchtest.Parse(t, "http://a.example/"), fetchtest.Parse(t, "http://b.example/x")
	for _, sel := range []history.Selection{{URL: to}, {Host: "B.example"}, {Host: "c.example"}} {
		dir := t.TempDir()
		st := &State{sharedState: new(sharedState), Setup: Setup{Dirs: config.Folders{Cache: dir}, Copies: new(cache.Store)}}
		st.Copies.Keep(st.Dirs.Copies(), 1<<20)
		k := keep.Keeper{Copies: st.Copies, Network: new(keep.Network), Next: fetchtest.FetcherFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) {
			return protocols.NewPage(protocols.Head{URL: to, Layout: protocols.LayoutMenu}, protocols.Line{Text: "x"}), nil
		})}
		for range fetchtest.Must(k.Fetch(t.Context(), protocols.Request{URL: from}))(t).Lines {
		}
		want := 2
		if sel.Host == "c.example" {
			want = 0
		}
		fetchtest.Returns(t, want, "forgotten with %+v", sel)(st.forgetCopies(sel))
		key, _ := keep.KeyOf(from)
		_, isLeft := st.Copies.Get(key)
		fetchtest.Equal(t, isLeft, want == 0, "%+v: the redirect is left", sel)
		st.Copies.Close()
	}
}

// TestLaterWithoutCopy checks that a page to read later waits again when its copy is gone.
func TestLaterWithoutCopy(t *testing.T) {
	st := testStart(t.TempDir(), new(Setup)).Open(nil)
	defer st.Close()
	st.KeepCopies(false)
	u := fetchtest.Parse(t, "gopher://a.example/0/a")
	fetchtest.NoError(t, st.Later().Add(readlater.Item{URL: u, State: readlater.Fetched}))
	key, _ := keep.KeyOf(u)
	st.Copies.Put(key, []byte("x"))
	want := func(state readlater.State) {
		t.Helper()
		fetchtest.Equal(t, fetchtest.Must(st.laterItems())(t)[0].State, state, "state")
	}
	want(readlater.Fetched)
	fetchtest.Must(st.Forget(t.Context(), history.Selection{All: true}))(t)
	want(readlater.Waiting)
}
