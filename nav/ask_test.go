package nav

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// newAsk returns an Ask with fields. The function With of the Ask stores the answers in *got.
func newAsk(fields ...protocols.Field) (a *protocols.Ask, got *[]string) {
	got = new([]string)
	return &protocols.Ask{Title: "Form", Charset: "UTF-8", Fields: fields, With: func(answers []string) (urlcore.URL, error) {
		*got = answers
		return somewhere, nil
	}}, got
}

func TestReadAsk(t *testing.T) {
	koi8 := encodeIn(t, charmap.KOI8R, "Новости и статьи")
	label := func(label, value string) []protocols.Field {
		return []protocols.Field{{ServerLabel: label, Value: value}}
	}
	for _, tt := range []struct {
		name    string
		fields  []protocols.Field
		charset string
		known   clean.Reading
		want    charset.Charset
	}{
		{"ASCII", label("Name", "x"), "UTF-8", clean.Reading{}, charset.UTF8},
		{"ASCII, of an old protocol", label("Name", "x"), "ISO-8859-1", clean.Reading{}, charset.Windows1252},
		{"ASCII, of a known server", label("Name", "x"), "UTF-8", clean.Reading{Charset: charset.KOI8R}, charset.KOI8R},
		{"Latin-1", label("Gr\xf6\xdfe", "\xdcber"), "UTF-8", clean.Reading{}, charset.Windows1252},
		{"Latin-1, of a server in UTF-8", label("Gr\xf6\xdfe", "\xdcber"), "UTF-8", clean.Reading{Charset: charset.UTF8}, charset.Windows1252},
		{"the proposal alone", label("Name", "\xdcber"), "UTF-8", clean.Reading{}, charset.Windows1252},
		{
			"a choice alone",
			[]protocols.Field{{ServerLabel: "Farbe", Choices: []string{"Rot", "Gr\xfcn"}}},
			"UTF-8",
			clean.Reading{},
			charset.Windows1252,
		},
		{"KOI8-R", label(koi8, ""), "UTF-8", clean.Reading{}, charset.KOI8R},
		{"two letters of KOI8-R", label(koi8[:2], ""), "UTF-8", clean.Reading{Charset: charset.KOI8R}, charset.KOI8R},
		{"UTF-8", label("Größe", "x"), "UTF-8", clean.Reading{Charset: charset.Windows1252}, charset.UTF8},
		{"UTF-8, answered in Latin-1", label("Größe", "\xdcber"), "UTF-8", clean.Reading{}, charset.UTF8},
		{"one field of Latin-1, answered in UTF-8", label("Gr\xf6\xdfe", "Über"), "UTF-8", clean.Reading{}, charset.Windows1252},
		{"ISO-2022-JP, of a known server", label("\x1b$BF|K\\\x1b(B", ""), "UTF-8", clean.Reading{Charset: charset.KOI8R}, charset.ISO2022JP},
		{"Latin-1, read otherwise by hand, then not", label("Gr\xf6\xdfe", ""), "UTF-8", clean.Reading{AllLines: true}, charset.Windows1252},
		{"UTF-8, read otherwise by hand", label("Größe", "x"), "UTF-8", clean.Reading{Charset: charset.CP437, AllLines: true}, charset.CP437},
		{
			"Latin-1, answered in UTF-8",
			[]protocols.Field{{ServerLabel: "Gr\xf6\xdfe", Value: "Über"}, {ServerLabel: "b", Value: "Ärger"}},
			"UTF-8",
			clean.Reading{},
			charset.Windows1252,
		},
		{"ISO-2022-JP", label("\x1b$BF|K\\\x1b(B", ""), "UTF-8", clean.Reading{}, charset.ISO2022JP},
	} {
		a, _ := newAsk(tt.fields...)
		a.Charset = tt.charset
		if got := ReadAsk(a, tt.known).Reading; got != (clean.Reading{Charset: tt.want, AllLines: true}) {
			t.Errorf("%s: ReadAsk chose %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestAnswerInOneCharset checks that typed answers are sent in the charset of the form's texts. A proposal
// that was not edited is sent octet for octet, and the path of a file unchanged.
func TestAnswerInOneCharset(t *testing.T) {
	a, got := newAsk(
		protocols.Field{ServerLabel: "Gr\xf6\xdfe", Value: "\xdcber \x81\x1b"},
		protocols.Field{ServerLabel: "Wort", Value: "Stra\xdfe"},
		protocols.Field{ServerLabel: "Text", Value: "a\r\nb", Input: protocols.InputText},
		protocols.Field{ServerLabel: "Kennwort", Input: protocols.InputSecret},
		protocols.Field{ServerLabel: "Farbe", Choices: []string{"Rot", "Gr\xfcn"}, Input: protocols.InputChoice},
		protocols.Field{ServerLabel: "Ja", Value: "1", Input: protocols.InputCheck},
		protocols.Field{ServerLabel: "Datei", Input: protocols.InputFile},
		protocols.Field{ServerLabel: "Hinweis", Input: protocols.InputNote},
	)
	q := ReadAsk(a, clean.Reading{})
	if p := q.Proposal(0); !strings.HasPrefix(p, "Über ") {
		t.Errorf("Proposal(0) = %q, want a decoded text that begins with \"Über \"", p)
	}
	shown := []string{"Über ", "Straße", "a\nb", "", "", "", "", ""}
	answers := slices.Clone(shown)
	answers[1], answers[2], answers[3], answers[4], answers[5], answers[6] = "Grüße", "zwei\nWörter", "schön", "Gr\xfcn", "0", "/home/jörg/ä.txt"
	fetchtest.Must(q.Answer(shown, answers))(t)
	want := []string{"\xdcber \x81\x1b", "Gr\xfc\xdfe", "zwei\nW\xf6rter", "sch\xf6n", "Gr\xfcn", "0", "/home/jörg/ä.txt", ""}
	fetchtest.EqualSlices(t, *got, want)

	for answer, want := range map[string]string{
		"Жук": `windows-1252 has no "Ж" (U+0416): `, "x\u0301": `windows-1252 has no "◌́" (U+0301): `,
	} {
		answers[1] = answer
		_, err := q.Answer(shown, answers)
		answerErr, ok := errors.AsType[*AnswerError](err)
		if !ok || answerErr.Field != 1 || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Answer with %q in field 1: got %v, want an AnswerError that begins with %q", answer, err, want)
		}
	}
	answers[1], answers[3] = "x", "geheim日"
	if _, err := q.Answer(shown, answers); err == nil || strings.ContainsAny(err.Error(), "日") || strings.Contains(err.Error(), "65E5") {
		t.Errorf("Answer with a secret: got %v, want an error that does not name a letter of the secret", err)
	}
}

// TestAnswerInUTF8 checks that answers are sent in UTF-8 if the Charset of the Ask is empty.
func TestAnswerInUTF8(t *testing.T) {
	a, got := newAsk(protocols.Field{ServerLabel: "Gr\xf6\xdfe", Value: "a\r\nb"})
	a.Charset = ""
	if _, err := ReadAsk(a, clean.Reading{}).Answer([]string{"ab"}, []string{"ab"}); err != nil || !slices.Equal(*got, []string{"ab"}) {
		t.Errorf("Answer sent %q, %v; want ab", *got, err)
	}
	if _, err := ReadAsk(a, clean.Reading{}).Answer([]string{"ab"}, []string{"Жук"}); err != nil || !slices.Equal(*got, []string{"Жук"}) {
		t.Errorf("Answer sent %q, %v; want Жук in UTF-8", *got, err)
	}
}

// TestCharsetOf checks that the charset comes from the latest page that has the scheme and the host and is
// not in ASCII, whatever the port. gofer's own pages do not count.
func TestCharsetOf(t *testing.T) {
	page := func(url, text string) *Page {
		u := fetchtest.Must(urlcore.Parse(url))(t)
		p := &Page{Head: protocols.Head{URL: u, Layout: protocols.LayoutMenu}}
		p.Lines.Append(protocols.Line{Text: text})
		p.learnCharset(0, true)
		return p
	}
	var s Session
	for _, p := range []*Page{
		page("gopher://h.example/", "Gr\xf6\xdfe"),
		page("gopher://u.example/", "Größe"),
		page("gopher://h.example/1/ascii", "plain"),
		page("ftp://h.example/", encodeIn(t, charmap.KOI8R, "Новости и статьи")),
		page("gopher://other.example/", encodeIn(t, charmap.KOI8R, "Новости и статьи")),
	} {
		s.stack.Push(p)
	}
	for url, want := range map[string]charset.Charset{
		"gopher://h.example/7/find": charset.Windows1252, "gopher://h.example:105/2": charset.Windows1252,
		"gopher://u.example/7/find":     charset.UTF8,
		"gopher://other.example/7/find": charset.KOI8R, "gopher://new.example/7/find": charset.Auto, "dict://h.example/": charset.Auto,
	} {
		u := fetchtest.Must(urlcore.Parse(url))(t)
		if got := s.CharsetOf(u); got != (clean.Reading{Charset: want}) {
			t.Errorf("CharsetOf(%s) = %v, want %v", url, got, want)
		}
	}
	ours := page("gopher://h.example/", "Größe")
	ours.Layout = protocols.LayoutPage
	s.PushOverlay(ours)
	if u, _ := urlcore.Parse("gopher://h.example/7/find"); s.CharsetOf(u).Charset != charset.Windows1252 {
		t.Error("CharsetOf returned the charset of one of gofer's own pages")
	}
	s.GoBack()
	s.PushOverlay(page("gopher://h.example/0/koi8", encodeIn(t, charmap.KOI8R, "Новости и статьи")))
	all, _ := s.Page().Charsets()
	s.Page().ForceCharset(all[1])
	u, _ := urlcore.Parse("gopher://h.example/7/find")
	if got := s.CharsetOf(u); got.Charset != s.Page().ForcedCharset() || !got.AllLines {
		t.Errorf("CharsetOf = %v, want the charset chosen by hand, %v, for all texts", got, s.Page().ForcedCharset())
	}
}
