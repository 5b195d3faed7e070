package protocols

import (
	"slices"
	"strings"
	"sync"

	"gofer/urlcore"
)

// Kind is the kind of a line or of the target of its link.
type Kind uint8

// The kinds of lines. Their names (String) are part of the JSON output.
const (
	Info      Kind = iota // text of the page, without a link
	Heading               // a heading of the page
	Header                // a header field of an article
	Quote                 // a quoted line of an article
	Signature             // a line of the signature of an article
	Menu                  // a Gopher menu
	Directory             // a directory, such as an FTP directory
	Group                 // a newsgroup
	Article               // a news article
	Text                  // a text document
	Search                // a search, which needs search words
	FormItem              // a Gopher+ form, which needs answers
	Image                 // a picture
	Sound                 // a sound
	Movie                 // a film
	Document              // a formatted document (PDF, word processor)
	HTML                  // a hypertext document
	Archive               // an archive or compressed file
	Binary                // any other octets
	Session               // an interactive session (telnet, tn3270, rlogin)
	Mail                  // a mail address
	Phonebook             // a CSO phone book (Gopher type 2)
	Other                 // another scheme's URL, or an unknown type
	Failure               // an error message in a page of the server
	Problem               // a line of the server that cannot be parsed; Text is the unchanged line
)

// KindStyle is the style of the sign before a line.
type KindStyle uint8

// The styles of signs.
const (
	AccentStyle  KindStyle = iota
	SearchStyle            // of an item that needs words or answers
	WarningStyle           // of an item that leaves gofer, and of a failure
)

// Opening is what opens when the user opens an item.
type Opening uint8

// The ways to open an item.
const (
	OpensDocument Opening = iota
	OpensList             // a list of further items
	OpensPrompt           // a prompt for search words
	OpensForm             // a form, which needs answers
	OpensFile             // a file for another program
	OpensProgram          // another program, which gets the URL
)

// Saving is how an item is saved.
type Saving uint8

// The ways to save an item.
const (
	SavedAsFile Saving = iota
	SavedAsTree        // with all items below it
	NotSaved           // not a file
)

// kinds has one row for each Kind.
var kinds = [...]struct {
	name            string
	sign, asciiSign string // before a line with a link
	style           KindStyle
	opening         Opening
	saving          Saving
	port            uint16 // the usual port if the scheme has another one, or 0
}{
	Info:      {"info", "•", "-", AccentStyle, OpensDocument, SavedAsFile, 0},
	Heading:   {"heading", "•", "-", AccentStyle, OpensDocument, SavedAsFile, 0},
	Header:    {"header", "•", "-", AccentStyle, OpensDocument, SavedAsFile, 0},
	Quote:     {"quote", "•", "-", AccentStyle, OpensDocument, SavedAsFile, 0},
	Signature: {"signature", "•", "-", AccentStyle, OpensDocument, SavedAsFile, 0},
	Menu:      {"menu", "▸", ">", AccentStyle, OpensList, SavedAsTree, 0},
	Directory: {"directory", "▸", ">", AccentStyle, OpensList, SavedAsTree, 0},
	Group:     {"group", "▸", ">", AccentStyle, OpensList, NotSaved, 0},
	Article:   {"article", "•", "-", AccentStyle, OpensDocument, SavedAsFile, 0},
	Text:      {"text", "•", "-", AccentStyle, OpensDocument, SavedAsFile, 0},
	Search:    {"search", "?", "?", SearchStyle, OpensPrompt, NotSaved, 0},
	FormItem:  {"form", "=", "=", SearchStyle, OpensForm, NotSaved, 0},
	Image:     {"image", "◙", "@", AccentStyle, OpensDocument, SavedAsFile, 0},
	Sound:     {"sound", "■", "*", AccentStyle, OpensFile, SavedAsFile, 0},
	Movie:     {"movie", "■", "*", AccentStyle, OpensFile, SavedAsFile, 0},
	Document:  {"document", "■", "*", AccentStyle, OpensFile, SavedAsFile, 0},
	HTML:      {"html", "•", "-", AccentStyle, OpensDocument, SavedAsFile, 0},
	Archive:   {"archive", "■", "*", AccentStyle, OpensFile, SavedAsFile, 0},
	Binary:    {"binary", "■", "*", AccentStyle, OpensFile, SavedAsFile, 0},
	Session:   {"session", "$", "$", WarningStyle, OpensProgram, NotSaved, 0},
	Mail:      {"mail", "⇗", "^", WarningStyle, OpensProgram, NotSaved, 0},
	Phonebook: {"phonebook", "?", "?", SearchStyle, OpensPrompt, NotSaved, 105},
	Other:     {"other", "⇗", "^", WarningStyle, OpensProgram, SavedAsFile, 0},
	Failure:   {"failure", "✗", "!", WarningStyle, OpensDocument, SavedAsFile, 0},
	Problem:   {"problem", "?", "?", AccentStyle, OpensDocument, SavedAsFile, 0},
}

