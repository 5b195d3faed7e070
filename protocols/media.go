package protocols

import "strings"

// BySuffix returns the media type and the kind that a file's last suffix
// promises; the type is "" and the kind Other if it promises nothing. The table
// is our own, not the machine's, so that every machine shows the same.
func BySuffix(name string) (string, Kind) {
	if bare, version, ok := strings.Cut(name, ";"); ok && isNumber(version) {
		name = bare // VMS
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name)-i > 9 {
		switch name {
		case "README", "INSTALL", "COPYING", "LICENSE", "NEWS", "AUTHORS", "ChangeLog", "CHANGES", "TODO", "INDEX", "Makefile", "MD5SUMS", "SHA1SUMS", "SHA256SUMS":
			return "text/plain", Text
		}
		return "", Other
	}
	switch strings.ToLower(name[i+1:]) {
	case "txt", "text", "asc", "log", "nfo", "diz", "me", "1st", "conf", "cfg", "ini", "diff", "patch", "list", "lst", "sha256", "sha1", "md5", "sig", "message":
		return "text/plain", Text
	case "md", "markdown":
		return "text/markdown", Text
	case "csv":
		return "text/csv", Text
	case "c", "h", "cc", "cpp", "go", "rs", "py", "pl", "rb", "sh", "java", "js", "f", "f77", "f90", "pas", "asm", "s", "el", "lisp", "tcl", "awk", "sed", "mk", "sql", "yaml", "yml", "toml":
		return "text/plain", Text
	case "json":
		return "application/json", Text
	case "xml", "rss", "atom":
		return "application/xml", Text
	case "css":
		return "text/css", Text
	case "eml", "msg", "mbox":
		return "message/rfc822", Text
	case "html", "htm", "xhtml":
		return "text/html", HTML
	case "gif":
		return "image/gif", Image
	case "png":
		return "image/png", Image
	case "jpg", "jpeg", "jpe":
		return "image/jpeg", Image
	case "webp":
		return "image/webp", Image
	case "bmp":
		return "image/bmp", Image
	case "tif", "tiff":
		return "image/tiff", Image
	case "svg":
		return "image/svg+xml", Image
	case "xbm", "xpm", "pcx", "ico", "pnm", "ppm", "pgm", "pbm", "tga", "iff", "pict":
		return "image/x-" + strings.ToLower(name[i+1:]), Image
	case "wav":
		return "audio/x-wav", Sound
	case "au", "snd":
		return "audio/basic", Sound
	case "mp3":
		return "audio/mpeg", Sound
	case "ogg", "oga", "opus":
		return "audio/ogg", Sound
	case "flac":
		return "audio/flac", Sound
	case "mid", "midi":
		return "audio/midi", Sound
	case "aif", "aiff", "voc", "mod", "s3m", "xm", "it":
		return "audio/x-" + strings.ToLower(name[i+1:]), Sound
	case "mpg", "mpeg":
		return "video/mpeg", Movie
	case "mp4", "m4v":
		return "video/mp4", Movie
	case "mov", "qt":
		return "video/quicktime", Movie
	case "avi":
		return "video/x-msvideo", Movie
	case "webm":
		return "video/webm", Movie
	case "mkv":
		return "video/x-matroska", Movie
	case "pdf":
		return "application/pdf", Document
	case "ps", "eps":
		return "application/postscript", Document
	case "rtf":
		return "application/rtf", Document
	case "doc", "xls", "ppt", "docx", "xlsx", "pptx", "odt", "ods", "odp", "dvi", "tex", "epub", "djvu":
		return "application/octet-stream", Document
	case "gz", "tgz":
		return "application/gzip", Archive
	case "zip", "jar":
		return "application/zip", Archive
	case "tar":
		return "application/x-tar", Archive
	case "bz2", "tbz", "tbz2":
		return "application/x-bzip2", Archive
	case "xz", "txz":
		return "application/x-xz", Archive
	case "zst", "lz", "lzma", "z", "7z", "rar", "arj", "lha", "lzh", "zoo", "arc", "cpio", "deb", "rpm", "sit", "hqx", "cab", "shar", "ar":
		return "application/octet-stream", Archive
	case "bin", "exe", "com", "dll", "iso", "img", "o", "so", "a", "class", "dat", "rom", "dmg":
		return "application/octet-stream", Binary
	}
	return "", Other
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
