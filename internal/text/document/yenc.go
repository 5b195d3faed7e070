package document

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"gofer/protocols"
)

// The lines of yEnc (yEnc draft 1.3, www.yenc.org).
const (
	yEncBegin = "=ybegin "
	yEncPart  = "=ypart "
	yEncEnd   = "=yend "
)

// yEnc decodes a file in yEnc, line by line.
type yEnc struct {
	in      *bodyLines
	buf     []byte
	escaped bool // the last octet was the escape character "="
	part    bool // the file has several parts

	size, partSize int64 // from the first lines; -1 if unknown
	file           *encodedFile
	octets         int64
	sum            uint32
	end            map[string]string // fields of the line =yend; nil before this line
}

// parseYEncFields returns the fields "key=value" of a line. The field "name" comes last, and its
// value may contain blanks.
func parseYEncFields(line string) (fields map[string]string) {
	line, name, named := strings.Cut(strings.TrimRight(line, "\r\n"), " name=")
	fields = make(map[string]string)
	for _, word := range strings.Fields(line)[1:] {
		if key, value, ok := strings.Cut(word, "="); ok {
			fields[key] = value
		}
	}
	if named {
		fields["name"] = strings.Trim(name, ` "`)
	}
	return fields
}

// parseNumber returns the value of s, or -1 if s is not a number or is negative.
func parseNumber(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// newYEnc returns the file in yEnc that begins with line. It returns nil for any other line.
func newYEnc(b *bodyLines, line string) *encodedFile {
	fields := parseYEncFields(line)
	size := parseNumber(fields["size"])
	name, ok := fields["name"]
	if size < 0 || !ok {
		return nil
	}
	y := &yEnc{in: b, size: size, partSize: -1}
	y.file = &encodedFile{name: name, size: size, offset: -1, decoder: y}
	if part := parseNumber(fields["part"]); part > 0 && part <= protocols.MaxParts {
		y.part = true
		y.file.part = int(part)
		if parts := parseNumber(fields["total"]); parts >= part && parts <= protocols.MaxParts {
			y.file.parts = int(parts)
		}
		if next, begins := b.line(); begins && bytes.HasPrefix(next, []byte(yEncPart)) {
			fields := parseYEncFields(string(next))
			if from, to := parseNumber(fields["begin"]), parseNumber(fields["end"]); from > 0 && to >= from {
				y.file.offset, y.partSize = from-1, to-from+1
			}
		} else {
			b.unread(next)
		}
	}
	return y.file
}

func (y *yEnc) piece() []byte {
	for {
		line, begins := y.in.line()
		switch {
		case line == nil:
			return nil
		case begins && bytes.HasPrefix(line, []byte(yEncEnd)):
			y.end = parseYEncFields(string(line))
			return nil
		case begins && bytes.HasPrefix(line, []byte(yEncBegin)):
			y.in.unread(line)
			return nil
		}
		y.decode(bytes.TrimRight(line, "\r\n"))
		y.octets += int64(len(y.buf))
		y.sum = crc32.Update(y.sum, crc32.IEEETable, y.buf)
		if len(y.buf) > 0 {
			return y.buf
		}
	}
}

func (y *yEnc) decode(line []byte) {
	y.buf = y.buf[:0]
	for _, c := range line {
		switch {
		case y.escaped:
			y.escaped = false
			y.buf = append(y.buf, c-64-42)
		case c == '=':
			y.escaped = true
		default:
			y.buf = append(y.buf, c-42)
		}
	}
}

func (y *yEnc) problems() (all []string) {
	want := y.size
	if y.part {
		want = y.partSize
	}
	if y.end == nil {
		return []string{"its end is missing"}
	}
	if n := parseNumber(y.end["size"]); want < 0 {
		want = n
	}
	if want >= 0 && want != y.octets {
		all = append(all, fmt.Sprintf("%d octets were sent", want))
	}
	key := "crc32"
	if y.part {
		key = "pcrc32"
	}
	if sum, ok := y.declaredSum(key); ok && sum != y.sum {
		all = append(all, "its CRC32 differs")
	}
	return all
}

// declaredSum returns the CRC32 under the given key of the line =yend.
func (y *yEnc) declaredSum(key string) (sum uint32, ok bool) {
	n, err := strconv.ParseUint(y.end[key], 16, 32)
	return uint32(n), err == nil
}
