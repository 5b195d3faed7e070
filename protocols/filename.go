package protocols

import (
	"path"
	"strings"
)

// MaxFileName is the size of the longest name or path of a file that gofer uses, in octets, as in Linux.
const MaxFileName = 4 << 10

// IsFileName reports whether name can be a name in a directory of a server. Another one would name an item elsewhere.
func IsFileName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= MaxFileName && !strings.ContainsAny(name, "/\x00")
}

// KindOfFile returns the kind of a file by the suffix of its name or else of the target of a symbolic link, "" if it is none.
func KindOfFile(name, target string) Kind {
	if _, k := BySuffix(name); k != Other {
		return k
	}
	if target != "" {
		if _, k := BySuffix(path.Base(target)); k != Other {
			return k
		}
	}
	return Binary
}
