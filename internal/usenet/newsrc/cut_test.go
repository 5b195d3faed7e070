package newsrc

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestCut checks that the read articles of a group end at the high mark of the server, and that the replaced
// lines are kept. Other lines stay.
func TestCut(t *testing.T) {
	for _, tt := range []struct {
		file  string
		highs map[string]uint64
		want  string
		cut   string
		old   string // the lines that are kept
	}{
		{"x.test: 1-500000\n", map[string]uint64{"x.test": 20}, "x.test: 1-20\n", "x.test", "x.test: 1-500000\n"},
		{"x.test! 1-500000", map[string]uint64{"x.test": 20}, "x.test! 1-20", "x.test", "x.test! 1-500000\n"},
		{"x.test: 400000-500000\r\n", map[string]uint64{"x.test": 20}, "x.test:\r\n", "x.test", "x.test: 400000-500000\n"},
		{"x.test: 1-5,9,18-25,30,90-99\n", map[string]uint64{"x.test": 20}, "x.test: 1-5,9,18-20\n", "x.test", "x.test: 1-5,9,18-25,30,90-99\n"},
		{"x.test: 1-21,what\n", map[string]uint64{"x.test": 20}, "x.test: 1-20,what\n", "x.test", "x.test: 1-21,what\n"},
		{"x.test: 1-20\n", map[string]uint64{"x.test": 20}, "x.test: 1-20\n", "", ""},
		{"x.test: 1-20\n", map[string]uint64{"x.test": 25}, "x.test: 1-20\n", "", ""},
		{"x.test: 3, 1-2\n", map[string]uint64{"x.test": 20, "none": 1}, "x.test: 3, 1-2\n", "", ""},
		{"x.test: 1-500000\n", map[string]uint64{"x.test": 0}, "x.test: 1-500000\n", "", ""},
		{"a: 1-9\nb: 1-9\nc: 1-9\n", map[string]uint64{"c": 3, "a": 5}, "a: 1-5\nb: 1-9\nc: 1-3\n", "a c", "a: 1-9\nc: 1-9\n"},
	} {
		path, folder := filepath.Join(t.TempDir(), ".newsrc"), filepath.Join(t.TempDir(), "old")
		fetchtest.NoError(t, os.WriteFile(path, []byte(tt.file), 0o600))
		s := &Store{Path: func(string) string { return path }, Replaced: folder}
		cut, err := s.Cut("", tt.highs)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, strings.Join(cut, " "), tt.cut, "%q: groups", tt.file)
		data, _ := os.ReadFile(path)
		fetchtest.Equal(t, string(data), tt.want, "%q: file", tt.file)
		again, err := s.Cut("", tt.highs)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, len(again), 0, "%q: groups of a second call", tt.file)
		old, _ := os.ReadFile(filepath.Join(folder, "newsrc"))
		kept := ""
		for line := range strings.Lines(string(old)) {
			if !strings.HasPrefix(line, "# ") {
				kept += line
			}
		}
		fetchtest.Equal(t, kept, tt.old, "%q: kept lines", tt.file)
	}
}

// TestCutIsPrivateAndBounded checks the file of the replaced lines. If it cannot be written, nothing is cut.
func TestCutIsPrivateAndBounded(t *testing.T) {
	path, folder := filepath.Join(t.TempDir(), ".newsrc"), filepath.Join(t.TempDir(), "old")
	s := &Store{Path: func(string) string { return path }, Replaced: folder}
	fetchtest.NoError(t, os.MkdirAll(folder, 0o700))
	kept := filepath.Join(folder, "newsrc")
	fetchtest.NoError(t, os.WriteFile(kept, []byte("first: 1\n"+strings.Repeat("a: 1-2\n", maxReplaced/7)), 0o600))
	fetchtest.NoError(t, os.WriteFile(path, []byte("x.test: 1-50\n"), 0o600))
	_, err := s.Cut("", map[string]uint64{"x.test": 20})
	fetchtest.NoError(t, err)
	data, _ := os.ReadFile(kept)
	if len(data) > maxReplaced || !strings.HasPrefix(string(data), "a: 1-2\na:") || !strings.HasSuffix(string(data), "\nx.test: 1-50\n") {
		t.Errorf("the file has %d octets, from %q to %q", len(data), data[:20], data[len(data)-20:])
	}
	fetchtest.NoError(t, os.Remove(kept))
	fetchtest.NoError(t, os.WriteFile(path, []byte("x.test: 1-50\n"), 0o600))
	_, err = s.Cut("", map[string]uint64{"x.test": 20})
	fetchtest.NoError(t, err)
	if fi, err := os.Stat(kept); err != nil || fi.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("the file of replaced lines: %v, %v; want a private file", fi.Mode(), err)
	}
	fetchtest.NoError(t, os.Remove(kept))
	fetchtest.NoError(t, os.Mkdir(kept, 0o700))
	fetchtest.NoError(t, os.WriteFile(path, []byte("x.test: 1-50\n"), 0o600))
	cut, err := s.Cut("", map[string]uint64{"x.test": 20})
	if len(cut) > 0 || err == nil {
		t.Errorf("Cut without a file for the old line = %v, %v; want an error", cut, err)
	}
	if data, _ := os.ReadFile(path); string(data) != "x.test: 1-50\n" {
		t.Errorf("the line that could not be kept became %q", data)
	}
}

// TestCutWhileSlrnRuns checks that a line is cut after slrn has ended, and is reported only once.
func TestCutWhileSlrnRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("slrn is a program of Unix")
	}
	home := t.TempDir()
	path := filepath.Join(home, ".newsrc")
	fetchtest.NoError(t, os.WriteFile(path, []byte("x.test: 1-50\n"), 0o600))
	fetchtest.NoError(t, os.WriteFile(path+"-lock", []byte(strconv.Itoa(os.Getppid())), 0o600))
	s := &Store{Path: func(string) string { return path }, Replaced: t.TempDir(), Pending: filepath.Join(home, "pending")}
	var busy *BusyError
	if cut, err := s.Cut("", map[string]uint64{"x.test": 20}); len(cut) != 1 || !errors.As(err, &busy) {
		t.Errorf("Cut = %v, %v; want x.test, a BusyError", cut, err)
	}
	cut, err := s.Cut("", map[string]uint64{"x.test": 20})
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, len(cut), 0, "groups of a second call")
	fetchtest.NoError(t, os.Remove(path+"-lock"))
	fetchtest.NoError(t, s.Recover(home))
	data, _ := os.ReadFile(path)
	fetchtest.Equal(t, string(data), "x.test: 1-20\n")
}
