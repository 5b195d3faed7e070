// Package marc reads bibliographic records in the exchange format of ISO 2709, with the fields of MARC 21 and its
// character sets MARC-8 and UTF-8.
//
// Records of servers are often damaged: lengths are counted in characters, or fields are missing. Parse therefore
// trusts the separators more than the lengths, and keeps what it can read.
package marc

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Media is the media type of a file of MARC records (RFC 2220).
const Media = "application/marc"

// The separators of ISO 2709.
const (
	subfieldMark = "\x1f"
	fieldEnd     = "\x1e"
	recordEnd    = "\x1d"
)

const (
	leaderLength = 24
	entryLength  = 12 // of an entry in the directory: tag, length, start
)

// Record is a bibliographic record. Its texts are in UTF-8, and may have control characters.
type Record struct {
	Leader string
	Fields []Field
	// Damaged is set if a part of the record could not be read.
	Damaged bool
	// Undecoded is set if a character could not be decoded and is U+FFFD.
	Undecoded bool
}

// Field is a field of a record. A control field, whose tag begins with 00, has one subfield without a code.
type Field struct {
	Tag        string
	Indicators string
	Subfields  []Subfield
}

// Subfield is a part of a field.
type Subfield struct {
	Code string // "" in a control field
	Text string
}

// IsRecord reports whether b begins like a record.
func IsRecord(b []byte) bool {
	if len(b) < leaderLength || string(b[20:22]) != "45" || string(b[10:12]) != "22" {
		return false
	}
	length, err := strconv.Atoi(string(b[:5]))
	base, baseErr := strconv.Atoi(string(b[12:17]))
	return err == nil && baseErr == nil && base > leaderLength && length > base
}

// Cut returns the octets of the first record of b, and the rest.
func Cut(b []byte) (record, rest []byte) {
	if i := bytes.Index(b, []byte(recordEnd)); i >= 0 {
		return b[:i+1], bytes.TrimLeft(b[i+1:], "\r\n ")
	}
	return b, nil
}

var errLeader = errors.New("this is not a MARC record")

// Parse reads a record.
func Parse(b []byte) (Record, error) {
	if len(b) < leaderLength {
		return Record{}, errLeader
	}
	r := Record{Leader: string(b[:leaderLength])}
	directory, data, ok := bytes.Cut(b[leaderLength:], []byte(fieldEnd))
	if !ok || len(directory) < entryLength {
		return r, errLeader
	}
	values := bytes.Split(bytes.TrimSuffix(bytes.TrimRight(data, recordEnd), []byte(fieldEnd)), []byte(fieldEnd))
	r.Damaged = len(directory)%entryLength != 0 || len(values) != len(directory)/entryLength
	left := len(data) // octets that entries of the directory may name: many entries could name the same octets
	for i := 0; i+entryLength <= len(directory); i += entryLength {
		if n := i / entryLength; n < len(values) {
			value := values[n]
			if v, ok := sliceEntry(data, directory[i:i+entryLength]); ok && len(v) < left {
				value = v // the fields may be in another order than the directory
				left -= len(v)
			}
			r.Fields = append(r.Fields, r.parseField(string(directory[i:i+3]), string(value)))
		}
	}
	return r, nil
}

// sliceEntry returns the value that an entry of the directory describes, if a field begins and ends there.
func sliceEntry(data, entry []byte) ([]byte, bool) {
	length, err := strconv.Atoi(string(entry[3:7]))
	start, startErr := strconv.Atoi(string(entry[7:12]))
	if err != nil || startErr != nil || length < 1 || start < 0 || start+length > len(data) {
		return nil, false
	}
	value := data[start : start+length]
	return value[:length-1], bytes.IndexByte(value, fieldEnd[0]) == length-1 && (start == 0 || data[start-1] == fieldEnd[0])
}

func (r *Record) parseField(tag, value string) Field {
	f := Field{Tag: tag}
	if strings.HasPrefix(tag, "00") {
		f.Subfields = []Subfield{{"", r.decode(value)}}
		return f
	}
	before, rest, ok := strings.Cut(value, subfieldMark)
	f.Indicators = before
	if !ok {
		f.Subfields = []Subfield{{"", r.decode(value)}}
		return f
	}
	for s := range strings.SplitSeq(rest, subfieldMark) {
		if s != "" {
			f.Subfields = append(f.Subfields, Subfield{s[:1], r.decode(s[1:])})
		}
	}
	return f
}

// decode returns a text in UTF-8. Position 9 of the leader has the character set: "a" for UTF-8 (MARC 21, leader/09).
func (r *Record) decode(s string) string {
	if r.Leader[9] == 'a' {
		s = strings.ToValidUTF8(s, string(noCharacter))
	} else {
		s = decodeMARC8(s)
	}
	r.Undecoded = r.Undecoded || strings.ContainsRune(s, noCharacter)
	return norm.NFC.String(s)
}

// Find returns the texts of the subfields with one of the codes, of the first field with the tag, with blanks between
// them, or "".
func (r *Record) Find(tag, codes string) string {
	for _, f := range r.Fields {
		if f.Tag == tag {
			return f.text(codes)
		}
	}
	return ""
}

// text returns the texts of the subfields with one of the codes, or of all if codes is "".
func (f *Field) text(codes string) string {
	var texts []string
	for _, s := range f.Subfields {
		if codes == "" || s.Code == "" || strings.Contains(codes, s.Code) {
			texts = append(texts, s.Text)
		}
	}
	return strings.TrimSpace(strings.Join(texts, " "))
}

// first returns the first text that Find returns for one of the tags.
func (r *Record) first(codes string, tags ...string) string {
	for _, tag := range tags {
		if text := r.Find(tag, codes); text != "" {
			return strings.TrimRight(text, " /:;,.=")
		}
	}
	return ""
}

// Title returns the title of the work, or "".
func (r *Record) Title() string { return r.first("abnp", "245", "130", "240") }

// Author returns the name of the author, or "".
func (r *Record) Author() string { return r.first("abc", "100", "110", "111", "700", "710") }

// Date returns the year of publication, or "".
func (r *Record) Date() string { return year.FindString(r.first("c", "264", "260")) }

var year = regexp.MustCompile(`[12]\d{3}`)

// ID returns the control number of the record, or "".
func (r *Record) ID() string { return strings.TrimSpace(r.Find("001", "")) }
