package marc

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The sets at the start of a text, named by the octets that end their escape sequences.
const (
	setASCII = "B"
	setANSEL = "!E"
)

// sets has the characters of the other sets of MARC-8 from 21 (or A1) on. A blank stands for an octet without a character, and NUL
// for the second half of a mark over two letters, which has no code. The East Asian set is left out: it has 16,000 characters.
var sets = map[string]string{
	setANSEL: "ŁØĐÞÆŒʹ·♭®±ƠƯʼ ʻłøđþæœʺı£ð ơư  °ℓ℗©♯¿¡ß€                       \u0309\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030c\u030a\u0361\x00\u0315\u030b\u0310\u0327\u0328\u0323\u0324\u0325\u0333\u0332\u0326\u031c\u032e\u0360\x00  \u0313",                                                                                                                                                                                                                                                                                                                      // ANSEL, the upper half at the start of a text
	"g":      "                                                                αβγ",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              // Greek symbols
	"b":      "       ₍₎ ₊ ₋  ₀₁₂₃₄₅₆₇₈₉",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        // subscripts
	"p":      "       ⁽⁾ ⁺ ⁻  ⁰¹²³⁴⁵⁶⁷⁸⁹",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        // superscripts
	"2":      "!\u05f4#$%&\u05f3()*+,\u05be./0123456789:;<=>?\u05b7\u05b8\u05b6\u05b5\u05b4\u05b9\u05bb\u05b0\u05b2\u05b3\u05b1\u05bc\u05bf\u05c1\ufb1e            [ ]  \u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05da\u05db\u05dc\u05dd\u05de\u05df\u05e0\u05e1\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9\u05ea\u05f0\u05f1\u05f2",                                                                                                                                                                                                                    // Hebrew
	"N":      "!\"#$%&'()*+,-./0123456789:;<=>?юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧ",                                                                                                                                                                                                                                                                                                                                                                                                                                                                  // Cyrillic
	"Q":      "                               ґђѓєёѕіїјљњћќўџ ѣѳѵѫ       [ ] _ҐЂЃЄЁЅІЇЈЉЊЋЌЎЏЪѢѲѴѪ",                                                                                                                                                                                                                                                                                                                                                                                                                                                                              // Cyrillic, extended
	"3":      "!\"#$\u066a&'()\u066d+،-./\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669:\u061b<=>\u061f \u0621\u0622\u0623\u0624\u0625\u0626\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a[ ]  \u0640\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0671\u0670   \u066c”“",                                                                                                                                                // Arabic
	"4":      "\u06fd\u0672\u0673\u0679\u067a\u067b\u067c\u067d\u067e\u067f\u0680\u0681\u0682\u0683\u0684\u0685\u0686\u06bf\u0687\u0688\u0689\u068a\u068b\u068c\u068d\u068e\u068f\u0690\u0691\u0692\u0693\u0694\u0695\u0696\u0697\u0698\u0699\u069a\u069b\u069c\u06fa\u069d\u069e\u06fb\u069f\u06a0\u06fc\u06a1\u06a2\u06a3\u06a4\u06a5\u06a6\u06a7\u06a8\u06a9\u06aa\u06ab\u06ac\u06ad\u06ae\u06af\u06b0\u06b1\u06b2\u06b3\u06b4\u06b5\u06b6\u06b7\u06b8\u06ba\u06bb\u06bc\u06bd\u06b9\u06be\u06c0\u06c4\u06c5\u06c6\u06ca\u06cb\u06cd\u06ce\u06d0\u06d2\u06d3    \u0306\u030c", // Arabic, extended
	"S":      "\u0300\u0301\u0308\u0342\u0313\u0314\u0345        «»“”ʹ͵     ·   ; ΑΒ ΓΔΕϚϜΖΗΘΙΚΛΜΝΞΟΠϞΡΣ ΤΥΦΧΨΩϠ  αβϐγδεϛϝζηθικλμνξοπϟρσςτυφχψωϡ",                                                                                                                                                                                                                                                                                                                                                                                                                                // Greek
}

const noCharacter = '\ufffd'

