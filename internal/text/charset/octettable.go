package charset

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decodeOnly is an Encoding whose texts are only decoded, because gofer sends no text in it. Its Encoder
// returns UTF-8.
type decodeOnly struct{ newTransformer func() transform.Transformer }

func (d *decodeOnly) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: d.newTransformer()}
}

func (*decodeOnly) NewEncoder() *encoding.Encoder { return unicode.UTF8.NewEncoder() }

// newTable returns the encoding with one octet for each character whose octets from 0x80 on are the
// characters of high. The pairs are control characters of ASCII and the letters that replace them.
func newTable(high, pairs string) *decodeOnly {
	t := new(octetTable)
	for c := range utf8.RuneSelf {
		t[c] = rune(c)
	}
	c := utf8.RuneSelf
	for _, r := range high {
		t[c] = r
		c++
	}
	letters := []rune(pairs)
	for i := 0; i < len(letters); i += 2 {
		t[letters[i]] = letters[i+1]
	}
	return &decodeOnly{func() transform.Transformer { return t }}
}

type octetTable [256]rune

func (*octetTable) Reset() {}

// Transform implements [transform.Transformer].
func (t *octetTable) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for _, c := range src {
		if len(dst)-nDst < utf8.UTFMax {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], t[c])
		nSrc++
	}
	return nDst, nSrc, nil
}

// otherEncodings are the encodings that golang.org/x/text lacks, by their names in squeezed form.
var otherEncodings = map[string]encoding.Encoding{
	"utf7":      &decodeOnly{func() transform.Transformer { return new(utf7) }},
	"iso2022kr": &decodeOnly{func() transform.Transformer { return newISO2022(koreanSet) }},
	"iso2022cn": &decodeOnly{func() transform.Transformer { return newISO2022(chineseSet) }},
	"viscii":    newTable(visciiTable, "\x02Ẳ\x05Ẵ\x06Ẫ\x14Ỷ\x19Ỹ\x1eỴ"),
	"tcvn":      newTable(tcvnTable, "\x01Ú\x02Ụ\x04Ừ\x05Ử\x06Ữ\x11Ứ\x12Ự\x13Ỳ\x14Ỷ\x15Ỹ\x16Ý\x17Ỵ"),
	"macce":     newTable(macCentralEuropeTable, ""), "macgreek": newTable(macGreekTable, ""),
	"macturkish": newTable(macTurkishTable, ""), "macicelandic": newTable(macIcelandicTable, ""),
	"macromanian": newTable(macRomanianTable, ""), "maccroatian": newTable(macCroatianTable, ""),
	"cp737": newTable(cp737Table, ""), "cp775": newTable(cp775Table, ""), "cp857": newTable(cp857Table, ""),
	"cp861": newTable(cp861Table, ""), "cp869": newTable(cp869Table, ""), "cp1125": newTable(cp1125Table, ""),
	"kz1048": newTable(kz1048Table, ""), "ptcp154": newTable(ptcp154Table, ""),
	"hproman8": newTable(hpRoman8Table, ""), "nextstep": newTable(nextStepTable, ""),
}
