package protocols

import (
	"strings"
	"sync"
)

// mediaType is what suffixes promise of a file.
type mediaType struct {
	media    string // one that ends in a hyphen goes on with the suffix
	kind     Kind
	suffixes string
}

// mediaTypes is our own table, not the machine's, so that every machine shows
// the same.
var mediaTypes = [...]mediaType{
	{"text/plain", Text, "txt text asc log nfo diz me 1st conf cfg ini diff patch list lst sha256 sha1 md5 sig message"},
	{"text/markdown", Text, "md markdown"},
	{"text/csv", Text, "csv"},
	{"text/plain", Text, "c h cc cpp go rs py pl rb sh java js f f77 f90 pas asm s el lisp tcl awk sed mk sql yaml yml toml"},
	{"application/json", Text, "json"},
	{"application/xml", Text, "xml rss atom"},
	{"text/css", Text, "css"},
	{"message/rfc822", Text, "eml msg"},
	{"application/mbox", Text, "mbox mbx"},
	{"text/html", HTML, "html htm xhtml"},
	{"text/gemini", HTML, "gmi gemini"},
	{"image/gif", Image, "gif"},
	{"image/png", Image, "png"},
	{"image/jpeg", Image, "jpg jpeg jpe"},
	{"image/webp", Image, "webp"},
	{"image/bmp", Image, "bmp"},
	{"image/tiff", Image, "tif tiff"},
	{"image/svg+xml", Image, "svg"},
	{"image/x-", Image, "xbm xpm pcx ico pnm ppm pgm pbm tga iff pict"},
	{"audio/x-wav", Sound, "wav"},
	{"audio/basic", Sound, "au snd"},
	{"audio/mpeg", Sound, "mp3"},
	{"audio/ogg", Sound, "ogg oga opus"},
	{"audio/flac", Sound, "flac"},
	{"audio/midi", Sound, "mid midi"},
	{"audio/x-", Sound, "aif aiff voc mod s3m xm it"},
	{"video/mpeg", Movie, "mpg mpeg"},
	{"video/mp4", Movie, "mp4 m4v"},
	{"video/quicktime", Movie, "mov qt"},
	{"video/x-msvideo", Movie, "avi"},
	{"video/webm", Movie, "webm"},
	{"video/x-matroska", Movie, "mkv"},
	{"application/pdf", Document, "pdf"},
	{"application/postscript", Document, "ps eps"},
	{"application/rtf", Document, "rtf"},
	{"application/octet-stream", Document, "doc xls ppt docx xlsx pptx odt ods odp dvi tex epub djvu"},
	{"application/gzip", Archive, "gz tgz"},
	{"application/zip", Archive, "zip jar"},
	{"application/x-tar", Archive, "tar"},
	{"application/x-bzip2", Archive, "bz2 tbz tbz2"},
	{"application/x-xz", Archive, "xz txz"},
	{"application/octet-stream", Archive, "zst lz lzma z 7z rar arj lha lzh zoo arc cpio deb rpm sit hqx cab shar ar"},
	{"application/octet-stream", Binary, "bin exe com dll iso img o so a class dat rom dmg"},
}

// textFiles are files that have no suffix and hold text.
const textFiles = " README INSTALL COPYING LICENSE NEWS AUTHORS ChangeLog CHANGES TODO INDEX Makefile MD5SUMS SHA1SUMS SHA256SUMS "

var bySuffix = sync.OnceValue(func() map[string]*mediaType {
	m := make(map[string]*mediaType)
	for i := range mediaTypes {
		for suffix := range strings.FieldsSeq(mediaTypes[i].suffixes) {
			m[suffix] = &mediaTypes[i]
		}
	}
	return m
})

// BySuffix returns the media type and the kind that a file's last suffix
// promises; the type is "" and the kind Other if it promises nothing.
func BySuffix(name string) (string, Kind) {
	if bare, version, ok := strings.Cut(name, ";"); ok && isNumber(version) {
		name = bare // VMS
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name)-i > 9 {
		if !strings.Contains(name, " ") && strings.Contains(textFiles, " "+name+" ") {
			return "text/plain", Text
		}
		return "", Other
	}
	suffix := strings.ToLower(name[i+1:])
	t := bySuffix()[suffix]
	switch {
	case t == nil:
		return "", Other
	case strings.HasSuffix(t.media, "-"):
		return t.media + suffix, t.kind
	}
	return t.media, t.kind
}

// KindOfMedia returns the kind of a media type, Other where it is not known.
func KindOfMedia(media string) Kind {
	media, _, _ = strings.Cut(media, ";")
	for i := range mediaTypes {
		if t := &mediaTypes[i]; t.media == media && media != "application/octet-stream" {
			return t.kind
		}
	}
	switch media {
	case "application/zstd", "application/x-7z-compressed", "application/vnd.rar", "application/x-compress":
		return Archive
	case "application/ogg":
		return Sound
	case "application/x-executable", "application/octet-stream":
		return Binary
	}
	top, _, _ := strings.Cut(media, "/")
	switch top {
	case "image":
		return Image
	case "audio":
		return Sound
	case "video":
		return Movie
	case "text", "message":
		return Text
	}
	return Other
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
