package cso_test

import (
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/cso"
)

func TestConformanceLoopback(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartCSO())(t)
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &cso.Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{
				URL: s.URL() + "%09name=otter", Layout: protocols.LayoutMenu, Lines: 9,
				Contains: []string{"2 matches", "mailto:oscar@example.invalid"},
			},
			{URL: s.URL() + "%09name=mary%20return%20all", Lines: 8, Contains: []string{"        : 9 to 17", "gopher://example.invalid/1/mary"}},
			{URL: s.URL() + "%09name=%22gordon%22%20phone=", Lines: 3, Contains: []string{"gus@example.invalid"}},
			{URL: s.URL() + "%09name=many%20room=2000", Lines: 7999, Streams: true},
		},
		Large: s.URL() + "%09name=many%20room=200000",
	})
}
