package nfs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/nfs"
)

// TestRoundTrips counts the round trips of a listing with links, whose targets are looked up together, and only so far.
func TestRoundTrips(t *testing.T) {
	root, links := afero.NewMemMapFs(), map[string]string{"/a": "b", "/dir/far": "../b" + strings.Repeat("/c", 9), "/dir/loop": "loop"}
	fetchtest.NoError(t, root.MkdirAll("/dir", 0o755))
	fetchtest.NoError(t, root.MkdirAll("/b"+strings.Repeat("/c", 9), 0o755))
	for i := range 20 {
		links[fmt.Sprintf("/dir/link%d", i)] = fmt.Sprintf("../a/c/d%d", i)
		fetchtest.NoError(t, root.MkdirAll(fmt.Sprintf("/b/c/d%d", i), 0o755))
	}
	s := fetchtest.CloseAtEnd(demo.StartNFS(root, links, "/"))(t)
	trips := fetchtest.NewRoundTrips(t)
	for _, tt := range []struct {
		refuse      func()
		want, again int
		isFar       bool
	}{
		// connect; LOOKUP; READDIRPLUS; READLINK; LOOKUP
		{func() {}, 5, 4, true},
		// connect; LOOKUP; LOOKUP of the public directory; EXPORT; MNT; GETATTR; LOOKUP; READDIRPLUS; READLINK; 9 rounds for the rest
		{s.RefusePublicHandle, 18, 13, false},
		// READDIRPLUS refused; READDIR; LOOKUP; READLINK; 8 rounds for the rest
		{s.RefuseReaddirplus, 19, 14, false},
	} {
		tt.refuse()
		c := &nfs.Client{Dialer: wire.Dialer{Proxies: trips}}
		req := protocols.Request{URL: fetchtest.Parse(t, "nfs://"+s.Addr()+"/dir/")}
		var lines map[string]protocols.Line
		for i, want := range []int{tt.want, tt.again} {
			fetchtest.Equal(t, trips.Count(func() { _, lines = list(t, c, req) }), want, "round trips of listing %d", i)
		}
		for name := range lines {
			isDirectory := name != "loop" && (name != "far" || tt.isFar)
			fetchtest.Equal(t, lines[name].Kind == protocols.Directory, isDirectory, "%s is a directory", name)
		}
		fetchtest.Equal(t, len(lines), 22, "lines")
		_ = c.Close()
	}
}

// TestManyLinks checks that the targets of the first links of a listing are looked up only.
func TestManyLinks(t *testing.T) {
	root, links := afero.NewMemMapFs(), map[string]string{}
	fetchtest.NoError(t, root.MkdirAll("/dir", 0o755))
	for i := range 102 {
		links[fmt.Sprintf("/dir/link%d", i)] = "."
	}
	s := fetchtest.CloseAtEnd(demo.StartNFS(root, links))(t)
	c := new(nfs.Client)
	defer c.Close()
	_, lines := list(t, c, protocols.Request{URL: fetchtest.Parse(t, "nfs://"+s.Addr()+"/dir")})
	directories := 0
	for _, l := range lines {
		if l.Kind == protocols.Directory {
			directories++
		}
	}
	fetchtest.Equal(t, directories, 100, "links that are known to lead to a directory")
}
