package newsrc

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestInMemory checks that the marks of a server without a file are kept in memory.
func TestInMemory(t *testing.T) {
	s := storeAt("")
	fetchtest.NoError(t, mark(s, "a", 1))
	fetchtest.NoError(t, mark(s, "a", 2))
	if f := fetchtest.Must(s.File(""))(t); string(f.Bytes()) != "a! 1-2\n" {
		t.Errorf("got %q, want %q", f.Bytes(), "a! 1-2\n")
	}
}

func TestNothingToRecover(t *testing.T) {
	for _, pending := range []string{"", filepath.Join(t.TempDir(), "none")} {
		s := storeAt("")
		s.Pending = pending
		if err := s.Recover(t.TempDir()); err != nil {
			t.Errorf("Recover from %q: got %v, want no error", pending, err)
		}
	}
}

// TestLockFolders checks that the folder of the locks is created. If it, or the folder for pending
// marks, cannot be created, a mark is kept in memory.
func TestLockFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("slrn is a program of Unix")
	}
	dir := t.TempDir()
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, ".busy-lock"), []byte(strconv.Itoa(os.Getppid())), 0o600))
	for _, tt := range []struct {
		name, path, locks, pending string
		written                    bool
	}{
		{"both are made", ".newsrc", "locks", "pending", true},
		{"no locks", ".no-locks", "file/locks", "", false},
		{"nothing can wait", ".busy", "", "file/pending", false},
	} {
		s := storeAt(filepath.Join(dir, tt.path))
		for _, f := range []struct {
			folder *string
			name   string
		}{{&s.Locks, tt.locks}, {&s.Pending, tt.pending}} {
			if f.name != "" {
				*f.folder = filepath.Join(dir, f.name)
			}
		}
		if err := mark(s, "a", 1); (err == nil) != tt.written {
			t.Errorf("%s: Change: got %v, want written: %v", tt.name, err, tt.written)
		}
		if f, err := s.File(""); err != nil || string(f.Bytes()) != "a! 1\n" {
			t.Errorf("%s: File does not return the mark: %v, %v", tt.name, f, err)
		}
		if _, err := os.Stat(s.Path("")); (err == nil) != tt.written {
			t.Errorf("%s: Stat of the file: got %v, want written: %v", tt.name, err, tt.written)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*newsrc.lock")); left != nil {
		t.Errorf("lock files beside the newsrc file: %q, want none", left)
	}
}
