package wais_test

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/wais"
	"gofer/urlcore"
)

const gif = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// databases returns the databases of the tests.
func databases() []demo.WAISDatabase {
	return []demo.WAISDatabase{
		{
			Name: "notes", Description: "Notes about \"gopher\" and others.\nKept in C:\\notes.",
			Documents: []demo.WAISDocument{
				{
					Name: "a.txt", Headline: "Gopher notes", Date: "19940312", Types: []string{"TEXT"},
					Content: map[string]string{"TEXT": "Gopher notes\nAll about gopher.\n"},
				},
				{
					Name: "b;=%;c.txt", Headline: "Odd gopher id", Types: []string{"TEXT", "GIF"},
					Content: map[string]string{"TEXT": "gopher\n", "GIF": gif},
				},
				{Name: "\x1f\x00\xff \x80", Headline: "Octets", Types: []string{"PS"}, Content: map[string]string{"PS": "%!PS octets of gopher\n"}},
				{Name: "empty.txt", Headline: "An empty text of gopher", Types: []string{"TEXT"}, Content: map[string]string{"TEXT": ""}},
				{Name: "link", Headline: "gopher://127.0.0.1:1/1gopher", Types: []string{"URL"}, Content: map[string]string{"URL": ""}},
				{Name: "big.bin", Headline: "Digits without words", Types: []string{"BIN"}, LargeSize: 12 << 20},
			},
		},
		{Name: "a b", Description: "Nothing is here."},
	}
}

func startServer(tb testing.TB) *demo.WAISServer {
	tb.Helper()
	return fetchtest.CloseAtEnd(demo.StartWAIS(databases()))(tb)
}

func documentURL(s *demo.WAISServer, name string, size int, typ string) string {
	return documentOf(s, "notes", name, size, typ)
}

func documentOf(s *demo.WAISServer, database, name string, size int, typ string) string {
	host := strings.ReplaceAll(s.Addr(), ":", "%3A")
	local := fmt.Sprintf("0%%20%d%%20/srv/wais/%s", size, name)
	home := "/srv/wais/" + database
	return s.URL(database + "/" + typ + "/1=" + host + ";2=" + home + ";3=" + local + ";4=" + host + ";5=" + home + ";6=" + local + ";7=%00;")
}

// likeSearch returns a search without words for documents like a.txt.
func likeSearch(s *demo.WAISServer) string {
	_, path, _ := strings.Cut(documentURL(s, "a.txt", 31, "TEXT"), "/notes/")
	return "%1F" + path
}

func TestConformance(t *testing.T) {
	s, o := startServer(t), startOriginal(t)
	known := map[string][]byte{"a.txt": []byte("Gopher notes\nAll about gopher.\n"), "empty.txt": {}}
	target := fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &wais.Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{
				URL: s.URL("notes?gopher"), Layout: protocols.LayoutMenu, Lines: 6,
				Contains: []string{"Gopher notes", "/TEXT/1%3D", "gopher://127.0.0.1:1/1gopher"},
			},
			{
				URL: s.URL("notes"), Layout: protocols.LayoutMenu, Lines: 6,
				Contains: []string{"Kept in C:\\notes.", "keeper@example.invalid", "Catalog"},
			},
			{URL: s.URL("?gopher"), Layout: protocols.LayoutMenu, Lines: 2, Contains: []string{"/notes"}},
			{URL: s.URL(""), Layout: protocols.LayoutMenu, Lines: 2, Contains: []string{"/notes", "/a%20b"}},
			{URL: s.URL("notes?nothing"), Layout: protocols.LayoutMenu, Title: "nothing in notes", Lines: 2, Contains: []string{"No document matches."}},
			{
				URL: o.URL("many?word"), Layout: protocols.LayoutMenu, Lines: 105,
				Contains: []string{"First 100 of more: the others were not requested"},
			},
			{URL: o.URL(""), Layout: protocols.LayoutMenu, Lines: 62, Contains: []string{"/notes", "/db55"}},
			{URL: o.URL("notes%1Fempty?gopher"), Layout: protocols.LayoutMenu, Lines: 8, Contains: []string{"None are from empty"}},
			{URL: o.URL("notes?" + likeSearch(o)), Layout: protocols.LayoutMenu, Lines: 6, Contains: []string{"More of a gopher"}},
			{URL: documentOf(o, "changed", "empty.txt", 0, "TEXT"), Media: "text/plain", Empty: true},
			{URL: documentURL(s, "a.txt", 31, "TEXT"), Media: "text/plain", Contains: []string{"All about gopher."}},
			{URL: documentURL(s, "big.bin", 12<<20, "BIN"), Contains: []string{"0000000000bffff0\n"[1:]}},
		},
		Large: documentURL(s, "big.bin", 12<<20, "BIN"),
		Missing: []string{
			o.URL("nowhere"), o.URL("nowhere?gopher"), s.URL("nowhere"), s.URL("nowhere?gopher"),
			documentURL(s, "c.txt", 31, "TEXT"), documentOf(o, "changed", "a.txt", 31, "TEXT"),
		},
		WalkFrom: []string{s.URL(""), s.URL("notes"), s.URL("notes?gopher")},
		Known: func(u urlcore.URL) ([]byte, bool) {
			w := u.(urlcore.WAIS)
			switch {
			case w.Type == "GIF":
				return []byte(gif), true
			case w.Type == "PS":
				return []byte("%!PS octets of gopher\n"), true
			case strings.Contains(w.Document, "%25"):
				return []byte("gopher\n"), true
			}
			b, ok := known[w.FileName()]
			return b, ok
		},
	}
	fetchtest.Run(t, target)
}
