package ftp

import (
	"crypto/x509"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
)

// tripCounts are the round trips for a file and for a directory of a server that is not known, for the directory over a new
// connection to a known server, for the next directory, and for a file in it whose size is listed.
type tripCounts struct{ get, cold, known, next, file int }

// countTrips fetches a file of the second directory, two directories, and the file again.
func countTrips(t *testing.T, roots *x509.CertPool, base, first, next, file string) (got tripCounts) {
	t.Helper()
	trips := fetchtest.NewRoundTrips(t)
	var c *Client
	use := func(known *Client) {
		if c != nil {
			_ = c.Close()
		}
		c = &Client{Dialer: wire.Dialer{Proxies: trips, TLS: wire.TLS{Roots: roots}}}
		if known != nil {
			addr := parse(t, base).Addr()
			c.servers.Store(addr, known.serverAt(addr))
		}
	}
	defer func() { _ = c.Close() }()
	count := func(path string, known *protocols.FileFacts) int {
		return trips.Count(func() {
			fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, base+path), Known: known}))
		})
	}
	use(nil)
	got.get = count(file, nil)
	use(nil)
	got.cold = count(first, nil)
	use(c)
	got.known = count(first, nil)
	got.next = count(next, nil)
	got.file = count(file, &protocols.FileFacts{Size: -1})
	return got
}

// TestRoundTrips counts round trips: connect, AUTH TLS, the login up to EPSV, connect, RETR.
func TestRoundTrips(t *testing.T) {
	for name, tt := range map[string]struct {
		f    *fake
		want tripCounts
	}{
		"plain":           {&fake{}, tripCounts{5, 5, 4, 2, 2}},
		"unknown program": {&fake{replies: map[string]string{"greeting": "220 hello"}}, tripCounts{5, 5, 4, 3, 2}},
		"TLS":             {&fake{tls: selfSigned(t)}, tripCounts{7, 7, 7, 3, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.f.data = map[string]string{"MLSD": "type=file; a\r\n", "RETR": "abc"}
			f := startFake(t, tt.f)
			f.setReply("SIZE f", "213 3")
			fetchtest.Equal(t, countTrips(t, nil, f.url(""), "a/b/", "a/b/c/", "a/b/c/f"), tt.want, "round trips")
		})
	}
}

// TestPutRoundTrips counts the round trips of uploads over new connections. All up to EPSV is in the message of the login. A new
// file then needs CWD, to learn that it is no directory, STOR, the end and SIZE.
func TestPutRoundTrips(t *testing.T) {
	for size, want := range map[string]int{"550 no": 7, "213 3": 6} {
		f := startFake(t, &fake{replies: map[string]string{"SIZE": size, "CWD f": "550 no"}})
		trips := fetchtest.NewRoundTrips(t)
		c := &Client{Dialer: wire.Dialer{Proxies: trips}}
		defer c.Close()
		got := trips.Count(func() {
			fetchtest.NoError(t, c.Put(t.Context(), parse(t, f.url("d/e/f")), &protocols.Upload{Body: strings.NewReader("abc"), Size: 3, Replace: true}))
		})
		fetchtest.Equal(t, got, want, "round trips if the reply to SIZE is %s", size)
	}
}

// TestRealRoundTrips counts the round trips of real servers. ProFTPD is sent STAT after MLSD, for links. With TLS, each
// handshake takes one more, and one if the server asks for another key exchange. The next run sends no AUTH TLS to a server
// that refuses it, waits for no greeting, and begins with the right key exchange.
func TestRealRoundTrips(t *testing.T) {
	want := map[string]tripCounts{
		"vsftpd": {5, 5, 4, 2, 2}, "proftpd": {5, 6, 5, 3, 2}, "pure-ftpd": {5, 5, 4, 2, 2},
		"vsftpd TLS": {8, 8, 7, 3, 3}, "proftpd TLS": {7, 8, 8, 4, 3}, "pure-ftpd TLS": {8, 8, 7, 3, 3},
		"vsftpd implicit TLS": {8, 8, 6, 3, 3}, "proftpd implicit TLS": {7, 8, 7, 4, 3},
	}
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			got := countTrips(t, s.Roots(), d.Scheme+"://"+s.Addr+"/", "pub/", "pub/text/", "pub/text/lf.txt")
			fetchtest.Equal(t, got, want[d.Name], "round trips")
		})
	}
}
