package across_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/across"
	"gofer/protocols"
	"gofer/protocols/file"
	"gofer/protocols/ftp"
	"gofer/urlcore"
)

// TestAliasesOnDaemons copies and moves a file of real FTP servers onto itself, by a linked directory, a link to the file and the folder
// on this machine.
func TestAliasesOnDaemons(t *testing.T) {
	precious := strings.Repeat("precious ", 300_000)
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			server := d.Start(t)
			c := &ftp.Client{PlainPasswords: true}
			t.Cleanup(func() { _ = c.Close() })
			s := protocols.Registry{"ftp": c, "file": new(file.Client)}
			dir := filepath.Join(server.Home, "notes", "alias")
			at := func(name string) side {
				u := fetchtest.Must(urlcore.Parse("ftp://" + server.User + ":" + server.Password + "@" + server.Addr + "/notes/alias/" + name + ";type=d"))(t)
				return side{filepath.Join(dir, name), u.(across.Directory)}
			}
			for _, move := range []bool{false, true} {
				fetchtest.NoError(t, os.RemoveAll(dir))
				write(t, dir, map[string]string{"a/f": precious, "b/": ""})
				fetchtest.NoError(t, os.Chmod(filepath.Join(dir, "a/f"), 0o666))
				fetchtest.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
				fetchtest.NoError(t, os.Symlink("../a/f", filepath.Join(dir, "b/f")))
				here := place{}.at(t, filepath.Join(dir, "a"))
				for _, pair := range [][2]side{{at("a"), at("link")}, {at("link"), at("a")}, {here, at("a")}, {at("a"), here}, {at("a"), at("b")}} {
					cp := &across.Copy{Existing: across.Replace, Move: move}
					err := run(t, s, pair[0], pair[1], cp)
					content, readErr := os.ReadFile(filepath.Join(dir, "b/f")) // through a link or not
					if readErr != nil || string(content) != precious {
						t.Fatalf("%s to %s, move %v: %v, %v; %d octets are left (%v)", pair[0].url, pair[1].url, move, err, cp.LeftOut(), len(content), readErr)
					}
				}
			}
		})
	}
}
