package ftp

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
)

// TestCharsetOfNames: UTF8 among the features is believed of a directory, unless
// its names say otherwise; without it they alone tell.
func TestCharsetOfNames(t *testing.T) {
	const none = "211 no features\r\n"
	for _, tt := range []struct{ name, features, names, want, why string }{
		{"announced, ASCII", features, "a\r\nb\r\n", "UTF-8", "the server says so"},
		{"announced", features, "gr\xc3\xbc\xc3\x9fe\r\n\xd0\xba\xd0\xbe\xd1\x84\xd0\xb5\r\n", "UTF-8", "the server says so"},
		{"announced, one other name", features, "gr\xc3\xbcn\r\n\xd0\xba\xd0\xbe\xd1\x84\xd0\xb5\r\nGr\xfc\xdfe aus K\xf6ln\r\n", "UTF-8", "2 lines are valid UTF-8"},
		{"announced, all others", features, "Gr\xfc\xdfe aus K\xf6ln\r\nf\xfcr\r\nsch\xf6n\r\n", "windows-1252", "not UTF-8"},
		{"not announced", none, "gr\xc3\xbc\xc3\x9fe\r\n", "UTF-8", "one line is valid UTF-8"},
		{"not announced, KOI8-R", none, "\xd0\xd2\xc9\xd7\xc5\xd4\r\n\xc6\xc1\xca\xcc\xd9\r\n\xd3\xd0\xc9\xd3\xcf\xcb\r\n", "KOI8-R", "not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			no := "502 no"
			f := startFake(t, &fake{replies: map[string]string{"FEAT": tt.features, "MLSD": no, "LIST": no}, data: map[string]string{"NLST": tt.names}})
			l := nav.Open(t.Context(), newClient(t), parse(t, f.url("d;type=d")))
			defer l.Cancel()
			head := fetchtest.Must(l.Wait())(t)
			var s nav.Session
			s.Begin(l)
			p := s.Answer(l, head)
			for p.Loading() {
				lines, err := l.Next()
				s.Append(l, lines, err)
			}
			c, _ := p.CharsetChoice()
			if c.Charset.String() != tt.want || !strings.Contains(c.Why, tt.why) || p.Layout != protocols.LayoutDirectory {
				t.Errorf("got %s, %q, want %s, %q", c.Charset, c.Why, tt.want, tt.why)
			}
		})
	}
}
