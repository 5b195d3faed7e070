package upload_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestParents checks that missing directories above the directory of the server are planned and made.
func TestParents(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "s/f"), "f", 0o644, longAgo)
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s := startServer(t, d)
			to := filepath.Join(s.home, "above")
			fetchtest.NoError(t, os.RemoveAll(to))
			var actions []string
			tr := &upload.Tree{
				Server: s, Dir: dir, URL: ftpURL(t, s.url+"above/a%20b/c;type=d"), DryRun: true,
				Print: func(action string) { actions = append(actions, action) },
			}
			_, err := store(t, tr)
			fetchtest.NoError(t, err)
			fetchtest.Equal(
				t, strings.Join(actions, ", "),
				"make directory notes/above, make directory notes/above/a%20b, make directory notes/above/a%20b/c, make directory s, put s/f",
			)
			fetchtest.Equal(t, tr.MissingDirs(), 4, "directories to be made")
			if _, err := os.Stat(to); err == nil {
				t.Error("a dry run makes directories")
			}
			tr, err = store(t, &upload.Tree{Server: s, Dir: dir, URL: tr.URL})
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, tr.Progress().MadeDirs, 4, "directories")
			equalTrees(t, readTree(t, filepath.Join(to, "a b/c/s"), false), readTree(t, filepath.Join(dir, "s"), false))
			fetchtest.NoError(t, os.RemoveAll(to))
		})
	}
}

// hookServer is a server that calls the function do before each upload.
type hookServer struct {
	*memoryServer
	do func()
}

func (b hookServer) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	b.do()
	return b.memoryServer.Put(ctx, u, up)
}

// TestFilesGoneAfterPlan checks that a file that is removed, or replaced by a directory, after Plan is left out, and
// that the item of the server is neither removed nor replaced.
func TestFilesGoneAfterPlan(t *testing.T) {
	for _, tt := range []struct{ there, want string }{
		{"", "put a"},
		{"b", "put a"},
		{"b/", "put a"},
	} {
		for _, replaced := range []bool{false, true} {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
			path := filepath.Join(dir, "b")
			writeFile(t, path, "b", 0o644, longAgo)
			m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }}
			if tt.there != "" {
				m.listing = []string{tt.there}
			}
			lost := false
			tr := &upload.Tree{Server: hookServer{m, func() {
				if !lost {
					lost = true
					fetchtest.NoError(t, os.Remove(path))
					if replaced {
						fetchtest.NoError(t, os.Mkdir(path, 0o755))
					}
				}
			}}, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true}
			fetchtest.NoError(t, tr.Plan(t.Context()))
			left := fetchtest.As[*mirror.PartialError](t, tr.Run(t.Context())).LeftOut
			tr.Close()
			fetchtest.Equal(t, len(left), 1, "items left out (%v)", left)
			fetchtest.Equal(t, left[0].Path, "b")
			fetchtest.Equal(t, strings.Join(m.actions, ", "), tt.want, "there is %q", tt.there)
		}
	}
}

// TestUnreadable checks that an item of the server is kept if its local file cannot be opened. Nothing must be
// removed if a part of the local directory cannot be read.
func TestUnreadable(t *testing.T) {
	for _, deep := range []bool{false, true} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
		path := filepath.Join(dir, "b")
		writeFile(t, path, "b", 0o644, longAgo)
		want, left := "put a, remove z", 1
		if deep { // the path gets too long, for root as well
			want, left = "put a", 2
			root := fetchtest.Must(os.OpenRoot(dir))(t)
			for range 20 {
				name := strings.Repeat("d", 250)
				fetchtest.NoError(t, root.Mkdir(name, 0o755))
				below := fetchtest.Must(root.OpenRoot(name))(t)
				fetchtest.NoError(t, root.Close())
				root = below
			}
			fetchtest.NoError(t, root.Close())
		}
		m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{"b/", "z"}}
		tr := &upload.Tree{Server: refusingFetcher{m, func(urlcore.URL) error {
			_ = os.Remove(path)
			return nil
		}}, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true}
		tr, err := store(t, tr)
		if got := fetchtest.As[*mirror.PartialError](t, err).LeftOut; len(got) != left {
			t.Errorf("left out %v, want %d items", got, left)
		}
		acts := slices.DeleteFunc(m.actions, func(act string) bool { return strings.Contains(act, "ddd") })
		fetchtest.Equal(t, strings.Join(acts, ", "), want)
		fetchtest.Equal(t, strings.Contains(fmt.Sprint(tr.Remarks()), "could not be read"), deep, "there is a remark")
	}
}