// String returns the name of the kind in JSON output.
func (k Kind) String() string { return kinds[k].name }

// Sign returns the sign of a line of kind k that has a link or reports a failure.
func (k Kind) Sign(ascii bool) string {
	if ascii {
		return kinds[k].asciiSign
	}
	return kinds[k].sign
}

// Style returns the style of the sign of a line of kind k.
func (k Kind) Style() KindStyle { return kinds[k].style }

// Opening returns what opens when the user opens an item of kind k.
func (k Kind) Opening() Opening { return kinds[k].opening }

// NeedsAnswers reports whether an item of kind k is fetched with words or answers of the user.
func (k Kind) NeedsAnswers() bool {
	return kinds[k].opening == OpensPrompt || kinds[k].opening == OpensForm
}

// Saving returns how an item of kind k is saved.
func (k Kind) Saving() Saving { return kinds[k].saving }

// Port returns the usual port of servers of items of kind k, or 0 if it is the port of the scheme.
func (k Kind) Port() uint16 { return kinds[k].port }

// kindByName returns the kind with this name, or Other for an unknown name.
func kindByName(name string) Kind {
	for k := range kinds {
		if kinds[k].name == name {
			return Kind(k)
		}
	}
	return Other
}

// GopherKind returns the kind of a Gopher item type.
func GopherKind(typ byte) Kind { return kindByName(urlcore.Gopher{Type: typ}.Kind()) }

// KindOf returns the kind of the target of u. The method Kind() string of u returns the name of the kind. If
// this name is "file" or "page", the kind depends on the suffix of the file name, FileName() string.
func KindOf(u urlcore.URL) Kind {
	k, ok := u.(interface{ Kind() string })
	if !ok {
		return Other
	}
	otherwise := Binary
	switch k.Kind() {
	case "file":
	case "page":
		otherwise = HTML
	default:
		return kindByName(k.Kind())
	}
	if f, ok := u.(interface{ FileName() string }); ok {
		if _, k := BySuffix(f.FileName()); k != Other {
			return k
		}
	}
	return otherwise
}

// IsOnlyPage reports whether the page of u can be shown, but not saved as a file or a tree: entries and records of directory services,
// results and words of searches, newsgroups, and gofer's own pages. The menus of Gopher servers are trees. Their searches and forms, and
// forms of the web, may lead to documents.
func IsOnlyPage(u urlcore.URL) bool {
	if _, ok := u.(urlcore.Gopher); ok || u.Scheme() == "form" {
		return false
	}
	k := KindOf(u)
	return k == Menu || k == Group || k == Search
}

// mediaType is a media type with its kind and the suffixes of its files.
type mediaType struct {
	media    string // a media type; if it ends in a hyphen, the suffix of the file is appended
	kind     Kind
	suffixes string
}

