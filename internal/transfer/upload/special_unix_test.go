//go:build unix

package upload_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
)

// TestNamedPipes checks that a named pipe in the place of the directory, or of a planned file, does not block.
func TestNamedPipes(t *testing.T) {
	dir := t.TempDir()
	m := &memoryServer{files: make(map[string][]byte), loses: func() bool { return false }}
	tr := &upload.Tree{Server: m, Dir: filepath.Join(dir, "pipe"), URL: ftpURL(t, "ftp://ftp.example/d;type=d")}
	fetchtest.NoError(t, syscall.Mkfifo(tr.Dir, 0o600))
	if err := tr.Plan(t.Context()); err == nil {
		t.Error("Plan accepts a named pipe as the directory")
	}

	path := filepath.Join(dir, "f")
	writeFile(t, path, "f", 0o644, longAgo)
	fetchtest.NoError(t, os.Rename(tr.Dir, filepath.Join(t.TempDir(), "pipe")))
	tr.Dir = dir
	defer tr.Close()
	fetchtest.NoError(t, tr.Plan(t.Context()))
	fetchtest.NoError(t, os.Remove(path))
	fetchtest.NoError(t, syscall.Mkfifo(path, 0o600))
	left := fetchtest.As[*mirror.PartialError](t, tr.Run(t.Context())).LeftOut
	if len(left) != 1 || left[0].Path != "f" {
		t.Errorf("left out %v, want only f", left)
	}
}
