package upload_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
)

// entriesEnv is the variable with the number of files for TestRoundTrip.
const entriesEnv = "GOFER_TREE_ENTRIES"

// TestRoundTrip stores a tree with hard names on real servers, saves it from there, and compares octets, names, dates
// and modes. A link becomes a copy of its file, and names of more than 239 octets are cut when they are saved.
func TestRoundTrip(t *testing.T) {
	entries := 500
	if testing.Short() {
		entries = 200
	}
	if s := os.Getenv(entriesEnv); s != "" {
		entries = fetchtest.Must(strconv.Atoi(s))(t)
	}
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s, dir := startServer(t, d), makeHardTree(t)
			fetchtest.NoError(t, os.RemoveAll(filepath.Join(s.home, "round")))
			for i := range entries {
				writeFile(
					t, filepath.Join(dir, "many", fmt.Sprint(i%20), fmt.Sprintf("f%05d", i)),
					strings.Repeat(fmt.Sprint(i), i%100), 0o644, longAgo.Add(time.Duration(i)*time.Minute),
				)
			}
			fetchtest.NoError(t, os.Symlink("plain.txt", filepath.Join(dir, "link")))
			u := ftpURL(t, s.url+"round;type=d")
			tr, _ := store(t, &upload.Tree{Server: s, Dir: dir, URL: u, Update: true, Names: mirror.Names{Raw: true}})
			want := readTree(t, dir, false)
			want["/link"] = want["/plain.txt"]
			for _, left := range tr.LeftOut() {
				if d.Name != "pure-ftpd" ||
					strings.Trim(left.Path, " ") == left.Path && !strings.Contains(filepath.Base(left.Path), " ") && !strings.Contains(left.Path, `\`) {
					t.Error(left)
				}
				delete(want, "/"+left.Path)
			}
			fetchtest.Equal(t, len(tr.Remarks()) > 0, true, "a remark on the link")

			m := &download.Manager{Fetcher: s, RawNames: true}
			defer m.Close()
			back := filepath.Join(t.TempDir(), "back")
			it, _ := m.Add(download.Request{URL: u, Path: back, Tree: true, Mirror: new(download.UpdateOptions)})
			st := it.Wait()
			for _, left := range st.LeftOut {
				t.Error(left)
			}
			saved := make(map[string]string)
			for path, item := range want {
				names := strings.Split(path, "/")
				for i, name := range names {
					if len(name) > 239 {
						names[i] = name[:200]
					}
				}
				saved[strings.Join(names, "/")] = item
			}
			got := readTree(t, back, false)
			maps.DeleteFunc(got, func(path, _ string) bool {
				name := filepath.Base(path)
				return d.Name == "pure-ftpd" && (name == "_leading.txt" ||
					name == "trailing_") // pure-ftpd stores " leading.txt" and "trailing " under these names
			})
			equalTrees(t, got, saved)
			fetchtest.NoError(t, os.RemoveAll(filepath.Join(s.home, "round")))
		})
	}
}
