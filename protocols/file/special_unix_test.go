//go:build unix

package file

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestSpecialFiles checks that special files are listed but never opened.
func TestSpecialFiles(t *testing.T) {
	root := writeFiles(t, nil)
	fetchtest.NoError(t, errors.Join(syscall.Mkfifo(root+"/pipe", 0o600), os.Symlink("pipe", root+"/to-pipe"), os.Symlink("/dev/zero", root+"/to-device")))
	t.Chdir(root) // a socket needs a short path
	ln := fetchtest.Must(net.Listen("unix", "socket"))(t)
	defer ln.Close()
	for name, want := range map[string]string{"pipe": "a named pipe", "to-pipe": "a named pipe", "to-device": "a device", "socket": "a socket"} {
		r, err := new(Client).Fetch(t.Context(), urlOf(t, root+"/"+name))
		if r != nil || protocols.ReasonOf(err) != protocols.Unsupported || !strings.Contains(err.Error(), want) {
			t.Errorf("Fetch of %s: got %v; want reason Unsupported and %q", name, err, want)
		}
	}
	_, all := listDirectory(t, urlOf(t, root))
	for _, entry := range all {
		if !strings.HasPrefix(entry, "other ") {
			t.Errorf("got the entry %q; want the kind other", entry)
		}
	}
}

// TestUnreadable checks the errors for files without permission. It needs a user who may not read all files.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read all")
	}
	root := writeFiles(t, map[string]string{"f": "x", "d/x": "x"})
	fetchtest.NoError(t, errors.Join(os.Chmod(root+"/f", 0), os.Chmod(root+"/d", 0)))
	t.Cleanup(func() { _ = os.Chmod(root+"/d", 0o700) })
	for _, name := range []string{"f", "d"} {
		_, err := new(Client).Fetch(t.Context(), urlOf(t, root+"/"+name))
		if protocols.ReasonOf(err) != protocols.LocalFailure || !strings.Contains(err.Error(), "no permission to read it") {
			t.Errorf("Fetch of %s: got %v; want reason LocalFailure and the words \"no permission to read it\"", name, err)
		}
	}
}
