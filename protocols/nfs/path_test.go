package nfs

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestPathnames(t *testing.T) {
	for _, tt := range []struct{ path, link, want string }{
		{"", "", "."},
		{"/", "", "/"},
		{"a/b", "", "a/b"},
		{"/a/b/", "", "/a/b"},
		{"a%b/\xfc", "", "a%25b/%fc"},
		{"a\n\x7f", "", "a%0a%7f"},
		{"a/b", "/x/y", "/x/y"},
		{"a/b", "x/y", "a/x/y"},
		{"/a/b", "x/y", "/a/x/y"},
		{"a/b", "../%2f\x80", "a/../%252f%80"},
		{"b", ".", "."},
		{"", "x", "x"},
	} {
		p := pathname{splitNames(tt.path), strings.HasPrefix(tt.path, "/")}
		if tt.link != "" {
			p = p.follow(tt.link)
		}
		fetchtest.Equal(t, p.canonical(), tt.want, "%q with the link %q", tt.path, tt.link)
	}
}