// TestRemoveRetried checks that a removal that is refused after a lost connection succeeds only if the item is gone.
func TestRemoveRetried(t *testing.T) {
	for _, tt := range []struct {
		gone bool
		left string
	}{
		{true, "[]"},
		{false, "[z: Not found (550)]"},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
		synctest.Test(t, func(t *testing.T) {
			m := &memoryServer{files: make(map[string][]byte), listing: []string{"b", "z"}, refusesRemove: "z", removeReason: protocols.NotFound}
			lost := false
			m.loses = func() bool {
				if lost || len(m.actions) != 2 { // any request except the removal of z
					return false
				}
				if lost = true; tt.gone {
					m.listing = []string{"b"}
				}
				return true
			}
			tr, err := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true})
			fetchtest.Equal(t, fmt.Sprint(tr.LeftOut()), tt.left)
			fetchtest.Equal(t, err == nil, tt.gone, "all is removed")
		})
	}
}

// TestExtent checks the number of files to send, how many of them the server has, and how many may be unchanged.
func TestExtent(t *testing.T) {
	minute := longAgo.Truncate(time.Minute)
	for _, tt := range []struct {
		tree   *upload.Tree
		listed protocols.FileNote
		want   string
		modes  string // changes of modes
	}{
		{&upload.Tree{Replace: true}, protocols.FileNote{Size: 2, Modified: longAgo}, "1 file (x; replaces 1 file)", "put a 644, chmod a 644"},
		{
			&upload.Tree{Replace: true},
			protocols.FileNote{Size: 2, Modified: longAgo.Add(time.Hour)},
			"1 file (x; replaces 1 file, 1 newer on the server)", "put a 644, chmod a 644",
		},
		{&upload.Tree{Replace: true}, protocols.FileNote{Size: 1, Modified: minute}, "up to 1 file (x; replaces 1 file)", ""},
		{&upload.Tree{Replace: true}, protocols.FileNote{Size: 1, Modified: longAgo}, "0 files (x)", ""},
		{&upload.Tree{Update: true}, protocols.FileNote{Size: 1, Modified: longAgo}, "0 files (x)", "chmod a 644"},
		{&upload.Tree{Continue: true}, protocols.FileNote{Size: 2}, "up to 1 file (x; the server has 1 of that name)", "put a 644, chmod a 644"},
		{&upload.Tree{Force: true}, protocols.FileNote{Size: 1, Modified: minute}, "1 file (x; replaces 1 file)", "put a 644, chmod a 644"},
	} {
		tt.tree.Dir, tt.tree.URL = t.TempDir(), ftpURL(t, "ftp://ftp.example/d;type=d")
		writeFile(t, filepath.Join(tt.tree.Dir, "a"), "a", 0o644, longAgo)
		tt.listed.Mode = "rw-rw-rw-"
		m := &memoryServer{
			files: make(map[string][]byte), loses: func() bool { return false }, date: longAgo, listing: []string{"a"},
			note: tt.listed,
		}
		tt.tree.Server = m
		fetchtest.NoError(t, tt.tree.Plan(t.Context()))
		p := tt.tree.Progress()
		fetchtest.Equal(t, p.Extent("x"), tt.want)
		fetchtest.NoError(t, tt.tree.Run(t.Context()))
		tt.tree.Close()
		fetchtest.Equal(t, strings.Join(m.modes, ", "), tt.modes, "of %q", tt.want)
	}
}

