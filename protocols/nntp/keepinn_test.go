package nntp_test

import (
	"io"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/userfile/cache"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// TestKeepGroup keeps groups of INN with compression. The articles must be the same as without
// compression, and stored articles must not be fetched again.
func TestKeepGroup(t *testing.T) {
	addr := realserver.Nnrpd(t).Addr
	plain, c := &nntp.Client{Server: addr}, &nntp.Client{Server: addr, Copies: &cache.Store{}}
	defer plain.Close()
	defer c.Close()
	c.Copies.Keep(t.TempDir(), 64<<20)
	defer c.Copies.Close()
	for group, want := range map[string]int{"test.many": 300, "test.mime": 8, "test.charset": 0} {
		seen := make(map[string]bool)
		for again := range 2 {
			room, fetched, octets := int64(64<<20), 0, 0
			before, _ := c.Compressed()
			left, err := c.KeepGroup(t.Context(), protocols.Request{URL: urlcore.News{Group: group}}, func(note *protocols.ArticleNote) bool {
				seen[note.MessageID] = true
				return true
			}, &room, func(size int) { fetched, octets = fetched+1, octets+size })
			fetchtest.NoError(t, err)
			after, _ := c.Compressed()
			if want == 0 {
				want = len(seen)
			}
			if left > 0 || fetched != want*(1-again) || len(seen) != want || room != 64<<20-int64(want)*4096 || after == before {
				t.Errorf("KeepGroup of %s, time %d: %d of %d articles fetched, %d left out, %d octets of room remain; want %d articles, all fetched the first time, none left out", group, again+
					1, fetched, len(seen), left, room, want)
			}
			t.Logf("%s: %d articles, %d octets, all received as %d", group, fetched, octets, after-before)
		}
		for id := range seen {
			var texts [2]string
			for i, client := range []*nntp.Client{plain, c} {
				r := fetchtest.Must(client.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: id}}))(t)
				texts[i] = string(fetchtest.Must(io.ReadAll(r.Body))(t))
				_ = r.Close()
			}
			fetchtest.Equal(t, texts[1], texts[0], "article %s", id)
		}
	}
	if received, octets := c.Compressed(); received == 0 || received > octets/2 {
		t.Errorf("Compressed() = %d, %d; want half the octets or less", received, octets)
	}
}
