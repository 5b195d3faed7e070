package sftp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestSshd runs the conformance suite, an upload and changes with OpenSSH's sshd.
func TestSshd(t *testing.T) {
	s, home := startSshd(t)
	known := make(map[string]string)
	write := func(name, text string) {
		path := filepath.Join(s.Home, name)
		fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
		known[path] = text
	}
	for _, name := range realserver.OddNames() {
		write("files/names/"+name, "name: "+name+"\n")
	}
	for i := range 1000 {
		write(fmt.Sprintf("files/thousand/file%d.txt", i), "x\n")
	}
	write("files/large.bin", strings.Repeat("0123456789abcde\n", 1<<21))
	fetchtest.NoError(t, errors.Join(
		os.Mkdir(s.Home+"/files/empty", 0o755), os.Symlink("large.bin", s.Home+"/files/link"), os.Mkdir(s.Home+"/stored", 0o755),
		s.ChownToAccount(s.Home+"/stored")))
	newFetcher := func(d wire.Dialer) protocols.Fetcher {
		c := newClientOf(t, home)
		c.Dialer = d
		return trusting{c}
	}
	root := "sftp://" + s.User + "@" + s.Addr + s.Home
	base := root + "/files"
	fetchtest.RunWithoutFaults(t, fetchtest.Target{
		New: newFetcher,
		Pages: []fetchtest.Page{
			{URL: base + "/names/;type=d", Layout: protocols.LayoutDirectory, Lines: len(realserver.OddNames()), Contains: realserver.OddNames()},
			{URL: base + "/thousand", Layout: protocols.LayoutDirectory, Lines: 1000, Contains: []string{"file999.txt"}},
			{URL: base + "/empty/;type=d", Empty: true},
			{URL: base + "/names/-x;type=i", Contains: []string{"name: -x"}},
			{URL: "sftp://" + s.User + "@" + s.Addr + "/~/files/names/plain.txt", Contains: []string{"name: plain.txt"}},
		},
		Large:    base + "/large.bin;type=i",
		Missing:  []string{base + "/no-such.txt;type=i", base + "/no-such/;type=d"},
		WalkFrom: []string{base + "/;type=d"},
		Known: func(u urlcore.URL) ([]byte, bool) {
			f := u.(urlcore.FTP)
			text, ok := known["/"+strings.Join(append(f.CWDs(), f.Name()), "/")]
			return []byte(text), ok
		},
	})
	c := newClientOf(t, home)
	head, lines := readLines(t, trusting{c}, base+"/")
	fetchtest.Contains(t, head.FreeSpace, " of ", "the free space")
	fetchtest.Equal(t, len(head.Notes), 0, "notes, which each dump prints")
	fetchtest.Equal(t, lines["link"].Note.(*protocols.FileNote).Target, "large.bin")
	fetchtest.Equal(t, lines["large.bin"].Note.(*protocols.FileNote).Owner, "root", "the name of the owner")
	same, isKnown, err := c.SameItem(t.Context(), fetchtest.Parse(t, base+"/link"), fetchtest.Parse(t, base+"/large.bin"))
	fetchtest.Equal(t, same && isKnown && err == nil, true, "a file and a link to it are the same")

	u := fetchtest.Parse(t, root+"/stored/a.txt")
	for _, text := range []string{"first", "second"} {
		up := upload(text)
		up.Replace = true
		fetchtest.NoError(t, c.Put(t.Context(), u, up))
		fetchtest.Equal(t, up.DateKept, true)
		fetchtest.ReturnsText(t, text)(os.ReadFile(s.Home + "/stored/a.txt"))
	}
	for _, change := range []protocols.Change{
		{Kind: protocols.MakeDirectory, URL: fetchtest.Parse(t, root+"/stored/"), Name: "d"},
		{Kind: protocols.Chmod, URL: u, Mode: "600"},
		{Kind: protocols.Rename, URL: u, Name: "b.txt"},
		{Kind: protocols.Remove, URL: fetchtest.Parse(t, root+"/stored/b.txt")},
		{Kind: protocols.Remove, URL: fetchtest.Parse(t, root+"/stored/d")},
	} {
		if _, err := c.Change(t.Context(), &change); err != nil {
			t.Errorf("%v: %v", change.Kind, err)
		}
	}
	fetchtest.Equal(t, len(fetchtest.Must(os.ReadDir(s.Home+"/stored"))(t)), 0, "items left")
}
