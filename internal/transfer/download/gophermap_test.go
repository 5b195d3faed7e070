package download

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
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
