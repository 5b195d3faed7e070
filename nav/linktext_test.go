package nav

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestLinkText(t *testing.T) {
	var l Lines
	for _, s := range []string{"gopher://h.example/1/a", "ftp://joe:secret@h.example/a", "ftp://joe@h.example/a", "news:a@b"} {
		u := fetchtest.Parse(t, s)
		l.Append(protocols.Line{Link: u})
	}
	l.Append(protocols.Line{Text: "no link"})
	for i, want := range []string{"gopher://h.example/1/a", "ftp://joe@h.example/a", "ftp://joe@h.example/a", "news:a@b", ""} {
		fetchtest.Equal(t, l.LinkText(i), want, "LinkText(%d)", i)
	}
	for i := range l.Len() {
		if l.LinkID(i)%2 != 0 {
			t.Errorf("LinkID(%d) is odd", i)
		}
	}
	// The database keeps this number, so it must not change.
	if got, want := l.LinkID(0), uint64(0x8daf83487c065768); got != want {
		t.Errorf("LinkID(0) = %#x, want %#x", got, want)
	}
	if l.LinkID(1) != l.LinkID(2) || l.LinkID(1) == l.LinkID(0) || l.LinkID(4) != 0 {
		t.Error("LinkID: a password changes the hash, different links have the same hash, or a line without a link has a hash")
	}
}
