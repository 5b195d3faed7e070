package document

import (
	"slices"
	"strings"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// TestLinksToServerOfArticle checks that references without a server lead to the
// server of the article.
func TestLinksToServerOfArticle(t *testing.T) {
	named := urlcore.NNTP{HostPort: urlcore.HostPort{Host: "b.example", Port: 1119}, Group: "a.b", Article: 7, HasArticle: true}
	secure := named
	secure.Port, secure.Secure = 0, true
	for _, tt := range []struct {
		page       urlcore.URL
		text, want string
	}{
		{named, "see news:1@h.example", "news://b.example:1119/1@h.example"},
		{named, "<1@h.example>", "news://b.example:1119/1@h.example"},
		{named, "<news:c.d>", "nntp://b.example:1119/c.d"},
		{named, "news://other.example/1@h.example", "news://other.example/1@h.example"},
		{named, "nntp://other.example/c.d", "nntp://other.example/c.d"},
		{secure, "see news:1@h.example", "snews://b.example/1@h.example"},
		{urlcore.News{MessageID: "x@y"}, "see news:1@h.example", "news:1@h.example"},
	} {
		head := protocols.Head{URL: tt.page, Media: protocols.MediaArticle}
		links, _ := TextLinks(&head, &protocols.Line{Text: tt.text}, func(int) (string, bool) { return "", false })
		if len(links) != 1 || links[0].URL.String() != tt.want {
			t.Errorf("%s on %s: got %v, want %s", tt.text, tt.page, links, tt.want)
		}
	}
}

// TestOtherHeaderFields checks that other fields and repeated fields have the note
// [protocols.OtherField], and that their number is limited. It also checks that the pictures in fields
// are omitted, and that the URLs of mailing lists are links.
func TestOtherHeaderFields(t *testing.T) {
	many := strings.Repeat("X: y\n", maxOtherFields)
	for _, tt := range []struct {
		header string
		want   []string
	}{
		{"Xref: h\nFrom: a\nFrom: b\nSubject: s\nX: y\n", []string{"Xref: h", "From: b", "X: y"}},
		{"Face: " + strings.Repeat("iVBOR\n ", 200) + "\nX-Face: #x\n", []string{"Face: (picture, 1.2 kB)", "X-Face: (picture, 2 B)"}},
		{
			"List-Help: <ftp://h/l.txt> (FTP),\n <mailto:l@h?subject=help>\nList-Post: NO (closed)\nlist-owner: <mailto:o@h> (Joe <joe>)\n",
			[]string{
				"List-Help: <ftp://h/l.txt> (FTP), ftp://h/l.txt",
				"           <mailto:l@h?subject=help> mailto:l@h?subject=help", "List-Post: NO (closed)",
				"list-owner: <mailto:o@h> (Joe <joe>) mailto:o@h",
			},
		},
		{
			"List-Archive: <javascript:x>, <about:downloads>, <file:///etc/passwd>, <http://[>, <gopher://h/%0d>\nList-Subscribe:\n",
			[]string{"List-Archive: <javascript:x>, <about:downloads>, <file:///etc/passwd>, <http://[>, <gopher://h/%0d>", "List-Subscribe: "},
		},
		{"List-Post: " + strings.Repeat("<news:x>", 3*maxFieldURLs) + "\n", append(append([]string{"List-Post: <news:x> news:x"},
			slices.Repeat([]string{"           <news:x> news:x"}, maxFieldURLs-1)...), "           "+
			strings.Repeat("<news:x>", 2*maxFieldURLs)+" news:x")},
		{many, slices.Repeat([]string{"X: y"}, maxOtherFields)},
		{many + "Z: z\n", append(slices.Repeat([]string{"X: y"}, maxOtherFields), "(other fields left out: save the article to get them)")},
	} {
		var got []string
		for l := range loneArticle(strings.NewReader(tt.header+"\n"), nil) {
			if l.Note == protocols.OtherField {
				if l.Link != nil {
					l.Text += " " + l.Link.String()
				}
				got = append(got, l.Text)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%.60q: got %d lines %.200q, want %d", tt.header, len(got), got, len(tt.want))
		}
	}
}
