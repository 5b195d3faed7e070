package document

import (
	"bytes"
	"slices"
	"strings"
)

// maxUnclear is the largest size of the lines that may be part of a header or of a text, in octets.
const maxUnclear = 4 << 10

// readPartHeader reads the header of a part (RFC 2046, section 5.1). If the empty line after the header is
// missing, the text begins with the first line that is not a field. Then e.held contains the lines of the
// text that have been read.
func (e *entity) readPartHeader() articleHeader {
	var b headerBuilder
	var unclear [][]byte // lines since the last field of a part
	size, isText := 0, false
	for {
		line := e.piece()
		cut := e.inLine
		text := string(bytes.TrimRight(line, "\r\n"))
		switch {
		case line == nil:
			if isText || !slices.ContainsFunc(unclear, isMailField) {
				e.held = unclear
			}
			return b.header()
		case text == "":
			if isText {
				unclear = append(unclear, bytes.Clone(line))
				e.held = unclear
			}
			return b.header()
		}
		added := b.add(text)
		if added && isPartField(b.name) {
			unclear, size, isText = nil, 0, false
		} else {
			unclear, size = append(unclear, bytes.Clone(line)), size+len(line)
			if !added {
				b.flush()
				isText = true
			}
		}
		if isText && (size > maxUnclear || cut || strings.HasPrefix(text, "--")) {
			e.held = unclear
			return b.header()
		}
		if size > maxHeader { // only unknown fields
			unclear, size = nil, 0
		}
		for e.inLine && e.piece() != nil {
		}
	}
}

// isPartField reports whether name is a field that belongs to the header of a part.
func isPartField(name string) bool {
	kind, ok := strings.CutPrefix(strings.ToLower(name), "content-")
	return ok && slices.Contains([]string{
		"type", "transfer-encoding", "disposition", "id", "description", "location", "base", "language", "md5", "length", "class", "features", "duration",
	}, kind)
}

// isMailField reports whether a line is a field that senders add to the header of a part, although it has
// no meaning there.
func isMailField(line []byte) bool {
	name, _, _ := strings.Cut(strings.ToLower(string(line)), ":")
	return strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "content-") || slices.Contains([]string{"mime-version", "from", "date", "subject", "message-id", "received"}, name)
}
