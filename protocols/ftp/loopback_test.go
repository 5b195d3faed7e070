package ftp_test

import (
	"io"
	"testing"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/urlcore"
)

// TestLoopback lists a directory of odd names and fetches each file by its URL.
func TestLoopback(t *testing.T) {
	names := []string{
		"plain.txt", "with space.txt", "a  b", " leading", "semi;colon", ";type=d", "x;type=a", "#", "%", "%2F", "%41", "?", "&", "*",
		"[1]", "{x}", "-x", "--help", ".hidden", `back\slash`, ":", "+", "~", ",", "=", "@", "|", "<>", "^", "$", "`", "!", `"`, "'",
		"a -> b", "total 12", "Jan  1 12:00", "-rw-r--r--    1 0        0              12 Nov 14  2023 x",
		"gr\xfc\xdfe", "Grüße", "e\u0301", "\u202egnp.exe", "esc\x1b[31m", "tab\there",
	}
	tree := afero.NewMemMapFs()
	for _, name := range names {
		fetchtest.NoError(t, afero.WriteFile(tree, "/d/"+name, []byte(name), 0o644))
	}
	server := fetchtest.CloseAtEnd(demo.StartFTP(tree))(t)
	client := &ftp.Client{PlainPasswords: true}
	defer client.Close()

	fetch := func(s string) *protocols.Resource {
		t.Helper()
		u := fetchtest.Must(urlcore.Parse(s))(t)
		r, err := client.Fetch(t.Context(), protocols.Request{URL: u})
		if err != nil {
			t.Fatalf("Fetch(%s): %v", s, err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return r
	}
	links := map[string]string{}
	for l, err := range fetch("ftp://gofer:gofer@" + server.Addr() + "/d;type=d").Lines {
		fetchtest.NoError(t, err)
		if l.Link != nil {
			links[l.Text] = l.Link.String()
		}
	}
	for _, name := range names {
		s, ok := links[name]
		if !ok {
			t.Errorf("%q is not listed", name)
			continue
		}
		// The URL has a user but no password. The client remembers the password.
		b, err := io.ReadAll(fetch(s).Body)
		if err != nil || string(b) != name {
			t.Errorf("the Body of %s is %q, error %v; want %q", s, b, err, name)
		}
	}
}
