package document

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"gofer/internal/text/charset"
)

// wideEncoding returns the encoding of a text whose characters take two octets or four: UTF-16 by
// its byte order mark (RFC 2781, section 3.2), or the charset that its media type declares. It
// returns nil for other texts, and for ASCII that is wrongly declared as UTF-16 or UTF-32.
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

// decodedReader returns a reader of d without its byte order mark. known reports whether the reader
// is known to return UTF-8: d had a byte order mark, or the reader converts UTF-16 or UTF-32.
func (d *Document) decodedReader() (r io.Reader, known bool) {
	if e := wideEncoding(d.Media, d.first); e != nil {
		return transform.NewReader(d, e.NewDecoder()), true
	}
	d.first, known = bytes.CutPrefix(d.first, []byte("\ufeff"))
	return d, known
}
