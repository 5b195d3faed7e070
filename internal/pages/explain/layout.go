package explain

import (
	"slices"
	"strings"

	"gofer/protocols"
)

// The widths of the column with the texts of parts or commands, and of a row.
const (
	maxTextWidth = 24
	lineWidth    = 76
)

// Lines returns the explanation as a page that lists the item, the commands and the parts. The page
// has 76 columns; only long commands and long parts of the URL are wider. The caller must show the URL
// itself.
func (x Explanation) Lines() []protocols.Line {
	var l layout
	l.addHeading(x.Names)
	for _, w := range x.Warnings {
		l.addHanging("  Note: ", w.Meaning+".")
	}
	if x.Fragment != "" {
		l.addHanging("  Note: ", "the fragment #"+x.Fragment+" is not part of the URL (section 2.2).")
	}
	l.addRequests(x)
	l.addInfo("")
	l.addHeading("Parts (sections of RFC 1738)")
	l.addParts(x.Parts)
	return l.lines
}

func (l *layout) addRequests(x Explanation) {
	if len(x.Steps) == 0 && x.Nothing == "" {
		return
	}
	l.addInfo("")
	l.addHeading("Sent to the server")
	if len(x.Asks) > 0 {
		l.addHanging("  ", `Asked for first ("`+strings.Join(x.Asks, `", "`)+`"); below in angle brackets.`)
	}
	if x.Nothing != "" {
		l.addHanging("  ", "Nothing: "+x.Nothing)
	}
	l.addSteps(x.Steps)
}

type layout struct{ lines []protocols.Line }

func (l *layout) addInfo(s string) {
	l.lines = append(l.lines, protocols.Line{Text: strings.TrimRight(s, " ")})
}

// addHanging writes the label and then s. It wraps s with an indent as wide as the label.
func (l *layout) addHanging(label, s string) {
	indent := strings.Repeat(" ", len(label))
	row, empty := label, true
	for word := range strings.FieldsSeq(s) {
		if !empty && len(row)+1+len(word) > lineWidth {
			l.addInfo(row)
			row, empty = indent, true
		}
		if !empty {
			row += " "
		}
		row += word
		empty = false
	}
	l.addInfo(row)
}

func (l *layout) addHeading(s string) {
	l.lines = append(l.lines, protocols.Line{Kind: protocols.Heading, Text: s})
}

// addParts writes the name, text, meaning and section of each part that is not a delimiter. The octets
// follow on the next line if they differ from the text.
func (l *layout) addParts(parts []Part) {
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
			l.addHanging(label+pad(text, width)+"  ", meaning)
		} else {
			l.addInfo(label + text)
			l.addHanging(below, meaning)
		}
		if p.Octets != p.Text {
			l.addInfo(below + "octets: " + p.Octets)
		}
		if p.ReadableText != "" {
			l.addInfo(below + "reads:  " + p.ReadableText)
		}
	}
}

// partText returns the text of a part, or "(empty)" if it has none.
func partText(p Part) string {
	if p.Text == "" {
		return "(empty)"
	}
	return p.Text
}

// addSteps writes the commands below the name of their server. It writes the notes about commands in
// a column if there is room.
func (l *layout) addSteps(steps []Step) {
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
			l.addInfo("  to " + peer)
		}
		if s.Send == "" {
			l.addHanging("    ", s.Note)
			continue
		}
		row := "    " + pad(s.Send, width)
		if long := row + "  " + s.Note; s.Note == "" || len(long) <= lineWidth {
			l.addInfo(long)
			continue
		}
		l.addInfo(row)
		l.addHanging("        ", s.Note)
	}
}

// pad fills s, which is ASCII, to n columns.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-len(s)))
}
