package protocols_test

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestMayLogIn checks where fetches that the user has not made may log in.
func TestMayLogIn(t *testing.T) {
	crawl := protocols.Unattended(t.Context(), nil)
	check := protocols.Unattended(t.Context(), fetchtest.Parse(t, "https://a.example/feed"))
	local := protocols.Unattended(t.Context(), fetchtest.Parse(t, "file:///feed"))
	for _, tt := range []struct {
		scheme, server      string
		inCrawl, inA, inOwn bool
	}{
		{scheme: "https", server: "a.example:443", inA: true},
		{scheme: "https", server: "a.example:8443"},
		{scheme: "https", server: "b.example:443"},
		{scheme: "ftp", server: "b.example:21"},
		{scheme: "ftp", server: ""},
		{"nntps", "b.example:563", true, true, true},
		{"news", "b.example:119", true, true, true},
	} {
		fetchtest.Equal(t, protocols.MayLogIn(t.Context(), tt.scheme, tt.server), true, "%+v, by the user", tt)
		fetchtest.Equal(t, protocols.MayLogIn(crawl, tt.scheme, tt.server), tt.inCrawl, "%+v, in a crawl", tt)
		fetchtest.Equal(t, protocols.MayLogIn(check, tt.scheme, tt.server), tt.inA, "%+v, in a check of a.example", tt)
		fetchtest.Equal(t, protocols.MayLogIn(local, tt.scheme, tt.server), tt.inOwn, "%+v, in a check of a file", tt)
	}
}
