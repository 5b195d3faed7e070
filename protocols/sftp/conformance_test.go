package sftp_test

import (
	"strings"
	"testing"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/sftp"
	"gofer/urlcore"
)

func newTrusting(d wire.Dialer) protocols.Fetcher { return trusting{&sftp.Client{Dialer: d}} }

func TestConformanceLoopback(t *testing.T) {
	root := afero.NewMemMapFs()
	files := map[string]string{
		"README": "read me\n", "pub/lf.txt": "one\ntwo\n", "pub/octets.bin": "\x00\x01\xff\r\n",
		"large.bin": strings.Repeat("0123456789abcde\n", 1<<21),
	}
	for _, name := range realserver.OddNames() {
		files["names/"+name] = "name: " + name + "\n"
	}
	for name, data := range files {
		fetchtest.NoError(t, afero.WriteFile(root, "/"+name, []byte(data), 0o644))
	}
	fetchtest.NoError(t, root.MkdirAll("/empty", 0o755))
	s := fetchtest.CloseAtEnd(demo.StartSFTP(root))(t)
	base := "sftp://joe@" + s.Addr()
	fetchtest.Run(t, fetchtest.Target{
		New: newTrusting,
		Pages: []fetchtest.Page{
			{URL: base + "/names/;type=d", Layout: protocols.LayoutDirectory, Lines: len(realserver.OddNames()), Contains: []string{"plain.txt"}},
			{URL: base + "/README", Contains: []string{"read me"}},
			{URL: base + "/names", Lines: len(realserver.OddNames())},
			{URL: base + "/~/README;type=i", Contains: []string{"read me"}},
			{URL: base + "/pub/octets.bin;type=i", Contains: []string{"\x00\x01\xff\r\n"}},
			{URL: base + "/empty/;type=d", Empty: true},
		},
		Large:    base + "/large.bin;type=i",
		Missing:  []string{base + "/no-such.txt;type=i", base + "/no-such/;type=d"},
		WalkFrom: []string{base + "/;type=d"},
		Known: func(u urlcore.URL) ([]byte, bool) {
			f := u.(urlcore.FTP)
			data, ok := files[strings.TrimLeft(strings.Join(append(f.CWDs(), f.Name()), "/"), "/")]
			return []byte(data), ok
		},
	})
}
