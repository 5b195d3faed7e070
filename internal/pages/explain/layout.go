package explain

import (
	"slices"
	"strings"

	"gofer/protocols"
)

// The widths of the column of texts and of a row.
const (
	maxTextWidth = 24
	lineWidth    = 76
)

// Lines returns the explanation as a page of 76 columns; long parts of the URL may be wider.
// It lists the item, the commands and the parts. The caller shows the URL itself.
func (x Explanation) Lines() []protocols.Line {
	var l layout
	l.heading(x.Names)
	for _, w := range x.Warnings {
		l.hanging("  Note: ", w.Meaning+".")
	}
	if x.Fragment != "" {
		l.hanging("  Note: ", "the fragment #"+x.Fragment+" is not part of the URL (section 2.2).")
	}
	l.writeRequests(x)
	l.info("")
	l.heading("Parts (sections of RFC 1738)")
	l.parts(x.Parts)
	return l.lines
}

func (l *layout) writeRequests(x Explanation) {
	if len(x.Steps) == 0 && x.Nothing == "" {
		return
	}
	l.info("")
	l.heading("Sent to the server")
	if len(x.Asks) > 0 {
		l.hanging("  ", `Asked for first ("`+strings.Join(x.Asks, `", "`)+`"); below in angle brackets.`)
	}
	if x.Nothing != "" {
		l.hanging("  ", "Nothing: "+x.Nothing)
	}
	l.steps(x.Steps)
}

type layout struct{ lines []protocols.Line }

func (l *layout) info(s string) {
	l.lines = append(l.lines, protocols.Line{Text: strings.TrimRight(s, " ")})
}

// hanging writes s after label, wrapped to a hanging indent.
func (l *layout) hanging(label, s string) {
	indent := strings.Repeat(" ", len(label))
	row, empty := label, true
	for word := range strings.FieldsSeq(s) {
		if !empty && len(row)+1+len(word) > lineWidth {
			l.info(row)
			row, empty = indent, true
		}
		if !empty {
			row += " "
		}
		row += word
		empty = false
	}
	l.info(row)
}

func (l *layout) heading(s string) {
	l.lines = append(l.lines, protocols.Line{Kind: protocols.Heading, Text: s})
}

// parts writes the name, text, meaning and section of each part except delimiters. The octets
// follow on the next line if they differ from the text.
func (l *layout) parts(parts []Part) {
	name, width := 0, 0
	parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return p.Name == "delimiter" })
	for _, p := range parts {
		name = max(name, len(p.Name))
		if n := len(partText(p)); n <= maxTextWidth {
			width = max(width, n)
		}
	}
	for _, p := range parts {
		text := partText(p)
		section, _ := strings.CutPrefix(p.Rule, "RFC 1738, section ")
		meaning := p.Meaning + " (" + section + ")"
		label := "  " + pad(p.Name, name) + "  "
		below := strings.Repeat(" ", len(label))
		if len(text) <= maxTextWidth {
			l.hanging(label+pad(text, width)+"  ", meaning)
		} else {
			l.info(label + text)
			l.hanging(below, meaning)
		}
		if p.Octets != p.Text {
			l.info(below + "octets: " + p.Octets)
		}
		if p.Reads != "" {
			l.info(below + "reads:  " + p.Reads)
		}
	}
}

// partText returns the text of a part, or a word if it is empty.
func partText(p Part) string {
	if p.Text == "" {
		return "(empty)"
	}
	return p.Text
}

// steps writes the commands below the server's name, with their notes in a column if they
// fit.
func (l *layout) steps(steps []Step) {
	width := 0
	for _, s := range steps {
		if len(s.Send) <= maxTextWidth {
			width = max(width, len(s.Send))
		}
	}
	peer := ""
	for _, s := range steps {
		if s.Peer != peer {
			peer = s.Peer
			l.info("  to " + peer)
		}
		if s.Send == "" {
			l.hanging("    ", s.Note)
			continue
		}
		row := "    " + pad(s.Send, width)
		if long := row + "  " + s.Note; s.Note == "" || len(long) <= lineWidth {
			l.info(long)
			continue
		}
		l.info(row)
		l.hanging("        ", s.Note)
	}
}

// pad fills s, which is ASCII, to n columns.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-len(s)))
}
