//go:build unix

package userfile_test

import (
	"errors"
	"io/fs"
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
		if f, err := userfile.OpenFolder(path); err == nil {
			t.Errorf("OpenFolder(%s) = %s; want an error", path, f.Name())
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

// TestReadAt checks which files are read in a folder that other users may write to.
func TestReadAt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	fetchtest.NoError(t, os.WriteFile(path, []byte("12345"), 0o600))
	for _, tt := range []struct {
		name   string
		change func() error
		own    bool
		limit  int64
		want   error // any error if errAny
	}{
		{"of this user", func() error { return nil }, true, 5, nil},
		{"too large", func() error { return nil }, false, 4, errAny},
		{"writable by others", func() error { return os.Chmod(path, 0o622) }, true, 5, userfile.ErrNotOnlyYours},
		{"writable by others, as any file", func() error { return nil }, false, 5, nil},
		{
			"with two names", func() error { return errors.Join(os.Chmod(path, 0o644), os.Link(path, path+"2")) }, true,
			5, userfile.ErrNotOnlyYours,
		},
		{"a link", func() error { return errors.Join(os.Remove(path), os.Symlink(path+"2", path)) }, false, 5, errAny},
		{"a named pipe", func() error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) }, false, 5, errAny},
		{"no file", func() error { return os.Remove(path) }, false, 5, fs.ErrNotExist},
	} {
		fetchtest.NoError(t, tt.change(), tt.name)
		data, err := userfile.ReadNoFollow(path, tt.limit, tt.own)
		if tt.want == errAny && err == nil || tt.want != errAny && !errors.Is(err, tt.want) {
			t.Errorf("%s: ReadNoFollow: error %v, want %v", tt.name, err, tt.want)
		}
		if tt.want == nil && string(data) != "12345" {
			t.Errorf("%s: ReadNoFollow: %q, want the content", tt.name, data)
		}
	}
}

var errAny = errors.New("any error")
