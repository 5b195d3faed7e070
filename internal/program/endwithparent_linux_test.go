package program

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestGPGOfAKilledRun checks that gpg ends when gofer is killed, and that the signature is then in a folder that the next
// run removes. The test runs itself as gofer, with a gpg that never ends.
func TestGPGOfAKilledRun(t *testing.T) {
	const asGofer = "GOFER_TEST_VERIFY"
	if os.Getenv(asGofer) != "" {
		_, _, _, err := VerifySignature(t.Context(), []byte("text"), []byte("signature"))
		t.Fatalf("gpg has ended: %v", err)
	}
	bin, tmp := t.TempDir(), t.TempDir()
	fifo := filepath.Join(bin, "fifo")
	fetchtest.NoError(t, syscall.Mkfifo(fifo, 0o600))
	script := fmt.Sprintf("#!/bin/sh\nexec 3>%s\nfor last; do path=$before before=$last; done\necho $path >&3\nexec sleep 1000000\n", fifo)
	fetchtest.NoError(t, os.WriteFile(filepath.Join(bin, "gpg"), []byte(script), 0o700))
	gofer := exec.Command(os.Args[0], "-test.run=^TestGPGOfAKilledRun$")
	gofer.Env = append(os.Environ(), asGofer+"=1", "TMPDIR="+tmp, "PATH="+bin+":"+os.Getenv("PATH"))
	fetchtest.NoError(t, gofer.Start())
	f := fetchtest.Must(os.Open(fifo))(t)
	defer f.Close()
	path := make([]byte, 4096)
	n := fetchtest.Must(f.Read(path))(t)
	fetchtest.NoError(t, gofer.Process.Kill())
	_ = gofer.Wait()
	_, err := io.ReadAll(f) // ends when gpg has ended
	fetchtest.NoError(t, err)
	if got := string(path[:n]); !strings.HasPrefix(got, filepath.Join(tmp, folderPrefix)) {
		t.Errorf("the signature was in %q; want a folder %s", got, folderPrefix)
	}
}
