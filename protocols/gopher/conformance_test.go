package gopher_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/gopher"
	"gofer/urlcore"
)

func newClient(d wire.Dialer) protocols.Fetcher { return &gopher.Client{Dialer: d} }

func TestConformanceLoopback(t *testing.T) {
	root := fstest.MapFS{
		"gophermap": {
			Data: []byte("Welcome to the hole.\n0Plain\tdocs/plain.txt\n1Documents\tdocs\n1Odd\todd\n9Octets\toctets.bin\n" +
				"7Search\t/search\n1A thousand\t/big/1000\n"),
		},
		"docs/plain.txt":    {Data: []byte("Plain text.\nSecond line.\n")},
		"docs/dots.txt":     {Data: []byte("a lone dot:\n.\nafter it\n..two\n")},
		"docs/latin1.txt":   {Data: []byte("Gr\xfc\xdfe\n")},
		"docs/empty.txt":    {},
		"octets.bin":        {Data: []byte("\x00\x01\x02\xff\r\n.\r\n")},
		"odd/with space":    {Data: []byte("with space\n")},
		"odd/percent%41":    {Data: []byte("percent%41\n")},
		"odd/hash#tag":      {Data: []byte("hash#tag\n")},
		"odd/question?mark": {Data: []byte("question?mark\n")},
		"odd/grüße":         {Data: []byte("grüße\n")},
	}
	s := fetchtest.CloseAtEnd(demo.StartGopher(root))(t)
	base := "gopher://" + s.Addr()
	fetchtest.Run(t, fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: base + "/1", Layout: protocols.LayoutMenu, Lines: 7, Contains: []string{"Welcome", "/0/docs/plain.txt"}, Streams: true},
			{URL: base + "/0/docs/plain.txt", Contains: []string{"Second line."}, Streams: true},
			{URL: base + "/9/octets.bin", Contains: []string{"\x00\x01\x02\xff\r\n.\r\n"}},
			{URL: base + "/1/big/1000", Lines: 1000, Streams: true},
			{URL: base + "/1/plus", Lines: 10, Contains: []string{"/0/plus/about%09%09+", "/0/plus/survey%09%09%3F"}},
			{URL: base + "/1/plus%09%09$", Layout: protocols.LayoutMenu, Lines: 9, Contains: []string{"About Gopher+"}},
			{
				URL: base + "/0/plus/about%09%09!", Layout: protocols.LayoutMenu, Lines: 10,
				Contains: []string{"mailto:keeper@example.invalid", "+text/plain%20De_DE"},
			},
			{URL: base + "/0/plus/about%09%09+text/html", Contains: []string{"<p>"}},
			{URL: base + "/7/search%09plain", Lines: 1, Contains: []string{"plain"}},
		},
		Large:    base + "/9/big/binary/33554432",
		WalkFrom: []string{base + "/1"},
		Known: func(u urlcore.URL) ([]byte, bool) {
			f := root[strings.Trim(u.(urlcore.Gopher).Selector, "/")]
			if f == nil {
				return nil, false
			}
			return f.Data, true
		},
		SameOctets: isSameText,
	})
}

// TestConformanceUMN fetches recorded answers of gopherd, the original server, with and without Gopher+.
func TestConformanceUMN(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartUMN())(t)
	base := "gopher://" + s.Addr()
	documents := map[string]string{
		"0/about": "About\r\n", "0/man": ".SH NAME\ngofer\n", "6/uu": "begin 644 a\r\n#86)C\r\n`\r\nend\r\n",
		"M/mail": "MIME-Version: 1.0\r\n\r\nHello.\r\n", "c/calendar": "11/26\tThanksgiving\r\n",
	}
	fetchtest.RunWithoutFaults(t, fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: base + "/1", Layout: protocols.LayoutMenu, Lines: 4, Contains: []string{"/00/man%09%09+"}, Streams: true},
			{URL: base + "/11/%09%09+text/html%20En_US", Media: "text/html", Contains: []string{"</HTML>\r\n"}},
			{
				URL: base + "/11/%09%09!", Layout: protocols.LayoutMenu, Lines: 8,
				Contains: []string{"Gopher Testing Labs", "mailto:admin@example.invalid"},
			},
			{URL: base + "/11/%09%09+Directory/recursive%20En_US", Layout: protocols.LayoutMenu, Lines: 9, Contains: []string{"/cc/calendar"}},
			{URL: base + "/11/plain%09%09$", Layout: protocols.LayoutMenu, Lines: 5, Contains: []string{"/00/about"}},
			{URL: base + "/00/cut%09%09+", Contains: []string{"second line\r\n"}},
			{URL: base + "/00/man", Contains: []string{".SH NAME\ngofer\n"}},
		},
		Large:    base + "/9/big/binary/33554432",
		Missing:  []string{base + "/00/gone%09%09+", base + "/00/old%09%09+"},
		WalkFrom: []string{base + "/11/plain"},
		Known: func(u urlcore.URL) ([]byte, bool) {
			g := u.(urlcore.Gopher)
			want, known := documents[g.Selector]
			return []byte(want), known && !g.HasPlus
		},
	})
}

