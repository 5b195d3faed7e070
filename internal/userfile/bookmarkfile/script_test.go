package bookmarkfile

import (
	"strings"
	"testing"
)

// TestNoScripts checks that bookmarklets are not imported.
func TestNoScripts(t *testing.T) {
	const links = `<a href="JavaScript:alert(1)">a</a><a href="data:text/html,x">b</a><a href=" vbscript:x">c</a><a href="http://h/">d</a>`
	for name, text := range map[string]string{
		"html": "<!DOCTYPE NETSCAPE-Bookmark-file-1><dl>" + links + "</dl>",
		"xbel": `<xbel>` + strings.NewReplacer("<a href", "<bookmark href", "</a>", "</bookmark>").Replace(links) + `</xbel>`,
	} {
		list, skipped, err := Read(strings.NewReader(text), name)
		if err != nil || skipped != 3 || len(list) != 1 || list[0].URL.Scheme() != "http" {
			t.Errorf("Read(%s) = %v, %d skipped, %v; want only http://h/, 3 skipped", name, list, skipped, err)
		}
	}
}
