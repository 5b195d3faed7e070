package download_test

import (
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/protocols/gopher"
)

// handleUMN makes s serve menus whose selectors are like the ones of UMN gopherd: they begin with
// the item type, with "m", or with the range of a message in a mail folder. The parameter menus has
// the items of each menu. An item without a host is on the server s. Each document contains its selector.
func handleUMN(s *demo.GopherServer, menus map[string][]string) {
	host, port, _ := net.SplitHostPort(s.Addr())
	answer := func(selector, text string) {
		s.Handle(selector, func(conn net.Conn, _ string) { _, _ = conn.Write([]byte(text)) })
	}
	for selector, items := range menus {
		menu := ""
		for _, item := range items {
			if title, own, _ := strings.Cut(item, "\t"); !strings.Contains(own, "\t") {
				item += "\t" + host + "\t" + port
				switch title[0] {
				case '0':
					answer(own, "This is "+own+"\r\n.\r\n")
				case '1':
				default:
					answer(own, "This is "+own+"\r\n")
				}
			}
			menu += item + "\r\n"
		}
		answer(selector, menu+".\r\n")
	}
}

func startUMN(t *testing.T, menus map[string][]string) *demo.GopherServer {
	t.Helper()
	s := fetchtest.CloseAtEnd(demo.StartGopher(fstest.MapFS{}))(t)
	handleUMN(s, menus)
	return s
}

// mirrorFiles returns the contents of the files of a mirror by path. It leaves out the index.
func mirrorFiles(t *testing.T, root string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".gofer-mirror.json" {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		b, err := os.ReadFile(path)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	fetchtest.NoError(t, err)
	return files
}

// checkMirror checks the names of the files of a mirror, and the selectors in the documents. want maps paths to
// selectors, or to "" for gophermaps.
func checkMirror(t *testing.T, root string, want map[string]string) {
	t.Helper()
	got := mirrorFiles(t, root)
	for path, selector := range want {
		if text, ok := got[path]; !ok || selector != "" && text != "This is "+selector+"\r\n" {
			t.Errorf("%s: got %q (saved: %v), want the document with selector %q", path, text, ok, selector)
		}
		delete(got, path)
	}
	for path := range got {
		t.Errorf("mirror has the unexpected file %s", path)
	}
}

// TestMirrorGateway checks that a mirror leaves out the items of other hosts at a gateway of the server, and says so.
func TestMirrorGateway(t *testing.T) {
	s := startUMN(t, map[string][]string{"": {"0About\t0/about", "1Files\tftp:ftp.example@/pub/", "0A file\tftp:ftp.example@/a"}})
	root := filepath.Join(t.TempDir(), "saved")
	st := saveTree(t, &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}, parse(t, s.URL()), root)
	fetchtest.NoError(t, st.Err)
	fetchtest.EqualSlices(t, st.Notes, []string{"only linked: 2 items of other hosts, through a gateway of this server"}, "notes")
	checkMirror(t, root, map[string]string{"gophermap": "", "About.txt": "0/about"})
}

// TestMirrorUMN saves the answers of the versions of UMN gopherd, with and without Gopher+.
func TestMirrorUMN(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartUMN())(t)
	s.Handle("0/cut", func(conn net.Conn, _ string) { _, _ = conn.Write([]byte("+-1\r\nwhole\r\n.\r\n")) })
	root := filepath.Join(t.TempDir(), "saved")
	st := saveTree(t, &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}, parse(t, s.URL()), root)
	fetchtest.NoError(t, st.Err, "left out %v", st.LeftOut)
	fetchtest.EqualSlices(t, st.Notes, []string{"only linked: 1 search or form"}, "notes")
	got := slices.Sorted(maps.Keys(mirrorFiles(t, root)))
	fetchtest.EqualSlices(t, got, []string{
		"Made by a program.txt", "Manual page.txt", "Without Gopher+/About.txt", "Without Gopher+/Calendar", "Without Gopher+/Encoded.uue",
		"Without Gopher+/Mail.eml", "Without Gopher+/gophermap", "gophermap",
	}, "saved files")
}

