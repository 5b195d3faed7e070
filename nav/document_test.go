package nav

import (
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestTextArrivesEarly(t *testing.T) {
	var closed atomic.Int32
	l := Open(t.Context(), file(&closed, "", errStall, "one\rtwo\r\n", "three\r"), protocols.Request{URL: somewhere})
	defer l.Cancel()
	got := []string{}
	for len(got) < 3 {
		lines := fetchtest.Must(l.Next())(t)
		for _, line := range lines.All(0) {
			got = append(got, line.Text)
		}
	}
	fetchtest.EqualSlices(t, got, []string{"one", "two", "three"})
}

// TestSlowMailbox checks that the first message of a mailbox is shown while the connection is
// silent. The load must end whether the page is read or not.
func TestSlowMailbox(t *testing.T) {
	for _, read := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var closed atomic.Int32
			l := Open(t.Context(), file(&closed, "", errStall, "From joe\nSubject: x\n\ntext\n"), protocols.Request{URL: somewhere})
			defer l.Cancel()
			fetchtest.Must(l.Wait())(t)
			if !read {
				return
			}
			var got []string
			for len(got) < 4 {
				lines := fetchtest.Must(l.Next())(t)
				for _, line := range lines.All(0) {
					got = append(got, line.Text)
				}
			}
			fetchtest.EqualSlices(t, got, []string{"From joe", "Subject: x", "", "text"})
		})
	}
}

func TestTextKeepsReceivedLines(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken}
	var closed atomic.Int32
	l := Open(t.Context(), file(&closed, "", broken, "one\nand a half"), protocols.Request{URL: somewhere})
	lines, err := readLines(l)
	if err != broken || !slices.Equal(texts(lines), []string{"one", "and a half"}) {
		t.Errorf("got %q, %v", texts(lines), err)
	}
}

func TestBinaryPage(t *testing.T) {
	var closed atomic.Int32
	l := Open(t.Context(), file(&closed, "", errStall, "\x89P", "NG\r\n\x1a", "\n\x00\x00"), protocols.Request{URL: somewhere})
	h, err := l.Wait()
	if err != nil || h.Media != "image/png" {
		t.Fatalf("Wait() = %+v, %v; want image/png although it came in pieces", h, err)
	}
	lines, err := readLines(l)
	if err != io.EOF {
		t.Fatal(err)
	}
	last := lines[len(lines)-1]
	if last.Kind != protocols.Binary || last.Link != somewhere {
		t.Errorf("the last line is %+v, want a link to save it", last)
	}
	<-l.Done() // the load has ended, so the server does not wait until gofer reads on
}

func TestArticleIsTitledByItsSubject(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"From: a\r\nSUBJECT: =?utf-8?q?caf=C3=A9?= now\r\n\r\nbody", "café now"},
		{"From: a\r\n\r\nSubject: of the body\r\n", ""},
		{"Subject: cut off in the mid", ""},
	} {
		l := Open(t.Context(), file(new(atomic.Int32), protocols.MediaArticle, nil, tt.in), protocols.Request{URL: somewhere})
		head, err := l.Wait()
		l.Cancel()
		if err != nil || head.Title != tt.want {
			t.Errorf("%q: title %q, %v; want %q", tt.in, head.Title, err, tt.want)
		}
	}
}

// TestTableWidth checks that tables are laid out for the width of the screen, however wide it is.
func TestTableWidth(t *testing.T) {
	row := "<table><tr><td>" + strings.Repeat("word ", 15) + "<td>" + strings.Repeat("word ", 15) + "<td>" + strings.Repeat("word ", 15)
	for width, rows := range map[int]int{0: 3, 78: 3, 160: 2, 240: 1} {
		var closed atomic.Int32
		lines, err := readLines(Open(t.Context(), file(&closed, "text/html", io.EOF, row), protocols.Request{URL: somewhere}, Shown(Show{Width: width})))
		if err != io.EOF || len(lines) != rows {
			t.Errorf("on a screen of %d cells: got %q, %v, want %d rows", width, texts(lines), err, rows)
		}
	}
}