// TestIncompleteListingAfterSend checks that a file with a control character in its name is not left out if the new
// listing is incomplete.
func TestIncompleteListingAfterSend(t *testing.T) {
	for _, part := range []bool{false, true} {
		for _, name := range []string{"d\ax/k", "k\a"} {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, name), "k", 0o644, longAgo)
			m := &memoryServer{
				files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{"z"},
				hidesFiles: true, partial: part,
			}
			tr, _ := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Force: true})
			fetchtest.Equal(t, len(tr.LeftOut()) == 0, part, "nothing is left out with %q (%v)", name, tr.LeftOut())
			fetchtest.Equal(t, string(m.files[filepath.Base(name)]) == "k", part || name == "k\a", "%q is stored", name)
		}
	}
}

// TestKeepNewer checks that with KeepNewer, files that are newer on the server are not replaced, even if the listing
// does not show it.
func TestKeepNewer(t *testing.T) {
	dir, minute, later := t.TempDir(), longAgo.Truncate(time.Minute), longAgo.Add(time.Minute/2)
	writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
	denied := &protocols.Error{Reason: protocols.NotSupported, Code: 502}
	for _, tt := range []struct {
		name   string
		keep   bool
		listed protocols.FileNote
		date   time.Time // the answer of the server to a request for the date
		dates  error     // the error of setting the date
		puts   int
		left   string
	}{
		{"newer", true, protocols.FileNote{Size: 2, Modified: later}, later, nil, 0, "[a: it is newer on the server]"},
		{"newer, replaced", false, protocols.FileNote{Size: 2, Modified: later}, later, nil, 1, "[]"},
		{"newer, of equal size", true, protocols.FileNote{Size: 1, Modified: later}, later, nil, 0, "[a: it is newer on the server]"},
		{"newer, of equal size, replaced", false, protocols.FileNote{Size: 1, Modified: later}, later, nil, 1, "[]"},
		{"uploaded later to a server that keeps no dates", true, protocols.FileNote{Size: 1, Modified: later}, later, denied, 0, "[]"},
		{"newer in the same minute", true, protocols.FileNote{Size: 2, Modified: minute}, later, nil, 0, "[a: it is newer on the server]"},
		{"older in the same minute", true, protocols.FileNote{Size: 2, Modified: minute}, minute, nil, 1, "[]"},
		{"older", true, protocols.FileNote{Size: 2, Modified: minute.Add(-time.Hour)}, minute, nil, 1, "[]"},
		{"of another size and equal date", true, protocols.FileNote{Size: 2, Modified: longAgo}, longAgo, nil, 1, "[]"},
		{"unknown date", true, protocols.FileNote{Size: 2}, time.Time{}, nil, 1, "[]"},
	} {
		m := &memoryServer{
			files: make(map[string][]byte), loses: func() bool { return false }, date: tt.date, setDateErr: tt.dates,
			listing: []string{"a"}, note: tt.listed,
		}
		tr, _ := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Replace: true, KeepNewer: tt.keep})
		fetchtest.Equal(t, m.puts, tt.puts, "%s: puts", tt.name)
		fetchtest.Equal(t, fmt.Sprint(tr.LeftOut()), tt.left, "%s", tt.name)
	}
}

// TestIncompleteListing checks that a file that an incomplete listing lacks is not replaced without Force, and that the
// directory is reported if its surplus was to be removed.
func TestIncompleteListing(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
	for _, tt := range []struct {
		part, force bool
		want        string
	}{
		{false, false, "whole replace before=0"},
		{true, false, "whole before=0"},
		{true, true, "whole replace before=0"},
	} {
		m := &memoryServer{
			files: make(map[string][]byte), loses: func() bool { return false }, listing: []string{"z", "old/"},
			oldListing: []string{"x"}, partial: tt.part,
		}
		tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Force: tt.force, Delete: true}
		_, err := store(t, tr)
		fetchtest.Equal(t, err != nil, tt.part, "an error that names the directory, whose surplus may be unknown: %v", err)
		fetchtest.EqualSlices(t, m.putModes, []string{tt.want})
		fetchtest.EqualSlices(t, m.actions, []string{"put a", "remove x", "remove old", "remove z"})
	}
}