// TestMirrorUpdate checks that updating a mirror does not fetch saved documents again, even if the menus list new
// ones with the same titles before them.
func TestMirrorUpdate(t *testing.T) {
	s := startUMN(t, map[string][]string{
		"": {"0Today\t0/1", "1Old\t1/old", "1More\t1/more"}, "1/old": {"0First\t0/first"}, "1/more": {"0Last\t0/last"},
	})
	root := filepath.Join(t.TempDir(), "saved")
	save := func(u string, overwrite bool) download.Status {
		m := &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}
		defer m.Close()
		it, _ := m.Add(download.Request{URL: parse(t, u), Path: root, Tree: true, Continue: !overwrite, Overwrite: overwrite})
		return it.Wait()
	}
	fetchtest.NoError(t, save(s.URL(), false).Err)
	checkMirror(t, root, map[string]string{
		"gophermap": "", "Today.txt": "0/1", "Old/gophermap": "", "Old/First.txt": "0/first", "More/gophermap": "", "More/Last.txt": "0/last",
	})
	edited := filepath.Join(root, "Old", "gophermap")
	fetchtest.NoError(t, os.WriteFile(edited, []byte("my own\n"), 0o600))
	before := len(s.Requests())
	handleUMN(s, map[string][]string{
		"": {"0Today\t0/2", "0Yesterday\t0/1", "1Older\t1/old", "1More\t1/more"}, "1/old": {"0The first\t0/first"}, "1/more": nil,
	})
	s.Handle("1/more", func(conn net.Conn, _ string) { _, _ = conn.Write([]byte("3Not today\t\terror.host\t1\r\n.\r\n")) })
	st := save(s.URL(), false)
	if len(st.LeftOut) != 1 || st.LeftOut[0].Path != "More" {
		t.Errorf("mirror ended with error %v, left out %v; want only More left out", st.Err, st.LeftOut)
	}
	fetchtest.EqualSlices(t, s.Requests()[before:], []string{"", "1/old", "1/more", "0/2"}, "requests")
	fetchtest.EqualSlices(t, st.Notes, []string{`not replaced: "Old/gophermap": it was changed here; remove it to get the new menu`}, "notes")
	checkMirror(t, root, map[string]string{
		"gophermap": "", "Today.txt": "0/1", "Today(1).txt": "0/2", "Old/gophermap": "", "Old/First.txt": "0/first",
		"More/gophermap": "", "More/Last.txt": "0/last",
	})
	files := mirrorFiles(t, root)
	fetchtest.Equal(t, files["Old/gophermap"], "my own\n", "edited gophermap")
	fetchtest.Equal(t, files["gophermap"], "0Today\t/Today(1).txt\n0Yesterday\t/Today.txt\n1Older\t/Old\n1More\t/More\n", "gophermap")
	other := "gopher://" + s.Addr() + "/11/old"
	if st := save(other, false); st.Err == nil || !strings.Contains(st.Err.Error(), "it is the mirror of gopher://"+s.Addr()+"/1;") {
		t.Errorf("mirror of another menu to the same directory: got the error %v, want one with the URL of the first menu", st.Err)
	}
	fetchtest.NoError(t, save(other, true).Err)
}

// TestMirrorNoParent checks that only items below the selector of the URL are saved.
func TestMirrorNoParent(t *testing.T) {
	s := startUMN(t, map[string][]string{
		"1/": {"1Text\t1/text", "0Other\t0/other/x"},
		"1/text": {
			"0A\t0/text/a", "9B\t9/text/b.bin", "1Below\t1/text/below", "1Mail\tm/text/mail", "0Other\t0/textual",
			"1Up\t1/", "1Here\t1/text",
		},
		"1/text/below": {"0C\t0/text/below/c", "IPicture\tI/text/below/p.gif", "1Back\t1/text"},
		"m/text/mail":  {"0First\tR0-93-/text/mail", "0Second\tR93-200-/text/mail"},
	})
	for _, tt := range []struct {
		url  string
		want map[string]string
		note []string
	}{
		{"/11/text", map[string]string{
			"A.txt": "0/text/a", "b.bin": "9/text/b.bin", "Below/C.txt": "0/text/below/c", "Below/p.gif": "I/text/below/p.gif",
			"Mail/First.txt": "R0-93-/text/mail", "Mail/Second.txt": "R93-200-/text/mail", "gophermap": "",
			"Below/gophermap": "", "Mail/gophermap": "",
		}, []string{"only linked: 2 items outside this menu"}},
		{"/1m/text/mail", map[string]string{"First.txt": "R0-93-/text/mail", "Second.txt": "R93-200-/text/mail", "gophermap": ""}, nil},
	} {
		t.Run(tt.url, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "saved")
			m := &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}
			defer m.Close()
			it, _ := m.Add(download.Request{URL: parse(t, "gopher://"+s.Addr()+tt.url), Path: root, Tree: true, NoParent: true})
			st := it.Wait()
			fetchtest.NoError(t, st.Err)
			fetchtest.EqualSlices(t, st.Notes, tt.note, "notes")
			checkMirror(t, root, tt.want)
		})
	}
}
