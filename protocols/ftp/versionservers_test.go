package ftp_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ftp"
)

// TestVersionServers fetches a file of real servers only if it has changed.
func TestVersionServers(t *testing.T) {
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			c := &ftp.Client{PlainPasswords: !d.TLS, Dialer: wire.Dialer{TLS: wire.TLS{Roots: s.Roots()}}}
			defer c.Close()
			path := filepath.Join(s.Home, "notes", "versions.txt")
			u := fetchtest.Parse(t, d.Scheme+"://"+s.User+":"+s.Password+"@"+s.Addr+"/notes/versions.txt")
			write := func(content string, at time.Time) {
				t.Helper()
				fetchtest.NoError(t, os.WriteFile(path, []byte(content), 0o644))
				fetchtest.NoError(t, os.Chtimes(path, at, at))
			}
			version := ""
			fetch := func(want string) {
				t.Helper()
				r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u, Modified: true, Version: version}))(t)
				defer r.Close()
				fetchtest.Equal(t, string(fetchtest.Must(io.ReadAll(r.Body))(t)), want, "content")
				fetchtest.Equal(t, r.Unchanged, want == "", "unchanged")
				if version = r.Version; version == "" {
					t.Error("the server gives no version")
				}
			}
			begin := time.Now().Add(-time.Hour)
			write("one", begin)
			fetch("one")
			fetch("")
			write("two", begin.Add(time.Minute))
			fetch("two")
			fetch("")
		})
	}
}
