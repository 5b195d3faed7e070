package cli

import (
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestMirrorArguments refuses arguments that may not be meant as they are written.
func TestMirrorArguments(t *testing.T) {
	home := fetchtest.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(home)
	for _, name := range []string{"a", "b"} {
		fetchtest.NoError(t, os.Mkdir(name, 0o700))
	}
	const url = "ftp://127.0.0.1:1/"
	for _, tt := range []struct {
		args []string
		code int
		told string
	}{
		{[]string{url, url}, 2, "both are URLs: mirror has one, and a directory of this machine"},
		{[]string{"a", "b"}, 2, "gofer mirror ftp://a b fetches, gofer mirror a ftp://b stores"},
		{[]string{"a", "ftp.example.org"}, 2, "write the URL with its scheme"},
		{[]string{"ftp.example.org/pub/", "c"}, 2, "write the URL with its scheme"},
		{[]string{"--delete", url, "."}, 2, ". has your home directory"},
		{[]string{"--delete", url, ".."}, 2, ".. has your home directory"},
		{[]string{"--delete", url, "/"}, 2, "/ has your home directory"},
		{[]string{"--delete", "--tries=1", url, "a"}, 1, "unsupported URL"},
		{[]string{"--delete", "--tries=1", url, "c"}, 1, "unsupported URL"},
		{[]string{"--tries=1", url, "."}, 1, "unsupported URL"},
	} {
		code, _, told := run(t, home, "", append([]string{"mirror"}, tt.args...)...)
		fetchtest.Equal(t, code, tt.code, "mirror %q", tt.args)
		fetchtest.Contains(t, told, tt.told)
	}
}
