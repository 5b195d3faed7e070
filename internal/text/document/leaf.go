package document

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/charset"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// leaf is a part of an article that has no parts itself, or a file encoded in a text.
type leaf struct {
	media, name string
	body        io.Reader
	asIs        bool // not encoded; the line end before the boundary is then not part of the content
	attached    bool // the header marks it as an attachment
	file        *encodedFile
	number      int // number of the attachment in URLs, from 1; 0: none
	size        sizer
}

// newLeaf returns the leaf for the part e with the header h.
func newLeaf(e *entity, h articleHeader, media string, params map[string]string) *leaf {
	disposition, named := mimeheader.ParseParameters(h.raw("Content-Disposition"))
	declared, _ := charset.Parse(params["charset"])
	encoding := transferEncoding(h)
	l := &leaf{
		media: media, name: mimeheader.FileName(declared, named["filename"], params["name"]), asIs: encoding == "",
		attached: disposition == "attachment",
	}
	body, name := newTransferReader(e, encoding)
	l.name = cmp.Or(l.name, name)
	l.body = io.TeeReader(body, &l.size)
	return l
}

// assignNumber gives a number to a part that can be opened by itself. If the part is the wanted
// one, assignNumber passes it to a.take and returns true.
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

// showAttachment reads a part and yields lines that describe the part instead of its content.
func (a *articleReader) showAttachment(l *leaf) {
	if l.name == "" {
		l.name = a.takeSubjectName(l.media)
	}
	if a.assignNumber(l) {
		return
	}
	a.readPast(l)
	for _, line := range a.describeAttachment(l, "attachment ") {
		a.yieldLine(line)
	}
}

// takeSubjectName returns the file name in the Subject if its suffix fits the media type, or "". Only the
// first part without a name gets it.
func (a *articleReader) takeSubjectName(media string) string {
	name := a.subjectName
	of, _ := protocols.BySuffix(name)
	top, _, _ := strings.Cut(media, "/")
	if of == "" || media != mediaBinary && !strings.HasPrefix(of, top+"/") {
		return ""
	}
	a.subjectName = ""
	return name
}

// readPast reads a part to its end, so that its size is known. All parts share a buffer, because an
// article may have very many parts.
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

// describeAttachment returns the lines that describe l, a part that was read. The first line begins
// with description.
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
		Kind: attachmentKind(l.media, l.name), Text: text + octets + "]", Link: AttachmentURL(a.page, l.number, l.savedName()), Note: note,
	}}, more...)
}

// savedName returns the name to save the part under. A part without a name gets its number and the suffix of its
// media type. A picture, a sound or a film always has a suffix.
func (l *leaf) savedName() string {
	top, sub, _ := strings.Cut(l.media, "/")
	switch {
	case l.file != nil:
		return l.file.savedName()
	case l.name == "":
		return strconv.Itoa(l.number) + savedSuffix(top, sub)
	case (top == "image" || top == "audio" || top == "video") && mimeheader.Suffix(l.name) == "":
		return l.name + savedSuffix(top, sub)
	}
	return l.name
}

// savedSuffix returns the suffix of files of the media type top/sub. The names of unknown pictures, sounds and
// films are their usual suffixes.
func savedSuffix(top, sub string) string {
	suffix := protocols.SuffixOf(top + "/" + sub)
	sub = strings.TrimPrefix(sub, "x-")
	switch {
	case suffix != "":
		return suffix
	case top == "text", top == "multipart":
		return ".txt"
	case top == "message":
		return ".eml"
	case slices.Contains([]string{"image", "audio", "video", "font"}, top) && sub != "" && len(sub) <= 5 && mimeheader.Suffix("a."+sub) == "."+sub:
		return "." + sub
	}
	return ".bin"
}

// note returns the note of an attachment. The parameter size is -1 if the size is unknown.
func (l *leaf) note(size int64) *protocols.AttachmentNote {
	n := &protocols.AttachmentNote{Name: l.name, Media: l.media, Size: size}
	if l.file != nil {
		n.Part, n.Parts = l.file.part, l.file.parts
	}
	return n
}

// octets returns the size of the part. The line end before a boundary does not count.
func (l *leaf) octets() int {
	if l.asIs {
		return l.size.n - l.size.lineEnd
	}
	return l.size.n
}

// sizer counts octets. The field n is the number of octets, and lineEnd is the length of the line
// end at their end.
type sizer struct{ n, lineEnd int }

func (s *sizer) Write(p []byte) (int, error) {
	s.n += len(p)
	if len(p) > 0 {
		s.lineEnd = len(p) - len(bytes.TrimSuffix(bytes.TrimSuffix(p, []byte("\n")), []byte("\r")))
	}
	return len(p), nil
}
