package upload_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestClashRefused checks that an item that cannot be replaced gets its name back. Then only the file stored in part
// may be removed. An item that an interrupted mirror renamed must be reported.
func TestClashRefused(t *testing.T) {
	random := regexp.MustCompile(`(mirror-)\w+`)
	for _, tt := range []struct {
		m     *memoryServer
		here  string
		there []string
		want  string
		left  string
	}{
		{
			&memoryServer{refusesPut: "b"}, "b",
			[]string{"b/", "z"},
			"rename b .gofer-mirror-*, put b, remove b, rename .gofer-mirror-* b", "[b: Server error (552)]",
		},
		{
			&memoryServer{refusesPut: "A"}, "A",
			[]string{"a", "z"},
			"rename a .gofer-mirror-*, put A, remove A, rename .gofer-mirror-* a", "[A: Server error (552)]",
		},
		{
			&memoryServer{refusesMkdir: true, sameEverywhere: true}, "b/x",
			[]string{"b", "z"},
			"rename b .gofer-mirror-*, rename .gofer-mirror-* b",
			"[b: Permission denied by the server (550) b/x: its directory was left out]",
		},
		{&memoryServer{refusesPut: "c"}, "c", []string{"z"}, "put c", "[c: Server error (552)]"},
		{
			&memoryServer{refusesRename: true}, "b",
			[]string{"b/", "z"},
			"rename b .gofer-mirror-*",
			"[b: it could not be renamed to .gofer-mirror-*: Permission denied by the server (550)]",
		},
		{
			&memoryServer{}, "b",
			[]string{".gofer-mirror-A", "z"},
			"put b, remove z",
			"[.gofer-mirror-*: an interrupted mirror renamed an item to this name; rename it back, or remove it]",
		},
	} {
		dir, m := t.TempDir(), tt.m
		writeFile(t, filepath.Join(dir, tt.here), "a", 0o644, longAgo)
		m.files, m.loses, m.listing = make(map[string][]byte), func() bool { return false }, tt.there
		tr, _ := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true})
		fetchtest.Equal(t, random.ReplaceAllString(fmt.Sprint(tr.LeftOut()), "$1*"), tt.left)
		fetchtest.Equal(t, strings.Join(m.actions, ", "), tt.want)
		kept := !strings.Contains(tt.want, "remove z")
		fetchtest.Equal(
			t, strings.Contains(fmt.Sprint(tr.Remarks()), "nothing was removed: not everything was stored"), kept,
			"there is a remark",
		)
	}
}

// refusingServer is a server that stores a file, and then refuses it if the field refuse is true.
type refusingServer struct {
	upload.Server
	refuse bool
}

func (r refusingServer) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if err := r.Server.Put(ctx, u, up); err != nil || !r.refuse {
		return err
	}
	return &protocols.Error{Reason: protocols.ServerFailed, Code: 552}
}

// TestClashOnServers replaces a directory and a file of real servers, which first refuse the replacement.
func TestClashOnServers(t *testing.T) {
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s, dir := startServer(t, d), t.TempDir()
			to := filepath.Join(s.home, "clash")
			fetchtest.NoError(t, os.RemoveAll(to))
			for _, path := range []string{"a/u", "a/d  e/v", "B", "keep"} {
				writeFile(t, filepath.Join(to, path), path, 0o666, longAgo)
			}
			fetchtest.NoError(t, filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error { return os.Chmod(path, 0o777) }))
			writeFile(t, filepath.Join(dir, "a"), "a", 0o644, longAgo)
			writeFile(t, filepath.Join(dir, "b"), "b", 0o644, longAgo)
			before := readTree(t, to, false)
			for _, refuse := range []bool{true, false} {
				tr, err := store(t, &upload.Tree{
					Server: refusingServer{s, refuse}, Dir: dir, URL: ftpURL(t, s.url+"clash;type=d"), Update: true,
					Delete: true,
				})
				if !refuse {
					fetchtest.NoError(t, err)
					before = readTree(t, dir, false)
				}
				got := readTree(t, to, false)
				delete(got, "")
				delete(before, "")
				equalTrees(t, got, before)
				fetchtest.Equal(t, len(tr.LeftOut()), map[bool]int{true: 2}[refuse], "items left out (%v)", tr.LeftOut())
			}
			fetchtest.NoError(t, os.RemoveAll(to))
		})
	}
}
