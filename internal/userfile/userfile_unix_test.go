//go:build unix

package userfile_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile"
)

// TestReadIrregular checks that only regular files are read, without blocking on others.
func TestReadIrregular(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	fetchtest.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	fetchtest.NoError(t, os.Symlink("loop", at("loop")))
	t.Chdir(dir) // the path of a socket must be short
	l := fetchtest.Must(net.Listen("unix", "socket"))(t)
	defer l.Close()
	for path, want := range map[string]string{
		at("pipe"):   "it is a named pipe, not a regular file",
		at("socket"): "it is a socket, not a regular file",
		os.DevNull:   "it is a device, not a regular file",
		at("loop"):   "too many levels of symbolic links",
	} {
		if data, err := userfile.Read(path, 8); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %q, %v; want %q in the error", path, data, err, want)
		}
		if _, err := userfile.Stat(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Stat(%s): got the error %v, want %q in it", path, err, want)
		}
	}
}

func TestReplaceKeepsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, mode := range []os.FileMode{0o600, 0o640} {
		fetchtest.NoError(t, userfile.Replace(path, []byte("x")))
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != mode {
			t.Errorf("the mode is %v, %v; want %v", fi.Mode(), err, mode)
		}
		fetchtest.NoError(t, os.Chmod(path, 0o640))
	}
}
