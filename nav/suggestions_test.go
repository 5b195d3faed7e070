package nav

import (
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
