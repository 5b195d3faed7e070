package wais

import (
	"strings"

	"gofer/internal/waissource"
	"gofer/protocols"
)

// docType is what a WAIS type of documents means.
type docType struct {
	media string
	kind  protocols.Kind
}

// docTypes are the types that servers are known to have.
var docTypes = map[string]docType{
	"TEXT":      {"text/plain", protocols.Text},
	"TEXT-FTP":  {"text/plain", protocols.Text},
	"TEXT-TREE": {"text/plain", protocols.Text},
	"MAIL":      {"text/plain", protocols.Text},
	"NETNEWS":   {"text/plain", protocols.Text},
	"WSRC":      {waissource.Media, protocols.Text},
	"HTML":      {"text/html", protocols.HTML},
	"GIF":       {"image/gif", protocols.Image},
	"JPEG":      {"image/jpeg", protocols.Image},
	"JPG":       {"image/jpeg", protocols.Image},
	"PNG":       {"image/png", protocols.Image},
	"TIFF":      {"image/tiff", protocols.Image},
	"PICT":      {"image/x-pict", protocols.Image},
	"PS":        {"application/postscript", protocols.Document},
	"PDF":       {"application/pdf", protocols.Document},
	"DVI":       {"application/x-dvi", protocols.Document},
	"WORD":      {"application/msword", protocols.Document},
	"MSWORD":    {"application/msword", protocols.Document},
	"RTF":       {"application/rtf", protocols.Document},
	"AU":        {"audio/basic", protocols.Sound},
	"WAV":       {"audio/x-wav", protocols.Sound},
	"MPEG":      {"video/mpeg", protocols.Movie},
	"MPG":       {"video/mpeg", protocols.Movie},
	"URL":       {"text/plain", protocols.Other},
	"FTP":       {"", protocols.Other},
}

// typeOf is what a type means; of an unknown one the octets decide.
func typeOf(typ string) docType {
	if t, ok := docTypes[strings.ToUpper(typ)]; ok {
		return t
	}
	return docType{"", protocols.Binary}
}

// useful is the first type that is known, or the first. Each may hold several,
// joined by commas, as a URL has them.
func useful(types ...string) string {
	all := strings.Split(strings.Join(types, ","), ",")
	for _, t := range all {
		if typeOf(t).kind != protocols.Binary {
			return t
		}
	}
	return all[0]
}
