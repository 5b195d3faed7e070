package about

import (
	"context"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestBookmarksPages(t *testing.T) {
	items := []Item{
		{URL: parse(t, "gopher://a.example/1"), Title: "A #good"},
		{URL: parse(t, "gopher://p.example/1"), Title: "P", Folder: "phlogs"},
		{URL: parse(t, "gopher://u.example/1"), Title: "Unix", Folder: "phlogs/unix & co"},
		{URL: parse(t, "news:a.b"), Title: "B #good", Folder: "phlogsters"},
		{URL: parse(t, "gopher://z.example/1"), Title: "Late", Folder: "phlogs/unix & co/z"}, // listed in its folder, not after B
	}
	c := &Client{Bookmarks: func(context.Context) ([]Item, error) { return items, nil }}
	const (
		all    = "menu|All bookmarks|about:bookmarks\n"
		search = "search|Search the bookmarks|about:bookmarks?\n"
	)
	for url, want := range map[string]string{
		"about:bookmarks/phlogs": search + all + "info|\ndirectory|phlogs|about:bookmarks/phlogs\nmenu|P  (p.example)|gopher://p.example/1\n" +
			"directory|unix & co|about:bookmarks/phlogs/unix%20%26%20co\n" +
			"menu|Unix  (u.example)|gopher://u.example/1\n" +
			"directory|z|about:bookmarks/phlogs/unix%20%26%20co/z\nmenu|Late  (z.example)|gopher://z.example/1\n",
		"about:bookmarks/phlogs/unix%20%26%20co": search + all +
			"info|\ndirectory|phlogs|about:bookmarks/phlogs\ndirectory|unix & co|about:bookmarks/phlogs/unix%20%26%20co\n" +
			"menu|Unix  (u.example)|gopher://u.example/1\n" +
			"directory|z|about:bookmarks/phlogs/unix%20%26%20co/z\nmenu|Late  (z.example)|gopher://z.example/1\n",
		"about:bookmarks?%23GOOD": search + all +
			"info|\nmenu|A #good  (a.example)|gopher://a.example/1\ninfo|\n" +
			"directory|phlogsters|about:bookmarks/phlogsters\ngroup|B #good  (news)|news:a.b\n",
		"about:bookmarks?unix%20phlog": search + all +
			"info|\ndirectory|phlogs|about:bookmarks/phlogs\n" +
			"directory|unix & co|about:bookmarks/phlogs/unix%20%26%20co\n" +
			"menu|Unix  (u.example)|gopher://u.example/1\n" +
			"directory|z|about:bookmarks/phlogs/unix%20%26%20co/z\nmenu|Late  (z.example)|gopher://z.example/1\n",
		"about:bookmarks?nothing": search + all + "info|\ninfo|No bookmark has all of these words in its URL, title, folder or tags.\n",
		"about:bookmarks/no":      search + all + "info|\ninfo|There is no bookmark in this folder.\n",
	} {
		got := strings.ReplaceAll(show(t, c, url), "other|All", "menu|All")
		fetchtest.Equal(t, got, want, "%s", url)
	}
	for _, folder := range []string{"a", "a/b", "a b/#?%", "ü"} {
		if got, ok := Folder(folderURL(folder)); !ok || got != folder {
			t.Errorf("Folder(folderURL(%q)) = %q, %v", folder, got, ok)
		}
	}
	for _, url := range []string{"about:bookmarks", "about:bookmarks?x", "about:history", "news:bookmarks"} {
		if folder, ok := Folder(parse(t, url)); ok {
			t.Errorf("Folder(%s) = %q, want none", url, folder)
		}
	}
	_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "about:bookmarks?")})
	if ask, ok := err.(*protocols.Ask); !ok || ask.Title != "Search the bookmarks" {
		t.Errorf("Fetch(about:bookmarks?): got the error %v, want a question for words", err)
	}
}
