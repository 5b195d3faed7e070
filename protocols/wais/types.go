package wais

import (
	"strings"

	"gofer/internal/text/waissource"
)

// mediaTypes maps document types of known servers to media types. For other types, and for "", the
// octets of the document decide.
var mediaTypes = map[string]string{
	"TEXT": "text/plain", "TEXT-FTP": "text/plain", "TEXT-TREE": "text/plain", "MAIL": "text/plain", "NETNEWS": "text/plain",
	"WSRC": waissource.Media,
	"HTML": "text/html",
	"GIF":  "image/gif", "JPEG": "image/jpeg", "JPG": "image/jpeg", "PNG": "image/png", "TIFF": "image/tiff", "PICT": "image/x-pict",
	"PS": "application/postscript", "PDF": "application/pdf", "DVI": "application/x-dvi",
	"WORD": "application/msword", "MSWORD": "application/msword", "RTF": "application/rtf",
	"AU": "audio/basic", "WAV": "audio/x-wav", "MPEG": "video/mpeg", "MPG": "video/mpeg",
	"URL": "text/plain", "FTP": "",
}

func mediaOf(typ string) string { return mediaTypes[strings.ToUpper(typ)] }

// preferredType returns the first known type or else the first type. An argument may be several
// types with commas between them, as in a URL.
func preferredType(types ...string) string {
	list := strings.Split(strings.Join(types, ","), ",")
	for _, t := range list {
		if _, known := mediaTypes[strings.ToUpper(t)]; known {
			return t
		}
	}
	return list[0]
}
