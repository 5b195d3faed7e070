package ftp

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
)

// TestCharsetOfNames checks that names are UTF-8 if the server has the feature UTF8 and the names are
// valid. Otherwise the charset of the names must be guessed.
func TestCharsetOfNames(t *testing.T) {
	const noFeatures = "211 no features\r\n"
	for _, tt := range []struct{ name, features, names, want, wantWhy string }{
		{"announced, ASCII", features, "a\r\nb\r\n", "UTF-8", "the server says so"},
		{"announced", features, "gr\xc3\xbc\xc3\x9fe\r\n\xd0\xba\xd0\xbe\xd1\x84\xd0\xb5\r\n", "UTF-8", "the server says so"},
		{"announced, one other name", features, "gr\xc3\xbcn\r\n\xd0\xba\xd0\xbe\xd1\x84\xd0\xb5\r\nGr\xfc\xdfe aus K\xf6ln\r\n", "UTF-8", "2 lines are valid UTF-8"},
		{"announced, all others", features, "Gr\xfc\xdfe aus K\xf6ln\r\nf\xfcr\r\nsch\xf6n\r\n", "windows-1252", "not UTF-8"},
		{"not announced", noFeatures, "gr\xc3\xbc\xc3\x9fe\r\n", "UTF-8", "one line is valid UTF-8"},
		{"not announced, KOI8-R", noFeatures, "\xd0\xd2\xc9\xd7\xc5\xd4\r\n\xc6\xc1\xca\xcc\xd9\r\n\xd3\xd0\xc9\xd3\xcf\xcb\r\n", "KOI8-R", "not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			no := "502 no"
			f := startFake(t, &fake{replies: map[string]string{"FEAT": tt.features, "MLSD": no, "LIST": no}, data: map[string]string{"NLST": tt.names}})
			l := nav.Open(t.Context(), newClient(t), protocols.Request{URL: parse(t, f.url("d;type=d"))})
			defer l.Cancel()
			head := fetchtest.Must(l.Wait())(t)
			var s nav.Session
			s.Begin(l)
			p := s.Answer(l, head)
			for p.IsLoading() {
				lines, err := l.Next()
				s.Append(l, lines, err)
			}
			c, _ := p.CharsetChoice()
			if c.Charset.String() != tt.want || !strings.Contains(c.Why, tt.wantWhy) || p.Layout != protocols.LayoutDirectory {
				t.Errorf("charset %s because %q, layout %v; want %s because %q, a directory", c.Charset, c.Why, p.Layout, tt.want, tt.wantWhy)
			}
		})
	}
}

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
		fetchtest.EqualSlices(t, planned[len(planned)-len(tt.want):], tt.want, "the plan of %q", tt.path)
	}
}
