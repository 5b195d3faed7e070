package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/about"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestBarSaysOwnPagesInWords: the bar of a page of gofer's own has words, but its
// URL is what is edited and copied.
func TestBarSaysOwnPagesInWords(t *testing.T) {
	for _, tt := range []struct {
		url   urlcore.URL
		want  string
		width int
	}{
		{about.Page("history"), " history", 80},
		{about.Page("history?caf%C3%A9%1B[31m"), " history: café␛[31m", 80},
		{about.ExplainURL(item('0', "/about.txt")), " explain gopher://gopher.example.org/0/about.txt", 80},
		{about.ExplainURL(item('0', "/about.txt")), " explain …gopher.example.org", 30},
		{about.Page("bookmarks/" + strings.Repeat("long", 20)), " bookmarks: longlonglonglong…", 30},
	} {
		w := web{}
		w.page(tt.url, protocols.LayoutPage, "", info("A page."))
		d := drive(t, w, Options{Home: tt.url}, tt.width, 24)
		if got, _, _ := strings.Cut(d.screen(), "\n"); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.url, got, tt.want)
		}
		d.press("g")
		d.wantTyped(tt.url.String())
		d.press("esc", "y")
		if len(d.said) != 1 || !strings.Contains(tt.url.String(), fmt.Sprint(d.said[0])) {
			t.Errorf("%s: to the clipboard went %v", tt.url, d.said)
		}
	}
}
