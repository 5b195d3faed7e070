package across_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/across"
)

// TestLinks copies and moves a tree with links: they stay links where they lead into the tree and the target can have links. Elsewhere
// their content is copied, with no more permissions than that has, and what is left out is named and leads where it did.
func TestLinks(t *testing.T) {
	s, places := startPlaces(t)
	outside := t.TempDir()
	write(t, outside, map[string]string{"secret": "s", "dir/x": "x"})
	fetchtest.NoError(t, os.Chmod(filepath.Join(outside, "secret"), 0o600))
	links := map[string]string{"t/runlink": "bin/run", "t/bin/up": "../lib", "t/a-first": "bin", "t/secret": filepath.Join(outside, "secret"), "t/outside": filepath.Join(outside, "dir"), "t/dangling": "nowhere"}
	for _, from := range []string{"file", "sftp"} {
		for to, target := range places {
			if to == from {
				continue
			}
			for _, move := range []bool{false, true} {
				name := from + to + map[bool]string{true: "-move"}[move]
				a, b := places[from].newSide(t, "links-a-"+name), target.newSide(t, "links-b-"+name)
				write(t, a.path, map[string]string{"t/bin/run": "#!", "t/lib/x": "lib"})
				fetchtest.NoError(t, os.Chmod(filepath.Join(a.path, "t/bin/run"), 0o750))
				for path, target := range links {
					fetchtest.NoError(t, os.Symlink(target, filepath.Join(a.path, path)))
				}
				c := &across.Copy{Move: move}
				_ = run(t, s, a, b, c)
				at := func(path string) string { return filepath.Join(b.path, path) }
				hasLinks, wantLeft := !strings.HasPrefix(to, "ftp"), "t/dangling t/outside"
				if !hasLinks {
					wantLeft = "t/a-first t/bin/up t/dangling t/outside"
				}
				fetchtest.Equal(t, leftOutPaths(c), wantLeft, "%s: left out", name)
				for path, want := range links {
					if got, err := os.Readlink(at(path)); hasLinks && !strings.Contains(wantLeft+" t/secret", path) && got != want {
						t.Errorf("%s: %s leads to %q (%v), want %q", name, path, got, err, want)
					}
				}
				for path, mode := range map[string]os.FileMode{"t/secret": 0o600, "t/runlink": 0o750, "t/bin/run": 0o750} {
					info := fetchtest.Must(os.Stat(at(path)))(t)
					fetchtest.Equal(t, info.Mode(), mode, "%s: mode of %s", name, path)
				}
				if _, err := os.Stat(filepath.Join(a.path, "t/bin/run")); move == hasLinks && (err == nil) == move { // a link of the source leads to it
					t.Errorf("%s: the target of a link: %v", name, err)
				}
				if _, err := os.Stat(filepath.Join(a.path, "t/bin/up")); move && !hasLinks && err != nil {
					t.Errorf("%s: a link that was left dangles: %v", name, err)
				}
			}
		}
	}
}

// TestLineEnds checks that a name with a line end is copied where the target can have it, and that the reason is true where not.
func TestLineEnds(t *testing.T) {
	s, places := startPlaces(t)
	for to, target := range places {
		a, b := places["file"].newSide(t, "line-a-"+to), target.newSide(t, "line-b-"+to)
		want := map[string]string{"two\nlines": "x", "dir\r\n/": "", "dir\r\n/y": "y"}
		write(t, a.path, want)
		c := new(across.Copy)
		_ = run(t, s, a, b, c)
		if !strings.HasPrefix(to, "ftp") {
			wantFiles(t, b.path, want)
			continue
		}
		wantFiles(t, b.path, map[string]string{})
		for _, l := range c.LeftOut() {
			if text := l.Err.Error(); !strings.Contains(text, "line end") && !strings.Contains(text, "its directory was left out") {
				t.Errorf("%q: %s", l.Path, text)
			}
		}
	}
}
