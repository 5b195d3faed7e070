package main

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/cso"
	"gofer/protocols/dict"
	"gofer/protocols/finger"
	"gofer/protocols/gemini"
	"gofer/protocols/gopher"
	"gofer/protocols/ldap"
	"gofer/protocols/nfs"
	"gofer/protocols/wais"
	"gofer/protocols/web"
	"gofer/protocols/whois"
	"gofer/protocols/whoispp"
	"gofer/protocols/z3950"
)

// TestRoundTrips counts the round trips of the protocols that ask once: nothing is asked twice. The tests of
// nntp and ftp count theirs.
func TestRoundTrips(t *testing.T) {
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	// The server has no HTTP/2: it would acknowledge settings while the answer is under way.
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("page")) }))
	defer secure.Close()
	start := map[string]string{}
	for u := range world.URLs() {
		start[fetchtest.Parse(t, u).Scheme()] = u
	}
	trips := fetchtest.NewRoundTrips(t)
	d := wire.Dialer{Proxies: trips}
	d.TLS.Roots = x509.NewCertPool()
	d.TLS.Roots.AddCert(secure.Certificate())
	unverified := d
	unverified.TLS.Unverified = true
	hole := strings.TrimSuffix(world.Gopher.URL(), "1")
	for _, tt := range []struct {
		fetcher     protocols.Fetcher
		url         string
		want, again int
	}{
		// connect; request
		{&gopher.Client{Dialer: d}, world.Gopher.URL(), 2, 2},
		{&gopher.Client{Dialer: d}, hole + "1/plus%09%09+", 2, 2},
		{&gopher.Client{Dialer: d}, hole + "0/plus/moved%09%09!", 2, 2},
		{&cso.Client{Dialer: d}, world.CSO.URL() + "%09name=gopher", 2, 2},
		{&web.Client{Dialer: d}, world.Web.URL(), 2, 2},
		{&gemini.Client{Dialer: d}, world.Spartan.URL(), 2, 2},
		{&finger.Client{Dialer: d}, start["finger"], 2, 2},
		{&whois.Client{Dialer: d}, start["whois"], 2, 2},
		{&whoispp.Client{Dialer: d}, start["whois++"], 2, 2},
		{&dict.Client{Dialer: d}, start["dict"], 2, 2},
		// connect; handshake; request
		{&gemini.Client{Dialer: unverified}, world.Gemini.URL(), 3, 3},
		{&web.Client{Dialer: d}, secure.URL + "/", 3, 3},
		// connect; entry; the entries below
		{&ldap.Client{Dialer: d}, start["ldap"], 3, 2},
		// connect; init; search; description of the database
		{&wais.Client{Dialer: d}, start["wais"], 4, 2},
		// connect; LOOKUP; FSINFO; READ
		{&nfs.Client{Dialer: d}, world.NFS.URL() + "pub/many/file-0001.txt", 4, 2},
		// connect; init; search; present; a search that tells whether the ids of the records are unique
		{&z3950.Client{Dialer: d}, world.Z3950.URL("books;search=verne"), 5, 3},
	} {
		req := protocols.Request{URL: fetchtest.Parse(t, tt.url)}
		for i, want := range []int{tt.want, tt.again} {
			got := trips.Count(func() { fetchtest.NoError(t, fetchtest.Drain(t.Context(), tt.fetcher, req)) })
			fetchtest.Equal(t, got, want, "round trips of fetch %d of %s", i, tt.url)
		}
	}
}
