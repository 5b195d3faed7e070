package nntp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gofer/internal/loopback"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestCounts: many groups are asked for in one connection, and one that is not
// there costs its line.
func TestCounts(t *testing.T) {
	w, err := loopback.StartWorld()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := &Client{Server: w.NNTP.Addr()}
	defer c.Close()
	names := []string{"no.such.group", "gofer.announce"}
	want := "no.such.group: not found|gofer.announce 4 news:gofer.announce"
	for range 120 {
		names = append(names, "local.tales")
		want += "|local.tales 7 news:local.tales"
	}
	var got []string
	for line, err := range c.Counts(t.Context(), urlcore.News{Group: "*"}, names) {
		if err != nil {
			t.Fatal(err)
		}
		text := line.Text
		if note, ok := line.Note.(*protocols.GroupNote); ok {
			text += fmt.Sprintf(" %d %s", note.High, line.Link)
		}
		got = append(got, text)
	}
	if got := strings.Join(got, "|"); !strings.EqualFold(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	for _, err := range c.Counts(ctx, urlcore.News{Group: "*"}, names) {
		if err == nil || err.Error() != "stopped" {
			t.Errorf("stopped: got %v", err)
		}
	}
}
