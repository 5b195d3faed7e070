package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestPathToURL checks that paths become file URLs with the same octets, and that other arguments
// are unchanged.
func TestPathToURL(t *testing.T) {
	dir := fetchtest.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	t.Chdir(dir)
	names := []string{
		"README", "with space", "a;type=d", "50%41#x?y", "gr\xfc\xdfe", "кофе", "comp.lang.go", "new\nline", "-x",
		"http:", " ", "~",
	}
	for _, name := range names {
		if err := os.WriteFile(name, []byte("here\n"), 0o600); err != nil {
			t.Skip("the file system refuses the name: ", err)
		}
	}
	fetchtest.NoError(t, os.Mkdir("sub", 0o700))
	want := map[string]string{
		".": dir, "..": filepath.Dir(dir), "./": dir, "sub/": dir + "/sub", "sub/..": dir, "./sub/../README": dir + "/README",
		"../no-such": filepath.Dir(dir) + "/no-such", "./no-such": dir + "/no-such", dir + "/README": dir + "/README",
	}
	for _, name := range names {
		want[name] = dir + "/" + name
	}
	for arg, path := range want {
		u, err := urlcore.Parse(pathToURL(arg))
		f, ok := u.(urlcore.File)
		if err != nil || !ok || "/"+strings.Join(f.Segments(), "/") != path {
			t.Errorf("pathToURL(%q) = %v, %v; want the path %q", arg, u, err, path)
		}
	}
	for _, arg := range []string{"", "no-such", "gopher.example.org", "gopher://h/1/", "news:comp.lang.go", "no/such", "..no"} {
		if got := pathToURL(arg); got != arg {
			t.Errorf("pathToURL(%q) = %q, want the argument unchanged", arg, got)
		}
	}
}