// mediaTypes replaces the MIME types of the system, so that pages look the same on every system.
var mediaTypes = [...]mediaType{
	{"text/plain", Text, "txt text asc log nfo diz me 1st conf cfg ini diff patch list lst sha256 sha1 md5 sig message"},
	{"text/markdown", Text, "md markdown"},
	{"text/csv", Text, "csv"},
	{"text/plain", Text, "c h cc cpp go rs py pl rb sh java js f f77 f90 pas asm s el lisp tcl awk sed mk sql yaml yml toml"},
	{"application/json", Text, "json"},
	{"application/xml", Text, "xml"},
	{"application/rss+xml", Text, "rss"},
	{"application/atom+xml", Text, "atom"},
	{"text/css", Text, "css"},
	{"message/rfc822", Text, "eml msg"},
	{"application/mbox", Text, "mbox mbx"},
	{"text/html", HTML, "html htm xhtml"},
	{"text/gemini", HTML, "gmi gemini"},
	{MediaMenu, Text, "gophermap"},
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

// textFiles are the usual names of text files without a suffix.
const textFiles = " README INSTALL COPYING LICENSE NEWS AUTHORS ChangeLog CHANGES TODO INDEX Makefile MD5SUMS SHA1SUMS SHA256SUMS "

// MenuFile is the usual name of the file with the menu of its directory, as Gopher servers and mirrors write it.
const MenuFile = "gophermap"

// MenuFiles returns all names of files with the menu of their directory. Files with the suffix ".gophermap" are menus too.
func MenuFiles() []string { return []string{MenuFile, ".gophermap", "gophermap.txt"} }

var bySuffix = sync.OnceValue(func() map[string]*mediaType {
	m := make(map[string]*mediaType)
	for i := range mediaTypes {
		for suffix := range strings.FieldsSeq(mediaTypes[i].suffixes) {
			m[suffix] = &mediaTypes[i]
		}
	}
	return m
})

// BySuffix returns the media type and the kind of a file by the last suffix of its name. It also knows the usual
// names of text files without a suffix, such as "README", and of menus (MenuFiles). For any other name it returns "" and Other.
func BySuffix(name string) (string, Kind) {
	if bare, version, ok := strings.Cut(name, ";"); ok && isNumber(version) {
		name = bare // VMS appends a version number to file names
	}
	if slices.Contains(MenuFiles(), name) {
		return MediaMenu, Text
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name)-i > len(".gophermap") {
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

// SuffixOf returns the usual suffix of files of a media type, with its dot, or "". Of types in mediaTypes whose
// names differ only in "x-", it returns the same suffix.
func SuffixOf(media string) string {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	top, sub, _ := strings.Cut(strings.TrimSpace(media), "/")
	sub = strings.TrimPrefix(sub, "x-")
	if top+"/"+sub == "application/octet-stream" {
		return ".bin"
	}
	for i := range mediaTypes {
		t := &mediaTypes[i]
		suffixes := strings.Fields(t.suffixes)
		typeTop, typeSub, _ := strings.Cut(t.media, "/")
		typeSub = strings.TrimPrefix(typeSub, "x-")
		switch {
		case typeTop != top:
		case typeSub == "" && slices.Contains(suffixes, sub):
			return "." + sub
		case typeSub != "" && typeSub == sub:
			return "." + suffixes[0]
		}
	}
	if suffix := otherSuffixes[top+"/"+sub]; suffix != "" {
		return "." + suffix
	}
	return ""
}

// otherSuffixes are the suffixes of media types of mails that are not the types of their suffixes in mediaTypes, by
// their names without "x-".
var otherSuffixes = map[string]string{
	"image/jpg": "jpg", "image/pjpeg": "jpg", "image/svg": "svg", "image/ms-bmp": "bmp", "image/vnd.microsoft.icon": "ico", "image/icon": "ico",
	"image/xbitmap": "xbm", "image/xpixmap": "xpm", "image/portable-anymap": "pnm", "image/portable-pixmap": "ppm", "image/portable-graymap": "pgm",
	"image/portable-bitmap": "pbm", "image/photoshop": "psd", "image/vnd.adobe.photoshop": "psd", "image/vnd.djvu": "djvu",
	"audio/wave": "wav", "audio/vnd.wave": "wav", "audio/mp3": "mp3", "audio/mid": "mid", "audio/vorbis": "ogg", "audio/mp4": "m4a",
	"audio/vnd.rn-realaudio": "ra", "audio/pn-realaudio": "ra", "audio/mpegurl": "m3u",
	"video/ms-wmv": "wmv", "video/ms-asf": "asf", "video/3gpp": "3gp", "video/avi": "avi",
	"application/feed+json": "json", "text/xml": "xml", "text/json": "json", "text/calendar": "ics", "text/vcard": "vcf", "text/directory": "vcf", "text/rtf": "rtf", "text/richtext": "rtx",
	"text/enriched": "txt", "text/diff": "diff", "text/patch": "patch", "text/javascript": "js", "text/tab-separated-values": "tsv",
	"text/yaml": "yaml", "text/c": "c", "text/python": "py", "text/perl": "pl", "text/sh": "sh", "text/shellscript": "sh", "text/tex": "tex",
	"message/news": "eml", "application/news-transmission": "eml", "application/news-groupinfo": "txt", "message/global": "eml", "message/partial": "eml", "application/javascript": "js", "application/xhtml+xml": "xhtml",
	"application/pgp-signature": "asc", "application/pgp-encrypted": "asc", "application/pgp-keys": "asc",
	"application/pkcs7-signature": "p7s", "application/pkcs7-mime": "p7m", "application/msword": "doc", "application/ms-excel": "xls",
	"application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt", "application/mspowerpoint": "ppt", "application/ms-tnef": "dat",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
	"application/vnd.oasis.opendocument.text":                                   "odt", "application/vnd.oasis.opendocument.spreadsheet": "ods",
	"application/vnd.oasis.opendocument.presentation": "odp", "application/epub+zip": "epub", "application/dvi": "dvi", "application/tex": "tex",
	"application/zip-compressed": "zip", "application/compressed": "zip", "application/compress": "z", "application/bzip": "bz2", "application/zstd": "zst",
	"application/7z-compressed": "7z", "application/rar": "rar", "application/rar-compressed": "rar", "application/vnd.rar": "rar", "application/lha": "lha",
	"application/lzh": "lzh", "application/stuffit": "sit", "application/mac-binhex40": "hqx", "application/binhex40": "hqx", "application/shar": "sh",
	"application/sh": "sh", "application/java-archive": "jar", "application/debian-package": "deb", "application/rpm": "rpm", "application/ogg": "ogg",
	"application/msdownload": "exe", "application/dosexec": "exe", "application/ms-dos-executable": "exe", "application/executable": "bin",
}

// KindOfMedia returns the kind of a media type, or Other for an unknown media type.
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
