package document

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestLocalLinks checks that only local menus and texts lead to files of this machine.
func TestLocalLinks(t *testing.T) {
	const to, refused = "file:///etc/passwd", "about:link?file%3A%2F%2F%2Fetc%2Fpasswd"
	for page, want := range map[string]string{
		"http://h.example/m": refused, "gopher://h.example/0x": refused, "news:a@b": refused,
		"about:attachment/1/a?news%3Aa%40b": refused, "file:///d/m": to,
	} {
		head := protocols.Head{URL: fetchtest.Parse(t, page), Media: protocols.MediaMenu, Layout: protocols.LayoutMenu}
		d := fetchtest.Must(Open(head, strings.NewReader("hx\tURL:"+to+"\n")))(t)
		for l, err := range d.Lines() {
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, l.Link.String(), want, "menu of %s", page)
		}
		for _, media := range []string{"text/plain", protocols.MediaArticle} {
			head.Media = media
			links, _ := TextLinks(&head, &protocols.Line{Text: "see <" + to + ">"}, func(int) (string, bool) { return "", false })
			fetchtest.Equal(t, len(links), 1, "links of a text of %s", page)
			fetchtest.Equal(t, links[0].URL.String(), want, "text of %s as %s", page, media)
		}
	}
}
