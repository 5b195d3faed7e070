package sftp_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestPutOverSpecialItems replaces items that are no plain files.
func TestPutOverSpecialItems(t *testing.T) {
	s := startServer(t, nil)
	c := s.newKnownClient(t)
	target := s.write(t, "target", "old")
	fetchtest.NoError(t, errors.Join(os.Symlink("target", s.dir+"/link"), syscall.Mkfifo(s.dir+"/pipe", 0o600)))
	up := upload("new")
	q := fetchtest.As[*protocols.Confirm](t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/link")), up))
	fetchtest.Contains(t, strings.Join(q.Details, " "), "it is a link")
	q.GiveConsent()
	fetchtest.NoError(t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/link")), up))
	fetchtest.ReturnsText(t, "new")(os.ReadFile(target))
	fetchtest.Returns(t, "target")(os.Readlink(s.dir + "/link"))

	fetchtest.NoError(t, os.Chmod(target, 0o755|os.ModeSetuid))
	for _, listed := range []bool{false, true} {
		up = upload("newer")
		up.Replace, up.Listed = true, listed
		fetchtest.NoError(t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/target")), up))
		fetchtest.Equal(t, fetchtest.Must(os.Stat(target))(t).Mode(), 0o755, "the mode without setuid")
		fetchtest.NoError(t, os.Chmod(target, 0o755|os.ModeSetuid))
		up = upload("x")
		up.Replace, up.Listed = true, listed
		fetchtest.Reason(t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/pipe")), up), protocols.Unsupported)
	}
}

// TestFullDisk stores files that do not fit. A replaced file is unchanged, and no part is left.
func TestFullDisk(t *testing.T) {
	s := startServer(t, nil)
	if err := syscall.Mount("tmpfs", s.dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(s.dir, syscall.MNT_DETACH) })
	c := s.newKnownClient(t)
	s.write(t, "old", "old")
	for _, name := range []string{"old", "new"} {
		up := upload(strings.Repeat("x", 3<<20))
		up.Replace, up.Mode = true, "644"
		err := c.Put(t.Context(), fetchtest.Parse(t, s.url("/"+name)), up)
		fetchtest.Reason(t, err, protocols.ServerFailed)
		fetchtest.EqualSlices(t, readNames(t, s.dir), []string{"old"})
	}
	fetchtest.ReturnsText(t, "old")(os.ReadFile(s.dir + "/old"))
}
