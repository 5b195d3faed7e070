package charset

import (
	"slices"
	"strings"
	"testing"
)

// texts contains samples by language, as found in menus, names and articles.
var texts = map[string]string{
	"German":     "Größere Städte und schöne Flüsse.\nÜber den Wäldern hängen Nebel, und die Straße führt nach Süden.",
	"German 1":   "Schöne Grüße",
	"French":     "Le café était fermé à l'été, où les élèves de l'école française se sont trouvés.\nÇa va bien, merci.",
	"French 1":   "Menu du café",
	"Spanish":    "¿Dónde está el niño? Mañana por la mañana saldrá el sol según el señor García.",
	"Portuguese": "A informação não está disponível; são opções de educação para crianças e irmãos.",
	"Italian":    "La città è più bella perché c'è libertà, e così sarà anche lunedì.",
	"Swedish":    "Räksmörgås är gott på sjön. Åtta små grå katter går över bron för att äta fisk.",
	"Danish":     "Rødgrød med fløde på en grøn ø; så går vi på æblejagt.",
	"Icelandic":  "Það er gott veður í dag og við förum út að ganga með hundinn þótt það sé kalt á fjöllum.",
	"Polish":     "Zażółć gęślą jaźń. Książki są na półce, a źródło jest w ogródku; proszę też o pomoc.",
	"Czech":      "Příliš žluťoučký kůň úpěl ďábelské ódy. Děkuji, že jste přišli včera večer.",
	"Croatian":   "Četvrtak je đak žurno čitao knjigu u školi, a noću će šetati; još pišem, možda češće.",
	"Romanian":   "Vă rugăm să vă înscrieţi în listă; mulţumim şi la revedere, câţiva oaspeţi aşteaptă.",
	"Hungarian":  "Árvíztűrő tükörfúrógép. Nagyon szép időnk van ma, és a gyerekek a kertben játszanak; őszintén köszönöm.",
	"Russian":    "Добро пожаловать на наш сервер.\nЗдесь вы найдете архив статей и программ за прошлые годы.",
	"Russian 1":  "Новости и статьи",
	"RUSSIAN":    "АРХИВ СТАТЕЙ И ПРОГРАММ\nДОБРО ПОЖАЛОВАТЬ НА СЕРВЕР",
	"Ukrainian":  "Ласкаво просимо на наш сервер. Її мова є українською, і тут ви знайдете багато цікавих статей.",
	"Greek":      "Καλώς ήρθατε στον διακομιστή μας. Εδώ θα βρείτε πολλά αρχεία και άρθρα για την ιστορία.",
	"Japanese":   "これは日本語の文章です。漢字とひらがなとカタカナが混ざっています。ゴーファーへようこそ。",
	"Japanese 1": "ファイルの一覧",
	"Chinese":    "欢迎来到我们的服务器。这里有很多文章和程序，大家可以自由地阅读和下载。",
	"Taiwan":     "歡迎來到我們的伺服器。這裡有很多文章和程式，大家可以自由地閱讀和下載。",
	"Korean":     "우리 서버에 오신 것을 환영합니다. 여기에는 많은 글과 프로그램이 있습니다.",
	"board": "╔═════════════════════╗\n" +
		"║ ░▒▓██ THE BOARD ██▓ ║\n" +
		"╠══════════╤══════════╣\n" +
		"║ M messages │ F files ║\n" +
		"╚══════════╧══════════╝\n" +
		"┌─┬─┐ α ß Γ π Σ σ µ τ Φ Θ Ω δ ∞ φ ε ∩\n└─┴─┘ ≡ ± ≥ ≤ ⌠ ⌡ ÷ ≈ ° ∙ · √ ⁿ ² ■\n Ç ü é â ä à å ç ê ë è ï î ì Ä Å É æ Æ",
	"signs":       "10° C, 20 £, © 1995",
	"quotes":      "So — as they say — “it’s” here",
	"names":       "café.txt\nÿþ octets",
	"box":         "╔════╗\n║ hi ║\n╚════╝",
	"box 2":       "┌──────────┐\n│ Welcome! │\n└──────────┘",
	"blocks":      "░░▒▒▓▓██ THE BOARD ██▓▓▒▒░░\n ▄▄▄  ▀▀▀ ■",
	"German box":  "┌───────────┐\n│ Für Größe │ schöne Bücher\n└───────────┘",
	"Russian box": "╔═══════════════════╗\n║ Добро пожаловать  ║\n╚═══════════════════╝\nНовости и статьи сервера",
}

// languages maps a key of texts to its language, if the key without " 1" is not the language. The
// language "" means any language.
var languages = map[string]string{
	"RUSSIAN": "Russian", "Swedish": "a Nordic language", "Danish": "a Nordic language", "Taiwan": "Chinese",
	"signs": "", "quotes": "", "names": "",
	"board": "line art", "box": "line art", "box 2": "line art", "blocks": "line art", "German box": "line art", "Russian box": "line art",
}

