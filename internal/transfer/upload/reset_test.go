package upload_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ftp"
)

// equalContents fails the test unless the directory got has each file of the directory want, with the same content.
func equalContents(t *testing.T, got, want string) {
	t.Helper()
	fetchtest.NoError(t, filepath.WalkDir(want, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name := fetchtest.Must(filepath.Rel(want, path))(t)
		stored := fetchtest.Must(os.ReadFile(filepath.Join(got, name)))(t)
		fetchtest.Equal(t, string(stored) == string(fetchtest.Must(os.ReadFile(path))(t)), true, "%s is complete", name)
		return nil
	}))
}

// TestResetConnections stores a tree on real servers while connections are reset at random octets and new ones
// are refused for some attempts. It checks that all files are complete. The process of a reset session may still
// write its last octets, and so change the date of a file. The next update must then set the date again.
func TestResetConnections(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		writeFile(
			t, filepath.Join(dir, fmt.Sprint(i%3), fmt.Sprint("sub", i%2), fmt.Sprint("file", i)),
			strings.Repeat(fmt.Sprintln("line of", i), 100*i), 0o644, longAgo,
		)
	}
	want := readTree(t, dir, false)
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, d)
			put := func(g *fetchtest.FlakyRelay) {
				to := filepath.Join(s.home, "reset")
				fetchtest.NoError(t, os.RemoveAll(to))
				update := func(c *ftp.Client) {
					s := server{protocols.Registry{"ftp": c}, c, s.url, s.home}
					tr, err := store(t, &upload.Tree{
						Server: s, Dir: dir, URL: ftpURL(t, s.url+"reset;type=d"), Update: true,
						Retry: mirror.Retry{Pause: time.Millisecond},
					})
					fetchtest.NoError(t, err)
					for _, left := range tr.LeftOut() {
						t.Error(left)
					}
					fetchtest.NoError(t, c.Close())
				}
				update(&ftp.Client{PlainPasswords: true, Dialer: wire.Dialer{Proxies: g}})
				endSessions(t, to)
				equalContents(t, to, dir)
				update(&ftp.Client{PlainPasswords: true})
				equalTrees(t, readTree(t, to, false), want)
				fetchtest.NoError(t, os.RemoveAll(to))
				g.Check()
			}
			whole := fetchtest.NewFlakyRelay(t, 0, 0)
			put(whole)
			for round := range 6 {
				put(fetchtest.NewFlakyRelay(t, 1+round%3, whole.Passed()))
			}
		})
	}
}
