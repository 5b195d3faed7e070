package dump

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
)

func TestDumpCharsets(t *testing.T) {
	in := func(table *charmap.Charmap, text string) string {
		return fetchtest.Must(table.NewEncoder().String(text))(t)
	}
	russian, box := "Добро пожаловать на сервер\nЗдесь архив статей и программ\n", "╔════╗\n║ hi ║\n╚════╝\n"
	drawing := func(text string) string { return "\x1b[H\x1b[3C\x1b[1;1H" + text }
	for _, tt := range []struct {
		name, octets string
		media        string
		charset      charset.Charset
		want         string
		remembered   bool // for the server, not for this page
	}{
		{"KOI8-R", in(charmap.KOI8R, russian), "", charset.Auto, russian, false},
		{"windows-1251", in(charmap.Windows1251, russian), "", charset.Auto, russian, false},
		{"a box", in(charmap.CodePage437, box), "", charset.Auto, box, false},
		{"UTF-8 at first", "ä\nGr\xfc\xdfe\nä\n", "", charset.Auto, "ä\nGrüße\nä\n", false},
		{"declared", "\xe4\n", "text/plain; charset=ibm437", charset.Auto, "Σ\n", false},
		{"declared, but UTF-8", "ä\n", "text/plain; charset=iso-8859-1", charset.Auto, "ä\n", false},
		{"given", "\xe4\n", "text/plain; charset=ibm437", charset.KOI8R, "Д\n", false},
		{"given, but UTF-8", "ä\n", "", charset.Windows1252, "Ã¤\n", false},
		{"remembered", "\xe4\n", "text/plain; charset=ibm437", charset.KOI8R, "Д\n", true},
		{"given for HTML", "<p>\xe4 &eacute;", "text/html", charset.KOI8R, "Д é\n", false},
		{
			"given for HTML that declares another one", "<meta charset=ibm437><p>\xe4 &eacute;",
			"text/html; charset=ibm437", charset.KOI8R, "Д é\n", false,
		},
		{"given for Markdown", "\xe4 &eacute;\n", "text/markdown", charset.KOI8R, "Д é\n", false},
		{"given for Markdown that declares another one", "\xe4 &eacute;\n", "text/markdown; charset=ibm437", charset.KOI8R, "Д é\n", false},
		{"remembered, but UTF-8", "ä\n\xe4\n", "", charset.KOI8R, "ä\nД\n", true},
		{"a drawing", drawing("\x82\xdb\x03"), "", charset.Auto, "é█♥\n", false},
		{"a drawing, given", drawing("\x82\xdb\x03"), "", charset.CP437, "é█♥\n", false},
		{"a drawing in KOI8-R, given", drawing(in(charmap.KOI8R, "привет\x03")), "", charset.KOI8R, "привет♥\n", false},
		{"a drawing in KOI8-R, remembered", drawing(in(charmap.KOI8R, "привет")), "", charset.KOI8R, "привет\n", true},
		{"a drawing in KOI8-R, declared", drawing(in(charmap.KOI8R, "привет")), "text/plain; charset=koi8-r", charset.Auto, "привет\n", false},
		{"a drawing in Latin-1, declared", drawing("\xdb"), "text/plain; charset=iso-8859-1", charset.Auto, "█\n", false},
		{"a drawing in UTF-8, remembered", drawing("привет"), "", charset.KOI8R, "привет\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, format := range []Format{Text, JSON} {
				var got bytes.Buffer
				f := fetchtest.File(new(atomic.Int32), tt.media, nil, tt.octets)
				fetchtest.NoError(
					t,
					Write(
						t.Context(), f, protocols.Request{URL: pageURL}, &got, format, false,
						clean.Reading{Charset: tt.charset, AllLines: !tt.remembered}, nav.Show{},
					),
				)
				want := tt.want
				if format == JSON {
					_, rest, _ := strings.Cut(got.String(), "\n")
					got = *bytes.NewBufferString(rest)
					want = `{"kind":"info","text":"` +
						strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n", "\"}\n{\"kind\":\"info\",\"text\":\"") +
						"\"}\n"
				}
				fetchtest.Equal(t, got.String(), want, "%s", format)
			}
		})
	}
	var got bytes.Buffer
	groups := fetcherOf(protocols.LayoutArticles, nil, protocols.Line{Kind: protocols.Article, Note: &protocols.ArticleNote{
		Subject: in(charmap.KOI8R, "Вопрос о программе"), From: in(charmap.KOI8R, "Иван") + " <i@x>", Lines: -1, Bytes: -1,
	}})
	fetchtest.NoError(t, Write(t.Context(), groups, protocols.Request{URL: pageURL}, &got, Text, false, clean.Reading{}, nav.Show{}))
	if s := got.String(); !strings.Contains(s, "Вопрос о программе") || !strings.Contains(s, "Иван ") {
		t.Errorf("an article of a group: got %s, want its subject and author decoded", s)
	}
}
