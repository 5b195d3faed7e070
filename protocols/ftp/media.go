package ftp

import (
	"strings"

	"gofer/protocols"
)

// mediaOf is the media type that a file's suffix promises, or "". The table is
// our own, not the machine's, so that every machine shows the same.
func mediaOf(name string) string {
	media, _ := bySuffix(name)
	return media
}

// kindOf is what an entry leads to as far as it is known: the type that the
// listing tells, else what the suffix promises.
func kindOf(e entry) protocols.Kind {
	switch e.kind {
	case directory:
		return protocols.Directory
	case special:
		return protocols.Other
	}
	if _, kind := bySuffix(e.name); kind != protocols.Other {
		return kind
	}
	if e.kind == file {
		return protocols.Binary
	}
	return protocols.Other
}

// bySuffix looks a name up by its last suffix; the kind is Other and the media
// type "" if it promises nothing.
func bySuffix(name string) (string, protocols.Kind) {
	if bare, version, ok := strings.Cut(name, ";"); ok && number(version) >= 0 {
		name = bare // VMS
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name)-i > 9 {
		switch name {
		case "README", "INSTALL", "COPYING", "LICENSE", "NEWS", "AUTHORS", "ChangeLog", "CHANGES", "TODO", "INDEX", "Makefile", "MD5SUMS", "SHA1SUMS", "SHA256SUMS":
			return "text/plain", protocols.Text
		}
		return "", protocols.Other
	}
	switch strings.ToLower(name[i+1:]) {
	case "txt", "text", "asc", "log", "nfo", "diz", "me", "1st", "conf", "cfg", "ini", "diff", "patch", "list", "lst", "sha256", "sha1", "md5", "sig", "message":
		return "text/plain", protocols.Text
	case "md", "markdown":
		return "text/markdown", protocols.Text
	case "csv":
		return "text/csv", protocols.Text
	case "c", "h", "cc", "cpp", "go", "rs", "py", "pl", "rb", "sh", "java", "js", "f", "f77", "f90", "pas", "asm", "s", "el", "lisp", "tcl", "awk", "sed", "mk", "sql", "yaml", "yml", "toml":
		return "text/plain", protocols.Text
	case "json":
		return "application/json", protocols.Text
	case "xml", "rss", "atom":
		return "application/xml", protocols.Text
	case "css":
		return "text/css", protocols.Text
	case "eml", "msg", "mbox":
		return "message/rfc822", protocols.Text
	case "html", "htm", "xhtml":
		return "text/html", protocols.HTML
	case "gif":
		return "image/gif", protocols.Image
	case "png":
		return "image/png", protocols.Image
	case "jpg", "jpeg", "jpe":
		return "image/jpeg", protocols.Image
	case "webp":
		return "image/webp", protocols.Image
	case "bmp":
		return "image/bmp", protocols.Image
	case "tif", "tiff":
		return "image/tiff", protocols.Image
	case "svg":
		return "image/svg+xml", protocols.Image
	case "xbm", "xpm", "pcx", "ico", "pnm", "ppm", "pgm", "pbm", "tga", "iff", "pict":
		return "image/x-" + strings.ToLower(name[i+1:]), protocols.Image
	case "wav":
		return "audio/x-wav", protocols.Sound
	case "au", "snd":
		return "audio/basic", protocols.Sound
	case "mp3":
		return "audio/mpeg", protocols.Sound
	case "ogg", "oga", "opus":
		return "audio/ogg", protocols.Sound
	case "flac":
		return "audio/flac", protocols.Sound
	case "mid", "midi":
		return "audio/midi", protocols.Sound
	case "aif", "aiff", "voc", "mod", "s3m", "xm", "it":
		return "audio/x-" + strings.ToLower(name[i+1:]), protocols.Sound
	case "mpg", "mpeg":
		return "video/mpeg", protocols.Movie
	case "mp4", "m4v":
		return "video/mp4", protocols.Movie
	case "mov", "qt":
		return "video/quicktime", protocols.Movie
	case "avi":
		return "video/x-msvideo", protocols.Movie
	case "webm":
		return "video/webm", protocols.Movie
	case "mkv":
		return "video/x-matroska", protocols.Movie
	case "pdf":
		return "application/pdf", protocols.Document
	case "ps", "eps":
		return "application/postscript", protocols.Document
	case "rtf":
		return "application/rtf", protocols.Document
	case "doc", "xls", "ppt", "docx", "xlsx", "pptx", "odt", "ods", "odp", "dvi", "tex", "epub", "djvu":
		return "application/octet-stream", protocols.Document
	case "gz", "tgz":
		return "application/gzip", protocols.Archive
	case "zip", "jar":
		return "application/zip", protocols.Archive
	case "tar":
		return "application/x-tar", protocols.Archive
	case "bz2", "tbz", "tbz2":
		return "application/x-bzip2", protocols.Archive
	case "xz", "txz":
		return "application/x-xz", protocols.Archive
	case "zst", "lz", "lzma", "z", "7z", "rar", "arj", "lha", "lzh", "zoo", "arc", "cpio", "deb", "rpm", "sit", "hqx", "cab", "shar", "ar":
		return "application/octet-stream", protocols.Archive
	case "bin", "exe", "com", "dll", "iso", "img", "o", "so", "a", "class", "dat", "rom", "dmg":
		return "application/octet-stream", protocols.Binary
	}
	return "", protocols.Other
}
