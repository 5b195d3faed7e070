package newsreader

import (
	"context"
	"io"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/room/roomtest"
	"gofer/urlcore"
)

// TestSendPostsOnce checks that the unsent articles of a server are not sent twice at the same time.
func TestSendPostsOnce(t *testing.T) {
	p := roomtest.New(1, protocols.Head{URL: fetchtest.Parse(t, "news:g.one"), Layout: protocols.LayoutArticles})
	sent := 0
	r := New(p, Options{Stores: func() Stores {
		return Stores{Send: func(context.Context, urlcore.URL) []string { sent++; return []string{"posted First"} }}
	}})
	first := r.SendPosts(p.Tab(), io.EOF)
	fetchtest.Equal(t, r.SendPosts(p.Tab(), io.EOF) == nil, true, "nothing is sent while articles are being sent")
	p.Run(first)
	p.Run(r.SendPosts(p.Tab(), io.EOF))
	fetchtest.Equal(t, sent, 2, "attempts")
	fetchtest.EqualSlices(t, p.Notices, []string{"posted First", "posted First"}, "notices")
}
