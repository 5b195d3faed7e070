package z3950_test

import (
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/z3950"
)

func startServer(tb testing.TB) *demo.Z3950Server {
	tb.Helper()
	return fetchtest.CloseAtEnd(demo.StartZ3950(demo.Books()))(tb)
}

func newClient(d wire.Dialer) protocols.Fetcher { return &z3950.Client{Dialer: d} }

func TestConformance(t *testing.T) {
	s := startServer(t)
	record := "z39.50r://" + s.Addr() + "/books?"
	fetchtest.Run(t, fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: s.URL("books"), Layout: protocols.LayoutMenu, Lines: 8, Contains: []string{"Search books by fields", ";scan=title=", "Server: Gofer demonstration 1"}},
			{
				URL: s.URL("books;search=verne"), Layout: protocols.LayoutMenu, Title: "verne in books", Lines: 5,
				Contains: []string{"2 records match.", "Vingt mille lieues", record + "b002"},
			},
			{URL: s.URL("books;search=title=war&author=tolstoy"), Lines: 4, Contains: []string{"1 record matches."}},
			{URL: s.URL("books;search=nothing"), Lines: 3, Contains: []string{"No record matches."}},
			{URL: s.URL("books;search=london;rs=sutrs"), Lines: 20, Contains: []string{";rs=sutrs;search=london;record=3"}},
			{URL: s.URL("books;scan=title=moby"), Title: "Index: Title in books", Layout: protocols.LayoutMenu, Lines: 20, Contains: []string{"moby", ";search=title=moby"}},
			{URL: record + "b003", Media: "application/marc", Contains: []string{"mis\xe2erables"}},
			{URL: s.URL("books?b004"), Media: "application/marc", Contains: []string{"Grahame"}},
			{URL: "z39.50://" + s.Addr() + "/books?b004;rs=xml", Media: "text/xml", Contains: []string{"<creator>Grahame, Kenneth"}},
			{URL: record + "b004;rs=html", Media: "text/html", Contains: []string{"<h1>The wind"}},
			{URL: record + "b004;rs=sutrs", Media: "text/plain", Contains: []string{"London, 1908."}},
			{URL: record + "b004;rs=grs-1", Media: "text/plain", Contains: []string{"title: The wind in the willows\n", "description:\n  place: London\n"}},
			{URL: record + "b004;rs=unimarc+1.2.840.10003.5.101", Media: "text/plain"},
			{URL: record + "b003;esn=f;rs=MARC", Media: "application/marc"},
			{URL: s.URL("books;search=title=war;record=2"), Media: "application/marc"},
		},
		Missing:  []string{s.URL("nowhere;search=x"), record + "b999", "z39.50r://" + s.Addr() + "/nowhere?b001", s.URL("books;search=title=war;record=3")},
		WalkFrom: []string{s.URL("books"), s.URL("books;search=verne"), s.URL("books;scan=author=m")},
	})
}