// decodeLine decodes one line of a page.
func decodeLine(page Charset, line string) string { return page.OfLine(line).Decode(line) }

// encode returns text in charset c.
func encode(t testing.TB, c Charset, text string) string {
	t.Helper()
	if c == UTF8 {
		return text
	}
	s, err := charsets[c].encoding.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%s in %s: %v", text, c, err)
	}
	return s
}

func gather(text string) *Evidence {
	e := new(Evidence)
	for line := range strings.SplitSeq(text, "\n") {
		e.Add(line)
	}
	return e
}

func TestChoose(t *testing.T) {
	for charset, names := range map[Charset]string{
		UTF8:        "German,French,Polish,Russian,Greek,Japanese,Chinese,Korean,box,Russian box",
		Windows1252: "German,German 1,French,French 1,Spanish,Portuguese,Italian,Swedish,Danish,Icelandic,signs,quotes,names",
		CP437:       "board,German,German 1,French,Spanish,Swedish,box,box 2,blocks,German box",
		Windows1250: "Polish,Czech,Hungarian,Croatian,Romanian",
		ISO8859_2:   "Polish,Czech,Croatian",
		KOI8R:       "Russian,Russian 1,RUSSIAN",
		KOI8U:       "Ukrainian",
		Windows1251: "Russian,Russian 1,RUSSIAN",
		CP866:       "Russian,RUSSIAN,Russian box",
		ISO8859_5:   "Russian,RUSSIAN",
		ISO8859_7:   "Greek",
		ShiftJIS:    "Japanese,Japanese 1",
		EUCJP:       "Japanese,Japanese 1",
		ISO2022JP:   "Japanese,Japanese 1",
		GB18030:     "Chinese",
		Big5:        "Taiwan",
		EUCKR:       "Korean",
		Macintosh:   "German,French,Spanish",
	} {
		for name := range strings.SplitSeq(names, ",") {
			t.Run(charset.String()+" "+name, func(t *testing.T) {
				text := texts[name]
				octets := encode(t, charset, text)
				e := gather(octets)
				got := e.Choose(Auto, false)
				var read []string
				for line := range strings.SplitSeq(octets, "\n") {
					read = append(read, decodeLine(got.EightBit(), line))
				}
				if s := strings.Join(read, "\n"); s != text {
					t.Errorf("read as %s (%s):\n%s", got.Charset, got.Why, s)
					ranked, _ := e.rank()
					t.Logf("%+v", ranked[:4])
				}
				language, ok := languages[name]
				if !ok {
					language = strings.TrimSuffix(name, " 1")
				}
				if charset != UTF8 && charset != ISO2022JP && !strings.HasSuffix(got.Why, language) {
					t.Errorf("Why = %q, want the language %q at its end", got.Why, language)
				}
			})
		}
	}
}

// TestDeclared checks that the declared charset is used unless the text is UTF-8, or is declared as
// UTF-8 and is not.
func TestDeclared(t *testing.T) {
	for _, tt := range []struct {
		octets   string
		declared Charset
		want     string // decoded text
		why      string // reason of the choice; "" if the choice is unsure
	}{
		{"\xe4", CP437, "Σ", "the server says so"},
		{"ä", Windows1252, "ä", "one line is valid UTF-8, although the server says windows-1252"},
		{"ä \xe2\x94\x80", CP437, "ä ─", "one line is valid UTF-8, although the server says IBM437"},
		{"\xe4", UTF8, "ä", ""},
		{"ä", UTF8, "ä", "the server says so"},
		{"a", KOI8R, "a", "the server says so"},
		{"\xcf\xcb", Windows1252, "ÏË", "the server says so"},
		{"ä\n\xe4", KOI8R, "ä\nД", "the server says so"},
		{"ä\n\xe4", Auto, "ä\nä", ""},
		{"ä\nö\n\xe4", Auto, "ä\nö\nä", "2 lines are valid UTF-8; one line is not UTF-8, and as windows-1252 they read as German"},
		{"ä\nö\n\xe4", UTF8, "ä\nö\nä", "2 lines are valid UTF-8; one line is not UTF-8, and as windows-1252 they read as German"},
		{"ä\nö\n\xe4", KOI8R, "ä\nö\nД", "the server says so"},
		{"a", Auto, "a", "the page is ASCII only"},
		{"\x1b$B$3\x1b(B", Auto, "こ", "there are escape sequences of ISO-2022-JP"},
		{"\x1b$B$3\x1b(B", ISO2022JP, "こ", "the server says so"},
		{"\x1b[1m", Auto, "\x1b[1m", "the page is ASCII only"},
	} {
		c := gather(tt.octets).Choose(tt.declared, false)
		if c.Sure != (tt.why != "") || c.Sure && c.Why != tt.why {
			t.Errorf("%q declared as %s: sure %v: %s, want %q", tt.octets, tt.declared, c.Sure, c.Why, tt.why)
		}
		var read []string
		for line := range strings.SplitSeq(tt.octets, "\n") {
			read = append(read, decodeLine(c.EightBit(), line))
		}
		if got := strings.Join(read, "\n"); got != tt.want {
			t.Errorf("%q declared as %s: read as %s, %q, want %q", tt.octets, tt.declared, c.Charset, got, tt.want)
		}
	}
}

