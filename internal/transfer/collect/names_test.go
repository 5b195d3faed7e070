package collect

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
)

// TestUniqueNames names many items alike, which would take hours if each name tried all numbers.
func TestUniqueNames(t *testing.T) {
	c := New(new(download.Manager), nil, "", Options{})
	seen := make(map[string]bool)
	for range 200_000 {
		for _, name := range []string{"d/X.txt", "d/x.txt"} {
			seen[strings.ToLower(c.unique(name))] = true
		}
	}
	fetchtest.Equal(t, len(seen), 400_000, "different names")
	fetchtest.Equal(t, c.unique("d/x.txt"), "d/x(400000).txt", "the last name")
}

// TestPortablePaths names files as servers may, for an archive that may be unpacked on Windows.
func TestPortablePaths(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{`h/..\..\evil.bat`, "h/_.._evil.bat"},
		{`h/C:\evil.bat`, "h/C__evil.bat"},
		{"h/aux.txt", "h/_aux.txt"},
		{"h/a. ", "h/a"},
		{"h/../a", "h/unnamed/a"},
		{"h/.-x y", "h/.-x y"},
		{"h/a\xffb", "h/a_b"},
	} {
		fetchtest.Equal(t, validPath(tt.name), tt.want, "validPath(%q)", tt.name)
	}
}
