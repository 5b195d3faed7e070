package wais

import (
	"errors"
	"strings"

	"gofer/protocols"
)

// answer is a parsed SearchResponse.
type answer struct {
	records     []record
	text        []byte // the text of a document; it shares memory with the APDU
	diagnostics []diagnostic
	err         error // the error that ended the parsing

	limit      int    // the number of documents requested
	bufferFull bool   // the buffer of the server is full
	truncated  bool   // the server probably left out documents because its buffer is full
	word       string // the word added to a query without words
}

// readHits parses the answer to a search. The parameter asked is the number of documents requested. If
// the buffer of freeWAIS is full, the last documents are missing. readHits assumes a full
// buffer if two more records of average length do not fit.
func readHits(reply []byte, asked int) answer {
	a := readSearch(reply)
	a.limit = asked
	if n := len(a.records); n > 1 {
		a.truncated = len(reply)+2*len(reply)/n > messageSize
		a.bufferFull = a.truncated
	}
	return a
}

// hasMore reports whether the server may have found more documents than it sent.
func (a answer) hasMore() bool { return a.truncated || len(a.records) >= a.limit }

// record is the header of a document. Its strings are the octets that the server sent.
type record struct {
	id                     string
	score, size, lines     int64 // -1 if unknown
	types                  []string
	source, date, headline string
	city                   string
}

// diagnostic is the error of a failed search or retrieval.
type diagnostic struct {
	code string
	text string // the field addinfo
}

var (
	errAPDU   = errors.New("it is not an APDU of Z39.50-1988")
	errField  = errors.New("a field is longer than the APDU or group around it")
	errRecord = errors.New("a record is damaged")
)

func malformedError(err error) error {
	return &protocols.Error{Reason: protocols.Malformed, Op: "read the answer", Err: err}
}

// cutHeader splits an APDU of the type pdu after its header. The result header does not include the
// type.
func cutHeader(b []byte, pdu byte) (header, rest []byte, err error) {
	if len(b) < 3 {
		return nil, nil, malformedError(errAPDU)
	}
	n := int(b[0])<<8 | int(b[1])
	if b[2] != pdu || n < 1 || n > len(b)-2 {
		return nil, nil, malformedError(errAPDU)
	}
	return b[3 : 2+n], b[2+n:], nil
}

// readInit parses an InitResponse. The result accepted reports whether the server accepts the client.
// The result size is the maximum size of an answer in octets, or 0 if unknown.
func readInit(b []byte) (accepted bool, size int64, err error) {
	header, _, err := cutHeader(b, pduInitResponse)
	if err != nil {
		return false, 0, err
	}
	if len(header) == 0 {
		return false, 0, malformedError(errAPDU)
	}
	accepted = header[0] != 0
	_ = walkFields(header[1:], func(tag int, value []byte) {
		if n := parseNumber(value); (tag == tagPreferredSize || tag == tagMaximumSize) && n > 0 && (size == 0 || n < size) {
			size = n
		}
	})
	return accepted, size, nil
}

// searchFixed is the length of the part of a SearchResponse before its fields. This part consists
// of an unreliable status and three counts.
const searchFixed = 10

// readSearch parses a SearchResponse. After an error, the answer has the parts before the error.
func readSearch(b []byte) answer {
	header, rest, err := cutHeader(b, pduSearchResponse)
	switch {
	case err != nil:
		return answer{err: err}
	case len(header) < searchFixed:
		return answer{err: malformedError(errAPDU)}
	case len(rest) == 0:
		return answer{}
	}
	tag, info, _, ok := cutField(rest)
	if !ok || tag != tagUserInfo {
		return answer{err: malformedError(errField)}
	}
	return readInfo(info)
}

