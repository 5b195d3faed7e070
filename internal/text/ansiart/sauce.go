package ansiart

import (
	"bytes"
	"encoding/binary"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// Sauce is the record at the end of a file with its title and author (SAUCE, revision 00.5).
type Sauce struct {
	Title, Author, Group, Date string // in UTF-8; the date is YYYY-MM-DD, or "" if it is not valid
	Comments                   []string
	Width                      int  // columns of a text or a drawing, or 0 if unknown
	IsANSI                     bool // the file is a drawing for terminals
}

const (
	// RecordSize is the size of a record without its comments, in octets.
	RecordSize  = 128
	commentSize = 64
	// MaxTail is the largest size of a record with its comments and the end mark before it, in octets.
	MaxTail = 1 + len("COMNT") + 255*commentSize + RecordSize
)

// Cut returns the content of a file without its record, comments and end mark (^Z), and the record. It returns the
// octets unchanged and nil if there is no record.
func Cut(octets []byte) ([]byte, *Sauce) {
	at := len(octets) - RecordSize
	if at < 0 || !bytes.HasPrefix(octets[at:], []byte("SAUCE00")) {
		return octets, nil
	}
	b := octets[at:]
	s := &Sauce{Title: field(b[7:42]), Author: field(b[42:62]), Group: field(b[62:82])}
	if date := string(b[82:90]); strings.Trim(date, "0123456789") == "" && strings.Trim(date, "0") != "" {
		s.Date = date[:4] + "-" + date[4:6] + "-" + date[6:]
	}
	if dataType, fileType := b[94], b[95]; dataType == 1 && fileType <= 2 { // a text, a drawing or an animation
		s.Width, s.IsANSI = int(binary.LittleEndian.Uint16(b[96:98])), fileType > 0
	}
	if n := int(b[104]); n > 0 && at >= n*commentSize+5 && string(octets[at-n*commentSize-5:at-n*commentSize]) == "COMNT" {
		for i := range n {
			if line := field(octets[at-(n-i)*commentSize : at-(n-i-1)*commentSize]); line != "" {
				s.Comments = append(s.Comments, line)
			}
		}
		at -= n*commentSize + 5
	}
	if at > 0 && octets[at-1] == 0x1a {
		at--
	}
	return octets[:at], s
}

// field returns a field of a record, which is padded with blanks or NULs.
func field(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	s, _ := charmap.CodePage437.NewDecoder().String(strings.TrimRight(string(b), " "))
	return s
}

// String describes the file in a sentence, or returns "" if the record has neither a title nor an author.
func (s *Sauce) String() string {
	var b strings.Builder
	if s.Title != "" {
		b.WriteString("“" + s.Title + "”")
	}
	if s.Author != "" {
		b.WriteString(" by " + s.Author)
	}
	for _, part := range append([]string{s.Group, s.Date}, s.Comments...) {
		if part != "" {
			b.WriteString(", " + part)
		}
	}
	return strings.TrimLeft(b.String(), " ,")
}
