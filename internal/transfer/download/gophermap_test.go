package download

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestGophermapTypes checks that no line of a gophermap is a command of a server: gophernicus runs the
// program after "=", and "*" ends a menu.
func TestGophermapTypes(t *testing.T) {
	root := fetchtest.Parse(t, "gopher://h.example/1")
	item := func(typ byte, host string) menuLine {
		u := urlcore.Gopher{Type: typ, Selector: "x"}
		u.Host = host
		return menuLine{text: "/bin/echo L\xe4tin\t#", link: u}
	}
	var m menu
	for _, typ := range []byte("=*.!#~%- :") { // a ":" is a picture, which is saved
		m.lines = append(m.lines, item(typ, "e.example"), item(typ, "h.example"))
	}
	m.lines = append(m.lines, item('0', "h.example"), item('g', "e.example"))
	want := ""
	for range 19 {
		want += "i/bin/echo L\xe4tin #\tfake\t(NULL)\t0\n"
	}
	want += "9/bin/echo L\xe4tin #\tsaved\n" +
		"0/bin/echo L\xe4tin #\tsaved\ng/bin/echo L\xe4tin #\tx\te.example\t70\n"
	fetchtest.Equal(t, string(m.encode(root, func(urlcore.Gopher) string { return "saved" })), want, "gophermap")
}

// TestGophermapLines checks that no line is so long that gophernicus reads its rest as another line, and
// that no line has a NUL.
func TestGophermapLines(t *testing.T) {
	root := fetchtest.Parse(t, "gopher://h.example/1")
	at := func(selector, host string) urlcore.Gopher {
		return urlcore.Gopher{Type: '0', Selector: selector, HostPort: urlcore.HostPort{Host: host}}
	}
	long := strings.Repeat("\u00e9", 510) + "=/bin/echo obeyed"
	m := menu{lines: []menuLine{
		{text: long},
		{text: long, isError: true},
		{text: long, link: at("x", "h.example")},
		{text: "a\x00b", link: at("x", "h.example")},
		{text: "far", link: at(long, "e.example")},
		{text: "NUL", link: at("a\x00", "e.example")},
		{text: "CR", link: at("a\rb", "e.example")},
		{text: "", link: at("y", "e.example")},
	}}
	cut := func(n int) string { return strings.Repeat("\u00e9", n) }
	want := "i" + cut(492) + "\tfake\t(NULL)\t0\n3" + cut(492) + "\tfake\t(NULL)\t0\n0" + cut(495) + "\t/saved\n" + "0a b\t/saved\n" +
		"ifar\tfake\t(NULL)\t0\niNUL\tfake\t(NULL)\t0\niCR\tfake\t(NULL)\t0\n0\ty\te.example\t70\n"
	got := string(m.encode(root, func(urlcore.Gopher) string { return "/saved" }))
	if got != want {
		t.Errorf("gophermap: got %.40q...%.200q, want %.40q...%.200q", got, got[2000:], want, want[2000:])
	}
	for line := range strings.Lines(got) {
		if len(line) > maxMapLine {
			t.Errorf("gophermap has a line of %d octets, want at most %d", len(line), maxMapLine)
		}
	}
}

// TestIsBelow checks the selectors of UMN gopherd, which begin with the letter of the file, and of other servers.
func TestIsBelow(t *testing.T) {
	for _, tt := range []struct {
		root      string
		types     string // of the item
		selectors []string
		want      bool
	}{
		{"1/bin1", "0459Isgh;:<dMP", []string{"9/bin1/a", "0/bin1/a", "I/bin1/a", "g/bin1/sub/a", "s/bin1/a", "I9/bin1/a", "h/bin1", "/bin1/a", "bin1/a", "m/bin1/a", "R0-93-/bin1/a", "R0-93-0/bin1/a", "</bin1/a"}, true},
		{"1/bin1", "09Ih1", []string{"9/bin11/a", "0/other", "9/a/bin1", "9bin1/a", "99/other/bin1", "", "9/", "I/bin", "zz/bin1/a", "exec:/bin1"}, false},
		{"/bin1", "019I", []string{"9/bin1/a", "1/bin1/b", "/bin1/c", "bin1"}, true},
		{"m/bin1/box", "0", []string{"R0-93-/bin1/box"}, true},
		{"", "01", []string{"", "a", "/a", "1/a", "0/a"}, true},
		{"1/", "01", []string{"", "a", "/a", "1/a", "0/a"}, true},
		{"/d", "01", []string{"/d/a", "d/a", "d"}, true},
		{"d", "01", []string{"d/a", "/d/a", "0/d/a"}, true},
		{"/d/a", "01", []string{"/d/b", "/d", "/da", "d/b"}, false},
		{"d/a", "01", []string{"d/a/b", "/d/a/b", "0/d/a/b"}, true},
		{"d/a", "01", []string{"/a/b", "a/b", "0/a/b"}, false},
		{"1/0", "0I", []string{"0/0/a", "9/0/a"}, true},
	} {
		root := urlcore.Gopher{Type: '1', Selector: tt.root}
		for _, typ := range []byte(tt.types) {
			for _, selector := range tt.selectors {
				u := urlcore.Gopher{Type: typ, Selector: selector}
				fetchtest.Equal(t, isBelow(root, u), tt.want, "isBelow(%q, %c %q)", tt.root, typ, selector)
			}
		}
	}
}

