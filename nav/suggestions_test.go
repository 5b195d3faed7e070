package nav

import (
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestMirrors checks that the error page of an item offers its other servers. It does not matter
// which server failed.
func TestMirrors(t *testing.T) {
	mirror := &protocols.ItemNote{Mirror: true}
	lines := []protocols.Line{
		{Text: "Other", Link: mustParse(t, "gopher://o/1")},
		{Text: "Docs", Link: mustParse(t, "gopher://a/1/docs")},
		{Text: "Docs in Asia", Link: mustParse(t, "gopher://b/1/docs"), Note: mirror},
		{Text: "Docs\x1b in Africa", Link: mustParse(t, "gopher://c/1/d"), Note: mirror},
		{Text: "More", Link: mustParse(t, "gopher://m/1"), Note: &protocols.ItemNote{Plus: "+"}},
	}
	const atA, atB, atC = "At another server: Docs -> gopher://a/1/docs", "At another server: Docs in Asia -> gopher://b/1/docs",
		"At another server: Docs␛ in Africa -> gopher://c/1/d"
	for i, want := range []string{"", atB + "\n" + atC, atA + "\n" + atC, atA + "\n" + atB, ""} {
		var s Session
		menu := &Page{}
		menu.Lines.Append(lines...)
		menu.Cursor = i
		s.Restore([]*Page{{}}, 0)
		s.stack.Push(menu)
		for _, again := range []string{"", ", again"} {
			l := &Load{URL: lines[i].Link, done: make(chan struct{}), cancel: func(error) {}}
			s.Begin(l)
			p := s.Fail(l, &protocols.Error{Reason: protocols.Refused, Op: "connect"})
			var got []string
			for line := range strings.Lines(pageText(p)) {
				if strings.HasPrefix(line, "At another server") {
					got = append(got, strings.TrimSuffix(line, "\n"))
				}
			}
			fetchtest.Equal(t, strings.Join(got, "\n"), want, "line %d%s", i, again)
		}
	}
}

// TestManyMirrors checks that at most maxMirrors servers are offered, without the server of the item itself.
func TestManyMirrors(t *testing.T) {
	var p Page
	for i := range 3 * maxMirrors {
		line := protocols.Line{Text: "a", Link: mustParse(t, "gopher://h"+strconv.Itoa(i)+"/1"), Note: &protocols.ItemNote{Mirror: i > 0}}
		if i == 2 {
			line.Link = nil
		}
		p.Lines.Append(line)
	}
	for _, tt := range []struct{ cursor, want int }{{0, maxMirrors - 2}, {1, maxMirrors - 2}, {maxMirrors, maxMirrors - 1}, {2 * maxMirrors, maxMirrors}, {3*maxMirrors - 1, maxMirrors}} {
		p.Cursor = tt.cursor
		list := mirrorLines(&p, p.Lines.At(tt.cursor).Link)
		fetchtest.Equal(t, len(list), tt.want, "on line %d: servers", tt.cursor)
		for _, l := range list {
			if l.Link == nil || l.Link == p.Lines.At(tt.cursor).Link || l.Note != nil {
				t.Errorf("cursor on line %d: mirrorLines returned %v; want a link to another server and no note", tt.cursor, l)
			}
		}
	}
	p.Lines = linesOf(p.Lines.At(1), p.Lines.At(3))
	if p.Cursor = 1; len(mirrorLines(&p, p.Lines.At(1).Link)) != 1 {
		t.Error("the first mirror is missing")
	}
	if p.Cursor = -1; mirrorLines(&p, somewhere) != nil || mirrorLines(nil, somewhere) != nil {
		t.Error("got mirrors for a cursor on no line")
	}
}

// TestByTLS checks that TLS is the first suggestion if the server is known to use TLS. It is the
// last suggestion if the server may use TLS.
func TestByTLS(t *testing.T) {
	u := mustParse(t, "gopher://h/0/a")
	for _, tt := range []struct {
		err   protocols.Error
		after string // the text before the suggestion of TLS; "" if TLS is not suggested
	}{
		{protocols.Error{Reason: protocols.Malformed, Err: protocols.ErrTLS}, "The server speaks TLS.\n"},
		{protocols.Error{Reason: protocols.FirstByteTimeout}, "Try as a menu -> gopher://h/1/a"},
		{protocols.Error{Reason: protocols.NotFound}, ""},
		{protocols.Error{Reason: protocols.NotSupported}, ""},
		{protocols.Error{Reason: protocols.Refused}, ""},
	} {
		before, _, offered := strings.Cut(pageText(ErrorPage(u, &tt.err)), "Try with TLS -> gophers://h/0/a")
		if offered != (tt.after != "") || offered && !strings.HasSuffix(before, tt.after+"\n") {
			t.Errorf("%v: TLS is suggested: %v, after %q; want it after %q", tt.err.Reason, offered, before, tt.after)
		}
	}
	if text := pageText(ErrorPage(mustParse(t, "gophers://h/0/a"), &protocols.Error{Reason: protocols.FirstByteTimeout})); strings.Contains(text, "Try with TLS") {
		t.Errorf("a URL with TLS is suggested for a URL with TLS: %s", text)
	}
}
