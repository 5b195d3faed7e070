//go:build unix

package userfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile"
)

func TestMakePrivate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	fetchtest.NoError(t, errors.Join(os.Mkdir(at("open"), 0o700), os.Chmod(at("open"), 0o777), os.WriteFile(at("file"), nil, 0o600)))
	for name, want := range map[string]os.FileMode{"a/b": 0o700, "open": 0o755} {
		fetchtest.NoError(t, userfile.MakePrivate(at(name)))
		fetchtest.Equal(t, fetchtest.Must(os.Stat(at(name)))(t).Mode().Perm(), want, "mode of %s", name)
	}
	if err := userfile.MakePrivate(at("file")); err == nil {
		t.Error("MakePrivate of a file: got no error, want one")
	}
	if os.Geteuid() == 0 {
		fetchtest.NoError(t, os.Chown(at("open"), 65534, -1))
		fetchtest.ErrorIs(t, userfile.MakePrivate(at("open")), userfile.ErrNotOwn, "a folder of another user")
	}
}