// TestOtherGateway checks which items of a server are at a gateway to another host.
func TestOtherGateway(t *testing.T) {
	for selector, want := range map[string]string{
		"ftp:ftp.example.org@/pub/": "ftp:ftp.example.org", "ftp:FTP.example.org@": "ftp:ftp.example.org", "1/ftp:h.example@/a": "1/ftp:h.example",
		"/ftp://h.example/pub": "/ftp://h.example", "http://w.example/a": "http://w.example", "0/pub/ftp:h": "", "1/ftp/host": "", "ftp": "", "": "", "/a@b/": "", "URL:http://h/": "",
	} {
		fetchtest.Equal(t, gatewayOf(selector), want, "gatewayOf(%q)", selector)
	}
	for root, want := range map[string]bool{"1/": true, "ftp:h.example@/pub/": false, "ftp:other.example@/": true} {
		w := walker{root: urlcore.Gopher{Type: '1', Selector: root}}
		fetchtest.Equal(t, w.isOtherGateway(urlcore.Gopher{Type: '1', Selector: "ftp:h.example@/pub/gnu/"}), want, "from %q", root)
	}
}

// TestRefusal checks that refusalText distinguishes an error with a footer from a menu that contains an error.
func TestRefusal(t *testing.T) {
	failure, footer := protocols.Line{Kind: protocols.Failure, Text: "Busy"}, protocols.Line{Kind: protocols.Info, Text: "a server"}
	item := protocols.Line{Kind: protocols.Text, Text: "a", Link: fetchtest.Parse(t, "gopher://h.example/0a")}
	for _, tt := range []struct {
		name  string
		lines []protocols.Line
		want  bool
	}{
		{"an error", []protocols.Line{failure}, true},
		{"an error with a footer", []protocols.Line{failure, footer}, true},
		{"an error above items", []protocols.Line{failure, item}, false},
		{"a text before an error", []protocols.Line{footer, failure}, false},
		{"an empty menu", nil, false},
	} {
		var page nav.Lines
		page.Append(tt.lines...)
		text, refused := refusalText(&page)
		fetchtest.Equal(t, refused, tt.want, "refusalText of %s", tt.name)
		if refused {
			fetchtest.Equal(t, text, "Busy", "refusalText of %s", tt.name)
		}
	}
}

// TestReplaceFile checks that replaceFile does not write through a link with the temporary name, and that
// the old file is kept if the new one cannot be written.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	outside, path, temporary := filepath.Join(dir, "outside"), filepath.Join(dir, "gophermap"), filepath.Join(dir, temporaryName)
	fetchtest.NoError(t, os.WriteFile(outside, []byte("mine"), 0o600))
	if runtime.GOOS != "windows" { // Windows requires a privilege for making links
		fetchtest.NoError(t, os.Symlink(outside, temporary))
	}
	replace := func(text string) error {
		return inDir(dir, func(root *os.Root) error { return replaceFile(root, "gophermap", []byte(text)) })
	}
	fetchtest.NoError(t, replace("new"))
	content := func(path string) string { return string(fetchtest.Must(os.ReadFile(path))(t)) }
	fetchtest.Equal(t, content(outside)+" "+content(path), "mine new", "contents of the target of the link and of the file")
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(temporary, "x"), 0o700))
	if err := replace("newer"); err == nil {
		t.Error("replaceFile returned no error, though the temporary file cannot be made")
	}
	fetchtest.Equal(t, content(path), "new", "content of the file after an error")
}
