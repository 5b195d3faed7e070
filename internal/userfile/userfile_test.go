package userfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	fetchtest.NoError(t, os.WriteFile(whole, []byte("12345678"), 0o600))
	large := filepath.Join(dir, "large")
	f, err := os.Create(large)
	if err == nil {
		err = errors.Join(f.Truncate(1<<30), f.Close())
	}
	fetchtest.NoError(t, err)
	for _, tt := range []struct{ name, path, want, err string }{
		{"whole", whole, "12345678", ""},
		{"missing", filepath.Join(dir, "missing"), "", ""},
		{"below a file", filepath.Join(whole, "x"), "", ""},
		{"a directory", dir, "", "it is a directory, not a regular file"},
		{"too large", large, "", "it is too large: the limit is 8 B"},
	} {
		data, err := userfile.Read(tt.path, 8)
		if tt.err != "" {
			if pathErr, ok := errors.AsType[*fs.PathError](err); !ok || pathErr.Path != tt.path || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.err)
			}
			continue
		}
		if string(data) != tt.want || err != nil {
			t.Errorf("%s: Read = %q, %v; want %q", tt.name, data, err, tt.want)
		}
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, data := range []string{"first", "second, longer", ""} {
		fetchtest.NoError(t, userfile.Replace(path, []byte(data)))
		fetchtest.ReturnsText(t, data)(os.ReadFile(path))
	}
	fetchtest.ErrorIs(t, userfile.Replace(filepath.Join(dir, "missing", "f"), nil), fs.ErrNotExist, "into a folder that is not there")
	// A folder cannot be replaced by a file; no temporary file is left.
	if err := userfile.Replace(dir, []byte("x")); err == nil {
		t.Error("Replace of a folder: got no error, want one")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v; want only the file f", left, err)
	}
	temporary, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*"))
	if err != nil || len(temporary) != 0 {
		t.Errorf("got the temporary files %q, %v; want none", temporary, err)
	}
}

// TestReplaceRemovesStaleFiles checks that Replace removes the temporary files of killed programs, and no others.
func TestReplaceRemovesStaleFiles(t *testing.T) {
	dir := t.TempDir()
	hourAgo := time.Now().Add(-2 * time.Hour)
	for name, want := range map[string]bool{
		".newsrc": true, "..newsrc.gofer-123": false, "..newsrc.20260101": true, "..newsrc.gofer-1a": true,
		"..other.gofer-1": true, "..newsrc.lock": true,
	} {
		path := filepath.Join(dir, name)
		fetchtest.NoError(t, os.WriteFile(path, nil, 0o600))
		fetchtest.NoError(t, os.Chtimes(path, hourAgo, hourAgo))
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "..newsrc.gofer-9"), nil, 0o600)) // of a program that runs
		fetchtest.NoError(t, userfile.Replace(filepath.Join(dir, ".newsrc"), []byte("x")))
		for path, want := range map[string]bool{path: want, filepath.Join(dir, "..newsrc.gofer-9"): true} {
			if _, err := os.Stat(path); (err == nil) != want {
				t.Errorf("after Replace, Stat(%s) = %v; want it there: %v", path, err, want)
			}
		}
	}
}

func TestExpandHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // for Windows
	for path, want := range map[string]string{
		"~/a/b": filepath.Join(home, "a", "b"), "~": "~", "~ann/b": "~ann/b", "/~/b": "/~/b", "": "",
	} {
		fetchtest.Equal(t, userfile.ExpandHome(path), want, "%q", path)
	}
}

func TestShortPath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // for Windows
	t.Chdir(home)
	for path, want := range map[string]string{
		".": "~", "a/b": filepath.Join("~", "a", "b"), "..": filepath.Dir(home), home + "x": home + "x",
		filepath.Join(home, "..a"): filepath.Join("~", "..a"),
	} {
		fetchtest.Equal(t, userfile.ShortPath(path), want, "%q", path)
	}
	t.Setenv("HOME", "/")
	if filepath.Separator == '/' {
		fetchtest.Equal(t, userfile.ShortPath("/a"), "/a", "in the home of nobody")
	}
}
