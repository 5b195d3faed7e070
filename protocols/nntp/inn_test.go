package nntp_test

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// TestInnNumbers checks the counts of many groups, the crossposts of articles, and older articles that INN
// sends.
func TestInnNumbers(t *testing.T) {
	s := realserver.Nnrpd(t)
	c := &nntp.Client{Server: s.Addr, NewestArticles: 100}
	defer c.Close()
	var names []string
	for range 30 {
		names = append(names, "test.many", "no.such.group", "test.general")
	}
	counts := fetchtest.Must(c.Counts(t.Context(), urlcore.News{Group: "*"}, names))(t)
	for line, err := range counts {
		fetchtest.NoError(t, err)
		note, ok := line.Note.(*protocols.GroupNote)
		if ok != (line.Kind == protocols.Group) || line.Text == "test.many" && note.High-note.Low != 299 {
			t.Errorf("Counts() yields %+v with the note %+v; want a note for every group, and 300 numbers in test.many", line, note)
		}
	}
	names = nil
	for _, g := range realserver.Groups() {
		names = append(names, g.Name)
	}
	i := 0
	for line, err := range fetchtest.Must(c.Counts(t.Context(), urlcore.News{Group: "*"}, names))(t) {
		fetchtest.NoError(t, err)
		want, note := realserver.Groups()[i], line.Note.(*protocols.GroupNote)
		if note.Status != want.Status || note.Description != want.Description {
			t.Errorf("Counts() yields %s with the note %+v; want the status and description of %+v", line.Text, note, want)
		}
		i++
	}
	for _, a := range realserver.Articles() {
		if a.Group != "test.general" {
			continue
		}
		r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: a.MessageID}}))(t)
		d := fetchtest.Must(document.Open(r.Head, r.Body))(t)
		if got := d.Crossposts; len(got) != 1 || got[0] != (protocols.Crosspost{Group: a.Group, Number: a.Number}) {
			t.Errorf("crossposts of %s are %v, want %s:%d", a.MessageID, got, a.Group, a.Number)
		}
		_ = r.Close()
	}
	for older, want := range map[int]int{0: 100, 150: 250, 500: 300} {
		r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{Group: "test.many"}, Paged: true, Older: older}))(t)
		articles, more := 0, false
		for line, err := range r.Lines {
			fetchtest.NoError(t, err)
			if line.Kind == protocols.Article {
				articles++
			}
			more = more || line.Note == protocols.ActionOlder && articles == 0
		}
		if articles != want || more != (want < 300) {
			t.Errorf("with %d older articles: got %d articles, a line for older ones: %v; want %d, %v", older, articles, more, want, want < 300)
		}
		_ = r.Close()
	}
}
