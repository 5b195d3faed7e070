package document

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// encodedFile is a file, or a part of a file, that is encoded in a text with uuencode or yEnc.
type encodedFile struct {
	name   string
	part   int   // number of the part; 0: the whole file
	parts  int   // number of parts, 0 if unknown
	size   int64 // size of the whole file, -1 if unknown
	offset int64 // offset of the part in the file, -1 if unknown
	decoder
}

// decoder decodes an encodedFile.
type decoder interface {
	// piece returns the next decoded octets, or nil at the end. The result is valid until the next
	// call.
	piece() []byte
	// problems describes the faults of the file in a few words each. It is called after the end of
	// the file.
	problems() []string
}

// findEncodedFile returns the encoded file whose first line is line. If no file begins there, it
// returns nil and line.
func (a *articleReader) findEncodedFile(b *bodyLines, line []byte) (f *encodedFile, unused []byte) {
	switch {
	case bytes.HasPrefix(line, []byte(yEncBegin)):
		if f = newYEnc(b, string(line)); f != nil && f.part > 0 && f.parts == 0 && f.part <= a.subject.Parts { // yEnc 1.1 has no total
			f.parts = a.subject.Parts
		}
	case bytes.HasPrefix(line, []byte(uuBeginBase64)):
		line = bytes.Clone(line)
		f = newUuBase64(b, line)
	case bytes.HasPrefix(line, []byte(uuBegin)), a.subject.Part > 1 && len(line) >= uuLine && line[0] == 'M':
		line = bytes.Clone(line)
		f = newUuDecoder(b, line, a.subject)
	}
	if f == nil {
		return nil, line
	}
	f.name = cmp.Or(mimeheader.FileName(charset.Auto, f.name), a.subjectName, "file")
	return f, nil
}

func (a *articleReader) showEncodedFile(f *encodedFile) {
	a.shown = true
	media, _ := protocols.BySuffix(f.name)
	media = cmp.Or(media, mediaBinary)
	l := &leaf{media: media, name: f.name, file: f}
	l.body = io.TeeReader(&pieces{next: f.piece}, &l.size)
	a.showAttachment(l)
}

// savedName returns the name to save the file under. The name of a part is not that of the whole file.
func (f *encodedFile) savedName() string {
	if f.part == 0 || f.parts == 1 {
		return f.name
	}
	return fmt.Sprintf("%s.%03d", f.name, f.part)
}

// partText returns the number of the part in words, or "" for a whole file.
func (f *encodedFile) partText() string {
	switch {
	case f.part == 0:
		return ""
	case f.parts == 0:
		return fmt.Sprintf("part %d", f.part)
	}
	return fmt.Sprintf("part %d of %d", f.part, f.parts)
}

// Parts describes the articles with the parts of one file.
type Parts struct {
	protocols.SubjectPart
	From   string        // the raw value of the From field
	Groups []urlcore.URL // the groups of the articles
}

// PartsOf describes the articles with the parts of a file. It reads from r the header of one of
// these articles, whose URL is page.
func PartsOf(r io.Reader, page urlcore.URL) Parts {
	h := readHeader(r)
	subject, _ := h.text("Subject")
	p := Parts{SubjectPart: protocols.PartOfSubject(subject), From: h.raw("From")}
	if u, ok := page.(urlcore.NNTP); ok && u.Group != "" {
		p.Groups = append(p.Groups, groupURL(u, u.Group))
	}
	names, _ := h.text("Newsgroups")
	for _, name := range groupNames(names) {
		if u := groupURL(page, name); u != nil && len(p.Groups) < protocols.MaxCrossposts && !slices.Contains(p.Groups, u) {
			p.Groups = append(p.Groups, u)
		}
	}
	return p
}

// Number returns the number of the part in the article that note describes, or 0 if the article has
// no part of the file.
func (p *Parts) Number(note *protocols.ArticleNote) int {
	if strings.TrimSpace(note.From) != p.From {
		return 0
	}
	subject := note.Subject
	if mimeheader.IsEncoded(subject) {
		subject = mimeheader.OneLine(mimeheader.Decode(subject))
	}
	if s := protocols.PartOfSubject(subject); s.Rest == p.Rest && s.Parts == p.Parts {
		return s.Part
	}
	return 0
}
