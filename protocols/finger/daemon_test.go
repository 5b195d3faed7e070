package finger_test

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/finger"
)

func TestFingerd(t *testing.T) {
	s := "finger://" + realserver.Fingerd(t).Addr + "/"
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &finger.Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{URL: s + "digger", Contains: []string{"Name: Dora Digger"}},
			{URL: s, Contains: []string{"digger    Dora Digger"}},
			{URL: s + "nobody", Contains: []string{"no such user"}},
		},
	})
}
