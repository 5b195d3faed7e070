package document

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// encodedFile is a file, or a part of one, within a text in uuencode or yEnc.
type encodedFile struct {
	name   string
	part   int   // 0: it is whole
	parts  int   // 0: not told
	size   int64 // of the whole file, -1 if not told
	offset int64 // of the part in it, -1 if not told
	decoder
}

// decoder is the reading of an encodedFile.
type decoder interface {
	// piece returns the next octets, valid until the next call, and nil at the end.
	piece() []byte
	// problems returns at the end what is wrong with the octets, in a few words each.
	problems() []string
}

// encodedFile returns the file that begins with a line, or nil and the line.
func (a *articleReader) encodedFile(b *bodyLines, line []byte) (f *encodedFile, same []byte) {
	switch {
	case bytes.HasPrefix(line, []byte(yEncBegin)):
		f = newYEnc(b, string(line))
	case bytes.HasPrefix(line, []byte(uuBeginBase64)):
		line = bytes.Clone(line)
		f = newUuBase64(b, line)
	case bytes.HasPrefix(line, []byte(uuBegin)), a.subject.Part > 1 && len(line) >= uuLine && line[0] == 'M':
		line = bytes.Clone(line)
		f = newUuencoded(b, line, a.subject)
	}
	if f == nil {
		return nil, line
	}
	if f.name = safeName(charset.ToUTF8(f.name, "")); f.name == "" {
		f.name = "file"
	}
	return f, nil
}

func (a *articleReader) encoded(f *encodedFile) {
	a.shown = true
	media, _ := protocols.BySuffix(f.name)
	media = cmp.Or(media, mediaBinary)
	l := &leaf{media: media, name: f.name, file: f}
	l.body = io.TeeReader(&pieces{next: f.piece}, &l.size)
	a.attachment(l)
}

// partText returns which part of a file it is, "" for a whole file.
func (f *encodedFile) partText() string {
	switch {
	case f.part == 0:
		return ""
	case f.parts == 0:
		return fmt.Sprintf("part %d", f.part)
	}
	return fmt.Sprintf("part %d of %d", f.part, f.parts)
}

// MaxParts is how many articles a file may be spread over.
const MaxParts = 10_000

// maxPartNumber bounds the octets between the brackets around the number of a part: a
// Subject of brackets is not read to its end for each of them.
const maxPartNumber = 64

// SubjectPart is the number of a part in the Subject of an article: "name.jpg (2/5)".
type SubjectPart struct {
	Part, Parts int    // from 1; 0: there is no number
	Rest        string // the Subject without the number, the same for all parts
}

// PartOfSubject finds the last "(2/5)" or "(part 2 of 5)" in a Subject, or else the
// last "[2/5]".
func PartOfSubject(subject string) SubjectPart {
	for _, brackets := range [...]string{"()", "[]"} {
		for end := len(subject); ; {
			from := strings.LastIndexByte(subject[:end], brackets[0])
			if from < 0 {
				break
			}
			end = from
			after := subject[from+1:]
			to := strings.Index(after[:min(len(after), maxPartNumber)], brackets[1:])
			if to < 0 {
				continue
			}
			inner, after := after[:to], after[to+1:]
			n, of, slash := strings.Cut(strings.Replace(strings.TrimPrefix(inner, "part "), " of ", "/", 1), "/")
			part, err := strconv.Atoi(strings.TrimSpace(n))
			parts, err2 := strconv.Atoi(strings.TrimSpace(of))
			if !slash || err != nil || err2 != nil || part < 1 || part > parts || parts > MaxParts {
				continue
			}
			rest := strings.Join(strings.Fields(subject[:from]+brackets[:1]+"/"+strconv.Itoa(parts)+brackets[1:]+after), " ")
			return SubjectPart{Part: part, Parts: parts, Rest: rest}
		}
	}
	return SubjectPart{}
}

// fileName returns the name of a file in a Subject: the text in quotes, or the last word
// with a suffix.
func (s SubjectPart) fileName() string {
	if _, after, ok := strings.Cut(s.Rest, `"`); ok {
		if name, _, ok := strings.Cut(after, `"`); ok && name != "" {
			return name
		}
	}
	name := ""
	for word := range strings.FieldsSeq(s.Rest) {
		if i := strings.LastIndexByte(word, '.'); i > 0 && i < len(word)-1 && !strings.ContainsAny(word[i:], "/()[]") {
			name = word
		}
	}
	return name
}

// Parts describes the articles with the parts of one file.
type Parts struct {
	SubjectPart
	From   string // the author, as in the header
	Groups []urlcore.URL
}

// PartsOf reads the header of the article page, one of the parts.
func PartsOf(r io.Reader, page urlcore.URL) Parts {
	h := readHeader(r)
	subject, _ := h.text("Subject")
	p := Parts{SubjectPart: PartOfSubject(subject), From: h.raw("From")}
	if u, ok := page.(urlcore.NNTP); ok && u.Group != "" {
		u.Article, u.HasArticle = 0, false
		p.Groups = append(p.Groups, u)
	}
	names, _ := h.text("Newsgroups")
	for _, name := range groupNames(names) {
		if u := groupURL(page, name); u != nil && len(p.Groups) < protocols.MaxCrossposts && !slices.Contains(p.Groups, u) {
			p.Groups = append(p.Groups, u)
		}
	}
	return p
}

// Number returns which of the parts an article of a group is, 0 if none.
func (p *Parts) Number(note *protocols.ArticleNote) int {
	if strings.TrimSpace(note.From) != p.From {
		return 0
	}
	subject := note.Subject
	if mimeheader.IsEncoded(subject) {
		subject = mimeheader.OneLine(mimeheader.Decode(subject))
	}
	if s := PartOfSubject(subject); s.Rest == p.Rest {
		return s.Part
	}
	return 0
}
