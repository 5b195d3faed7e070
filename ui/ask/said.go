package ask

import (
	"strings"

	"gofer/internal/text/clean"
)

// maxSaidRows bounds the rows for the words of a server.
const maxSaidRows = 6

// saidInset indents the rows of a server's words after the first.
const saidInset = "  "

// says returns "HOST says:", with the host shortened to fit width cells.
func (s *Screen) says(server string, width int) string {
	return s.Glyphs.Host(clean.Host(server), width-len(" says: ")) + " says:"
}

// quote lays out the words of a server in at most most rows of width cells, in quotation
// marks behind its name. Words that are too long are cut within the quotation marks. It
// returns nil if none of them fits.
func (s *Screen) quote(server, words string, width, most int) []string {
	c := s.Cells
	if words == "" {
		return nil
	}
	width = max(width-len(saidInset), 1)
	head := s.says(server, width) + " "
	for room := most*width - c.Width(head) - len(`""`); room > 0; room -= max(width/4, 1) {
		seen, _ := c.Fit(words, room, s.Glyphs.Cut)
		text := head + clean.Quoted(seen)
		if rows := c.Lines(text, width); len(rows) <= most {
			rows[0] = strings.TrimRight(rows[0], " ")
			for i := range rows[1:] {
				rows[i+1] = saidInset + strings.TrimRight(rows[i+1], " ")
			}
			return rows
		}
	}
	return nil
}
