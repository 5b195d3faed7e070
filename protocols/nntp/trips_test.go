package nntp_test

import (
	"crypto/x509"
	"errors"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/userfile/cache"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// TestCopyRoundTrips counts the round trips of keeping a group: connect; GROUP and CAPABILITIES; COMPRESS; OVER; the
// articles. The second group is kept over the same connection. A group without new articles costs GROUP and OVER.
// To open a group that has a copy costs one.
func TestCopyRoundTrips(t *testing.T) {
	server, trips := realserver.Nnrpd(t), fetchtest.NewRoundTrips(t)
	copies := new(cache.Store)
	copies.Keep(t.TempDir(), 64<<20)
	defer copies.Close()
	c := &nntp.Client{Dialer: wire.Dialer{Proxies: trips}, Copies: copies}
	defer c.Close()
	for _, tt := range []struct {
		group      string
		want, kept int
	}{{"test.threads", 5, 30}, {"test.general", 3, 25}, {"test.general", 2, 0}} {
		u := urlcore.NNTP{HostPort: urlcore.HostPort{Host: server.Host, Port: server.Port}, Group: tt.group}
		kept, room := 0, int64(64<<20)
		got := trips.Count(func() {
			all := func(*protocols.ArticleNote) bool { return true }
			_, err := c.KeepGroup(t.Context(), protocols.Request{URL: u}, all, &room, func(int) { kept++ })
			fetchtest.NoError(t, err)
		})
		fetchtest.Equal(t, got, tt.want, "round trips for %s", tt.group)
		fetchtest.Equal(t, kept, tt.kept, "articles of %s", tt.group)
	}
	for _, want := range []int{1, 2} { // GROUP and OVER for the articles after those in the copy; connect before them
		u := urlcore.NNTP{HostPort: urlcore.HostPort{Host: server.Host, Port: server.Port}, Group: "test.general"}
		got := trips.Count(func() { fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: u})) })
		fetchtest.Equal(t, got, want, "round trips for a group with a copy")
		_ = c.Close() // the next fetch opens a connection
	}
}

// TestRoundTrips counts the round trips of fetches one after the other, by the same client, and then by the client of the next
// run, which does not know the login.
func TestRoundTrips(t *testing.T) {
	const threads, general = "test.threads", "test.general"
	type fetch struct {
		group   string
		article uint64 // 0 for the group
		want    int
	}
	for _, tt := range []struct {
		name    string
		start   func(testing.TB) *realserver.Server
		secure  bool
		fetches []fetch
		later   fetch // over a new connection
		nextRun int   // the round trips of the group in the next run
	}{
		{
			"nnrpd", realserver.Nnrpd, false, // connect; greeting; GROUP; OVER | later: connect; greeting and GROUP; OVER
			[]fetch{{threads, 0, 4}, {general, 0, 2}, {general, 5, 1}, {general, 6, 1}, {threads, 3, 1}},
			fetch{general, 0, 3},
			3,
		},
		{"innd", realserver.Innd, false, []fetch{{threads, 0, 5}, {general, 0, 2}}, fetch{threads, 0, 4}, 4}, // MODE READER after the greeting, later at once
		{"sn", realserver.Sn, false, []fetch{{threads, 0, 5}}, fetch{threads, 0, 3}, 3},                      // XOVER after OVER, later at once
		{"leafnode", realserver.Leafnode, false, []fetch{{threads, 0, 4}}, fetch{threads, 0, 3}, 3},
		{
			"nnrpd with TLS", realserver.NnrpdTLS, true, // connect; handshake; greeting and GROUP; OVER
			[]fetch{{threads, 0, 4}, {threads, 3, 1}},
			fetch{general, 7, 3},
			4,
		},
		{
			"nnrpd with a login", realserver.NnrpdLogin, false, // connect; greeting; GROUP; CAPABILITIES | connect; STARTTLS; handshake; login and GROUP; OVER
			[]fetch{{threads, 0, 4}, {threads, 0, 5}, {threads, 3, 1}},
			fetch{general, 7, 4},
			3,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server, trips, store := tt.start(t), fetchtest.NewRoundTrips(t), nntp.MemoryStore{}
			c := &nntp.Client{Dialer: wire.Dialer{Proxies: trips}, Habits: store}
			c.Dialer.TLS.Roots = x509.NewCertPool()
			if server.Certificate != nil {
				c.Dialer.TLS.Roots.AddCert(server.Certificate)
			}
			get := func(f fetch) {
				u := urlcore.NNTP{
					HostPort: urlcore.HostPort{Host: server.Host, Port: server.Port}, Secure: tt.secure,
					Group: f.group, Article: f.article, HasArticle: f.article > 0,
				}
				got := trips.Count(func() {
					err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: u})
					if login, ok := errors.AsType[*protocols.Login](err); ok {
						login.With(server.User, server.Password)
					} else {
						fetchtest.NoError(t, err)
					}
				})
				fetchtest.Equal(t, got, f.want, "round trips for %s", u)
			}
			for _, f := range tt.fetches {
				get(f)
			}
			_ = c.Close() // later fetches open connections
			get(tt.later)
			_ = c.Close()
			c = &nntp.Client{Dialer: c.Dialer, Habits: store}
			defer c.Close()
			c.AwaitHabits(server.Addr, tt.secure)
			get(fetch{threads, 0, tt.nextRun})
		})
	}
}
