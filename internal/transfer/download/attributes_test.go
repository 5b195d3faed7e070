package download_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/protocols/gopher"
)

// plusDocument is a document of a Gopher+ server. The server tells its date and its size, unless they are "".
type plusDocument struct{ title, date, size, text string }

func (d plusDocument) item(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	return d.title + "\t/" + d.title[1:] + "\t" + host + "\t" + port
}

// servePlus makes s serve a menu of Gopher+ items.
func servePlus(s *demo.GopherServer, menu string, documents ...plusDocument) {
	items, attributes := "", "+-1\r\n"
	for _, d := range documents {
		items += d.item(s.Addr()) + "\t+\r\n"
		attributes += "+INFO: " + d.item(s.Addr()) + "\t+\r\n"
		if d.date != "" {
			attributes += "+ADMIN:\r\n Admin: x <x@h.example>\r\n Mod-Date: Sat Nov 26 1994 <" + d.date + ">\r\n"
		}
		if d.size != "" {
			attributes += "+VIEWS:\r\n text/plain En_US: <" + d.size + ">\r\n text/plain De_DE: <99k>\r\n"
		}
		s.Handle("/"+d.title[1:], func(conn net.Conn, request string) {
			if strings.HasSuffix(request, "\t+") {
				_, _ = fmt.Fprintf(conn, "+%d\r\n%s", len(d.text), d.text)
			} else {
				_, _ = conn.Write([]byte(d.text + "\r\n.\r\n"))
			}
		})
	}
	s.Handle(menu, func(conn net.Conn, request string) {
		if strings.HasSuffix(request, "\t$") {
			_, _ = conn.Write([]byte(attributes + ".\r\n"))
		} else {
			_, _ = conn.Write([]byte(items + ".\r\n"))
		}
	})
}

// updateMirror updates the mirror of s in root, and returns the requests for it.
func updateMirror(t *testing.T, s *demo.GopherServer, root string) []string {
	t.Helper()
	m := &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}
	defer m.Close()
	before := len(s.Requests())
	it, _ := m.Add(download.Request{URL: parse(t, s.URL()), Path: root, Tree: true, Continue: true})
	st := it.Wait()
	fetchtest.NoError(t, st.Err, "left out %v", st.LeftOut)
	fetchtest.EqualSlices(t, st.Notes, nil, "notes")
	return s.Requests()[before:]
}

// TestMirrorAttributes checks that an update fetches the documents whose Gopher+ attributes have changed, and no others.
func TestMirrorAttributes(t *testing.T) {
	const date, later, earlier = "19941126120000", "19941128123456", "19930101000000"
	s := fetchtest.CloseAtEnd(demo.StartGopher(fstest.MapFS{}))(t)
	root := filepath.Join(t.TempDir(), "saved")
	update := func() []string { return updateMirror(t, s, root) }
	documents := []struct {
		before, after plusDocument
		fetched       string // the request after the change, or ""
	}{
		{plusDocument{"0same", date, "1k", "same"}, plusDocument{"0same", date, "1k", "same"}, ""},
		{plusDocument{"0date", date, "1k", "old"}, plusDocument{"0date", later, "1k", "new"}, "/date\t+"},
		{plusDocument{"0restored", date, "1k", "old"}, plusDocument{"0restored", earlier, "1k", "new"}, "/restored\t+"},
		{plusDocument{"0size", "", "1k", "old"}, plusDocument{"0size", "", "1.1k", "new"}, "/size\t+"},
		{plusDocument{"0rounded", date, ".1k", "12345"}, plusDocument{"0rounded", date, ".1k", "123456"}, ""},
		{plusDocument{"9binary", date, "", "\x00old"}, plusDocument{"9binary", later, "", "\x00new"}, "/binary\t+"},
		{plusDocument{"0untold", "", "", "old"}, plusDocument{"0untold", "", "", "new"}, ""},
		{plusDocument{"0invalid", date, "1k", "old"}, plusDocument{"0invalid", "tomorrow", "0k", "old"}, ""},
		{plusDocument{"0first", "", "", "old"}, plusDocument{"0first", date, "1k", "old"}, ""}, // dated before it was saved
		{plusDocument{"0future", "", "", "old"}, plusDocument{"0future", "22000101000000", "", "new"}, "/future\t+"},
	}
	var before, after []plusDocument
	var fetched []string
	for _, d := range documents {
		before, after = append(before, d.before), append(after, d.after)
		if d.fetched != "" {
			fetched = append(fetched, d.fetched)
		}
	}
	menus := []string{"", "\t$"}
	servePlus(s, "", before...)
	fetchtest.EqualSlices(t, update()[:2], menus, "first requests")
	fetchtest.EqualSlices(t, update(), menus, "requests of an unchanged mirror")
	servePlus(s, "", after...)
	fetchtest.EqualSlices(t, update(), slices.Concat(menus, fetched), "requests after changes")
	fetchtest.ReturnsText(t, "new", "changed document")(os.ReadFile(filepath.Join(root, "date")))
	fetchtest.EqualSlices(t, update(), menus, "requests after the update")
}

