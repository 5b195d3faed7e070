package upload_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/urlcore"
)

// writingServer stores files in the directory of a read-only server.
type writingServer struct {
	server
	root string
}

func (s writingServer) Put(_ context.Context, u urlcore.URL, up *protocols.Upload) error {
	f := u.(urlcore.FTP)
	data, err := io.ReadAll(up.Body)
	path := filepath.Join(append([]string{s.root}, append(f.CWDs(), f.Name())...)...)
	up.DateKept, up.ModeKept = true, true
	return errors.Join(err, os.WriteFile(path, data, 0o600), os.Chtimes(path, up.Modified, up.Modified))
}

func (writingServer) Change(context.Context, *protocols.Change) (urlcore.URL, error) { return nil, nil }

// TestNameInAnotherCharset mirrors a directory with a name in a charset again after the server has got the name in UTF-8,
// and stores the copy. Each file goes to the name that it comes from.
func TestNameInAnotherCharset(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the file system of the server has only names in UTF-8")
	}
	const name, octets = "Отчёт за год.txt", "\xce\xf2\xf7\xb8\xf2 \xe7\xe0 \xe3\xee\xe4.txt"
	for _, tt := range []struct {
		test    string
		removed string
		want    map[string]string // the content of the files at the server
	}{
		{"the file is renamed", octets, map[string]string{name: "changed here"}},
		{"both names are there", "", map[string]string{name: "changed here", octets: "old"}},
	} {
		t.Run(tt.test, func(t *testing.T) {
			root, local := filepath.Join(t.TempDir(), "pub"), filepath.Join(t.TempDir(), "copy")
			fetchtest.NoError(t, errors.Join(os.Mkdir(root, 0o700), os.WriteFile(filepath.Join(root, octets), []byte("old"), 0o600)))
			s := fetchtest.CloseAtEnd(demo.StartFTP(afero.NewBasePathFs(afero.NewOsFs(), filepath.Dir(root))))(t)
			c := &ftp.Client{PlainPasswords: true}
			defer c.Close()
			server, u := writingServer{
				server{protocols.Registry{"ftp": c}, c, "", ""}, filepath.Dir(root),
			}, ftpURL(t, "ftp://"+s.Addr()+"/pub;type=d")
			mirrorTree := func() {
				m := &download.Manager{Fetcher: server}
				defer m.Close()
				it, _ := m.Add(download.Request{URL: u, Path: local, Tree: true, Mirror: &download.UpdateOptions{Delete: true}})
				st := it.Wait()
				fetchtest.NoError(t, st.Err)
			}
			mirrorTree()
			checkPaths(t, local, []string{name}, "after the first mirror")
			fetchtest.NoError(t, os.WriteFile(filepath.Join(root, name), []byte("new text"), 0o600))
			if tt.removed != "" {
				fetchtest.NoError(t, os.Remove(filepath.Join(root, tt.removed)))
			}
			mirrorTree()
			before := paths(t, root)
			fetchtest.NoError(t, os.WriteFile(filepath.Join(local, name), []byte("changed here"), 0o600))
			_, err := store(t, &upload.Tree{Server: server, Dir: local, URL: u, Update: true})
			fetchtest.NoError(t, err)
			fetchtest.EqualSlices(t, paths(t, root), before, "paths at the server")
			for file, want := range tt.want {
				data, _ := os.ReadFile(filepath.Join(root, file))
				fetchtest.Equal(t, string(data), want, "content of %q", file)
			}
		})
	}
}

func checkPaths(t *testing.T, dir string, names []string, when string) {
	t.Helper()
	want := make([]string, len(names))
	for i, name := range names {
		want[i] = strings.TrimSuffix(name, "/")
	}
	slices.Sort(want)
	fetchtest.EqualSlices(t, paths(t, dir), want, "local paths %s", when)
}

// paths returns the sorted paths of the items in dir, without the index.
func paths(t *testing.T, dir string) (all []string) {
	t.Helper()
	for path := range readTree(t, dir, false) {
		if path = strings.Trim(path, "/"); path != "" && path != mirror.IndexName {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// TestReadNames checks that an index cannot give a file the name of another file.
func TestReadNames(t *testing.T) {
	dir := t.TempDir()
	names := map[string]string{
		"Привет.txt":    "\xcf\xf0\xe8\xe2\xe5\xf2.txt",
		"d/Привет.txt":  "\xf0\xd2\xc9\xd7\xc5\xd4.txt",
		"notes.txt":     "other.txt",
		"Привет":        "../\xcf\xf0\xe8\xe2\xe5\xf2",
		"Другой":        "\xcf\xf0\xe8\xe2\xe5\xf2",
		"Привет(9).txt": "\xcf\xf0\xe8\xe2\xe5\xf2.txt",
	}
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, mirror.IndexName), mirror.EncodeNames(names), 0o600))
	read := mirror.ReadNames(dir)
	fetchtest.Equal(t, len(read), 3, "number of names in %q", read)
	for _, path := range []string{"Привет.txt", "d/Привет.txt", "Привет(9).txt"} {
		fetchtest.Equal(t, read[path], names[path], path)
	}
}
