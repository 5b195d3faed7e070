package ftp

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestRoundTripsOfServers counts the round trips up to the first octet of a file, at a server that is not known and
// in the next run of the program: connect, AUTH TLS, the login up to EPSV, connect, RETR. With TLS, each handshake
// takes one more, and one if the server asks for another key exchange. The next run sends no AUTH TLS to a server that
// refuses it, waits for no greeting, and begins with the right key exchange.
func TestRoundTripsOfServers(t *testing.T) {
	want := map[string][2]int{
		"vsftpd": {5, 4}, "proftpd": {5, 4}, "pure-ftpd": {5, 4}, "vsftpd TLS": {8, 7}, "proftpd TLS": {7, 7}, "pure-ftpd TLS": {8, 7},
		"vsftpd implicit TLS": {8, 6}, "proftpd implicit TLS": {7, 6},
	}
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			s, store := d.Start(t), new(memoryStore)
			for i, run := range []string{"first", "next"} {
				trips := fetchtest.NewRoundTrips(t)
				c := &Client{Dialer: wire.Dialer{Proxies: trips, TLS: wire.TLS{Roots: s.Roots()}}}
				useStore(t, c, store, s.Addr)
				n := trips.Count(func() {
					r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, d.Scheme+"://"+s.Addr+"/pub/README.txt;type=i")}))(t)
					_ = fetchtest.Must(io.ReadFull(r.Body, make([]byte, 1)))(t)
					_ = r.Close()
				})
				_ = c.Close()
				if most := want[d.Name][i]; n > most {
					t.Errorf("%d round trips in the %s run, want at most %d", n, run, most)
				}
			}
			saved := store.Load(t.Context(), s.Addr)
			fetchtest.Contains(t, saved, `"Pipelining":1`, "habits")
			fetchtest.Equal(t, strings.Contains(saved, `"NoTLS":true`), !d.TLS, "TLS was refused")
		})
	}
}
