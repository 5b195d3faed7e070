//go:build unix

package file

import (
	"errors"
	"maps"
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
	fetchtest.NoError(t, errors.Join(syscall.Mkfifo(root+"/pipe", 0o600), os.Symlink("pipe", root+"/to-pipe"), os.Symlink("/dev/zero", root+
		"/to-device")))
	t.Chdir(root) // a socket needs a short path
	ln := fetchtest.Must(net.Listen("unix", "socket"))(t)
	defer ln.Close()
	for name, want := range map[string]string{
		"pipe": "a named pipe", "to-pipe": "a named pipe", "to-device": "a device", "socket": "a socket",
	} {
		r, err := new(Client).Fetch(t.Context(), protocols.Request{URL: urlOf(t, root+"/"+name)})
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

// TestMenuTree checks which directories above a gophermap are of its tree: no other user may write to them.
func TestMenuTree(t *testing.T) {
	for _, tt := range []struct {
		name    string
		files   map[string]string
		change  func(parent string) error
		asOwner bool // the change needs root
		want    string
	}{
		{"a parent", nil, nil, false, "a"},
		{"without a gophermap", map[string]string{"m/sub/x": ""}, nil, false, "sub/a"},
		{"the nearest file", map[string]string{"m/gophermap": "", "m/sub/a": ""}, nil, false, "sub/a"},
		{"a parent with an index", map[string]string{"m/.gofer-mirror.json": "", "m/sub/a": ""}, nil, false, "a"},
		{"below an index", map[string]string{"m/sub/.gofer-mirror.json": ""}, nil, false, "sub/a"},
		{"writable by all, and sticky", nil, func(parent string) error { return os.Chmod(parent, 0o777|os.ModeSticky) }, false, "sub/a"},
		{"of another user", nil, func(parent string) error { return os.Chown(parent, 65534, 65534) }, true, "sub/a"},
		{"a gophermap of another user", nil, func(parent string) error { return os.Chown(parent+"/gophermap", 65534, 65534) }, true, "sub/a"},
		{"a gophermap that others may write", nil, func(parent string) error { return os.Chmod(parent+"/gophermap", 0o646) }, false, "sub/a"},
		{"of root", nil, func(parent string) error { return os.Chown(parent+"/sub/gophermap", 65534, 65534) }, true, "a"},
		{"a private group", nil, func(parent string) error {
			return errors.Join(os.Chown(parent, os.Getuid(), os.Getuid()), os.Chmod(parent, 0o775))
		}, true, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.asOwner && os.Geteuid() != 0 {
				t.Skip("only root can give files away")
			}
			files := map[string]string{"m/sub/gophermap": "0a\t/a\n", "m/a": ""}
			if tt.name != "without a gophermap" {
				files["m/gophermap"] = "0a\t/a\n"
			}
			maps.Copy(files, tt.files)
			parent := writeFiles(t, files) + "/m"
			if tt.change != nil {
				fetchtest.NoError(t, tt.change(parent))
			}
			got := newMenuTree(parent+"/sub/gophermap").item('0', "/a")
			fetchtest.Equal(t, strings.TrimPrefix(got.String(), urlOf(t, parent).String()+"/"), tt.want, "the item /a")
		})
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
		_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: urlOf(t, root+"/"+name)})
		if protocols.ReasonOf(err) != protocols.LocalFailure || !strings.Contains(err.Error(), "no permission to read it") {
			t.Errorf("Fetch of %s: got %v; want reason LocalFailure and the words \"no permission to read it\"", name, err)
		}
	}
}
