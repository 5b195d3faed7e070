package dict

import (
	"errors"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestDictd(t *testing.T) {
	s := "dict://" + realserver.Dictd(t).Addr + "/"
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{URL: s + "d:spade", Layout: protocols.LayoutMenu, Lines: 3, Contains: []string{"spade: Garden tools", s + "d:shovel:tools"}},
			{URL: s + "d:garden%20fork", Lines: 3, Contains: []string{"tines and a handle"}},
			{URL: s + "m:spa::prefix", Lines: 1, Contains: []string{s + "d:spade:tools"}},
			{URL: s, Lines: 8, Contains: []string{"Garden tools  (tools)", s + "m:::prefix"}},
		},
		Missing: []string{s + "d:nothing", s + "d:spade:none"},
		MayFail: func(u urlcore.URL) bool { return strings.Contains(u.String(), "tines") },
	})
	_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s+"d:spede")})
	if e, ok := errors.AsType[*protocols.Error](err); !ok || len(e.Lines) < 3 || e.Lines[2].Link != fetchtest.Parse(t, s+"d:spade:tools") {
		t.Errorf("Fetch of the word spede: got %v; want an error with a link to spade", err)
	}
}
