package nntp

import (
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestGroupsOffline lists groups from the copy after the server has stopped. A list that is not read to
// its end does not change the copy.
func TestGroupsOffline(t *testing.T) {
	f := startFake(t, map[string]string{
		"LIST NEWSGROUPS": "215 go\na.b\tText of a.b\nc.d\tOther (Moderated)\n.",
		"LIST ACTIVE":     "215 go\na.b 9 2 y\nc.d 5 6 m\ne.f 1 1 =a.b\ng.h 3 1\n7bad 1 1 y\n.",
	})
	all := urlcore.News{HostPort: hostPortOf(t, f.addr()), Group: "*"}
	shown := func(c *Client) (string, protocols.Head) {
		t.Helper()
		head, lines, err := fetchLines(t, c, all)
		fetchtest.NoError(t, err)
		var rows []string
		for _, line := range lines {
			note, ok := line.Note.(*protocols.GroupNote)
			if line.Kind != protocols.Group || !ok {
				continue
			}
			rows = append(rows, strings.Join([]string{line.Link.String(), string(rune(note.Status)), note.Moved, note.Description}, ","))
			fetchtest.Equal(t, note.Low+note.High > 0, true, "%s has marks", line.Text)
		}
		return strings.Join(rows, "|"), head
	}
	c := f.keptClient(t.TempDir(), 0)
	c.DescriptionTimeout = time.Hour
	want, head := shown(c)
	if !head.CopiedAt.IsZero() || strings.Count(want, "|") != 4 || !strings.Contains(want, ",=,a.b,") ||
		!strings.Contains(want, "Other (Moderated)") {
		t.Fatalf("the list from the server is %s, CopiedAt %v; want 5 groups with status and description, no copy", want, head.CopiedAt)
	}
	later := f.keptClient(t.TempDir(), time.Minute)
	later.Copies = c.Copies

	f.setAnswer("LIST ACTIVE", "215 go\nz.z 1 1 y\ny.y 1 1 y\n.")
	r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: all}))(t)
	for range r.Lines {
		break
	}
	_ = r.Close()
	f.stop()
	got, head := shown(later)
	fetchtest.Equal(t, got, want, "the copy")
	if head.CopiedAt.IsZero() || !strings.Contains(strings.Join(head.Notes, ","), "connection refused") ||
		head.Layout != protocols.LayoutGroups {
		t.Errorf("Head of the copy = %+v; want LayoutGroups, the time of the copy and a note about the refused connection", head)
	}
	later.Copies = f.keptClient(t.TempDir(), 0).Copies
	fetchtest.Reason(t, fetchtest.Drain(t.Context(), later, protocols.Request{URL: all}), protocols.Refused, "without a copy")
}
