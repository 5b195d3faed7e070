package gopher

import (
	"fmt"
	"testing"
	"testing/fstest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestHeaderlessItem checks that an answer without a header does not affect other items of the
// server. A server that has sent a header or Gopher+ marks is always asked in Gopher+.
func TestHeaderlessItem(t *testing.T) {
	const gateway, exact = "/plus/ftp:x@/r", "/plus/about"
	for _, tt := range []struct {
		name  string
		first func(addr string) urlcore.Gopher // the item that is fetched first
		known bool                             // whether the server is known to speak Gopher+
	}{
		{"nothing", nil, false},
		{"a header", func(addr string) urlcore.Gopher { return plusOf(addr, '0', exact, "+") }, true},
		{"a refusal with a header", func(addr string) urlcore.Gopher { return plusOf(addr, '0', "/plus/gone", "+") }, true},
		{"the marks of a menu", func(addr string) urlcore.Gopher { return itemOf(addr, '1', "/plus") }, true},
		{"a plain search with marks", func(addr string) urlcore.Gopher {
			g := itemOf(addr, '7', "/plus/search")
			g.Search, g.HasSearch = "gopher", true
			return g
		}, true},
		{"a menu of attributes", func(addr string) urlcore.Gopher { return plusOf(addr, '1', "/plus", "$") }, true},
		{"a menu without marks", func(addr string) urlcore.Gopher { return itemOf(addr, '1', "") }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startServer(t, fstest.MapFS{"a.txt": {Data: []byte("a")}})
			c := new(Client)
			if tt.first != nil {
				if res, err := c.Fetch(t.Context(), protocols.Request{URL: tt.first(s.Addr())}); err == nil {
					_, _ = readContent(res)
				}
			}
			before := len(s.Requests())
			item := plusOf(s.Addr(), '0', gateway, "+")
			for range 2 {
				fetchtest.Equal(t, fetchText(t, c, item), "r\r\n", "the headerless item")
			}
			want := []string{gateway + "\t+", gateway + "\t+"}
			if !tt.known {
				want[1] = gateway
			}
			fetchtest.EqualSlices(t, s.Requests()[before:], want, "sent")
			fetchtest.Contains(t, fetchText(t, c, plusOf(s.Addr(), '0', exact, "+")), "\r\n.\r\nThe line above", "another item")
			if got := s.Requests(); got[len(got)-1] != exact+"\t+" {
				t.Errorf("another item: got request %q; want %q", got[len(got)-1], exact+"\t+")
			}
			_ = fetchText(t, c, item)
			if got := s.Requests(); got[len(got)-1] != gateway+"\t+" {
				t.Errorf("after a header: got request %q; want %q", got[len(got)-1], gateway+"\t+")
			}
		})
	}
}

// TestHeaderlessGateway checks that texts keep their exact octets after the server answered another
// item without a header.
func TestHeaderlessGateway(t *testing.T) {
	r := newReplay(t, map[string]string{
		"ftp:x@/r\t+": "r\r\n.\r\n", "0/man\t+": "+7\r\na\r\n..\r\n", "0/man": "a\r\n..\r\n.\r\n",
	})
	c := new(Client)
	fetchtest.Equal(t, fetchText(t, c, plusOf(r.addr, '0', "ftp:x@/r", "+")), "r\r\n", "the gateway")
	if got := fetchText(t, c, plusOf(r.addr, '0', "0/man", "+")); got != "a\r\n..\r\n" {
		t.Errorf("got %q; want the 7 announced octets", got)
	}
	r.wantRequests(t, "ftp:x@/r\t+\r\n", "0/man\t+\r\n")
}

// TestHeaderlessSearch checks that an answer without a header to a search applies to all search
// words.
func TestHeaderlessSearch(t *testing.T) {
	r := newReplay(t, map[string]string{"/s\ta\t+": ".\r\n", "/s\tb": ".\r\n"})
	c := new(Client)
	for _, words := range []string{"a", "b"} {
		g := plusOf(r.addr, '7', "/s", "+")
		g.Search = words
		_ = fetchText(t, c, g)
	}
	r.wantRequests(t, "/s\ta\t+\r\n", "/s\tb\r\n")
}

// TestPlusMemoryIsBounded checks that a Client remembers a limited number of items and servers.
func TestPlusMemoryIsBounded(t *testing.T) {
	var p plusMemory
	for i := range 3 * maxKnown {
		p.setPlain(itemOf("h.example:70", '0', fmt.Sprint(i)))
		p.setPlusServer(itemOf(fmt.Sprintf("h%d.example:70", i), '0', ""))
	}
	if len(p.plainItems.values) > maxKnown || len(p.servers.values) > maxKnown {
		t.Errorf("plusMemory has %d items and %d servers; want at most %d of each", len(p.plainItems.values), len(p.servers.values), maxKnown)
	}
}
