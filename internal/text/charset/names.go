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
	if name := otherNames[squeezed]; name != "" {
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

// otherNames are names of charsets in mails, squeezed, that are not registered for the encodings that read
// them.
var otherNames = map[string]string{
	"cp932": "shift_jis", "windows31j": "shift_jis", "ms932": "shift_jis", "windows932": "shift_jis", "mskanji": "shift_jis",
	"sjis": "shift_jis", "shiftjis": "shift_jis", "shiftjisms": "shift_jis", "sjiswin": "shift_jis", "macjapanese": "shift_jis", "ibm943": "shift_jis",
	"cp51932": "euc-jp", "eucjp": "euc-jp", "eucjpms": "euc-jp", "eucjpwin": "euc-jp", "ujis": "euc-jp",
	"iso2022jp": "iso-2022-jp", "iso2022jp1": "iso-2022-jp", "iso2022jp2": "iso-2022-jp", "iso2022jp3": "iso-2022-jp",
	"iso2022jp2004": "iso-2022-jp", "iso2022jpms": "iso-2022-jp", "cp50220": "iso-2022-jp", "cp50221": "iso-2022-jp", "cp50222": "iso-2022-jp", "jis": "iso-2022-jp",
	"gb2312": "gbk", "gb231280": "gbk", "gb23121980": "gbk", "cngb": "gbk", "euccn": "gbk", "cp936": "gbk", "ms936": "gbk", "windows936": "gbk",
	"macchinesesimp": "gbk", "macsimpchinese": "gbk", "hz": "hz-gb-2312", "hzgb": "hz-gb-2312", "hzgb2312": "hz-gb-2312",
	"cp54936": "gb18030", "gb180302000": "gb18030", "gb180302005": "gb18030",
	"big5": "big5", "cnbig5": "big5", "bigfive": "big5", "big5eten": "big5", "big5hkscs": "big5", "big5hkscs2004": "big5", "cp950": "big5", "ms950": "big5",
	"windows950": "big5", "macchinesetrad": "big5", "mactradchinese": "big5",
	"ksc5601": "euc-kr", "ksc56011987": "euc-kr", "ksc56011989": "euc-kr", "ks5601": "euc-kr", "euckr": "euc-kr", "cp949": "euc-kr", "ms949": "euc-kr",
	"windows949": "euc-kr", "uhc": "euc-kr", "mackorean": "euc-kr", "cp51949": "euc-kr",
	"unicode11utf7": "utf7", "unicode20utf7": "utf7", "cp65000": "utf7", "windows65000": "utf7", "iso2022cnext": "iso2022cn",
	"viscii11": "viscii", "viscii111": "viscii", "tcvn57121": "tcvn", "tcvn5712": "tcvn", "tcvn571211993": "tcvn", "viettcvn5712": "tcvn",
	"mac": "macintosh", "macroman": "macintosh", "maccyrillic": "x-mac-cyrillic", "macukrainian": "x-mac-cyrillic", "macuk": "x-mac-cyrillic",
	"maccentraleurroman": "macce", "maccentraleurope": "macce", "maclatin2": "macce", "maceastern": "macce", "maciceland": "macicelandic", "macis": "macicelandic",
	"macromania": "macromanian", "macrumanian": "macromanian",
	"koi8": "koi8-r", "koi": "koi8-r", "koi8r": "koi8-r", "koi8u": "koi8-u", "koi8ru": "koi8-u", "ruscii": "cp1125", "cp866u": "cp1125",
	"strk10482002": "kz1048", "rk1048": "kz1048", "pt154": "ptcp154", "cp154": "ptcp154", "cyrillicasian": "ptcp154",
	"roman8": "hproman8", "r8": "hproman8", "cp1051": "hproman8", "tis620": "windows-874", "tis6202533": "windows-874", "iso885911": "windows-874", "cp874": "windows-874",
	"utf16": "utf-16be", "latin9": "iso-8859-15", "latin0": "iso-8859-15", "greek8": "iso-8859-7", "cp858": "ibm00858", "ibm858": "ibm00858",
}
