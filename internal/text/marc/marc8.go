package marc

import "strings"

// ansel has the characters of ANSEL, the upper half of MARC-8 (Z39.47). The octets from E0 on are diacritics.
var ansel = map[byte]rune{
	0x88: 0x98, 0x89: 0x9C, 0x8D: 0x200D, 0x8E: 0x200C,
	0xA1: 'Ł', 0xA2: 'Ø', 0xA3: 'Đ', 0xA4: 'Þ', 0xA5: 'Æ', 0xA6: 'Œ', 0xA7: 'ʹ', 0xA8: '·', 0xA9: '♭', 0xAA: '®', 0xAB: '±', 0xAC: 'Ơ', 0xAD: 'Ư',
	0xAE: 'ʼ', 0xB0: 'ʻ', 0xB1: 'ł', 0xB2: 'ø', 0xB3: 'đ', 0xB4: 'þ', 0xB5: 'æ', 0xB6: 'œ', 0xB7: 'ʺ', 0xB8: 'ı', 0xB9: '£', 0xBA: 'ð', 0xBC: 'ơ',
	0xBD: 'ư', 0xC0: '°', 0xC1: 'ℓ', 0xC2: '℗', 0xC3: '©', 0xC4: '♯', 0xC5: '¿', 0xC6: '¡', 0xC7: 'ß', 0xC8: '€',
	0xE0: 0x309, 0xE1: 0x300, 0xE2: 0x301, 0xE3: 0x302, 0xE4: 0x303, 0xE5: 0x304, 0xE6: 0x306, 0xE7: 0x307, 0xE8: 0x308, 0xE9: 0x30C, 0xEA: 0x30A,
	0xEB: 0x361, 0xEC: -1, 0xED: 0x315, 0xEE: 0x30B, 0xEF: 0x310, 0xF0: 0x327, 0xF1: 0x328, 0xF2: 0x323, 0xF3: 0x324, 0xF4: 0x325, 0xF5: 0x333,
	0xF6: 0x332, 0xF7: 0x326, 0xF8: 0x31C, 0xF9: 0x32E, 0xFA: 0x360, 0xFB: -1, 0xFE: 0x313,
}

// The sets of MARC-8 that a text designates by an escape sequence. The others are not decoded.
const (
	setASCII     = "B"
	setANSEL     = "!E"
	setSubscript = "b"
	setSuper     = "p"
	setGreek     = "g" // alpha, beta, gamma
)

// shifted has the characters of the small sets.
var shifted = map[string]*strings.Replacer{
	setSubscript: strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉", "+", "₊", "-", "₋", "(", "₍", ")", "₎"),
	setSuper:     strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "+", "⁺", "-", "⁻", "(", "⁽", ")", "⁾"),
	setGreek:     strings.NewReplacer("a", "α", "b", "β", "c", "γ"),
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
	case set == setASCII:
		d.base(rune(c & 0x7F))
	case set == setANSEL:
		d.ansel(c | 0x80)
	case shifted[set] != nil:
		d.flush()
		d.out.WriteString(shifted[set].Replace(s[:1]))
	case strings.HasPrefix(set, "$"):
		d.base('\ufffd')
		return min(3, len(s)) // a character of the East Asian set
	default:
		d.base('\ufffd')
	}
	return 1
}

func (d *decoder) ansel(c byte) {
	r, ok := ansel[c]
	switch {
	case !ok:
		d.base('\ufffd')
	case c >= 0xE0 && len(d.diacritics) < 8:
		if r >= 0 { // the second halves of the marks over two letters have no code
			d.diacritics = append(d.diacritics, r)
		}
	case c < 0xE0:
		d.base(r)
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
