package mimeheader

import (
	"path"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
)

// MaxName is the largest length of a file name, in octets. It leaves room for the number of a part.
const MaxName = 190

// maxSuffix is the largest length of the suffixes of a file name, in octets.
const maxSuffix = 20

// FileName returns the first of names that is a usable file name, without directories and safe to show.
// It prefers names with a suffix. It decodes the encoded words in a name. Other octets that are not
// UTF-8 are in the charset declared, or else in the charset that they seem to be in. The result is "" if
// no name is usable.
func FileName(declared charset.Charset, names ...string) string {
	best := ""
	for _, name := range names {
		switch name = safeName(decodeName(name, declared)); {
		case Suffix(name) != "":
			return name
		case best == "":
			best = name
		}
	}
	return best
}

// decodeName converts a file name to UTF-8.
func decodeName(s string, declared charset.Charset) string {
	if !charset.IsPlain(s) {
		var e charset.Evidence
		e.Add(s)
		s = e.Choose(declared, false).EightBit().OfLine(s).Decode(s)
	}
	if IsEncoded(s) {
		return Decode(s)
	}
	return s
}

// safeName returns the last element of a path, made safe to show, or "" if there is none. It shortens a
// long name, but not its suffixes.
func safeName(name string) string {
	name = strings.TrimSpace(OneLine(name))
	if n := len(name); n > 2 && name[0] == '"' && name[n-1] == '"' {
		name = name[1 : n-1]
	}
	name = path.Base(strings.ReplaceAll(clean.Text(name), `\`, "/"))
	if strings.Trim(name, "./ ") == "" {
		return ""
	}
	if len(name) > MaxName {
		suffix := Suffix(name)
		name = strings.ToValidUTF8(name[:MaxName-len(suffix)], "") + suffix
	}
	return name
}

// Suffix returns the suffixes of a file name, such as ".gz", ".tar.gz" or ".rar.001", with up to maxSuffix
// octets. It returns "" if the name has none.
func Suffix(name string) string {
	limit, start := max(1, len(name)-maxSuffix), len(name)
	for start > limit {
		i := limit + strings.LastIndexByte(name[limit:start], '.')
		if i < limit || i == start-1 || strings.ContainsFunc(name[i+1:start], isNoSuffix) {
			break
		}
		start = i
	}
	return name[start:]
}

func isNoSuffix(r rune) bool {
	return r >= 0x80 || !isAlphanumeric(byte(r)) && !strings.ContainsRune("-_+~", r)
}
