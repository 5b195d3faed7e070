//go:build unix

package file

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// endHook is a reader that calls a function at the end.
type endHook struct {
	io.Reader
	atEnd func()
}

func (h endHook) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err == io.EOF {
		h.atEnd()
	}
	return n, err
}

func partIn(t *testing.T, dir string) string {
	t.Helper()
	found := fetchtest.Must(filepath.Glob(dir + "/.gofer-part-*"))(t)
	fetchtest.Equal(t, len(found), 1, "parts")
	return found[0]
}

// TestModeOfStoredFile checks that a stored file has no more permissions than its mode and the umask allow, that only its owner
// can read it before it is complete, and that a replaced file keeps its mode.
func TestModeOfStoredFile(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	root := writeFiles(t, map[string]string{"old": "x"})
	fetchtest.NoError(t, os.Chmod(root+"/old", 0o666|fs.ModeSetuid))
	for _, tt := range []struct {
		name, mode string
		want       fs.FileMode
	}{{"plain", "", 0o640}, {"run", "777", 0o750}, {"secret", "600", 0o600}, {"setuid", "6755", 0o750}, {"old", "777", 0o666}} {
		up := &protocols.Upload{Size: -1, Mode: tt.mode, Replace: true, Modified: time.Unix(1e9, 0)}
		up.Body = endHook{strings.NewReader("new"), func() {
			fetchtest.Equal(t, fetchtest.Must(os.Stat(partIn(t, root)))(t).Mode(), fs.FileMode(0o600), "mode of the part of %s", tt.name)
		}}
		fetchtest.NoError(t, new(Client).Put(t.Context(), urlOf(t, root+"/"+tt.name), up))
		fetchtest.Equal(t, fetchtest.Must(os.Stat(root+"/"+tt.name))(t).Mode(), tt.want, "mode of %s", tt.name)
	}
	for mode, want := range map[string]fs.FileMode{"": 0o750, "700": 0o700, "555": 0o750} {
		_, err := new(Client).Change(t.Context(), &protocols.Change{Kind: protocols.MakeDirectory, URL: urlOf(t, root+"/"), Name: "d" + mode, Mode: mode})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, fetchtest.Must(os.Stat(root+"/d"+mode))(t).Mode().Perm(), want, "mode of a directory of mode %q", mode)
	}
}

// TestReplacedPart checks that a link or file that another user puts in the place of a part gets neither the mode nor the date nor
// the name of the file, and is not removed.
func TestReplacedPart(t *testing.T) {
	root, victim := writeFiles(t, map[string]string{"f": "old"}), writeFiles(t, map[string]string{"key": "secret"})
	fetchtest.NoError(t, os.Chmod(root+"/f", 0o666))
	fetchtest.NoError(t, os.Chmod(victim+"/key", 0o600))
	before := fetchtest.Must(os.Stat(victim + "/key"))(t)
	up := &protocols.Upload{Size: -1, Replace: true, Modified: time.Unix(1e9, 0)}
	part := ""
	up.Body = endHook{strings.NewReader("new"), func() {
		part = partIn(t, root)
		fetchtest.NoError(t, os.Remove(part))
		fetchtest.NoError(t, os.Symlink(victim+"/key", part))
	}}
	if err := new(Client).Put(t.Context(), urlOf(t, root+"/f"), up); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("got %v", err)
	}
	after := fetchtest.Must(os.Stat(victim + "/key"))(t)
	fetchtest.Equal(t, after.Mode(), before.Mode(), "mode")
	fetchtest.Equal(t, after.ModTime(), before.ModTime(), "date")
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(root+"/f"))(t)), "old", "the file")
	fetchtest.Equal(t, fetchtest.Must(os.Readlink(part))(t), victim+"/key", "the link of the other user")
}

// TestOwnerOfReplacedFile checks that root keeps the owner of a file that it replaces, and that another user does not replace
// a file whose owner would change.
func TestOwnerOfReplacedFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a file of another user")
	}
	root := writeFiles(t, map[string]string{"f": "old"})
	fetchtest.NoError(t, os.Chown(root+"/f", 1234, 2345))
	put := func() error {
		return new(Client).Put(t.Context(), urlOf(t, root+"/f"), &protocols.Upload{Size: -1, Replace: true, Body: strings.NewReader("new")})
	}
	fetchtest.NoError(t, put())
	st := fetchtest.Must(os.Stat(root + "/f"))(t).Sys().(*syscall.Stat_t)
	fetchtest.Equal(t, [2]uint32{st.Uid, st.Gid}, [2]uint32{1234, 2345}, "owner and group")
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(root+"/f"))(t)), "new", "content")
	if runtime.GOOS != "linux" {
		return
	}
	const oPath = 0x200000 // O_PATH
	old := fetchtest.Must(os.Lstat(root + "/f"))(t)
	fetchtest.NoError(t, os.WriteFile(root+"/g", nil, 0o600))
	file := fetchtest.Must(os.OpenFile(root+"/g", oPath, 0))(t) // cannot be changed
	defer file.Close()
	fetchtest.ErrorIs(t, keepOwner(file, old), errOwner, "a change of the owner that the system refuses")
}
