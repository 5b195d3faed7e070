//go:build unix

package ui

import (
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestCopyInOrder checks that the notice names the program that has copied, and that copies do not overtake each other.
func TestCopyInOrder(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nread text\necho \"$text\" >>" + dir + "/got\n"
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "xclip"), []byte(script), 0o700))
	t.Setenv("PATH", dir)
	d := drive(t, library(), Options{Env: envOf(map[string]string{"DISPLAY": ":0"})}, 80, 24)
	_, first := d.Update(keyPress("y"))
	d.Update(keyPress("down"))
	_, second := d.Update(keyPress("y"))
	d.run(second).wantShown("copied by xclip: gopher://gopher.example.org/0/about.txt")
	d.run(first)
	got := string(fetchtest.Must(os.ReadFile(filepath.Join(dir, "got")))(t))
	fetchtest.Equal(t, got, "gopher://gopher.example.org/1/phlogs\ngopher://gopher.example.org/0/about.txt\n", "copied")
}
