package gopher

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestLocalLinks checks that a menu leads neither to files of this machine nor to the program's own pages.
func TestLocalLinks(t *testing.T) {
	for to, want := range map[string]string{
		"file:///etc/passwd": "about:link?file%3A%2F%2F%2Fetc%2Fpasswd", "about:config": "about:link?about%3Aconfig",
		"file://h.example/x": "file://h.example/x", "http://h.example/": "http://h.example/",
	} {
		for _, selector := range []string{"URL:" + to, "/URL:" + to} {
			l := (&menuReader{}).parseLine("hx\t" + selector + "\th\t70")
			fetchtest.Equal(t, l.Link.String(), want, "link of %s", selector)
			fetchtest.Equal(t, l.Kind == protocols.Problem, want[:6] == "about:", "kind of %s is Problem", selector)
		}
	}
}
