package document

import (
	"bytes"
	"strings"

	"gofer/protocols"
)

const (
	uuBegin       = "begin "
	uuBeginBase64 = "begin-base64 "
	uuEndBase64   = "===="
	uuLine        = 61 // characters of a full line
)

// uuDecoder decodes uuencode (POSIX.1, uuencode) line by line.
type uuDecoder struct {
	in    *bodyLines
	buf   []byte
	more  bool // further parts follow
	ended bool
}

// newUuDecoder returns the uuencoded file that begins with line. If the Subject names a later part
// of a file, line may also be the first line of that part. newUuDecoder returns nil for any other
// line.
func newUuDecoder(b *bodyLines, line []byte, subject protocols.SubjectPart) *encodedFile {
	u := &uuDecoder{in: b, more: subject.Part < subject.Parts}
	f := &encodedFile{name: subject.FileName(), part: subject.Part, parts: subject.Parts, size: -1, offset: -1, decoder: u}
	next := b.peekRow()
	if rest, begins := bytes.CutPrefix(line, []byte(uuBegin)); begins {
		name, ok := parseUuBegin(rest)
		if f.name = name; !ok || !isUuencoded(next) && !isUuEnd(next) {
			return nil
		}
		if f.part > 1 { // the Subject numbers files, not parts
			f.part, f.parts, u.more = 0, 0, false
		}
		return f
	}
	if f.part < 2 || !isUuencoded(line) || !isUuencoded(next) && !isUuEnd(next) {
		return nil
	}
	b.unread(line)
	return f
}

// parseUuBegin returns the file name in rest, which is the text after "begin": a mode and a name. Some
// software sends a whole st_mode, such as 100644, or no name. The result ok is false if the mode is
// invalid.
func parseUuBegin(rest []byte) (name string, ok bool) {
	mode, name, _ := strings.Cut(strings.TrimSpace(string(rest)), " ")
	if len(mode) < 3 || len(mode) > 7 || strings.Trim(mode, "01234567") != "" {
		return "", false
	}
	return strings.TrimSpace(name), true
}

// uuBase64 decodes the base64 form of uuencode.
type uuBase64 struct {
	uuDecoder
	lines base64Lines
}

// newUuBase64 returns the file in base64 that begins with line. It returns nil for any other line.
func newUuBase64(b *bodyLines, line []byte) *encodedFile {
	next := b.peekRow()
	name, ok := parseUuBegin(line[len(uuBeginBase64):])
	if !ok || len(next) == 0 || !isBase64(next) {
		return nil
	}
	u := &uuBase64{uuDecoder: uuDecoder{in: b}}
	u.lines.next = u.line
	return &encodedFile{name: name, size: -1, offset: -1, decoder: u}
}

// line returns the next line of base64, or nil at the end.
func (u *uuBase64) line() []byte {
	line, begins := u.in.line()
	switch {
	case string(bytes.TrimSpace(line)) == uuEndBase64:
		u.ended = true
		return nil
	case line != nil && (!begins || !isBase64(line)):
		u.in.unread(line)
		return nil
	}
	return line
}

func (u *uuBase64) piece() []byte { return u.lines.piece() }

// isUuencoded reports whether a line may be uuencoded. A full line may lack blanks at its end.
func isUuencoded(line []byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 {
		return false
	}
	for _, c := range line {
		if c < ' ' || c > '`' {
			return false
		}
	}
	want := 1 + (int(line[0]-' ')&63+2)/3*4
	return len(line) <= want+2 && (len(line) >= want-2 || line[0] == 'M')
}

func isUuEnd(line []byte) bool { return string(bytes.TrimSpace(line)) == "end" }

func (u *uuDecoder) piece() []byte {
	for {
		line, begins := u.in.line()
		switch {
		case line == nil:
			return nil
		case isUuEnd(line):
			u.ended = true
			return nil
		case len(bytes.TrimSpace(line)) == 0 && begins:
			empty := bytes.Clone(line)
			if next := u.in.peekRow(); isUuencoded(next) || isUuEnd(next) {
				continue
			}
			u.in.unread(empty)
			return nil
		case !begins || !isUuencoded(line):
			u.in.unread(line)
			return nil
		}
		if u.decode(line); len(u.buf) > 0 {
			return u.buf
		}
	}
}

func (u *uuDecoder) decode(line []byte) {
	line = bytes.TrimRight(line, "\r\n")
	n := int(line[0]-' ') & 63
	value := func(i int) byte {
		if i >= len(line) {
			return 0
		}
		return (line[i] - ' ') & 63
	}
	u.buf = u.buf[:0]
	for i := 1; len(u.buf) < n; i += 4 {
		a, b, c, d := value(i), value(i+1), value(i+2), value(i+3)
		u.buf = append(u.buf, a<<2|b>>4, b<<4|c>>2, c<<6|d)
	}
	u.buf = u.buf[:n]
}

func (u *uuDecoder) problems() []string {
	if u.ended || u.more {
		return nil
	}
	return []string{"its end is missing"}
}