// TestMirrorAttributesInterrupted checks that an update notices a change of a document that an interrupted mirror saved.
func TestMirrorAttributesInterrupted(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartGopher(fstest.MapFS{}))(t)
	root := filepath.Join(t.TempDir(), "saved")
	servePlus(s, "", plusDocument{"0a", "19941126120000", "1k", "old"}, plusDocument{"0b", "", "", ""})
	stalls := make(chan struct{})
	s.Handle("/b", func(conn net.Conn, _ string) {
		close(stalls)
		_, _ = conn.Read(make([]byte, 1))
	})
	m := &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}
	it, _ := m.Add(download.Request{URL: parse(t, s.URL()), Path: root, Tree: true})
	<-stalls
	m.Close()
	it.Wait()
	servePlus(s, "", plusDocument{"0a", "19941128123456", "1k", "new"}, plusDocument{"0b", "", "", "b"})
	fetchtest.EqualSlices(t, updateMirror(t, s, root), []string{"", "\t$", "/a\t+", "/b\t+"}, "requests")
	fetchtest.ReturnsText(t, "new", "document saved before the interruption")(os.ReadFile(filepath.Join(root, "a")))
}

// TestMirrorWithoutAttributes checks that a server is asked for attributes only if a menu marks a document of the mirror
// as a Gopher+ item, and that failures of the server do not end the mirror.
func TestMirrorWithoutAttributes(t *testing.T) {
	item := func(mark string) func(host, port string) string {
		return func(host, port string) string { return "0a\t/a\t" + host + "\t" + port + mark + "\r\n" }
	}
	for _, tt := range []struct {
		name  string
		items func(host, port string) string
		reply string // to "$"
		asked bool
		notes []string
	}{
		{"no marks", item(""), "", false, nil},
		{"only the menu is marked", func(host, port string) string {
			return "0a\t/a\t" + host + "\t" + port + "\r\n1b\t/b\t" + host + "\t" + port + "\t+\r\n"
		}, "", false, nil},
		{"item of another server", func(host, port string) string {
			return "0a\t/a\t" + host + "\t" + port + "\r\n0b\t/b\tother.example\t70\t+\r\n"
		}, "", false, []string{"only linked: 1 item on other servers (other.example:70)"}},
		{"menu in place of attributes", item("\t+"), "0a\t/a\tother.example\t70\r\n.\r\n", true, nil},
		{"empty menu in place of attributes", item("\t+"), ".\r\n", true, nil},
		{
			"error", item("\t+"), "--1\r\n1 x\r\nno attributes\r\n.\r\n", true,
			[]string{"the server did not tell the dates of the documents in 1 menu: changes there are not noticed"},
		},
		{"no answer", item("\t+"), "", true, nil},
		{
			"cut answer", item("\t+"), "+-1\r\n+INFO: 0a\t/a\t", true,
			[]string{"the server did not tell the dates of the documents in 1 menu: changes there are not noticed"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fetchtest.CloseAtEnd(demo.StartGopher(fstest.MapFS{}))(t)
			host, port, _ := net.SplitHostPort(s.Addr())
			s.Handle("", func(conn net.Conn, request string) {
				if strings.HasSuffix(request, "\t$") {
					_, _ = conn.Write([]byte(tt.reply))
				} else {
					_, _ = conn.Write([]byte(tt.items(host, port) + ".\r\n"))
				}
			})
			s.Handle("/a", func(conn net.Conn, _ string) { _, _ = conn.Write([]byte("text\r\n.\r\n")) })
			s.Handle("/b", func(conn net.Conn, _ string) { _, _ = conn.Write([]byte(".\r\n")) })
			st := saveTree(t, &download.Manager{
				Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: time.Nanosecond,
			}, parse(t, s.URL()), filepath.Join(t.TempDir(), "saved"))
			fetchtest.NoError(t, st.Err)
			fetchtest.EqualSlices(t, st.Notes, tt.notes, "notes")
			fetchtest.Equal(t, slices.Contains(s.Requests(), "\t$"), tt.asked, "asked for attributes")
		})
	}
}
