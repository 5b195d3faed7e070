package ui

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

const rfcText = `Network Working Group                                   T. Berners-Lee
Request for Comments: 1738                                         CERN

                    Uniform Resource Locators (URL)

Status of this Memo

   This document specifies an Internet standards track protocol.

Table of Contents

   1.  Introduction . . . . . . . . . . . . . . . . . . . . . . . . .  1
   2.1 Parts ........................................................  2

1. Introduction

   This document describes the syntax. It has

   1. a list of things.

   2. of which this is one.

2. General URL Syntax

   Just as there are many different methods of access, there are
   several schemes.

2.1. The main parts of URLs

   A full BNF description is given in Section 5.

Berners-Lee, Masinter & McCahill                                [Page 2]

RFC 1738            Uniform Resource Locators (URL)        December 1994

   3.2.1 FTP Name and Password

   A user name and password may be supplied.

SECURITY CONSIDERATIONS

   None.

Appendix A. Recommendations

   Text.
`

const markdownText = `# Gofer

A browser.

## Install ##

    # make install
    # make clean

Setext title
============

Another one
-----------

name   size
----   ----

* * *

the end
-------------------------------------------
`

// readOutline returns the headings of the page. Each heading is a line, indented by its level. If there are
// none, readOutline returns the notice.
func (d *driver) readOutline() string {
	d.press("O")
	p, ok := d.tab.Prompt.(*ask.Choose)
	if !ok {
		return d.notice
	}
	var b strings.Builder
	for _, c := range p.List.Choices {
		b.WriteString(strings.Repeat("  ", c.Depth) + c.Text + "\n")
	}
	d.press("esc")
	return b.String()
}

func TestOutline(t *testing.T) {
	w := library()
	w.addText(item('0', "/rfc"), "RFC", rfcText)
	w.addText(item('0', "/md"), "README", markdownText)
	w.addText(item('0', "/prose"), "prose", "A story.\n\nIt begins here\nand goes on.\n\n1990 was a year.\n\nThe end.\n")
	w.addPage(item('1', "/menu"), protocols.LayoutMenu, "menu",
		info("   Welcome"), info(""), info("Documents"), link(protocols.Text, "One", item('0', "/1")), link(protocols.Text, "Two", item('0', "/2")),
		info("== Other holes =="), info("of friends"), info(""), info("Links"), info("-----"), info("a text that is not a heading"), info("[1992]"),
		info(""), info("And one more"), info(""), link(protocols.Menu, "More", item('1', "/4")), info("No heading."), info(""), link(protocols.Menu, "More", item('1', "/5")),
		info("  ,-~-,"), info("  '-~-'"), info("Elsewhere:"), link(protocols.Menu, "Three", item('1', "/3")),
		protocols.Line{Kind: protocols.Failure, Text: "a part is missing"}, link(protocols.Menu, "Four", item('1', "/6")))
	w.addPage(urlcore.News{MessageID: "2@x"}, protocols.LayoutText, "article",
		protocols.Line{Kind: protocols.Header, Text: "Subject: Re: x"}, info(""),
		info("Ann wrote:"), protocols.Line{Kind: protocols.Quote, Text: "> I say"}, protocols.Line{
			Kind: protocols.Quote, Text: ">> you said",
		}, protocols.Line{Kind: protocols.Quote, Text: "> I answer"},
		info(""), info("My own words,"), info("and more."), info(""),
		protocols.Line{Kind: protocols.Quote, Text: "> again"}, info("Yes."), info("[attachment cat.gif, 12 octets]"),
		protocols.Line{Kind: protocols.Heading, Text: "Enclosed message"})
	for _, tt := range []struct {
		at   urlcore.URL
		want string
	}{
		{
			item('0', "/rfc"),
			"Status of this Memo\nTable of Contents\n1. Introduction\n2. General URL Syntax\n" +
				"  2.1. The main parts of URLs\n    3.2.1 FTP Name and Password\nSECURITY CONSIDERATIONS\nAppendix A. Recommendations\n",
		},
		{item('0', "/md"), "Gofer\n  Install\nSetext title\n  Another one\n"},
		{item('0', "/prose"), "no headings on this page"},
		{item('1', "/menu"), "Documents\nOther holes\nLinks\nAnd one more\nElsewhere:\n"},
		{
			urlcore.News{MessageID: "2@x"},
			"  Ann wrote:\n    >> you said\n  > I answer\nMy own words,\n  > again\nYes.\n[attachment cat.gif, 12 octets]\nEnclosed message\n",
		},
	} {
		d := drive(t, w, Options{Home: tt.at}, 80, 24)
		fetchtest.Equal(t, d.readOutline(), tt.want, "%s", tt.at)
	}
}

// TestOutlineOfALongText checks that the headings of a long text are collected in portions, and that
// their number is limited.
func TestOutlineOfALongText(t *testing.T) {
	w := web{}
	w.addText(item('0', "/"), "long", strings.Repeat("# heading\n\ntext\n\n", 6000))
	d := drive(t, w, Options{Home: item('0', "/")}, 80, 24)
	d.Update(keyPress("O"))
	d.wantShown("1/1024") // the 1024 headings of the first portion of 4096 lines
	d.send(viewer.ScanMsg{Viewer: &d.tab.Viewer}).wantShown("1/5000")
}
