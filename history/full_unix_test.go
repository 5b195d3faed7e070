//go:build unix

package history

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// fillDisk imitates a full disk: files cannot grow until the function end is called.
func fillDisk(t *testing.T) (end func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	fetchtest.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	none := before
	none.Cur = 1
	fetchtest.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &none))
	return func() {
		fetchtest.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before))
		signal.Reset(syscall.SIGXFSZ)
	}
}

// TestFullDisk checks that the history can be read on a full disk, and that failing writes do not
// damage it. It runs in a separate process, because the limit holds for a whole process.
func TestFullDisk(t *testing.T) {
	if os.Getenv("GOFER_FULL_DISK") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$")
		cmd.Env = append(os.Environ(), "GOFER_FULL_DISK=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "h.sqlite")
	s := open(t, path)
	visit(t, s, "gopher://h.example/1", "kept", 1)
	fetchtest.NoError(t, s.Close())
	s = open(t, path)
	end := fillDisk(t)
	failed := s.Visit(t.Context(), mustParse(t, "news:a.b"), "", time.Unix(2, 0))
	vs, err := s.Search(t.Context(), "kept", 10)
	visited, err2 := s.Visited(t.Context(), []string{"gopher://h.example/1"})
	end()
	if failed == nil || s.DamagedFile() != "" {
		t.Errorf("Visit returned %v, the database was renamed to %q; want an error and no renaming", failed, s.DamagedFile())
	}
	if len(vs) != 1 || err != nil {
		t.Errorf("Search = %s, %v; want one visit", texts(vs), err)
	}
	if err2 != nil || !visited[0] {
		t.Errorf("Visited = %v, %v; want true", visited, err2)
	}
	visit(t, s, "news:a.b", "room again", 3)
}
