package page

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestHeadings(t *testing.T) {
	const link = "*" // a line that is a link
	for _, tt := range []struct {
		name  string
		lines []string
		want  []int
	}{
		{"top of the page", []string{"Welcome to the hole", link, link}, []int{0}},
		{"below a blank line", []string{"Some words.", "", "Texts", link, "", "Pictures", link}, []int{2, 5}},
		{"with rules", []string{"----", "Texts", "-----", link, " ", "== Pictures ==", link}, []int{1, 5}},
		{"a sentence", []string{"", "Choose one of these.", link}, nil},
		{"a paragraph", []string{"", "These are the texts of the library, all of", "them are old", link}, nil},
		{"a long line", []string{"", "These are the texts of the library, and all of them are rather old", link}, nil},
		{"a blank line follows", []string{"", "Texts", "", link}, []int{1}},
		{"no link follows", []string{"", "Texts", "", "", link}, nil},
		{"after a link", []string{link, "what it is", link}, nil},
		{"a drawing", []string{"", `/\_/\  ( o.o )  > ^ <`, link, "", "|    |    |", link, "", "~~~~", link}, nil},
		{"columns", []string{"", "name     size     date", link}, nil},
		{"the end of the page", []string{"", "Texts"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := new(nav.Page)
			p.Layout = protocols.LayoutMenu
			for _, text := range tt.lines {
				line := protocols.Line{Text: text}
				if text == link {
					line = protocols.Line{Kind: protocols.Menu, Text: "Item", Link: urlcore.Gopher{Type: '1'}}
				}
				p.Lines.Append(line)
			}
			var v Pager
			v.Show(p)
			var got []int
			for i, line := range p.Lines.All(0) {
				if v.isHeading(i, &line) {
					got = append(got, i)
				}
			}
			fetchtest.EqualSlices(t, got, tt.want, "headings")
		})
	}
}
