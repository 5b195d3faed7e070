package document

import (
	"slices"
	"strings"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// TestLinksAskTheServerOfTheArticle: what an article names without a server is
// asked for where the article is from.
func TestLinksAskTheServerOfTheArticle(t *testing.T) {
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

// TestOtherFields: fields that are not shown come last, and so does the second one of
// a name; there is a limit to their number.
func TestOtherFields(t *testing.T) {
	many := strings.Repeat("X: y\n", maxOtherFields)
	for _, tt := range []struct {
		header string
		want   []string
	}{
		{"Xref: h\nFrom: a\nFrom: b\nSubject: s\nX: y\n", []string{"Xref: h", "From: b", "X: y"}},
		{many, slices.Repeat([]string{"X: y"}, maxOtherFields)},
		{many + "Z: z\n", append(slices.Repeat([]string{"X: y"}, maxOtherFields), "(other fields left out: save the article to get them)")},
	} {
		var got []string
		for l := range loneArticle(strings.NewReader(tt.header+"\n"), nil) {
			if l.Note == protocols.OtherField {
				got = append(got, l.Text)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%.60q: got %d lines %.200q, want %d", tt.header, len(got), got, len(tt.want))
		}
	}
}
