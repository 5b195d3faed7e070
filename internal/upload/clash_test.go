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
	"gofer/internal/upload"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestClashRefused: an item that could not be replaced gets its name back, and no surplus item is removed.
func TestClashRefused(t *testing.T) {
	random := regexp.MustCompile(`(mirror-)\w+`)
	for _, tt := range []struct {
		m     *memory
		here  string
		there []string
		want  string
		left  string
	}{
		{&memory{full: "b"}, "b", []string{"b/", "z"}, "rename b .gofer-mirror-*, put b, remove b, rename .gofer-mirror-* b", "[b: Server error (552)]"},
		{&memory{full: "A"}, "A", []string{"a", "z"}, "rename a .gofer-mirror-*, put A, remove A, rename .gofer-mirror-* a", "[A: Server error (552)]"},
		{&memory{noMake: true, deep: true}, "b/x", []string{"b", "z"}, "rename b .gofer-mirror-*, rename .gofer-mirror-* b", "[b: Permission denied by the server (550) b/x: its directory was left out]"},
		{&memory{full: "c"}, "c", []string{"z"}, "put c", "[c: Server error (552)]"},
		{&memory{fixed: true}, "b", []string{"b/", "z"}, "rename b .gofer-mirror-*", "[b: it could not be renamed to .gofer-mirror-*: Permission denied by the server (550)]"},
		{&memory{}, "b", []string{".gofer-mirror-A", "z"}, "put b, remove z", "[.gofer-mirror-*: mirror has renamed an item of the directory to this name, to replace it: rename it back, or remove it]"},
	} {
		dir, m := t.TempDir(), tt.m
		write(t, filepath.Join(dir, tt.here), "a", 0o644, long)
		m.files, m.lose, m.lists = make(map[string][]byte), func() bool { return false }, tt.there
		tr, _ := store(t, &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: true, Delete: true})
		fetchtest.Equal(t, random.ReplaceAllString(fmt.Sprint(tr.LeftOut()), "$1*"), tt.left)
		fetchtest.Equal(t, strings.Join(m.acts, ", "), tt.want)
		kept := !strings.Contains(tt.want, "remove z")
		fetchtest.Equal(t, strings.Contains(fmt.Sprint(tr.Remarks()), "nothing was removed: not everything was stored"), kept, "a remark")
	}
}

// refusing is a server that stores a file, or a part of it, and then refuses it.
type refusing struct {
	upload.Server
	refuse bool
}

func (r refusing) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if err := r.Server.Put(ctx, u, up); err != nil || !r.refuse {
		return err
	}
	return &protocols.Error{Reason: protocols.ServerFailed, Code: 552}
}

// TestClashServers replaces a directory and a file of real servers, which refuse it at first.
func TestClashServers(t *testing.T) {
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s, dir := start(t, d), t.TempDir()
			to := filepath.Join(s.home, "clash")
			fetchtest.NoError(t, os.RemoveAll(to))
			for _, path := range []string{"a/u", "a/d  e/v", "B", "keep"} {
				write(t, filepath.Join(to, path), path, 0o666, long)
			}
			fetchtest.NoError(t, filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error { return os.Chmod(path, 0o777) }))
			write(t, filepath.Join(dir, "a"), "a", 0o644, long)
			write(t, filepath.Join(dir, "b"), "b", 0o644, long)
			before := tree(t, to, false)
			for _, refuse := range []bool{true, false} {
				tr, err := store(t, &upload.Tree{Server: refusing{s, refuse}, Dir: dir, URL: ftpURL(t, s.url+"clash;type=d"), Update: true, Delete: true})
				if !refuse {
					fetchtest.NoError(t, err)
					before = tree(t, dir, false)
				}
				got := tree(t, to, false)
				delete(got, "")
				delete(before, "")
				equalTrees(t, got, before)
				fetchtest.Equal(t, len(tr.LeftOut()), map[bool]int{true: 2}[refuse], "items left out:", fmt.Sprint(tr.LeftOut()))
			}
			fetchtest.NoError(t, os.RemoveAll(to))
		})
	}
}
