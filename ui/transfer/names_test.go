package transfer

import (
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/internal/transfer/mirror"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestUploadNames checks that a file goes back to the octets of its name at the server.
func TestUploadNames(t *testing.T) {
	dir := t.TempDir()
	fetchtest.NoError(
		t,
		os.WriteFile(
			filepath.Join(dir, mirror.IndexName),
			mirror.EncodeNames(map[string]string{"Привет.txt": "\xcf\xf0\xe8\xe2\xe5\xf2.txt"}), 0o600,
		),
	)
	elsewhere := t.TempDir()
	for _, tt := range []struct {
		url, listed string
		chosen      charset.Charset
		path, want  string
	}{
		{"ftp://h/d;type=d", "", charset.Auto, filepath.Join(dir, "Привет.txt"), "\xcf\xf0\xe8\xe2\xe5\xf2.txt"},
		{
			"ftp://h/d;type=d", "\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0.txt", charset.Auto,
			filepath.Join(elsewhere, "Привет, как дела.txt"),
			"\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0.txt",
		},
		{"ftp://h/d;type=d", "a.txt", charset.KOI8R, filepath.Join(elsewhere, "Да.txt"), "\xe4\xc1.txt"},
		{"sftp://h/d;type=d", "a.txt", charset.KOI8R, filepath.Join(elsewhere, "Да.txt"), "\xe4\xc1.txt"},
		{"ftp://h/d;type=d", "a.txt", charset.Auto, filepath.Join(elsewhere, "Да.txt"), "Да.txt"},
		{"file:///d/", "", charset.Auto, filepath.Join(dir, "Привет.txt"), "Привет.txt"},
	} {
		p := &nav.Page{Head: protocols.Head{URL: fetchtest.Parse(t, tt.url)}}
		if tt.listed != "" {
			u := fetchtest.Must(p.URL.(urlcore.FTP).Child(tt.listed))(t)
			p.Lines.Append(protocols.Line{Kind: protocols.Text, Text: tt.listed, Link: u})
		}
		if tt.chosen != charset.Auto {
			p.ForceCharset(tt.chosen)
		}
		fetchtest.Equal(t, uploadNames(p)(tt.path), tt.want, "the name of %s at %s", filepath.Base(tt.path), tt.url)
	}
}
