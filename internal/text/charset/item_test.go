package charset

import (
	"fmt"
	"strings"
	"testing"
)

// items contains subjects, names of people and names of files by their charset.
var items = map[Charset][]string{
	Windows1252: {
		"Jürgen", "Raw Latin-1 in the header: Grüße", "Jörg Müller", "café", "Ærø", "François Côté", "Señor", "naïve",
		"Ångström", "São Paulo", "Øystein", "10° C", "£20", "don’t", "ÜBUNG", "vis-à-vis",
	},
	KOI8R:       {"Raw KOI8-R: Кофе", "привет", "Иван Петров", "Re: Вопрос по FreeBSD", "файл", "Новости", "ПРИВЕТ", "Re: Да"},
	Windows1251: {"привет", "Иван Петров", "Re: продам Жигули", "Документы"},
	CP866:       {"документы.txt", "Привет"},
	CP437:       {"Jürgen", "Größe.txt", "für"},
	Windows1250: {"Dvořák", "žlutý kůň", "Książki", "Zażółć", "Jiří Novák"},
	ISO8859_7:   {"Ελλάδα", "αρχεία"},
	ShiftJIS:    {"日本語", "こんにちは", "質問です"},
	EUCJP:       {"日本語", "ファイル"},
	GB18030:     {"欢迎来到我们的服务器"},
	EUCKR:       {"안녕하세요"},
}

func TestItems(t *testing.T) {
	for c, list := range items {
		for _, text := range list {
			octets := encode(t, c, text)
			if got := new(Evidence).items().Of(octets); got.Decode(octets) != text {
				t.Errorf("Of(%q in %s) = %s, which decodes to %q", text, c, got, got.Decode(octets))
			}
			if got := new(Evidence).items().Of(text); got != UTF8 {
				t.Errorf("Of(%q in UTF-8) = %s, want UTF-8", text, got)
			}
		}
	}
}

func TestChooseOfAuthors(t *testing.T) {
	koi8 := func(s string) string { return encode(t, KOI8R, s) }
	for _, tt := range []struct {
		name     string
		lines    []string
		declared Charset
		want     Charset
		why      string
		sure     bool
	}{
		{
			"one of each",
			[]string{koi8("Raw KOI8-R: Кофе"), "J\xfcrgen", "Gr\xfc\xdfe"},
			Auto, Windows1252,
			"each line is read by itself: 2 as windows-1252, 1 as KOI8-R", false,
		},
		{
			"one of each, declared as UTF-8",
			[]string{koi8("Raw KOI8-R: Кофе"), "J\xfcrgen", "Gr\xfc\xdfe"},
			UTF8,
			Windows1252, "each line is read by itself: 2 as windows-1252, 1 as KOI8-R", false,
		},
		{
			"the same again",
			[]string{koi8("Кофе"), koi8("Кофе"), koi8("Кофе"), "J\xfcrgen", "Gr\xfc\xdfe"},
			Auto,
			Windows1252, "each line is read by itself: 2 as windows-1252, 1 as KOI8-R", false,
		},
		{
			"all alike",
			[]string{koi8("Вопрос по FreeBSD"), koi8("Новости и статьи")},
			Auto, KOI8R,
			"2 lines are not UTF-8, and as KOI8-R they read as Russian", true,
		},
		{"declared", []string{"J\xfcrgen", koi8("Кофе")}, KOI8R, KOI8R, "the server says so", true},
		{
			"UTF-8 but for one",
			[]string{"Grüße", "café", "J\xfcrgen"},
			Auto, UTF8,
			"2 lines are valid UTF-8; one line is not UTF-8, and as windows-1252 they read as German", true,
		},
		{
			"UTF-8 but for several",
			[]string{"Grüße", "café", "Ærø", "J\xfcrgen", koi8("Новости")},
			Auto, UTF8,
			"3 lines are valid UTF-8; each line is read by itself: 1 as KOI8-R, 1 as windows-1252", true,
		},
		{"UTF-8", []string{"Grüße"}, Auto, UTF8, "one line is valid UTF-8", true},
	} {
		e := new(Evidence)
		for _, line := range tt.lines {
			e.Add(line)
		}
		if got := e.Choose(tt.declared, true); got.Charset != tt.want || got.Why != tt.why || got.Sure != tt.sure {
			t.Errorf("%s: Choose = %+v, want %s, %q, sure %v", tt.name, got, tt.want, tt.why, tt.sure)
		}
	}
}

// TestDisagree checks that Disagree needs more than half of the lines to be in another charset.
func TestDisagree(t *testing.T) {
	for others, want := range map[int]bool{0: false, 4: false, 5: true} {
		e := gather(encode(t, KOI8R, "Новости и статьи"))
		e.votes[KOI8R], e.votes[Windows1252] = 4, others
		if got := e.Disagree(); got != want {
			t.Errorf("Disagree with 4 lines as KOI8-R and %d as windows-1252 = %v, want %v", others, got, want)
		}
	}
}

// TestItemsOfLongList checks that Items tries only the likely charsets for ambiguous texts after the
// first maxFound ones. It also checks that Items always reads the same text in the same charset.
func TestItemsOfLongList(t *testing.T) {
	it := gather(encode(t, KOI8R, "Новости и статьи")).items()
	first := make(map[string]Charset)
	for i := range 3 * maxFound {
		s := fmt.Sprintf("\xff\x81\xfe%d\x8d\xf0", i)
		if i%1000 == 0 {
			s += strings.Repeat("\xff", 1<<16)
		}
		first[s] = it.Of(s)
	}
	others := 0
	for s, c := range first {
		if it.Of(s) != c {
			t.Fatalf("Of(%q) = %s at first, later %s, want the same", s, c, it.Of(s))
		}
		if c != KOI8R {
			others++
		}
	}
	for s := range it.found {
		if len(s) > maxScored {
			t.Fatalf("a text of %d octets is kept in found, want at most %d octets", len(s), maxScored)
		}
	}
	if others == 0 || others > maxFound || len(it.found) != maxFound {
		t.Errorf("%d texts are not KOI8-R, %d texts are in found, want 1 to %d and %d", others, len(it.found), maxFound, maxFound)
	}
}
