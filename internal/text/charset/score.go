package charset

import (
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// language describes a language by its letters beyond ASCII, the most frequent ones first.
type language struct {
	name, letters string
	alphabet      bool // the language has no ASCII letters
}

var western = []language{
	{"German", "üäößÜÄÖ", false},
	{"French", "éèàêçùôîâûëïœÉÀÈÊÇÿ", false},
	{"Spanish", "óíáéñú¿¡üÓÑÁÉÍÚº", false},
	{"Portuguese", "ãçáéóíêõâúàôÃÇÁÉÓÍº", false},
	{"Italian", "èàùòìéÈÀ", false},
	{"a Nordic language", "åäöøæéÅÄÖØÆ", false},
	{"Icelandic", "áíðþéóúýöæÁÍÐÞÉÓÚÝÖÆ", false},
}

var central = []language{
	{"Polish", "łąężśćóńźŁŻŚĆÓĄĘŹŃ", false},
	{"Czech", "íáěéýřčžšůúťďňóČŠŽŘÍÁĚÉÝŮÚŤĎŇÓľĺôŕäĽ", false},
	{"Hungarian", "áéóöüőíúűÁÉÓÖÜŐÍÚŰ", false},
	{"Croatian", "čšžćđČŠŽĆĐ", false},
	{"Romanian", "ăţîâşĂŢÎÂŞ", false},
	{"German", "üäößÜÄÖ", false},
}

var russian = []language{{"Russian", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", true}}

var ukrainian = []language{{"Ukrainian", "оаинвіртеслкудмпязьбгчйхюїцшжєщфґ", true}}

var greek = []language{{"Greek", "αοιετσνηυρπκμλςωγάίδόήέθύχώφβξζψ", true}}

// boxes are the characters of line art and frames.
const boxes = "─│█═║▄▀░▒▓┐└┌┘┤├╗╝╔╚┬┴┼■·╠╣╦╩╬▌▐╒╓╕╖╘╙╛╜╞╟╡╢╤╥╧╨╪╫≡∙°±≥≤⌠⌡÷≈√ⁿ∞∩αßΓπΣσµτΦΘΩδφε¢¥₧ƒ⌐¬½¼"

// signs are the punctuation marks and signs of texts in any language.
const signs = "\u00a0’“”„–—«»°£©…€§®·•×½¼¾²³´‘‚№±÷¶ªº¹"

// maxScored is the approximate largest number of octets of a sample that contribute to the score.
const maxScored = 256

// profile describes the octets beyond ASCII in texts of a language in a charset. Texts in capitals
// and texts with line art have separate profiles.
type profile struct {
	language
	before float64 // logarithm of the prior probability
	octets [128]struct {
		r            rune
		likely       float64
		class        uint8
		upper, lower bool
	}
}

// profiles returns the profiles of each charset with one octet for each character.
var profiles = sync.OnceValue(func() (all [numCharsets][]profile) {
	for c := range numCharsets {
		table := c.table()
		if table == nil {
			continue
		}
		arts := []bool{false}
		if _, ok := table.EncodeRune('╔'); ok {
			arts = append(arts, true)
		}
		for _, l := range charsets[c].languages {
			for _, upper := range []bool{false, true} {
				for _, art := range arts {
					all[c] = append(all[c], newProfile(l, table, charsets[c].likely, art, upper))
				}
			}
		}
	}
	return all
})

func newProfile(l language, table *charmap.Charmap, before float64, art, upper bool) profile {
	p := profile{language: l, before: before}
	if upper {
		p.before--
	}
	for i := range p.octets {
		o := &p.octets[i]
		o.r = table.DecodeByte(byte(i + utf8.RuneSelf))
		o.likely, o.class = l.likelihood(o.r, art, upper)
		o.upper, o.lower = unicode.IsUpper(o.r), unicode.IsLower(o.r)
	}
	return p
}

// score returns the likelihood that a sample is in c. The sample of most pages is empty, because
// they are ASCII or UTF-8. For an empty sample, score does not compute the profiles, which takes 10
// ms.
func (c Charset) score(sample []byte) rating {
	if len(sample) == 0 {
		return rating{c, charsets[c].likely, charsets[c].languages[0].name}
	}
	all := profiles()[c]
	if all == nil {
		l := charsets[c].languages[0]
		return rating{c, charsets[c].likely + c.scoreEastern(string(sample), l), l.name}
	}
	best := rating{c, math.Inf(-1), ""}
	for i := range all {
		p := &all[i]
		s, drawn := p.score(sample)
		if s += p.before; s > best.score {
			best.score, best.language = s, p.name
			if drawn {
				best.language = "line art"
			}
		}
	}
	return best
}

// floor is the likelihood of a character that a language does not use, as a logarithm.
const floor = -9

// score returns the likelihood of the octets beyond ASCII in a sample, as a logarithm. The result
// drawn reports whether the sample has more box drawings than letters beyond ASCII.
func (p *profile) score(sample []byte) (sum float64, drawn bool) {
	boxed, letters, scored := 0, 0, 0
	at := func(i int) (letter, ascii bool) {
		if i < 0 || i >= len(sample) {
			return false, false
		}
		if b := sample[i]; b >= utf8.RuneSelf {
			return p.octets[b-utf8.RuneSelf].class == classLetter, false
		}
		return isLetter(sample[i]), true
	}
	n, every := uint32(0), uint32(max(1, (len(sample)+maxScored-1)/maxScored))
	for i, b := range sample {
		if b < utf8.RuneSelf {
			continue
		}
		if n++; n*0x9e3779b1>>16%every != 0 { // skip octets at irregular distances, because lines are similar
			continue
		}
		scored++
		o := &p.octets[b-utf8.RuneSelf]
		again := i > 0 && sample[i-1] == b
		sum += o.likely
		before, asciiBefore := at(i - 1)
		after, asciiAfter := at(i + 1)
		touches := before && asciiBefore || after && asciiAfter
		switch o.class {
		case classLetter:
			letters++
			if again && i > 1 && sample[i-2] == b {
				sum -= 5
			}
			sum -= p.neighborCost(touches, before && !asciiBefore || after && !asciiAfter)
			if before && o.upper && (asciiBefore && sample[i-1] >= 'a' || !asciiBefore && p.octets[sample[i-1]-utf8.RuneSelf].lower) {
				sum -= 4
			}
		case classBox:
			boxed++
			switch {
			case touches, isDigit(sample, i-1), isDigit(sample, i+1):
				sum -= 3
			case again:
				sum += 2
			}
		case classSign:
			if before && after && o.r != '’' {
				sum -= 3
			}
		}
	}
	return sum * float64(n) / float64(max(scored, 1)), boxed > letters
}

// neighborCost returns the penalty for the neighbors of a letter beyond ASCII. The parameter ascii
// reports whether a neighbor is an ASCII letter. The parameter beyond reports whether a neighbor is
// a letter beyond ASCII.
func (l language) neighborCost(ascii, beyond bool) float64 {
	switch alone := !ascii && !beyond; {
	case l.alphabet && ascii:
		return 5
	case l.alphabet && alone:
		return 4
	case l.alphabet:
		return 0
	case beyond:
		return 1.5
	case alone:
		return 2
	}
	return 0
}

func isDigit(s []byte, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// The classes of characters.
const (
	classStray uint8 = iota
	classLetter
	classBox
	classSign
)

// likelihood returns the frequency of r in texts of the language, as a logarithm, and the class of
// r. If art is set, the texts have line art. If upper is set, they are in capitals.
func (l language) likelihood(r rune, art, upper bool) (p float64, class uint8) {
	share, letter, weight := 0.0, r, 0.9
	if upper {
		letter = unicode.ToLower(r)
	}
	if !upper || unicode.IsUpper(r) {
		share = shareOf(l.letters, letter)
	}
	if share == 0 && l.alphabet {
		share = shareOf(l.letters, unicode.ToLower(r)) / 20
	}
	if share > 0 || unicode.IsLetter(r) {
		class = classLetter
	}
	if sign := shareOf(signs, r); sign > 0 {
		return math.Log(0.15 * sign), classSign
	}
	if art {
		weight = 0.45
	}
	if share > 0 {
		return math.Log(weight * share), class
	}
	if box := shareOf(boxes, r); box > 0 && art {
		return math.Log(weight * box), classBox
	} else if box > 0 {
		return floor, classBox
	}
	if unicode.IsControl(r) || r == utf8.RuneError {
		return 1.5 * floor, classStray
	}
	return floor, class
}

// shareOf returns the estimated frequency of r in texts whose characters, from the most to the
// least frequent, are s. It returns 0 if s does not contain r.
func shareOf(s string, r rune) float64 {
	at, n := -1, 0
	for _, c := range s {
		if c == r {
			at = n
		}
		n++
	}
	if at < 0 {
		return 0
	}
	sum := 0.0
	for k := range n {
		sum += 1 / float64(k+4)
	}
	return 1 / float64(at+4) / sum
}

// The languages of East Asia with their most frequent characters.
var (
	kanji       = []language{{name: "Japanese", letters: "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨"}}
	simplified  = []language{{name: "Chinese", letters: "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高"}}
	traditional = []language{{name: "Chinese", letters: "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作里用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高"}}
	hangul      = []language{{name: "Korean", letters: "이다는의에가을를고하은한지로도기사인서나자리어대해시아그부수있제과정일들보전주것만라일원과장상공문면동구신용여안때소비말게내우오성조마유방화치무중경원모관계스습니까"}}
)

// scoreEastern returns the likelihood that a sample is in c, a charset with two octets for each
// character.
func (c Charset) scoreEastern(sample string, l language) (sum float64) {
	for _, r := range c.Decode(sample) {
		if r >= utf8.RuneSelf {
			sum += easternLikelihood(r, l)
		}
	}
	return sum
}

// scripts contains the less frequent characters of East Asia, and their likelihood in the given
// languages.
var scripts = []struct {
	table     *unicode.RangeTable
	languages string
	likely    float64
}{
	{&unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3040, Hi: 0x309f, Stride: 1}}}, "Japanese", -4.4}, // Hiragana
	{&unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x30a0, Hi: 0x30ff, Stride: 1}}}, "Japanese", -6},   // Katakana
	{&unicode.RangeTable{R16: []unicode.Range16{{Lo: 0xff61, Hi: 0xff9f, Stride: 1}}}, "Japanese", -7},   // half-width Katakana
	{&unicode.RangeTable{R16: []unicode.Range16{{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}}}, "Korean", -7.2},   // Hangul
	{&unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x4e00, Hi: 0x9fff, Stride: 1}}}, "Japanese Chinese", -8.7},
	{&unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x303f, Stride: 1}, {Lo: 0xff01, Hi: 0xff5e, Stride: 1}}}, "Japanese Chinese Korean", -7},
}

// easternLikelihood returns the likelihood of r in a text of the language.
func easternLikelihood(r rune, l language) float64 {
	switch {
	case r == utf8.RuneError, unicode.In(r, unicode.Co, unicode.Cc):
		return 2 * floor
	case strings.ContainsRune(l.letters, r):
		return -5.3
	case r == '、', r == '。', r == '，', r == '　', r == '「', r == '」', r == 'ー', r == '・', r == '：', r == '？', r == '！':
		return -4.6
	}
	for _, s := range scripts {
		if unicode.Is(s.table, r) && strings.Contains(s.languages, l.name) {
			return s.likely
		}
	}
	return -12
}
