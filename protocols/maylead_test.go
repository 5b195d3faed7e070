package protocols_test

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestMayLead checks that pages of servers lead neither to files of this machine nor to the program's own pages.
func TestMayLead(t *testing.T) {
	local := []string{"file:///etc/passwd", "file://localhost/x", "about:config"}
	for page, want := range map[string]bool{
		"gopher://h/1": false, "http://h/": false, "news:a@b": false, "wais://h/d": false, "finger://h/u": false,
		"ftp://h/x": false, "gemini://h/": false,
		"about:attachment/1/a?news%3Aa%40b": false, "about:entry/1/a?ftp%3A%2F%2Fh%2Fa.tar": false,
		"file:///d/x": true, "about:home": true, "about:entry/1/a?file%3A%2F%2F%2Fa.tar": true,
	} {
		from := fetchtest.Parse(t, page)
		for _, to := range local {
			fetchtest.Equal(t, protocols.MayLead(from, fetchtest.Parse(t, to)), want, "from %s to %s", page, to)
		}
		for _, to := range []string{"file://h.example/x", "gopher://h/", "mailto:a@b"} {
			fetchtest.Equal(t, protocols.MayLead(from, fetchtest.Parse(t, to)), true, "from %s to %s", page, to)
		}
		fetchtest.Equal(t, protocols.MayLead(from, protocols.UnopenedLink("file:///x")), true, "from %s to the page of a refused link", page)
	}
}
