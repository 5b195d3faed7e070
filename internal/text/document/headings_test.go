package document

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// headingLines implements [HeadingLines]. Lines of kind Menu have links.
type headingLines []protocols.Line

func (l headingLines) Len() int                         { return len(l) }
func (l headingLines) WithoutLink(i int) protocols.Line { return l[i] }
func (l headingLines) HasLink(i int) bool               { return l[i].Kind == protocols.Menu }

// outline returns the headings of a page, one per line, indented by depth. The prefix of a line in
// text selects its kind: "m " for a menu, ">" for a quote, "Subject:" for a header, "<h2>" for a heading.
func outline(layout protocols.Layout, media, text string) string {
	var lines headingLines
	for s := range strings.Lines(text) {
		l := protocols.Line{Text: strings.TrimSuffix(s, "\n")}
		switch {
		case strings.HasPrefix(l.Text, ">"):
			l.Kind = protocols.Quote
		case strings.HasPrefix(l.Text, "m "):
			l.Kind = protocols.Menu
		case strings.HasPrefix(l.Text, "Subject:"):
			l.Kind = protocols.Header
		case strings.HasPrefix(l.Text, "<h2>"):
			l = protocols.Line{Text: l.Text[4:], Note: &protocols.Hypertext{Level: 2}}
		}
		lines = append(lines, l)
	}
	h := NewHeadings(lines, layout, media, func(i int) string { return lines[i].Text })
	var b strings.Builder
	for i := range lines {
		if title, depth := h.At(i, lines[i].Text); title != "" {
			b.WriteString(strings.Repeat("  ", depth) + title + "\n")
		}
	}
	return b.String()
}

func TestHeadings(t *testing.T) {
	const text, menu = protocols.LayoutText, protocols.LayoutMenu
	for _, tt := range []struct {
		name        string
		layout      protocols.Layout
		media, text string
		want        string
	}{
		{"nothing", text, "", "", ""},
		{"prose", text, "", "It begins here\nand goes on.\n\nThe end.\n", ""},
		{"numbers", text, "", "1. One\n\n   text\n\n2.1 Two\n\n   text\n\n1990 was a year.\n\n   3. of a list.\n", "1. One\n  2.1 Two\n"},
		{"letters", text, "", "Appendix B: Three\n\n\nA.1. Four  \n\n", "Appendix B: Three\n  A.1. Four\n"},
		{"capitals", text, "", "SEE ALSO\n\ntext\n\nABC\n\n NOT HERE\n\n", "SEE ALSO\n"},
		{"over indented text", text, "", "Status\n\n  text\n\nstatus\n\n  text\n\nStatus:\n\n  text\n\nStatus\n\ntext\n", "Status\n"},
		{"table of contents", text, "", "1. One . . . . 1\n\n2. Two ........ 2\n\nSmith [Page 2]\n\n", ""},
		{"Markdown", text, "", "# One\n\n### Three ###\n\n# a comment\n# and another\n\n####### seven\n\n", "One\n    Three\n"},
		{"rules", text, "", "One\n===\n\nTwo\n~~~~~\n\nshort\n---------------\n\na  b\n-  -\n\n-----\n-----\n", "One\n  Two\n"},
		{"too long", text, "", strings.Repeat("LONG ", 25) + "\n\n", ""},
		{
			"replies", text, "",
			"Subject: Re: x\n\nAnn wrote:\n> I say\n>> you say\n> I answer\n\nMine.\n\n\n\n\n> again\n",
			"  Ann wrote:\n    >> you say\n  > I answer\nMine.\n  > again\n",
		},
		{"attachment", text, "", "some\n[attachment a.gif, 12 octets]\n", "[attachment a.gif, 12 octets]\n"},
		{"hypertext", text, "text/html", "<h2>Two\nCAPITALS\n\n<h2>\n", "  Two\n"},
		{"menu", menu, "", "Top\nm One\nm Two\n\nSections:\nm Three\nbetween\nm Four\nNot this.\n\nm Five\n", "Top\nSections:\nbetween\n"},
		{"rules of a menu", menu, "", "Above\n-----\ntext\n\n== Others ==\nof friends\n\n[1992]\n,-~-,\n", "Above\nOthers\n"},
	} {
		fetchtest.Equal(t, outline(tt.layout, tt.media, tt.text), tt.want, "%s", tt.name)
	}
}