// diskReader returns a function that reads an item from the disk of a server. If octal is set,
// "#ooo" in a selector is the octal number of an octet.
func diskReader(s *realserver.Server, octal bool) func(urlcore.URL) ([]byte, bool) {
	return func(u urlcore.URL) ([]byte, bool) {
		g, ok := u.(urlcore.Gopher)
		if !ok || g.Search != "" || g.HasSearch && g.Plus != "+" {
			return nil, false
		}
		path := g.Selector
		if octal {
			path = unescapeOctal(path)
		}
		if octal && (strings.Contains(path, "latin1") || strings.Contains(path, "long-lines")) {
			return nil, false // gophernicus converts one of these files to UTF-8, and wraps the lines of the other file
		}
		if strings.Contains(path, "cgi-bin") || strings.HasSuffix(path, ".sh") {
			return nil, false // the server runs these programs
		}
		b, err := os.ReadFile(filepath.Join(s.Root, path))
		return b, err == nil
	}
}

func unescapeOctal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '#' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// isSameText reports whether two texts are equal apart from their line ends.
func isSameText(got, want []byte) bool {
	plain := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
	return bytes.Equal(got, want) || bytes.Equal(plain(got), plain(want))
}

func newDaemonTarget(s *realserver.Server, search string) fetchtest.Target {
	base := "gopher://" + s.Addr
	return fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: base + "/1", Layout: protocols.LayoutMenu, Lines: 5, Contains: []string{"bout"}, Streams: true},
			{URL: base + "/0/docs/plain.txt", Contains: []string{"Second line."}, Streams: true},
			{URL: base + "/0/docs/escapes.txt", Contains: []string{"\x1b[31m"}},
			{URL: base + "/g/media/dot.gif", Contains: []string{"GIF89a"}},
			{URL: base + "/9/large/1MB.bin", Contains: []string{"00000000000fff0\n"}},
			{URL: base + "/1/many/", Lines: 1000, Contains: []string{"item0999.txt"}, Streams: true},
			{URL: base + "/1/empty/", Empty: true},
			{URL: base + fmt.Sprintf("/7%s%%09gofer", search), Lines: 1, Contains: []string{"You searched for: gofer"}},
		},
		Large: base + "/9/large/50MB.bin",
		// Missing contains no menu, because the server sends a menu with an error in place of a missing
		// menu.
		Missing:    []string{base + "/0/no-such.txt", base + "/9/no-such.bin"},
		WalkFrom:   []string{base + "/1", base + "/1/odd/", base + "/1/docs/", base + "/1/media/"},
		SameOctets: isSameText,
	}
}

func TestConformanceGophernicus(t *testing.T) {
	s := realserver.Gophernicus(t)
	target := newDaemonTarget(s, "/cgi-bin/echo")
	target.Known = diskReader(s, true)
	fetchtest.Run(t, target)
}

func TestConformancePygopherd(t *testing.T) {
	s := realserver.Pygopherd(t)
	target := newDaemonTarget(s, "/search.sh")
	target.Known = diskReader(s, false)
	base := "gopher://" + s.Addr
	target.Pages = append(
		target.Pages,
		fetchtest.Page{URL: base + "/0/about.txt%09%09!", Layout: protocols.LayoutMenu, Lines: 5, Contains: []string{
			"lab@example.invalid", "What this hole is for.", "text/plain",
		}},
		fetchtest.Page{URL: base + "/1%09%09$", Layout: protocols.LayoutMenu, Lines: 5, Contains: []string{"about.txt"}},
		fetchtest.Page{URL: base + "/0/docs/dots.txt%09%09+", Contains: []string{"\n.\nand text"}},
	)
	target.Missing = append(target.Missing, base+"/0/no-such.txt%09%09+", base+"/0/no-such.txt%09%09!", base+"/0/no-such.txt%09%09%3F")
	fetchtest.RunWithoutFaults(t, target)
}

// TestPygopherd fills in a form. It also fetches a text by Gopher+, which preserves the exact octets.
func TestPygopherd(t *testing.T) {
	s := realserver.Pygopherd(t)
	c := &gopher.Client{PlainPasswords: true}
	parse := func(text string) urlcore.URL {
		u := fetchtest.Parse(t, "gopher://"+s.Addr+text)
		return u
	}
	read := func(u urlcore.URL) string {
		res, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		if err != nil {
			t.Fatalf("Fetch(%v): %v", u, err)
		}
		defer func() { _ = res.Close() }()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Errorf("read the Body of %v: %v", u, err)
		}
		return string(b)
	}
	want, err := os.ReadFile(filepath.Join(s.Root, "docs/dots.txt"))
	if got := read(parse("/0/docs/dots.txt%09%09+")); err != nil || got != string(want) {
		t.Errorf("docs/dots.txt: got %q; want the file %q, %v", got, want, err)
	}
	_, err = c.Fetch(t.Context(), protocols.Request{URL: parse("/0/form.txt%09%09%3F")})
	var ask *protocols.Ask
	if !errors.As(err, &ask) || len(ask.Fields) != 4 || ask.Fields[3].Choices[2] != "blue" {
		t.Fatalf("Fetch of form.txt: got %v; want an Ask with 4 fields", err)
	}
	u := fetchtest.Must(ask.With([]string{"", "a name", "secret", "green"}))(t)
	fetchtest.Equal(t, read(u), "This item has a form.\n", "the form is answered with")
	_, err = c.Fetch(t.Context(), protocols.Request{URL: parse("/0/none%09%09+")})
	if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != protocols.NotFound || len(e.Lines) != 1 ||
		e.Lines[0].Link.String() != "mailto:lab@example.invalid" {
		t.Errorf("Fetch of a missing item: got %#v; want reason NotFound and a link to mailto:lab@example.invalid", err)
	}
}