// readInfo parses the records and diagnostics of a SearchResponse.
func readInfo(b []byte) (a answer) {
	for len(b) > 0 {
		if b[0] == tagDiagnostic {
			var d diagnostic
			if d, b, a.err = cutDiagnostic(b); a.err != nil {
				return a
			}
			a.diagnostics = append(a.diagnostics, d)
			continue
		}
		tag, value, rest, ok := cutField(b)
		if !ok {
			a.err = malformedError(errField)
			return a
		}
		switch tag {
		case groupHeader, groupShort, groupLong, groupHeadline:
			r, ok := readRecord(value)
			if !ok {
				a.err = malformedError(errRecord)
				return a
			}
			if r.id+r.headline != "" {
				a.records = append(a.records, r)
			}
		case groupText:
			text, ok := readText(value)
			if !ok {
				a.err = malformedError(errRecord)
				return a
			}
			if a.text == nil {
				a.text = text // in most cases the only text, so no copy is needed
			} else {
				a.text = append(a.text, text...)
			}
		}
		b = rest
	}
	return a
}

// cutDiagnostic returns the diagnostic at the start of b and the octets after it. A diagnostic is
// not a field. It is 0x1C, a length and a code of two octets each, a message, a flag, and 0x1D.
func cutDiagnostic(b []byte) (d diagnostic, rest []byte, err error) {
	if len(b) < 6 {
		return d, nil, malformedError(errField)
	}
	n := int(b[1])<<8 | int(b[2])
	if n < 3 || n > len(b)-3 {
		return d, nil, malformedError(errField)
	}
	d.code, d.text = string(b[3:5]), string(b[5:2+n])
	rest = b[3+n:]
	if len(rest) > 0 && rest[0] == 0x1d {
		rest = rest[1:]
	}
	return d, rest, nil
}

func readRecord(b []byte) (r record, ok bool) {
	r.score, r.size, r.lines = -1, -1, -1
	ok = walkFields(b, func(tag int, value []byte) {
		switch tag {
		case tagDocumentID:
			r.id = string(value)
		case tagScore:
			r.score = parseNumber(value)
		case tagLength:
			r.size = parseNumber(value)
		case tagLines:
			r.lines = parseNumber(value)
		case tagTypes:
			r.types = readTypes(value)
		case tagSource:
			r.source = string(value)
		case tagDate:
			r.date = string(value)
		case tagHeadline:
			r.headline = string(value)
		case tagCity:
			r.city = string(value)
		}
	})
	return r, ok
}

// walkFields calls f for each field of b. It reports whether b consists of fields.
func walkFields(b []byte, f func(tag int, value []byte)) (ok bool) {
	for len(b) > 0 {
		tag, value, rest, ok := cutField(b)
		if !ok {
			return false
		}
		f(tag, value)
		b = rest
	}
	return true
}

// maxTypes is the maximum number of types shown for a document.
const maxTypes = 20

func readTypes(b []byte) (types []string) {
	_ = walkFields(b, func(tag int, value []byte) {
		if tag == tagType && len(value) > 0 && len(types) < maxTypes {
			types = append(types, string(value))
		}
	})
	return types
}

func readText(b []byte) (text []byte, ok bool) {
	ok = walkFields(b, func(tag int, value []byte) {
		if tag == tagText {
			text = value
		}
	})
	return text, ok
}

// The codes of diagnostics.
const (
	codeOutOfRange    = "SF" // also: no such document
	codeNotAuthorized = "SH"
	codeAccessControl = "T2"
	codePermanent     = "S1" // also: no such database
)

// toError returns the diagnostic as the error of the operation op.
func (d diagnostic) toError(op string) error {
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: op, Text: d.text, Err: errors.New("WAIS diagnostic " + d.code)}
	switch {
	case d.code == codeNotAuthorized || d.code == codeAccessControl:
		e.Reason = protocols.Denied
	case d.code == codePermanent && strings.Contains(d.text, "is not available"):
		e.Reason, e.Err = protocols.NotFound, protocols.ErrNoDatabase
	case d.code == codeOutOfRange:
		e.Reason = protocols.NotFound
	}
	return e
}

// isEndOfFile reports whether d means only that the document ends before the requested octets. The
// parameter begun says whether a part of the document was received, because a missing document has
// the same code. Some servers send another code with the same text.
func (d diagnostic) isEndOfFile(begun bool) bool {
	text := strings.ToLower(d.text)
	return strings.Contains(text, "out of range") ||
		d.code == codeOutOfRange && begun && !strings.Contains(text, "not present") && !strings.Contains(text, "docid")
}
