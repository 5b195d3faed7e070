package nfs_test

import (
	"strings"
	"testing"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/nfs"
	"gofer/urlcore"
)

func newClient(d wire.Dialer) protocols.Fetcher { return &nfs.Client{Dialer: d} }

// startServer starts a server of some files and links. It returns the octets of the files by path.
func startServer(t *testing.T, exports ...string) (*demo.NFSServer, map[string]string) {
	t.Helper()
	root := afero.NewMemMapFs()
	files := map[string]string{
		"README": "read me\n", "pub/lf.txt": "one\ntwo\n", "pub/octets.bin": "\x00\x01\xff\r\n", "pub/sub/a.txt": "below\n",
		"home/joe/b.txt": "joe's\n", "large.bin": strings.Repeat("0123456789abcde\n", 1<<21),
	}
	for _, name := range realserver.OddNames() {
		files["names/"+name] = "name: " + name + "\n"
	}
	for name, data := range files {
		fetchtest.NoError(t, afero.WriteFile(root, "/"+name, []byte(data), 0o644))
	}
	fetchtest.NoError(t, root.MkdirAll("/empty", 0o755))
	links := map[string]string{
		"/pub/up": "../README", "/pub/dir": "sub", "/pub/absolute": "/home/joe", "/pub/twice": "dir/../up", "/pub/loop": "loop", "/pub/nowhere": "gone.txt",
		"/pub/away": "/empty",
	}
	return fetchtest.CloseAtEnd(demo.StartNFS(root, links, exports...))(t), files
}

func targetOf(s *demo.NFSServer, files map[string]string) fetchtest.Target {
	base := "nfs://" + s.Addr()
	return fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: base + "/names/", Layout: protocols.LayoutDirectory, Lines: len(realserver.OddNames()), Contains: []string{"plain.txt"}},
			{URL: base + "/README", Contains: []string{"read me"}},
			{URL: base + "/names", Lines: len(realserver.OddNames())},
			{URL: base + "//README", Contains: []string{"read me"}},
			{URL: base + "/pub/octets.bin", Contains: []string{"\x00\x01\xff\r\n"}},
			{URL: base + "/pub/up", Contains: []string{"read me"}},
			{URL: base + "/pub/dir/a.txt", Contains: []string{"below"}},
			{URL: base + "/pub/twice", Contains: []string{"read me"}},
			{URL: base + "/pub/absolute/b.txt", Contains: []string{"joe's"}},
			{URL: base + "/pub/absolute/../joe/b.txt", Contains: []string{"joe's"}},
			{URL: base + "/empty/", Empty: true},
		},
		Large:    base + "/large.bin",
		Missing:  []string{base + "/no-such.txt", base + "/no-such/", base + "/README/", base + "/pub/loop"},
		WalkFrom: []string{base + "/"},
		MayFail: func(u urlcore.URL) bool {
			return strings.HasSuffix(u.String(), "/loop") || strings.HasSuffix(u.String(), "/nowhere")
		},
		Known: func(u urlcore.URL) ([]byte, bool) {
			data, ok := files[strings.Join(u.(urlcore.NFS).Names(), "/")]
			return []byte(data), ok
		},
	}
}

func TestConformance(t *testing.T) {
	s, files := startServer(t)
	fetchtest.Run(t, targetOf(s, files))
}

// TestMount runs the suite with a server without a public file handle and without READDIRPLUS.
func TestMount(t *testing.T) {
	s, files := startServer(t, "/empty", "/home/joe", "/pub", "/names", "/")
	s.RefusePublicHandle()
	s.RefuseReaddirplus()
	fetchtest.RunWithoutFaults(t, targetOf(s, files))
}
