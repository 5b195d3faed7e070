//go:build unix

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestKeptInputIsPrivate checks that other users cannot put files into the folder of the kept input.
func TestKeptInputIsPrivate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "drafts")
	fetchtest.NoError(t, os.Mkdir(folder, 0o700))
	fetchtest.NoError(t, os.Chmod(folder, 0o777))
	err := (&keptInput{in: strings.NewReader("some text")}).keep(t.Context(), folder, errors.New("not sent"))
	kept, ok := errors.AsType[*protocols.KeptError](err)
	if !ok {
		t.Fatal(err)
	}
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(kept.Path))(t)), "some text")
	fetchtest.Equal(t, fetchtest.Must(os.Stat(folder))(t).Mode().Perm(), 0o755, "mode of the folder")
}
