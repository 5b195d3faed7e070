package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func encode(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	s := fetchtest.Must(e.NewEncoder().String(text))(t)
	return s
}

const boxText = `╔══════════════╗
║ hi           ║
║ ┌──┐ Grüße   ║
╚══╧══╧════════╝
`

const russianText = "Добро пожаловать на сервер\nЗдесь архив статей и программ"

// countAllFetches changes w so that the result counts the fetches of all pages.
func (w web) countAllFetches() *int {
	n := new(int)
	for u, f := range w {
		w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			*n++
			return f(ctx, req)
		}
	}
	return n
}

func TestCharsetScreens(t *testing.T) {
	w := web{}
	w.addText(item('0', "/box"), "", encode(t, charmap.CodePage437, boxText))
	var menu, groups []protocols.Line
	for line := range strings.SplitSeq(encode(t, charmap.KOI8R, russianText), "\n") {
		menu = append(menu, link(protocols.Text, line, item('0', "/"+line)))
		groups = append(groups, protocols.Line{
			Kind: protocols.Group, Text: "relcom.news", Link: urlcore.News{Group: "relcom.news"},
			Note: &protocols.GroupNote{Count: 1, Description: line},
		})
	}
	w.addPage(item('1', "/koi8"), protocols.LayoutMenu, encode(t, charmap.KOI8R, "Архив"), menu...)
	w.addPage(urlcore.News{Group: "*"}, protocols.LayoutGroups, "Newsgroups", groups...)
	w.addPage(file("pub"), protocols.LayoutDirectory, "pub",
		protocols.Line{
			Kind: protocols.Text, Text: encode(t, japanese.ShiftJIS, "ファイルの一覧.txt"), Link: file("pub/a"),
			Note: &protocols.FileNote{Size: 1},
		},
		protocols.Line{
			Kind: protocols.Binary, Text: "b", Link: file("pub/b"),
			Note: &protocols.FileNote{Size: 1, Target: encode(t, japanese.ShiftJIS, "これは日本語")},
		})
	for _, tt := range []struct {
		name string
		home urlcore.URL
		keys []string
	}{
		{"box", item('0', "/box"), nil},
		{"box-next", item('0', "/box"), []string{"e", "down", "enter"}},
		{"menu", item('1', "/koi8"), nil},
		{"menu-next", item('1', "/koi8"), []string{"e", "down", "enter"}},
		{"groups", urlcore.News{Group: "*"}, nil},
		{"directory", file("pub"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := w.countAllFetches()
			d := drive(t, w, Options{Home: tt.home}, 72, 12)
			before := d.screen()
			d.press(tt.keys...)
			checkGolden(t, "charset-"+tt.name+".txt", d.screen())
			if tt.keys != nil { // the case before shows the detected charset
				d.press("alt+e", "up", "enter")
			}
			if d.press("esc", "x", "esc"); strings.Split(d.screen(), "\n")[2] != strings.Split(before, "\n")[2] {
				t.Errorf("the key e and the list show different screens:\n%s", d.screen())
			}
			if *n != 1 {
				t.Errorf("the page was fetched %d times, want once", *n)
			}
		})
	}
}

// charsetStore keeps the charsets of servers in memory.
type charsetStore struct {
	all map[string]string
	err error
}

func (k *charsetStore) All() (map[string]string, error) { return k.all, k.err }

func (k *charsetStore) Set(_ urlcore.URL, server, charset string) error {
	k.all[server] = charset
	return k.err
}

// TestKeepCharset checks that a chosen charset applies only to the page, until the user keeps it
// for the server.
func TestKeepCharset(t *testing.T) {
	const server = "gopher.example.org:70"
	w := web{}
	dos := encode(t, charmap.CodePage437, "Grüße\n")
	w.addText(item('0', "/a"), "", dos)
	w.addText(item('0', "/b"), "", "ä\n"+dos)
	k := &charsetStore{all: map[string]string{}}
	d := drive(t, w, Options{Home: item('0', "/a"), Charsets: k}, 80, 24)
	d.wantShown("Grüße").press("e", "down", "down", "enter").wantShown(", this page only: e keeps it (2 of 19)")
	d.press("alt+e").typeText("1251").wantShown("GrЃбe").press("enter").wantShown("GrЃбe", "windows-1251, this page only")
	if len(k.all) > 0 {
		t.Errorf("the charsets %v were kept without the key e", k.all)
	}
	d.run(d.visit(item('0', "/b"))).wantShown("Grüße")
	d.press("left").wantShown("GrЃбe").press("alt+e").wantShown("Keep it", "for all pages of "+server).press("down", "enter")
	d.wantShown("windows-1251 is kept for " + server)
	fetchtest.Equal(t, k.all[server], "windows-1251", "what is kept")
	d.press("alt+right").wantURL(item('0', "/b")).wantShown("GrЃбe")
	d.press("alt+e").typeText("forget").press("enter").wantShown("Grüße", "no charset is kept for "+server)
	d.press("alt+e").typeText("1251").press("enter", "alt+e").typeText("keep").press("enter", "alt+left").wantShown("GrЃбe")
	d.press("alt+e").typeText("437").press("enter").wantShown("Grüße").press("alt+right").wantShown("GrЃбe").press("alt+left").wantShown("Grüße")
	d.press("alt+right")
	for _, d := range []*driver{d, drive(t, w, Options{Home: item('0', "/b"), Charsets: k}, 80, 24)} {
		d.run(d.visit(item('0', "/b"))).wantShown("GrЃбe")
	}
	k.err = errors.New("no space left on device")
	d.press("alt+e").typeText("forget").press("enter").wantShown("charset not kept: no space left on device")
	k.err = nil
	d.press("P", "alt+e").wantNotShown("Forget")
	d.press("esc", "e", "down", "down", "enter", "e").typeText("keep").press("enter").wantShown("is kept for " + server +
		" while this program runs")
	fetchtest.Equal(t, k.all[server], "", "what is kept in private mode")
}

// TestDeclaredUTF16 checks that a page declared as UTF-16 is decoded, and that the user cannot choose
// another charset.
func TestDeclaredUTF16(t *testing.T) {
	w := web{}
	u := urlcore.HTTP{Path: "/a"}
	u.Host = "h.example"
	w.addBody(u, "text/plain; charset=utf-16le", "G\x00r\x00\xfc\x00\xdf\x00e\x00\n\x00")
	d := drive(t, w, Options{Home: u}, 80, 24)
	d.wantShown("Grüße", "UTF-16LE")
	d.press("e").wantShown("the server names the charset UTF-16LE: \\ shows the octets", "Grüße")
}
