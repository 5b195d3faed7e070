package about

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestKeptBundle checks that the pages of a bundle open without reading its map again, until another file is in its place.
func TestKeptBundle(t *testing.T) {
	const zip, page = "http://h.example/x.zip", "http://moles.example/"
	path := filepath.Join(t.TempDir(), "x.zip")
	write := func(text string) {
		fetchtest.NoError(t, os.WriteFile(path+".new", []byte(bundleOf(t, map[string][2]string{page: {"text/plain", text}})), 0o600))
		fetchtest.NoError(t, os.Rename(path+".new", path))
	}
	c, _ := bundleClient(t, nil)
	c.Open = func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		f := fetchtest.Must(os.Open(path))(t)
		info := fetchtest.Must(f.Stat())(t)
		body := &keptReader{io.NewSectionReader(f, 0, info.Size()), &keptFile{File: f}}
		return &protocols.Resource{Head: protocols.Head{URL: req.URL}, Body: body, Closer: f}, nil
	}
	at := fetchtest.Must(urlcore.Bundled(fetchtest.Parse(t, zip), fetchtest.Parse(t, page)))(t)
	fetch := func(want string) {
		res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: at}))(t)
		fetchtest.ReturnsText(t, want)(io.ReadAll(res.Body))
		fetchtest.NoError(t, res.Close())
	}
	write("one")
	fetch("one")
	first := c.lastBundle.last
	fetch("one")
	fetchtest.Equal(t, c.lastBundle.last == first, true, "the second page is of the same open bundle")
	write("two")
	fetch("two")
	if first.users != 0 {
		t.Errorf("the replaced bundle has %d users and is open; want none", first.users)
	}
}
