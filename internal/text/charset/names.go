package charset

import (
	"regexp"
	"strings"
	"sync"
)

// squeeze returns the letters and digits of a name in lower case, without the prefix of private names (RFC
// 2045, section 5.1). Programs differ in the signs between them: iso_8859-1, iso8859-1, x-mac-ce, MacCE.
func squeeze(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "x-"), "cs")
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}

// isUTF8 reports whether a name means UTF-8.
func isUTF8(name string) bool {
	switch squeeze(name) {
	case "utf8", "unicode11utf8", "unicode20utf8", "cp65001", "windows65001", "utf8n", "utf8mb4", "utf8mac":
		return true
	}
	return false
}

var numberedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(iso8859|(?:ms|win|windows|cp|ansi|ibm|dos|msdos|oem|pc))(\d{1,4})(?:19\d\d|[ie])?$`)
})

// registeredName returns the registered name of a squeezed name.
func registeredName(squeezed string) string {
	if name := namesByAlias()[squeezed]; name != "" {
		return name
	}
	m := numberedName().FindStringSubmatch(squeezed)
	switch {
	case m == nil:
		return squeezed
	case m[1] == "iso8859":
		return "iso-8859-" + m[2]
	case len(m[2]) == 4 && strings.HasPrefix(m[2], "125"):
		return "windows-" + m[2]
	case otherEncodings["cp"+m[2]] != nil:
		return "cp" + m[2]
	}
	return "ibm" + m[2]
}
