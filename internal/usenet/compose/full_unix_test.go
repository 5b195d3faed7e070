//go:build unix

package compose

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestFullDisk checks that a template cut off by a full disk is not kept as a draft. It runs in a
// separate process, because the limit of the file size holds for a whole process.
func TestFullDisk(t *testing.T) {
	const folder = "COMPOSE_TEST_FULL"
	if os.Getenv(folder) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
		cmd.Env = append(os.Environ(), folder+"="+filepath.Join(t.TempDir(), "drafts"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	var sent string
	var failure error
	d := newDraft(t, os.Getenv(folder), strings.Repeat("x", 4000), &sent, &failure)
	signal.Ignore(syscall.SIGXFSZ)
	full := syscall.Rlimit{Cur: 1000, Max: 1000} // enough for the URL of the draft
	fetchtest.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full))
	path, err := d.File()
	if err == nil {
		t.Error("no error on a full disk")
	}
	fetchtest.FailsWith(t, os.ErrNotExist, "the draft")(os.Stat(path))
}
