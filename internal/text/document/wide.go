package document

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"gofer/internal/text/charset"
)

// wideEncoding returns the encoding of a text in UTF-16 or UTF-32. The media type declares the
// encoding, or a byte order mark shows UTF-16 (RFC 2781, section 3.2). wideEncoding returns nil for
// other texts, and for ASCII that is wrongly declared as UTF-16 or UTF-32.
func wideEncoding(media string, first []byte) encoding.Encoding {
	if declaresWide(media) && (!charset.IsASCII(string(first)) || bytes.IndexByte(first, 0) >= 0) {
		_, params := parseContentType(media, false)
		return charset.ByName(params["charset"])
	}
	if isUTF16(first) {
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	return nil
}

// minWide is the number of octets that decide whether a text declared as UTF-16 or UTF-32 is ASCII.
// Fewer octets may look like ASCII by accident.
const minWide = 64

// declaresWide reports whether a media type declares UTF-16 or UTF-32.
func declaresWide(media string) bool {
	_, params := parseContentType(media, false)
	return charset.IsWide(params["charset"])
}

// unchosenCharset returns the charset that the media type declares if it is one that a page cannot choose for its
// lines, or "". It returns "" for UTF-16 and UTF-32 too, which [Document.decodedReader] converts.
func (d *Document) unchosenCharset() string {
	_, params := parseContentType(d.Media, false)
	if _, ok := charset.Parse(params["charset"]); ok || charset.IsWide(params["charset"]) {
		return ""
	}
	return params["charset"]
}

// decodedReader returns a reader of d without its byte order mark. The result known reports whether
// the reader surely returns UTF-8. This is so if d had a byte order mark, or if the reader converts
// UTF-16 or UTF-32.
func (d *Document) decodedReader() (r io.Reader, known bool) {
	if e := wideEncoding(d.Media, d.first); e != nil {
		return transform.NewReader(d, e.NewDecoder()), true
	}
	d.first, known = bytes.CutPrefix(d.first, []byte("\ufeff"))
	return d, known
}
