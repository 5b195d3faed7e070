package gopher

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// What the gopherd of the University of Minnesota answers is read as it was
// meant, whatever was asked for.
func TestOriginalServer(t *testing.T) {
	s := start(t, fstest.MapFS{})
	says(s, "/x", "0'/x' does not exist!!\t\terror.host\t1\r\n.\r\n")
	says(s, "/plus", "--1\r\n1 Somebody <admin@example.org>\r\n'/plus' does not exist!!\r\n.\r\n")
	const noSuch = "'/x' does not exist!! '/plus' does not exist!!"
	for _, selector := range []string{"/x", "/plus"} {
		for _, typ := range []byte("0459gIhs") {
			_, err := (&Client{}).Fetch(context.Background(), itemOf(s.Addr(), typ, selector))
			if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != protocols.NotThere || e.Text == "" || !strings.Contains(noSuch, e.Text) {
				t.Errorf("%c%s: %v, want the server's no", typ, selector, err)
			}
		}
	}
	res := fetchtest.Must((&Client{}).Fetch(context.Background(), itemOf(s.Addr(), '1', "/x")))(t)
	fetchtest.Gives(t, "failure   \"'/x' does not exist!!\"\n", "a menu")(content(res))
	for selector, text := range map[string]string{
		"/zero": "0\r\n1\r\n", "/menu": "0About\t/about\terror.host\t1\r\n.\r\n", "/other": "0About\t\terror.host\t12\r\n.\r\n",
		"/signed": "--1\r\nis minus one, twice\r\n", "/one": "-1\r\n", "/rule": "--\r\n", "/two": "0No\t\terror.host\t1\r\nand more\r\n",
	} {
		says(s, selector, text)
		res, err := (&Client{}).Fetch(context.Background(), itemOf(s.Addr(), '9', selector))
		if err != nil {
			t.Errorf("%s: %v", selector, err)
			continue
		}
		fetchtest.Gives(t, text, "%s", selector)(content(res))
	}
}

// BinHex, hypertext, uuencoded files, mail and calendars come like texts where the server sends them so, and
// other documents never lose a line.
func TestTerminators(t *testing.T) {
	s := start(t, fstest.MapFS{})
	says(s, "/ended", "<p>\r\n..\r\n.\r\n")
	says(s, "/whole", "<p>\r\n..\r\n")
	for _, tt := range []struct {
		typ            byte
		selector, want string
	}{
		{'4', "/ended", "<p>\r\n.\r\n"},
		{'h', "/ended", "<p>\r\n.\r\n"},
		{'6', "/ended", "<p>\r\n.\r\n"},
		{'M', "/ended", "<p>\r\n.\r\n"},
		{'c', "/ended", "<p>\r\n.\r\n"},
		{'6', "/whole", "<p>\r\n..\r\n"},
		{'4', "/whole", "<p>\r\n..\r\n"},
		{'h', "/whole", "<p>\r\n..\r\n"},
		{'5', "/ended", "<p>\r\n..\r\n.\r\n"},
		{'9', "/ended", "<p>\r\n..\r\n.\r\n"},
		{'g', "/ended", "<p>\r\n..\r\n.\r\n"},
	} {
		res, err := (&Client{}).Fetch(context.Background(), itemOf(s.Addr(), tt.typ, tt.selector))
		if err != nil {
			t.Errorf("%c%s: %v", tt.typ, tt.selector, err)
			continue
		}
		fetchtest.Gives(t, tt.want, "%c%s", tt.typ, tt.selector)(content(res))
	}
}

// A redundant server has the type of the item before it.
func TestMirrors(t *testing.T) {
	in := "7Search\t/s\ta.example\t70\t+\r\n+Search in Europe\t/s\tb.example\t70\r\n+Search in Asia\t/find\tc.example\t71\t+\r\n" +
		"hDocs\tURL:http://d.example/\ta.example\t70\r\n8Log in\tguest\te.example\t23\r\n"
	var notes []protocols.Note
	var b strings.Builder
	for line, err := range menu(context.Background(), menuSource{Reader: strings.NewReader(in)}) {
		show(&b, line, err)
		notes = append(notes, line.Note)
	}
	want := `search    "Search" gopher://a.example/7/s
search    "Search in Europe" gopher://b.example/7/s
search    "Search in Asia" gopher://c.example:71/7/find
html      "Docs" http://d.example/
session   "Log in" telnet://guest@e.example/
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	for i, want := range []protocols.ItemNote{{Plus: "+"}, {Mirror: true}, {Mirror: true, Plus: "+"}} {
		if got, ok := notes[i].(*protocols.ItemNote); !ok || *got != want {
			t.Errorf("line %d: got %+v, want %+v", i, notes[i], want)
		}
	}
	for i, want := range map[int]protocols.MenuLine{
		3: {Type: 'h', Selector: "URL:http://d.example/", Host: "a.example", Port: 70}, 4: {Type: '8', Selector: "guest", Host: "e.example", Port: 23},
	} {
		if got, ok := notes[i].(*protocols.ItemNote); !ok || got.Line == nil || *got.Line != want {
			t.Errorf("line %d: got %+v, want %+v", i, notes[i], want)
		}
	}
}
