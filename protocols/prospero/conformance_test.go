package prospero_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/prospero"
	"gofer/urlcore"
)

func TestConformance(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartProspero())(t)
	o := fetchtest.CloseAtEnd(demo.StartOriginalProspero())(t)
	known := map[string][]byte{
		"/pros/plain":      []byte("Plain text.\nSecond line.\n"),
		"/pros/octets":     bytes.Repeat([]byte("\x00\x01'\xff''\r\n"), 3000),
		"/pros/it's %41;?": []byte("odd\n"),
		"/pros/empty":      {},
		"/pros/big":        bytes.Repeat([]byte("0123456789'bcde\n"), 1<<19),
	}
	var links strings.Builder
	for name, data := range known {
		s.SetContents(name, data)
		fmt.Fprintf(&links, "LINK L FILE '%s' INTERNET-D LOCALHOST ASCII '%[1]s' 0\n", strings.ReplaceAll(name, "'", "''"))
	}
	links.WriteString("LINK L DIRECTORY many INTERNET-D LOCALHOST " +
		"ASCII /pros/many 0\nLINK L DIRECTORY none INTERNET-D LOCALHOST ASCII /pros/none 0\n")
	s.SetDirectory("", links.String())
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(
			&many,
			"LINK L EXTERNAL item%04d INTERNET-D h.example ASCII '' 0\nATTRIBUTE LINK FIELD ACCESS-METHOD AFTP '' '' ASCII /pub/item%04d BINARY\n",
			i, i,
		)
	}
	s.SetDirectory("/pros/many", many.String())
	s.SetDirectory("/pros/none", "")
	fetchtest.Run(t, fetchtest.Target{
		New:       func(d wire.Dialer) protocols.Fetcher { return &prospero.Client{Dialer: d} },
		Datagrams: true,
		Pages: []fetchtest.Page{
			{
				URL: s.URL("/pros/many"), Layout: protocols.LayoutDirectory, Lines: 1000,
				Contains: []string{"ftp://h.example/pub/item0999;type=i"}, Streams: true,
			},
			{URL: s.URL("/pros/octets"), Contains: []string{"\x00\x01'\xff''\r\n"}, Streams: true},
			{URL: s.URL("/pros/plain"), Contains: []string{"Second line."}},
			{URL: s.URL("/pros/empty"), Empty: true},
			{URL: s.URL("/pros/none"), Empty: true},
			{URL: o.URL("AFTP/pub"), Layout: protocols.LayoutDirectory, Lines: 1, Contains: []string{"ftp://ftp.example/pub/hello.txt;type=i"}},
			{URL: o.URL("AFTP/pub/hello.txt"), Layout: protocols.LayoutPage, Lines: 4, Contains: []string{"ftp://ftp.example/pub/hello.txt;type=i"}},
			{
				URL: o.URL("GOPHER-GW/gopher.example(70)/1/"), Layout: protocols.LayoutMenu, Lines: 2,
				Contains: []string{"Welcome", "gopher://gopher.example/7/find"},
			},
			{URL: o.URL("warned"), Layout: protocols.LayoutDirectory, Empty: true},
			{URL: o.URL("/pros/inside/deeper"), Layout: protocols.LayoutDirectory, Lines: 1, Contains: []string{"found"}},
		},
		Large:    s.URL("/pros/big"),
		Missing:  []string{s.URL("/pros/missing"), s.URL("missing"), o.URL("AFTP/pub/none"), o.URL("/pros/inside/none")},
		WalkFrom: []string{s.URL("")},
		Known: func(u urlcore.URL) ([]byte, bool) {
			data, ok := known[u.(urlcore.Prospero).Object]
			return data, ok
		},
	})
}
