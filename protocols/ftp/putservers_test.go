package ftp_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/urlcore"
)

// TestPutServers stores files on real servers, checks the content of the files and resumes an incomplete
// file.
func TestPutServers(t *testing.T) {
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			c := &ftp.Client{PlainPasswords: !d.TLS, Dialer: wire.Dialer{TLS: wire.TLS{Roots: s.Roots()}}}
			defer c.Close()
			names := []string{"big.bin", "with space.txt", "-x", "gr\xfcn", "a%2Fb", "\xff", "a\xffb", "~x", "*"}
			for _, name := range append([]string{"empty", "half"}, names...) {
				_ = os.Remove(filepath.Join(s.Home, "notes", name)) // the file may remain from an earlier run with the same server
			}
			notes := d.Scheme + "://" + s.User + ":" + s.Password + "@" + s.Addr + "/notes/"
			put := func(name string, up *protocols.Upload) error {
				t.Helper()
				dir := fetchtest.Must(urlcore.Parse(notes))(t)
				u := fetchtest.Must(dir.(urlcore.FTP).Child(name))(t)
				return c.Put(t.Context(), u, up)
			}
			checkContent := func(name string, want []byte) {
				t.Helper()
				path := filepath.Join(s.Home, "notes", name)
				if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
					t.Errorf("the stored file %s has %d octets, error %v; want %d octets with the same content", name, len(got), err, len(want))
				}
			}
			upload := func(b []byte) *protocols.Upload {
				return &protocols.Upload{Body: bytes.NewReader(b), Size: int64(len(b))}
			}
			big := bytes.Repeat([]byte("0123456789abcde\n\x00\xff\r\n"), 200_000)
			for _, name := range names {
				content := append([]byte(name), big[:len(big)/len(name)]...)
				if err := put(name, upload(content)); err != nil {
					t.Errorf("Put() under the name %q: %v", name, err)
				}
				checkContent(name, content)
			}
			fetchtest.NoError(t, put("empty", upload(nil)))
			checkContent("empty", nil)

			// An existing file is replaced only after consent.
			up := upload(big)
			var confirm *protocols.Confirm
			if err := put("empty", up); !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentReplace {
				t.Fatalf("Put() over an existing file = %v; want the question about replacing it", err)
			}
			checkContent("empty", nil)
			confirm.GiveConsent()
			fetchtest.NoError(t, put("empty", up))
			checkContent("empty", big)

			// A failing body leaves an incomplete file, which is then resumed.
			broken := errors.New("the disk failed")
			half := &protocols.Upload{Body: &failingReader{big[:1_000_000], broken}, Size: int64(len(big))}
			if err := put("half", half); !errors.Is(err, broken) || !strings.Contains(err.Error(), "incomplete") {
				t.Errorf("Put() with a failing body = %v; want %v and the word incomplete", err, broken)
			}
			more := upload(big)
			more.Resume = true
			fetchtest.NoError(t, put("half", more))
			checkContent("half", big)

			// The rest is not appended to another file.
			part := bytes.Clone(big[:1_000_000])
			part[len(part)-1]++
			fetchtest.NoError(t, os.WriteFile(filepath.Join(s.Home, "notes", "half"), part, 0o666))
			if err := put("half", more); !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentReplace {
				t.Errorf("Put() resuming over another file = %v; want the question about replacing it", err)
			}
			checkContent("half", part)
			confirm.GiveConsent()
			fetchtest.NoError(t, put("half", more))
			checkContent("half", big)
			if err := put("dir/none", upload(nil)); err == nil {
				t.Error("a file was stored under a name with a slash")
			}
		})
	}
}

// failingReader returns octets and then err.
type failingReader struct {
	octets []byte
	err    error
}

func (f *failingReader) Read(p []byte) (int, error) {
	if len(f.octets) == 0 {
		return 0, f.err
	}
	n := copy(p, f.octets)
	f.octets = f.octets[n:]
	return n, nil
}
