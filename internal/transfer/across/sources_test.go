package across_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer"
	"gofer/internal/transfer/across"
	"gofer/protocols"
	"gofer/protocols/gopher"
	"gofer/protocols/web"
	"gofer/urlcore"
)

// TestReadOnlySources copies the items of a Gopher menu and of the index of a web server to all kinds of directories: their names are
// those of a download, and their octets those of the server.
func TestReadOnlySources(t *testing.T) {
	s, places := startPlaces(t)
	s["gopher"], s["http"] = new(gopher.Client), new(web.Client)
	files := fstest.MapFS{"a.bin": {Data: []byte("\x00\xff\r\n.\r\n")}, "b.txt": {Data: []byte("text\n")}, "sub/c.txt": {Data: []byte("c")}}
	menu := fetchtest.Must(demo.StartGopher(files))(t)
	t.Cleanup(func() { _ = menu.Close() })
	index := fetchtest.Must(demo.StartWeb(files))(t)
	t.Cleanup(func() { _ = index.Close() })
	for _, page := range []string{menu.URL(), index.URL()} {
		from := fetchtest.Must(urlcore.Parse(page))(t)
		var items []protocols.Line
		for _, name := range []string{"a.bin", "b.txt"} {
			items = append(items, protocols.Line{Text: name, Link: itemOf(t, from, name)})
		}
		items = append(items, protocols.Line{Text: "twice", Link: items[0].Link})
		leftOut := "a.bin"
		if from.Scheme() == "gopher" {
			items = append(items, protocols.Line{Text: "a menu", Kind: protocols.Menu, Link: from})
			leftOut = "127.0.0.1 a.bin"
		}
		for to, target := range places {
			t.Run(from.Scheme()+" to "+to, func(t *testing.T) {
				b := target.newSide(t, from.Scheme()+to)
				c := &across.Copy{Server: s, From: from, To: b.url, Items: items}
				fetchtest.NoError(t, c.Plan(t.Context()))
				_ = c.Run(t.Context(), quickWork())
				fetchtest.Equal(t, leftOutPaths(c), leftOut, "left out")
				text := "text\n"
				if from.Scheme() == "gopher" {
					text = "text\r\n"
				}
				wantFiles(t, b.path, map[string]string{"a.bin": "\x00\xff\r\n.\r\n", "b.txt": text})

				again := across.Restore(s, c.From, c.Encode())
				_ = again.Run(t.Context(), quickWork())
				fetchtest.Equal(t, again.Progress().Skipped, 3, "files that the target has")
			})
		}
	}
}

// leftOutPaths returns the paths of the items that were left out.
func leftOutPaths(c *across.Copy) string {
	var paths []string
	for _, l := range c.LeftOut() {
		paths = append(paths, l.Path)
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}

// itemOf returns the URL of a file on the page of a server.
func itemOf(t *testing.T, page urlcore.URL, name string) urlcore.URL {
	t.Helper()
	if page.Scheme() != "gopher" {
		return fetchtest.Must(urlcore.Parse(page.String() + name))(t)
	}
	_, lines, err := transfer.ReadAll(t.Context(), new(gopher.Client), protocols.Request{URL: page})
	fetchtest.NoError(t, err)
	for _, l := range lines {
		if l.Link != nil && strings.HasSuffix(l.Link.String(), name) {
			return l.Link
		}
	}
	t.Fatalf("no item %s", name)
	return nil
}
