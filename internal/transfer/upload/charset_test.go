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
	"gofer/internal/text/charset"
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

// TestCharsetRoundTrip mirrors a directory whose names are in a charset, and stores the copy again. The local names are
// the text, and the names at the server stay the same octets.
func TestCharsetRoundTrip(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the file system of the server has only names in UTF-8")
	}
	for _, tt := range []struct {
		charset charset.Charset
		names   []string // local paths
		added   string   // a new local file
	}{
		{charset.Windows1251, []string{"Документы/", "Документы/Отчёт за год.txt", "Привет.txt", "plain.txt"}, "Новый файл.txt"},
		{charset.KOI8R, []string{"Музыка/", "Музыка/Песня.mp3", "Привет всем.txt"}, "Ещё один.txt"},
		{charset.Windows1252, []string{"Müller/", "Müller/Grüße aus Köln.txt", "Größe.txt"}, "Übung für später.txt"},
		{charset.ShiftJIS, []string{"日本語の文書.txt", "テストの結果です/", "テストの結果です/こんにちは世界.txt"}, "新しい文書.txt"},
		{charset.UTF8, []string{"Привет.txt", "Grüße.txt"}, "日本.txt"},
	} {
		t.Run(tt.charset.String(), func(t *testing.T) {
			root, local := filepath.Join(t.TempDir(), "pub"), filepath.Join(t.TempDir(), "copy")
			encode := func(name string) string {
				octets, _, ok := tt.charset.Encode(name)
				fetchtest.Equal(t, ok, true, "%s can be encoded", name)
				return filepath.Join(root, octets)
			}
			fetchtest.NoError(t, os.Mkdir(root, 0o700))
			for _, name := range tt.names {
				if dir, ok := strings.CutSuffix(name, "/"); ok {
					fetchtest.NoError(t, os.Mkdir(encode(dir), 0o700))
				}
			}
			for _, name := range tt.names {
				if !strings.HasSuffix(name, "/") {
					fetchtest.NoError(t, os.WriteFile(encode(name), []byte(name), 0o600))
				}
			}
			s := fetchtest.CloseAtEnd(demo.StartFTP(afero.NewBasePathFs(afero.NewOsFs(), filepath.Dir(root))))(t)
			c := &ftp.Client{PlainPasswords: true}
			defer c.Close()
			server, u := writingServer{server{protocols.Registry{"ftp": c}, c, "", ""}, filepath.Dir(root)}, ftpURL(t, "ftp://"+s.Addr()+"/pub;type=d")
			get := func(options *download.UpdateOptions) *download.Status {
				m := &download.Manager{Fetcher: server}
				defer m.Close()
				it, _ := m.Add(download.Request{URL: u, Path: local, Tree: true, Mirror: options})
				st := it.Wait()
				fetchtest.NoError(t, st.Err)
				return &st
			}
			get(new(download.UpdateOptions))
			checkPaths(t, local, tt.names, "after the first mirror")
			st := get(&download.UpdateOptions{Delete: true})
			checkPaths(t, local, tt.names, "after the second mirror")
			if st.Changes.New+st.Changes.Changed+st.Changes.Removed > 0 {
				t.Errorf("the second mirror: %+v, want no changes", st.Changes)
			}

			before := paths(t, root)
			fetchtest.NoError(t, os.WriteFile(filepath.Join(local, filepath.FromSlash(tt.added)), []byte("new"), 0o600))
			for range 2 { // without the index, the listing shows which names are the same
				tr, err := store(t, &upload.Tree{Server: server, Dir: local, URL: u, Update: true, Delete: true})
				if err != nil {
					t.Errorf("%v: %v", err, tr.LeftOut())
				}
				fetchtest.Equal(t, tr.Progress().Removed, 0, "number of removed items")
				want := append(slices.Clone(before), strings.TrimPrefix(encode(tt.added), root+"/"))
				slices.Sort(want)
				fetchtest.EqualSlices(t, paths(t, root), want, "paths at the server")
				_ = os.Remove(filepath.Join(local, mirror.IndexName))
			}
		})
	}
}

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
			server, u := writingServer{server{protocols.Registry{"ftp": c}, c, "", ""}, filepath.Dir(root)}, ftpURL(t, "ftp://"+s.Addr()+"/pub;type=d")
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

// TestRawNames checks that the names at the server are the local names, if the user wants this.
func TestRawNames(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the file system has only names in UTF-8")
	}
	root, local := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	const name = "\xcf\xf0\xe8\xe2\xe5\xf2.txt"
	fetchtest.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	s := fetchtest.CloseAtEnd(demo.StartFTP(afero.NewBasePathFs(afero.NewOsFs(), root)))(t)
	c := &ftp.Client{PlainPasswords: true}
	defer c.Close()
	m := &download.Manager{Fetcher: protocols.Registry{"ftp": c}, RawNames: true}
	defer m.Close()
	it, _ := m.Add(download.Request{URL: ftpURL(t, "ftp://"+s.Addr()+"/;type=d"), Path: local, Tree: true, Mirror: new(download.UpdateOptions)})
	fetchtest.NoError(t, it.Wait().Err)
	fetchtest.EqualSlices(t, paths(t, local), []string{name})
}

// TestOctets checks the names for new files, and that the charset that the user has chosen has priority.
func TestOctets(t *testing.T) {
	const hello = "\xcf\xf0\xe8\xe2\xe5\xf2" // Привет in windows-1251
	for _, tt := range []struct {
		chosen      charset.Charset
		listed      []string
		local, want string
	}{
		{charset.Auto, nil, "Привет", "Привет"},
		{charset.Auto, []string{hello}, "Привет", hello},
		{charset.Auto, []string{hello, "Привет"}, "Привет", "Привет"},
		{charset.Auto, []string{"Grüße"}, "Привет", "Привет"},
		{charset.Windows1251, nil, "Привет", hello},
		{charset.Windows1251, nil, "日本", "日本"},
		{charset.KOI8R, []string{hello}, "оПХБЕР", hello},
		{charset.Windows1251, nil, hello, hello},
		{charset.Windows1251, nil, "a", "a"},
	} {
		n := mirror.Names{Chosen: tt.chosen}
		for _, name := range tt.listed {
			n.LearnName(name)
		}
		fetchtest.Equal(t, n.Octets(tt.local, n.ByText(tt.listed)), tt.want, "octets of %q, chosen charset %s, listed names %q", tt.local, tt.chosen, tt.listed)
	}
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
