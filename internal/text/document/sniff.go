package document

import (
	"bytes"
	"strings"

	"gofer/internal/text/waissource"
	"gofer/protocols"
)

// format is a file format that is recognized by its first octets.
type format struct {
	at    int // offset of magic
	magic string
	media string
}

// formats are the common formats of binary files. They do not include formats that consist of
// readable text.
var formats = [...]format{
	{0, "\x89PNG\r\n\x1a\n", "image/png"},
	{0, "GIF87a", "image/gif"},
	{0, "GIF89a", "image/gif"},
	{0, "\xff\xd8\xff", "image/jpeg"},
	{0, "%PDF-", "application/pdf"},
	{0, "PK\x03\x04", "application/zip"},
	{0, "PK\x05\x06", "application/zip"},
	{0, "\x1f\x8b\x08", "application/gzip"},
	{0, "\x1f\x9d", "application/x-compress"},
	{0, "\x1f\xa0", "application/x-compress"},
	{0, "BZh91AY&SY", "application/x-bzip2"},
	{0, "\xfd7zXZ\x00", "application/x-xz"},
	{0, "\x28\xb5\x2f\xfd", "application/zstd"},
	{0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
	{0, "Rar!\x1a\x07", "application/vnd.rar"},
	{0, "\x7fELF", "application/x-executable"},
	{0, "\xca\xfe\xba\xbe", "application/java-vm"},
	{0, "\x00asm", "application/wasm"},
	{0, "SQLite format 3\x00", "application/vnd.sqlite3"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"},
	{0, "II*\x00", "image/tiff"},
	{0, "MM\x00*", "image/tiff"},
	{8, "WEBP", "image/webp"},
	{8, "WAVE", "audio/wav"},
	{8, "AVI ", "video/x-msvideo"},
	{0, "OggS\x00", "application/ogg"},
	{0, "fLaC\x00", "audio/flac"},
	{0, "ID3\x02", "audio/mpeg"},
	{0, "ID3\x03", "audio/mpeg"},
	{0, "ID3\x04", "audio/mpeg"},
	{0, ".snd\x00", "audio/basic"},
	{8, "AIFF", "audio/aiff"},
	{8, "AIFC", "audio/aiff"},
	{0, "MThd\x00", "audio/midi"},
	{0, "\x00\x00\x01\xba", "video/mpeg"},
	{0, "\x00\x00\x01\xb3", "video/mpeg"},
	{4, "ftyp", "video/mp4"},
	{0, "\x1aE\xdf\xa3", "video/webm"},
	{0, "wOFF", "font/woff"},
	{0, "wOF2", "font/woff2"},
	{257, "ustar", "application/x-tar"},
}

// detectFormat returns the media type of the known format of b, or "".
func detectFormat(b []byte) string {
	for _, f := range formats {
		if len(b) < f.at+len(f.magic) || string(b[f.at:f.at+len(f.magic)]) != f.magic {
			continue
		}
		if f.at == 8 && string(b[:4]) != "RIFF" && string(b[:4]) != "FORM" {
			continue
		}
		return f.media
	}
	if len(b) >= 26 && b[0] == 'B' && b[1] == 'M' && bytes.Equal(b[6:10], []byte{0, 0, 0, 0}) {
		return "image/bmp"
	}
	return ""
}

// mayBeginFormat reports whether b may be an incomplete beginning of a known format.
func mayBeginFormat(b []byte) bool {
	for _, f := range formats {
		if f.at == 0 && len(b) < len(f.magic) && f.magic[:len(b)] == string(b) {
			return true
		}
	}
	return mayBeginMark(b)
}

// mayBeginMark reports whether b may be an incomplete byte order mark. For UTF-16, this
// includes the character after the mark, which distinguishes a text from a binary.
func mayBeginMark(b []byte) bool {
	for _, m := range [...]struct {
		mark string
		need int
	}{{"\xef\xbb\xbf", 3}, {"\xfe\xff", 4}, {"\xff\xfe", 4}} {
		n := min(len(b), len(m.mark))
		if len(b) < m.need && string(b[:n]) == m.mark[:n] {
			return true
		}
	}
	return false
}

const (
	mediaText   = "text/plain"
	mediaHTML   = "text/html"
	mediaBinary = "application/octet-stream"
)

// detectMedia returns the media type and the layout of a document. It derives them from the
// declared type and the first block.
func detectMedia(declared string, b []byte) (string, protocols.Layout) {
	essence := essence(declared)
	top, _, _ := strings.Cut(essence, "/")
	readable := top == "text" || top == "message"
	if m := detectFormat(b); m != "" && (!readable || wideEncoding(declared, b) == nil) {
		if essence == "" || essence == mediaBinary || readable || strings.HasPrefix(m, "image/") {
			return m, protocols.LayoutBinary
		}
		return declared, protocols.LayoutBinary
	}
	if wideEncoding(declared, b) == nil && looksBinary(b) {
		if essence == "" || readable {
			return mediaBinary, protocols.LayoutBinary
		}
		return declared, protocols.LayoutBinary
	}
	switch top {
	case "", "image", "audio", "video", "font":
		return textMedia(b), protocols.LayoutText
	}
	if essence == mediaBinary {
		return textMedia(b), protocols.LayoutText
	}
	return declared, protocols.LayoutText
}

func textMedia(b []byte) string {
	head := strings.ToLower(string(bytes.TrimLeft(b[:min(len(b), 256)], "\ufeff \t\r\n")))
	if strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html") {
		return mediaHTML
	}
	if strings.HasPrefix(head, "(:source") {
		return waissource.Media
	}
	return mediaText
}

// looksBinary reports whether b has a NUL, or more control characters than old texts and character
// graphics contain. Octets above 0x7F and escape sequences count as text.
func looksBinary(b []byte) bool {
	return !isUTF16(b) && (bytes.IndexByte(b, 0) >= 0 || hasTooManyControls(countControls(b), len(b)))
}

// countControls counts the control characters that do not occur in texts.
func countControls(b []byte) (n int) {
	for _, c := range b {
		if c < '\a' || c == 0x7f || c > '\r' && c < ' ' && c != 0x0e && c != 0x0f && c != 0x1a && c != 0x1b {
			n++
		}
	}
	return n
}

// hasTooManyControls reports whether n octets with the given number of control characters are
// binary.
func hasTooManyControls(controls, n int) bool { return controls >= 2 && controls*20 > n }

// isUTF16 reports whether b begins with a byte order mark of UTF-16 (RFC 2781, section 3.2) and has
// no NUL character.
func isUTF16(b []byte) bool {
	if len(b) < 4 || string(b[:2]) != "\xfe\xff" && string(b[:2]) != "\xff\xfe" {
		return false
	}
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return false
		}
	}
	return true
}

// essence returns a media type without its parameters, in lower case.
func essence(media string) string {
	media, _, _ = strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(media))
}
