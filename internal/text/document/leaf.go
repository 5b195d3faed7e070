package document

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/dustin/go-humanize/english"

	"gofer/protocols"
)

// leaf is a part of an article that has no parts itself, or a file encoded in a text.
type leaf struct {
	media, name string
	body        io.Reader
	asIs        bool // not encoded, so the line end before the boundary is not part of it
	attached    bool // the header marks it as an attachment
	inline      bool // another part shows it by its Content-ID
	file        *encodedFile
	number      int // number in URLs of attachments, from 1; 0: none
	size        sizer
}

// newLeaf returns the leaf for the part e with the header h.
func newLeaf(e *entity, h articleHeader, media string, params map[string]string) *leaf {
	disposition, _, _ := strings.Cut(h.raw("Content-Disposition"), ";")
	l := &leaf{
		media: media, name: parseFileName(h, params), asIs: !isEncoded(h),
		attached: strings.EqualFold(strings.TrimSpace(disposition), "attachment"), inline: h.raw("Content-ID") != "",
	}
	l.body = io.TeeReader(newTransferReader(e, h.raw("Content-Transfer-Encoding")), &l.size)
	return l
}

// assignNumber gives a number to a part that can be opened by itself. If the part is the wanted
// one, assignNumber reads it and returns true.
func (a *articleReader) assignNumber(l *leaf) bool {
	a.attachments++
	l.number, a.leaf = a.attachments, l
	if l.number != a.wanted && !(a.wantsFile && l.file != nil) {
		return false
	}
	a.passWanted(l)
	return true
}

func (a *articleReader) passWanted(l *leaf) {
	a.take(l)
	a.stopped = true
}

// showAttachment reads a part that is not shown and yields lines that describe it.
func (a *articleReader) showAttachment(l *leaf) {
	if a.assignNumber(l) {
		return
	}
	a.readPast(l)
	for _, line := range a.describeAttachment(l, "attachment ") {
		a.yieldLine(line)
	}
}

// readPast reads a part to its end to learn its size. All parts share a buffer, because there may
// be a part every few octets.
func (a *articleReader) readPast(l *leaf) {
	if a.scratch == nil {
		a.scratch = make([]byte, 4<<10)
	}
	for {
		if _, err := l.body.Read(a.scratch); err != nil {
			return
		}
	}
}

// describeAttachment returns the lines that describe a part that was read.
func (a *articleReader) describeAttachment(l *leaf, description string) []protocols.Line {
	octets := english.Plural(l.octets(), "octet", "")
	if a.err != nil && !errors.Is(a.err, io.EOF) {
		octets = "at least " + octets
	}
	text := "[" + description + strings.TrimSuffix(l.media+", "+l.name, ", ") + ", "
	note := l.note(int64(l.octets()))
	var more []protocols.Line
	if f := l.file; f != nil {
		if part := f.partText(); part != "" {
			text += part + ", "
		}
		if problems := f.problems(); len(problems) > 0 {
			octets += "; damaged: " + strings.Join(problems, ", ")
		}
		if u := JoinURL(a.page, l.name); u != nil && f.parts > 1 {
			more = []protocols.Line{{Kind: attachmentKind(l.media, l.name), Text: "[" + l.name + ", " + f.partText() + ": join]", Link: u}}
		}
	}
	return append([]protocols.Line{{
		Kind: attachmentKind(l.media, l.name), Text: text + octets + "]", Link: AttachmentURL(a.page, l.number, l.name), Note: note,
	}}, more...)
}

// note returns the note of an attachment; a size of -1 is unknown.
func (l *leaf) note(size int64) *protocols.AttachmentNote {
	n := &protocols.AttachmentNote{Name: l.name, Media: l.media, Size: size}
	if l.file != nil {
		n.Part, n.Parts = l.file.part, l.file.parts
	}
	return n
}

// octets returns the size of the part, without the line end that belongs to a boundary.
func (l *leaf) octets() int {
	if l.asIs {
		return l.size.n - l.size.lineEnd
	}
	return l.size.n
}

// sizer counts octets. n is their number. lineEnd is the length of the line end that they end in.
type sizer struct{ n, lineEnd int }

// Write counts p.
func (s *sizer) Write(p []byte) (int, error) {
	s.n += len(p)
	if len(p) > 0 {
		s.lineEnd = len(p) - len(bytes.TrimSuffix(bytes.TrimSuffix(p, []byte("\n")), []byte("\r")))
	}
	return len(p), nil
}
