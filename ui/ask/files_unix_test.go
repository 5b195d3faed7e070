//go:build unix

package ask

import (
	"path/filepath"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestCompletePipe checks that a named pipe in a path does not block.
func TestCompletePipe(t *testing.T) {
	home := t.TempDir()
	fetchtest.NoError(t, syscall.Mkfifo(filepath.Join(home, "pipe"), 0o600))
	for _, typed := range []string{"pipe/", "pipe/x", filepath.Join(home, "pipe") + "/"} {
		fetchtest.Equal(t, len(CompletePath(home)(t.Context(), typed)), 0, "completions of %q", typed)
	}
	folder, choices, err := listFolder(filepath.Join(home, "pipe"))
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, folder+" "+choices[1].Text, home+" pipe", "the folder of a pipe, and the file in it")
	_, _, err = listFolder(filepath.Join(home, "pipe", "x"))
	fetchtest.Equal(t, err != nil, true, "a pipe is no folder")
}
