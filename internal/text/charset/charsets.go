package charset

import (
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Charset is a mapping of octets to characters. The zero value is Auto.
type Charset uint8

// The charsets. Of several similar charsets, the most likely one comes first.
const (
	Auto        Charset = iota // detected by Guess, line by line
	UTF8                       // with U+FFFD for invalid octets
	Windows1252                // ISO 8859-1 with printable characters at 0x80-0x9F
	CP437                      // IBM PC, with box drawings
	CP850                      // like CP437, with more letters
	Windows1250                // Central Europe
	ISO8859_2                  // Central Europe, on Unix
	KOI8R                      // Russian, RFC 1489
	KOI8U                      // Ukrainian, RFC 2319
	Windows1251                // Cyrillic
	CP866                      // Cyrillic with box drawings
	ISO8859_5                  // Cyrillic
	ISO8859_7                  // Greek
	ShiftJIS
	EUCJP
	ISO2022JP // seven bits, with escape sequences
	GB18030   // includes GBK and GB2312
	Big5
	EUCKR
	Macintosh
	numCharsets
)

// All returns all charsets except Auto.
func All() []Charset {
	all := make([]Charset, 0, numCharsets-1)
	for c := UTF8; c < numCharsets; c++ {
		all = append(all, c)
	}
	return all
}

// charsets describes each charset.
var charsets = [numCharsets]struct {
	name      string            // registered by IANA
	encoding  encoding.Encoding // a [*charmap.Charmap] if each octet is a character; nil for UTF8 and Auto
	languages []language        // languages written in the charset
	likely    float64           // logarithm of the prior probability
	aliases   string            // names in mails, squeezed, that are not registered
}{
	Auto:        {name: "auto"},
	UTF8:        {name: "UTF-8"},
	Windows1252: {"windows-1252", charmap.Windows1252, western, 0, ""},
	CP437:       {"IBM437", charmap.CodePage437, western, -1, ""},
	CP850:       {"IBM850", charmap.CodePage850, western, -2, ""},
	Windows1250: {"windows-1250", charmap.Windows1250, central, -2, ""},
	ISO8859_2:   {"ISO-8859-2", charmap.ISO8859_2, central, -2.5, ""},
	KOI8R:       {"KOI8-R", charmap.KOI8R, russian, -1.5, "koi8 koi koi8r"},
	KOI8U:       {"KOI8-U", charmap.KOI8U, ukrainian, -2.5, "koi8u koi8ru"},
	Windows1251: {"windows-1251", charmap.Windows1251, russian, -1.5, ""},
	CP866:       {"IBM866", charmap.CodePage866, russian, -2.5, ""},
	ISO8859_5:   {"ISO-8859-5", charmap.ISO8859_5, russian, -4, ""},
	ISO8859_7:   {"ISO-8859-7", charmap.ISO8859_7, greek, -4, "greek8"},
	ShiftJIS:    {"Shift_JIS", japanese.ShiftJIS, kanji, -3.5, "cp932 windows31j ms932 windows932 mskanji sjis shiftjis shiftjisms sjiswin macjapanese ibm943"},
	EUCJP:       {"EUC-JP", japanese.EUCJP, kanji, -3.5, "cp51932 eucjp eucjpms eucjpwin ujis"},
	ISO2022JP:   {"ISO-2022-JP", japanese.ISO2022JP, kanji, -3.5, "iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpms cp50220 cp50221 cp50222 jis"},
	GB18030:     {"GB18030", simplifiedchinese.GB18030, simplified, -3.5, "cp54936 gb180302000 gb180302005"},
	Big5:        {"Big5", traditionalchinese.Big5, traditional, -3.5, "big5 cnbig5 bigfive big5eten big5hkscs big5hkscs2004 cp950 ms950 windows950 macchinesetrad mactradchinese"},
	EUCKR:       {"EUC-KR", korean.EUCKR, hangul, -3.5, "ksc5601 ksc56011987 ksc56011989 ks5601 euckr cp949 ms949 windows949 uhc mackorean cp51949"},
	Macintosh:   {"macintosh", charmap.Macintosh, western, -5, "mac macroman"},
}

// koreanSet and chineseSet are the sets of characters of ISO-2022-KR and ISO-2022-CN.
var koreanSet, chineseSet encoding.Encoding = korean.EUCKR, simplifiedchinese.GBK

// otherAliases are names in mails, squeezed, of the encodings that are not in charsets, by the registered name or the
// name in otherEncodings.
var otherAliases = map[string]string{
	"gbk": "gb2312 gb231280 gb23121980 cngb euccn cp936 ms936 windows936 macchinesesimp macsimpchinese", "hz-gb-2312": "hz hzgb hzgb2312",
	"utf7": "unicode11utf7 unicode20utf7 cp65000 windows65000", "utf-16be": "utf16", "iso2022cn": "iso2022cnext",
	"viscii": "viscii11 viscii111", "tcvn": "tcvn57121 tcvn5712 tcvn571211993 viettcvn5712",
	"x-mac-cyrillic": "maccyrillic macukrainian macuk", "macce": "maccentraleurroman maccentraleurope maclatin2 maceastern",
	"macicelandic": "maciceland macis", "macromanian": "macromania macrumanian",
	"cp1125": "ruscii cp866u", "kz1048": "strk10482002 rk1048", "ptcp154": "pt154 cp154 cyrillicasian", "hproman8": "roman8 r8 cp1051",
	"windows-874": "tis620 tis6202533 iso885911 cp874", "iso-8859-15": "latin9 latin0", "ibm00858": "cp858 ibm858",
}

// namesByAlias returns the names of the encodings by the aliases in charsets and otherAliases.
var namesByAlias = sync.OnceValue(func() map[string]string {
	names := make(map[string]string)
	add := func(name, aliases string) {
		for alias := range strings.FieldsSeq(aliases) {
			names[alias] = name
		}
	}
	for _, c := range charsets {
		add(strings.ToLower(c.name), c.aliases)
	}
	for name, aliases := range otherAliases {
		add(name, aliases)
	}
	return names
})
