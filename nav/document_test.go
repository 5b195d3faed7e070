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

// TestTableWidth checks that tables are laid out for the width of the screen, however wide it is.
func TestTableWidth(t *testing.T) {
	row := "<table><tr><td>" + strings.Repeat("word ", 15) + "<td>" + strings.Repeat("word ", 15) + "<td>" + strings.Repeat("word ", 15)
	for width, rows := range map[int]int{0: 3, 78: 3, 160: 2, 240: 1} {
		var closed atomic.Int32
		lines, err := readLines(Open(
			t.Context(), file(&closed, "text/html", io.EOF, row), protocols.Request{URL: somewhere},
			Shown(Show{Width: width}),
		))
		if err != io.EOF || len(lines) != rows {
			t.Errorf("on a screen of %d cells: got %q, %v, want %d rows", width, texts(lines), err, rows)
		}
	}
}