// character returns the character of an octet in a set.
func character(set string, c byte) rune {
	n := 0
	for _, r := range sets[set] {
		if n++; n == int(c&0x7F)-0x20 && r != ' ' {
			return r
		}
	}
	return noCharacter
}

// decoder decodes MARC-8. Its sets are the final octets of their escape sequences.
type decoder struct {
	low, high  string
	diacritics []rune // of the next character: in MARC-8 they come before it, in Unicode after it
	out        strings.Builder
}

// decodeMARC8 returns a text in UTF-8. Characters of sets that are not known become U+FFFD.
func decodeMARC8(s string) string {
	d := decoder{low: setASCII, high: setANSEL}
	for s != "" {
		if s[0] == 0x1B {
			s = d.escape(s[1:])
			continue
		}
		s = s[d.octet(s):]
	}
	d.flush()
	return d.out.String()
}

// escape reads the escape sequence after its first octet and returns the rest.
func (d *decoder) escape(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case 'b', 'p', 'g':
		d.low = s[:1]
		return s[1:]
	case 's':
		d.low = setASCII
		return s[1:]
	}
	n := 0
	for n < len(s) && n < 3 && s[n] >= 0x20 && s[n] < 0x30 { // intermediate octets (ISO 2022)
		n++
	}
	wide := n > 0 && s[0] == '$'
	if n >= len(s) {
		return s[n:]
	}
	set := s[n : n+1]
	switch {
	case wide:
		set = "$" + set
	case n > 1:
		set = s[1 : n+1]
	}
	first := s[0]
	if wide && n > 1 {
		first = s[1]
	}
	if first == ')' || first == '-' {
		d.high = set
	} else {
		d.low = set
	}
	return s[n+1:]
}

// octet decodes the character at the start of s and returns the number of its octets.
func (d *decoder) octet(s string) int {
	c := s[0]
	set := d.low
	if c >= 0x80 {
		set = d.high
	}
	switch {
	case c <= ' ' || c == 0x7F:
		d.flush()
		d.out.WriteByte(c)
	case c == 0x88 || c == 0x89: // the limits of a part that is not sorted
	case c == 0x8D || c == 0x8E:
		d.base('\u200d' - rune(c-0x8D)) // joiner and non-joiner
	case strings.HasPrefix(set, "$"):
		d.base(noCharacter)
		return min(3, len(s)) // a character of the East Asian set
	case set == setASCII:
		d.base(rune(c & 0x7F))
	default:
		d.add(character(set, c))
	}
	return 1
}

// add writes a character, or keeps a diacritic for the next one.
func (d *decoder) add(r rune) {
	switch isDiacritic := unicode.Is(unicode.Mn, r) && r != '\u0670'; { // a superscript alef comes after its letter
	case r == 0:
	case !isDiacritic:
		d.base(r)
	case len(d.diacritics) < 8:
		d.diacritics = append(d.diacritics, r)
	}
}

// base writes a character and its diacritics.
func (d *decoder) base(r rune) {
	d.out.WriteRune(r)
	for _, mark := range d.diacritics {
		d.out.WriteRune(mark)
	}
	d.diacritics = d.diacritics[:0]
}

// flush writes diacritics that no character follows.
func (d *decoder) flush() {
	if len(d.diacritics) > 0 {
		d.base(' ')
	}
}

var errNoCharacter = errors.New("MARC-8 without escapes does not have this character")

// Encode returns a text in the sets that MARC-8 has at its start: ASCII and ANSEL.
func Encode(text string) (string, error) {
	ansel := []rune(sets[setANSEL])
	var b []byte
	for _, r := range norm.NFD.String(text) {
		i := slices.Index(ansel, r)
		switch {
		case r < 0x80:
			b = append(b, byte(r))
		case i < 0:
			return "", errNoCharacter
		case unicode.Is(unicode.Mn, r) && len(b) > 0: // before its letter, and after its other diacritics
			b = slices.Insert(b, len(b)-1, byte(0xA1+i))
		default:
			b = append(b, byte(0xA1+i))
		}
	}
	return string(b), nil
}
