package document

import (
	"strings"

	"gofer/protocols"
)

// PrintWidth is the width of printed hypertext, in cells.
const PrintWidth = 80

// PrintedRows breaks the text of a line of hypertext into rows of a printed page. The text must be
// clean. Each row has the quote mark of the line.
func PrintedRows(l *protocols.Line, text string) []string {
	note, _ := l.Note.(*protocols.Hypertext)
	if len(text) <= PrintWidth || note != nil && note.Verbatim {
		return []string{text}
	}
	hang, quoted := 0, l.Kind == protocols.Quote
	if quoted {
		hang = len(QuoteMark(text))
	} else if note != nil {
		hang = max(note.Hang, 0)
	}
	hang = min(hang, len(text), PrintWidth/2)
	var rows []string
	for i, row := range wrapLine(cellLine{text: text[hang:]}, PrintWidth-hang) {
		before := text[:hang]
		if i > 0 && !quoted {
			before = strings.Repeat(" ", hang)
		}
		rows = append(rows, before+row.text)
	}
	return rows
}