// TestTruncatedSequences checks that a line counts as UTF-8 even if the last sequence is
// incomplete. It also checks that Japanese text with some valid sequences does not count as UTF-8.
func TestTruncatedSequences(t *testing.T) {
	page := gather("Grüße\nSchöne Gr\xc3").Choose(Auto, false).EightBit()
	if got, want := decodeLine(page, "Schöne Gr\xc3"), "Schöne Gr\ufffd"; got != want {
		t.Errorf("a line with a truncated sequence: got %q, want %q", got, want)
	}
	for _, c := range []Charset{ShiftJIS, EUCJP} {
		s := encode(t, c, "とひらがなと")
		if got := decodeLine(gather(s).Choose(Auto, false).EightBit(), s); got != "とひらがなと" {
			t.Errorf("Japanese in %s: got %q, want %q", c, got, "とひらがなと")
		}
	}
}

func TestMixed(t *testing.T) {
	page := []string{"Grüße", "Gr\xfc\xdfe", "Größe", "ASCII", "Stra\xdfe"}
	c := gather(strings.Join(page, "\n")).Choose(Auto, false).EightBit()
	var got []string
	for _, s := range page {
		got = append(got, decodeLine(c, s))
	}
	if want := []string{"Grüße", "Grüße", "Größe", "ASCII", "Straße"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// "─┐" in IBM437 has the same octets as "Ŀ" in UTF-8.
	page = []string{"\xc9\xcd\xcd\xbb", "\xba a\xba", " \xc4\xbf", "Gr\xc3\xb6\xc3\x9fe"}
	c = gather(strings.Join(page, "\n")).Choose(Auto, false).EightBit()
	got = nil
	for _, s := range page {
		got = append(got, decodeLine(c, s))
	}
	if want := []string{"╔══╗", "║ a║", " ─┐", "Größe"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEvidenceIsFull checks that a full Evidence ignores further lines.
func TestEvidenceIsFull(t *testing.T) {
	for _, tt := range []struct {
		line           string
		nonASCII, full bool
	}{
		{"", false, false},
		{"\x1b[m", false, false},
		{"\x1b$B", true, false},
		{"ä", true, false},
		{"\xe4", true, false},
		{strings.Repeat("\xe4", maxSample-2), true, false},
		{strings.Repeat("\xe4", maxSample-1), true, true},
		{strings.Repeat("ä", maxSeen/2-1), true, false},
		{strings.Repeat("ä", maxSeen/2), true, true},
	} {
		e := gather(tt.line)
		if e.HasNonASCII() != tt.nonASCII || e.IsFull() != tt.full {
			t.Errorf(
				"%.9q, %d octets: HasNonASCII is %v, IsFull is %v, want %v, %v", tt.line, len(tt.line), e.HasNonASCII(),
				e.IsFull(), tt.nonASCII, tt.full,
			)
		}
		before := *e
		if e.Add("\xff"); (e.invalid == before.invalid) != tt.full {
			t.Errorf(
				"Add after %.9q, %d octets: %d lines are not UTF-8, %d were before; want the line ignored: %v", tt.line,
				len(tt.line), e.invalid, before.invalid, tt.full,
			)
		}
	}
}

// TestLineArt checks that valid UTF-8 is read as line art of the IBM PC only if no letter is next
// to a box drawing.
func TestLineArt(t *testing.T) {
	for _, tt := range []struct {
		charset  Charset
		in, want string
	}{
		{CP437, " Ŀ ", " ─┐ "},
		{CP437, "Ŀ", "─┐"},
		{KOI8R, "\x1b$B$3\x1b(B", "こ"},
		{CP850, " Ŀ ", " ─┐ "},
		{CP866, " Ŀ ", " ─┐ "},
		{KOI8R, " Ŀ ", " Ŀ "},
		{CP437, " Āa", " Āa"},
		{CP437, "zĿ", "zĿ"},
		{CP437, " अ ", " अ "},
		{CP437, "Новости", "Новости"},
		{CP866, "дела и гимн", "дела и гимн"}, // all octets are box drawings
		{CP866, "שלום", "שלום"},
		{CP850, "βιβλιο", "βιβλιο"},
		{CP437, "\xc8\xbc \xc8\xbc", "╚╝ ╚╝"},
	} {
		if got := decodeLine(tt.charset, tt.in); got != tt.want {
			t.Errorf("%v, %q: got %q, want %q", tt.charset, tt.in, got, tt.want)
		}
	}
}
