package ftp

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestTilde checks that a name with "~" is an item, not a home. The first directory of a URL may be the
// home of a user.
func TestTilde(t *testing.T) {
	for _, tt := range []struct {
		path string
		want []string
	}{
		{"~", []string{"SIZE ./~", "EPSV", "RETR ./~"}},
		{"~/;type=d", []string{"CWD ./~", "EPSV", "MLSD"}},
		{"~user/~x", []string{"CWD ~user", "SIZE ./~x", "EPSV", "RETR ./~x"}},
		{"d/~/~x/f~", []string{"CWD d", "CWD ./~", "CWD ./~x", "SIZE f~", "EPSV", "RETR f~"}},
	} {
		f := startFake(t, &fake{data: map[string]string{"RETR": "abc", "MLSD": "type=file; f\r\n"}})
		c := newClient(t)
		u := parse(t, f.url(tt.path))
		for range 2 { // the second fetch uses the same connection, and pipelining
			r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u}))(t)
			fetchtest.NoError(t, r.Close())
		}
		commands := f.commands()
		fetchtest.EqualSlices(t, commands[slices.Index(commands, "PWD")+1:][:len(tt.want)], tt.want, "commands for %q", tt.path)
		var planned []string
		for _, step := range fetchtest.Must(c.Plan(u))(t) {
			planned = append(planned, strings.TrimSuffix(step.Send, "\r\n"))
		}
		fetchtest.EqualSlices(t, planned[len(planned)-1-len(tt.want):], append(tt.want, "EPSV"), "the plan of %q", tt.path)
	}
}
