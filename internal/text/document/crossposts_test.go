package document

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestCrossposts(t *testing.T) {
	for _, tt := range []struct{ xref, want string }{
		{"news.example.org a.b:12 c.d:3", "[{a.b 12} {c.d 3}]"},
		{"news.example.org a.b:12\r\n\tc:d:3", "[{a.b 12} {c:d 3}]"},
		{"a.b:12", "[]"},
		{"h a.b:x :5 a.b: a.b:-1 c.d:99999999999999999999 e:0", "[{e 0}]"},
		{"", "[]"},
	} {
		for _, rest := range []string{"\r\n\r\nbody\r\n", "\r\n"} {
			text := "Subject: x\r\nXref: " + tt.xref + rest
			d := fetchtest.Must(Open(protocols.Head{Media: protocols.MediaArticle}, strings.NewReader(text)))(t)
			fetchtest.Equal(t, fmt.Sprint(d.Crossposts), tt.want, "%q and %q", tt.xref, rest)
		}
	}
}
