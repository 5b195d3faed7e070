package gopher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestOriginalServer reads the errors that the original gopherd sends for each item type.
func TestOriginalServer(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	setAnswer(s, "/x", "0'/x' does not exist!!\t\terror.host\t1\r\n.\r\n")
	setAnswer(s, "/plus", "--1\r\n1 Somebody <admin@example.org>\r\n'/plus' does not exist!!\r\n.\r\n")
	const noSuch = "'/x' does not exist!! '/plus' does not exist!!"
	for _, selector := range []string{"/x", "/plus"} {
		for _, typ := range []byte("0459gIhs") {
			_, err := (&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), typ, selector)})
			if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != protocols.NotFound || e.Text == "" ||
				!strings.Contains(noSuch, e.Text) {
				t.Errorf("Fetch of type %c, %s: got %v; want reason NotFound and the message of the server", typ, selector, err)
			}
		}
	}
	res := fetchtest.Must((&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), '1', "/x")}))(t)
	fetchtest.Returns(t, "failure   \"'/x' does not exist!!\"\n", "a menu")(readContent(res))
	for selector, text := range map[string]string{
		"/zero": "0\r\n1\r\n", "/menu": "0About\t/about\terror.host\t1\r\n.\r\n", "/other": "0About\t\terror.host\t12\r\n.\r\n",
		"/signed": "--1\r\nis minus one, twice\r\n", "/one": "-1\r\n", "/rule": "--\r\n", "/two": "0No\t\terror.host\t1\r\nand more\r\n",
	} {
		setAnswer(s, selector, text)
		res, err := (&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), '9', selector)})
		if err != nil {
			t.Errorf("Fetch of the document %s: %v", selector, err)
			continue
		}
		fetchtest.Returns(t, text, "%s", selector)(readContent(res))
	}
}

// TestTerminators checks that the final dot is removed from all types that a server may send as a
// text. These are BinHex, hypertext, uuencoded files, mail and calendars. Other documents must not
// lose a line.
func TestTerminators(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	setAnswer(s, "/ended", "<p>\r\n..\r\n.\r\n")
	setAnswer(s, "/whole", "<p>\r\n..\r\n")
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
		res, err := (&Client{}).Fetch(context.Background(), protocols.Request{URL: itemOf(s.Addr(), tt.typ, tt.selector)})
		if err != nil {
			t.Errorf("Fetch of type %c, %s: %v", tt.typ, tt.selector, err)
			continue
		}
		fetchtest.Returns(t, tt.want, "%c%s", tt.typ, tt.selector)(readContent(res))
	}
}

// TestOriginalPlus checks the cases in which the original server deviates from the Gopher+ specification.
func TestOriginalPlus(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartUMN())(t)
	c := new(Client)
	attributes := fetchText(t, c, plusOf(s.Addr(), '1', "1/", "!"))
	fetchtest.Contains(t, attributes, `menu      "Gopher Testing Labs" gopher://`+s.Addr()+"/1\n", "attributes without a colon after +INFO")
	fetchtest.Contains(t, attributes, `menu      "Directory/recursive"`, "the views")
	view := fetchText(t, c, plusOf(s.Addr(), '1', "1/", "+Directory/recursive En_US"))
	fetchtest.Contains(t, view, `text      "About" gopher://`+s.Addr()+"/00/about\n", "the view of all menus below")

	res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: plusOf(s.Addr(), '1', "1/plain", "$")}))(t)
	fetchtest.EqualSlices(t, res.Notes, []string{noteNoAttributes}, "notes")
	fetchtest.Contains(t, fetchtest.Must(readContent(res))(t), `document  "Calendar" gopher://`+s.Addr()+
		"/cc/calendar\n", "a menu that is answered plainly")
	for _, answer := range []string{"", "3no\t\terror.host\t1\r\n.\r\n", "words\r\n", "no menu\t\r\n.\r\n"} {
		r := newReplay(t, map[string]string{"/m\t$": answer})
		fetchtest.FailsWith(t, errNoPlus, "%q", answer)(c.Fetch(t.Context(), protocols.Request{URL: plusOf(r.addr, '1', "/m", "$")}))
	}
	r := newReplay(t, map[string]string{"/m\t$": "+INFO: 0A\t/a\th.example\t70\r\n.\r\n"})
	res = fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: plusOf(r.addr, '1', "/m", "$")}))(t)
	if slices.Contains(res.Notes, noteNoAttributes) {
		t.Errorf("attributes without a header: got notes %q; want no note about missing attributes", res.Notes)
	}
	fetchtest.Equal(t, fetchtest.Must(readContent(res))(t), "text      \"A\" gopher://h.example/0/a\n")

	ask := askOf(t, c, plusOf(s.Addr(), '0', "0/order", "?"))
	fetchtest.Equal(t, fmt.Sprintf("%v %d %s", ask.IsForm, len(ask.Fields), ask.Fields[1].Value), "true 3 Minneapolis", "a form of lines")
	order := fetchtest.Must(ask.With([]string{"Ann", "St. Paul", "tea"}))(t)
	fetchtest.Contains(t, fetchText(t, c, order), "> Ann\r\n> St. Paul\r\n> tea\r\n", "the form that is sent")

	for _, selector := range []string{"0/gone", "0/old"} {
		_, err := c.Fetch(t.Context(), protocols.Request{URL: plusOf(s.Addr(), '0', selector, "+")})
		e := fetchtest.As[*protocols.Error](t, err, "%s", selector)
		fetchtest.Equal(
			t, e.Error(),
			fmt.Sprintf("open gopher://%s/0%s%%09%%09+: the server said '%s' does not exist!! (error 1)", s.Addr(), selector, selector),
		)
		if len(e.Lines) != 1 || e.Lines[0].Kind != protocols.Mail || e.Lines[0].Link.String() != "mailto:admin@example.invalid" {
			t.Errorf("%s: got %+v, want the address of the administrator", selector, e.Lines)
		}
	}
}

// TestMailAddress checks that a mail address becomes a link, with or without a name.
func TestMailAddress(t *testing.T) {
	for s, want := range map[string]string{
		"A. N. Other <a@example.org>": "mailto:a@example.org", "a@example.org": "mailto:a@example.org", "<a@example.org>": "mailto:a@example.org",
		"a@example.org <20261121202223>": "", "ask a@example.org": "", "http://a@example.org/": "", "Sat Nov 21": "", "": "",
	} {
		got := ""
		if u := parseMailAddress(s); u != nil {
			got = u.String()
		}
		fetchtest.Equal(t, got, want, "%q", s)
	}
}
