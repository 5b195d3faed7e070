package nav

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

// loadPage returns a page of lines that arrived n at a time, and the number of changes of its charset.
func loadPage(t *testing.T, head protocols.Head, lines []string, n int) (p *Page, changes int) {
	t.Helper()
	var s Session
	l := new(Load)
	s.load = l
	l.URL = somewhere
	p = s.Answer(l, head)
	before := p.Reading()
	for len(lines) > 0 {
		var more Lines
		for _, line := range lines[:min(n, len(lines))] {
			more.Append(protocols.Line{Text: line})
		}
		lines = lines[min(n, len(lines)):]
		if !s.Append(l, more, nil) {
			t.Fatal("Append did not accept the lines")
		}
		if r := p.Reading(); r != before {
			before = r
			changes++
		}
	}
	p.learnCharset(p.Lines.Len(), true)
	if r := p.Reading(); r != before {
		changes++
	}
	return p, changes
}

func encodeIn(t *testing.T, table *charmap.Charmap, text string) string {
	t.Helper()
	s := fetchtest.Must(table.NewEncoder().String(text))(t)
	return s
}

func TestCharsetOfAPage(t *testing.T) {
	russian := encodeIn(t, charmap.KOI8R, "Новости\nДобро пожаловать на наш сервер\nЗдесь архив статей и программ")
	box := encodeIn(t, charmap.CodePage437, "╔════╗\n║ hi ║\n╚════╝")
	for _, tt := range []struct {
		name, text, declared string
		want                 charset.Charset
		first                string // the decoded first line
	}{
		{"KOI8-R", russian, "", charset.KOI8R, "Новости"},
		{"a box", "Welcome\n" + box, "", charset.CP437, "Welcome"},
		{"a box, long", box + strings.Repeat("\n"+box, 300), "", charset.CP437, "╔════╗"},
		{"UTF-8", "Grüße\nan\nalle", "", charset.UTF8, "Grüße"},
		{"UTF-8 declared as Latin-1", "Grüße\nan\nalle", "iso-8859-1", charset.UTF8, "Grüße"},
		{"declared", "\xe4\n\xe4", "ibm437", charset.CP437, "Σ"},
		{"declared as ASCII", russian, "us-ascii", charset.KOI8R, "Новости"},
		{"declared as UTF-8", russian, "utf-8", charset.KOI8R, "Новости"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := strings.Split(tt.text, "\n")
			for _, n := range []int{1, 2, 7, len(lines)} {
				p, changes := loadPage(t, protocols.Head{Charset: tt.declared}, lines, n)
				c, ok := p.CharsetChoice()
				if !ok || c.Charset != tt.want {
					t.Errorf("%d lines at a time: %s (%s), want %s", n, c.Charset, c.Why, tt.want)
				}
				fetchtest.Equal(t, p.Reading().Decode(p.Lines.At(0).Text), tt.first, "%d lines at a time: the first line", n)
				if changes > 2 { // the first choice counts as a change
					t.Errorf("%d lines at a time: the charset changed %d times after the first choice, want at most once", n, changes-1)
				}
			}
		})
	}
}

func TestCharsetOfNotes(t *testing.T) {
	var lines Lines
	lines.Append(protocols.Line{Text: "a.b", Note: &protocols.GroupNote{Description: encodeIn(t, charmap.KOI8R, "Новости и статьи сервера")}})
	p := &Page{Lines: lines}
	p.learnCharset(0, true)
	if c, ok := p.CharsetChoice(); !ok || c.Charset != charset.KOI8R {
		t.Errorf("got %s, want KOI8-R", c.Charset)
	}
}

// TestCharsetWhileLoading checks that the charset is chosen at the first line that is not ASCII,
// and again at the first line that is not UTF-8.
func TestCharsetWhileLoading(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  string // the decoded last line
		other charset.Charset
	}{
		{"one line", []string{"\xf0\xd2\xc9\xd7\xc5\xd4 \xcd\xc9\xd2"}, "Привет мир", charset.KOI8R},
		{"after ASCII", []string{"a", "b", "\xf0\xd2\xc9\xd7\xc5\xd4 \xcd\xc9\xd2"}, "Привет мир", charset.KOI8R},
		{"after UTF-8", []string{"Grüße", "\xc9\xcd\xcd\xbb"}, "╔══╗", charset.CP437},
	} {
		var s Session
		s.load = &Load{URL: somewhere}
		p := s.Answer(s.load, protocols.Head{})
		for _, line := range tt.lines {
			s.Append(s.load, linesOf(protocols.Line{Text: line}), nil)
		}
		last := tt.lines[len(tt.lines)-1]
		if c, ok := p.CharsetChoice(); !ok || c.Charset != tt.other || p.Reading().Decode(last) != tt.want {
			t.Errorf("%s: %s, the last line is %q, want %q", tt.name, c.Charset, p.Reading().Decode(last), tt.want)
		}
		s.Append(s.load, linesOf(protocols.Line{Text: "\xe4"}), nil)
		if c, _ := p.CharsetChoice(); c.Charset != tt.other {
			t.Errorf("%s: a further line changes the charset to %s, want %s", tt.name, c.Charset, tt.other)
		}
	}
}

// TestCharsetWithMoreEvidence checks that the charset is chosen again before the page is complete, when there
// is enough evidence.
func TestCharsetWithMoreEvidence(t *testing.T) {
	var s Session
	s.load = &Load{URL: somewhere}
	p := s.Answer(s.load, protocols.Head{})
	s.Append(s.load, linesOf(protocols.Line{Text: "\xe4"}), nil)
	first, _ := p.CharsetChoice()
	for i := range 100 {
		s.Append(s.load, linesOf(protocols.Line{Text: fmt.Sprint(i) + koi8(" Добро пожаловать на наш сервер")}), nil)
	}
	second, _ := p.CharsetChoice()
	fetchtest.Equal(t, first.Charset.String()+" "+second.Charset.String(), "windows-1252 KOI8-R")
}

// TestCharsetAtTheEnd checks that all lines of a page are evidence for its charset, even if the
// page is incomplete. So are the lines of a preview.
func TestCharsetAtTheEnd(t *testing.T) {
	latin, russian := protocols.Line{Text: "J\xfcrgen"}, protocols.Line{Text: koi8("Добро пожаловать на наш сервер")}
	for name, last := range map[string]func(s *Session){
		"broken off": func(s *Session) {
			s.Append(s.load, linesOf(russian), nil)
			s.Append(s.load, Lines{}, &protocols.Error{Reason: protocols.Broken})
		},
		"after a preview": func(s *Session) {
			all := linesOf(russian)
			all.replace = true
			s.Append(s.load, all, nil)
			s.Append(s.load, Lines{}, io.EOF)
		},
	} {
		var s Session
		s.load = &Load{URL: somewhere}
		p := s.Answer(s.load, protocols.Head{Layout: protocols.LayoutDirectory})
		s.Append(s.load, linesOf(latin), nil)
		last(&s)
		c, _ := p.CharsetChoice()
		fetchtest.Equal(t, c.Mixed, true, "%s: mixed: %s", name, c.Why)
	}
}

// TestChosenCharset checks the charset of a page, the reason for it, and how the lines are read, if the user
// has chosen a charset for the page or for its server.
func TestChosenCharset(t *testing.T) {
	drawing := protocols.Head{Drawing: true, Converted: "IBM437"}
	for _, tt := range []struct {
		name               string
		lines              []string
		head               protocols.Head
		forced, remembered charset.Charset
		want               charset.Charset
		why                string
		reading            clean.Reading
	}{
		{"found", []string{"\xe4"}, protocols.Head{}, 0, 0, charset.Windows1252, "one line is not UTF-8", clean.Reading{Charset: charset.Windows1252}},
		{"forced", []string{"\xe4"}, protocols.Head{}, charset.KOI8R, charset.CP437, charset.KOI8R, "chosen for this page", clean.Reading{Charset: charset.KOI8R, AllLines: true}},
		{"forced for UTF-8", []string{"ä"}, protocols.Head{}, charset.KOI8R, 0, charset.KOI8R, "chosen for this page", clean.Reading{Charset: charset.KOI8R, AllLines: true}},
		{"forced for the rest", []string{"ä", "\xe4"}, protocols.Head{}, charset.KOI8R, 0, charset.KOI8R, "chosen for this page", clean.Reading{Charset: charset.KOI8R}},
		{"remembered", []string{"\xe4"}, protocols.Head{}, 0, charset.CP437, charset.CP437, "chosen for another page of this server", clean.Reading{Charset: charset.CP437}},
		{"remembered for nothing", []string{"ä"}, protocols.Head{}, 0, charset.CP437, charset.UTF8, "one line is valid UTF-8", clean.Reading{Charset: charset.CP437}},
		{"HTML", []string{"ä"}, protocols.Head{Media: "text/html", Charset: "koi8-r"}, charset.CP437, 0, charset.KOI8R, "declared by the page or its server", clean.Reading{Charset: charset.CP437, AllLines: true}},
		{"HTML that says nothing", []string{"ä"}, protocols.Head{Media: "text/html"}, 0, 0, charset.UTF8, "one line is valid UTF-8", clean.Reading{Charset: charset.Windows1252}},
		{"a drawing", []string{"█"}, drawing, 0, 0, charset.CP437, "drawings for terminals", clean.Reading{Source: charset.CP437}},
		{"a drawing, forced", []string{"█"}, drawing, charset.KOI8R, charset.CP866, charset.KOI8R, "chosen for this page", clean.Reading{Charset: charset.KOI8R, Source: charset.CP437}},
		{"a drawing, remembered", []string{"█"}, drawing, 0, charset.CP866, charset.CP866, "chosen for another page", clean.Reading{Charset: charset.CP866, Source: charset.CP437}},
	} {
		p := &Page{Head: tt.head}
		for _, line := range tt.lines {
			p.Lines.Append(protocols.Line{Text: line})
		}
		p.learnCharset(0, true)
		p.charset.forced, p.charset.remembered = tt.forced, tt.remembered
		c, ok := p.CharsetChoice()
		if !ok || c.Charset != tt.want || !strings.HasPrefix(c.Why, tt.why) || (tt.name != "found" && tt.name != "a drawing" && !c.Sure) {
			t.Errorf("%s: got %s, sure %v: %s; want %s: %s", tt.name, c.Charset, c.Sure, c.Why, tt.want, tt.why)
		}
		if tt.reading.Stripped, tt.reading.Joiners = true, clean.JoinersInWords; p.Reading() != tt.reading {
			t.Errorf("%s: read as %+v, want %+v", tt.name, p.Reading(), tt.reading)
		}
		p.charset.forced, p.charset.remembered = charset.Auto, tt.remembered
		if all, now := p.Charsets(); tt.remembered == 0 && (now != 0 || len(all) != len(charset.All())) {
			t.Errorf("%s: Charsets returned the index %d and %d charsets, want 0 and %d", tt.name, now, len(all), len(charset.All()))
		}
	}
}

// TestAddEvidence checks that AddEvidence counts all texts of the lines from an index on, in any
// chunk.
func TestAddEvidence(t *testing.T) {
	var l Lines
	for i := range 3 * chunkLines {
		text := "plain"
		if i%chunkLines == 7 {
			text = "\xe4" + strings.Repeat("x", i/chunkLines)
		}
		l.Append(protocols.Line{Text: text})
	}
	l.Append(protocols.Line{Text: "ä", Note: &protocols.FileNote{Target: "\xe4 target"}})
	l.Append(protocols.Line{Text: "plain", Note: &protocols.GroupNote{Description: "\xe4 description"}})
	for _, tt := range []struct{ from, valid, invalid int }{
		{0, 1, 5}, {7, 1, 5}, {8, 1, 4}, {chunkLines + 7, 1, 4}, {chunkLines + 8, 1, 3}, {3 * chunkLines, 1, 2}, {3*chunkLines + 1, 0, 1}, {3*chunkLines + 2, 0, 0},
	} {
		var e charset.Evidence
		l.AddEvidence(&e, tt.from)
		if valid, invalid := e.Counts(); valid != tt.valid || invalid != tt.invalid {
			t.Errorf("from line %d: %d lines of UTF-8, %d others, want %d, %d", tt.from, valid, invalid, tt.valid, tt.invalid)
		}
	}
}

// TestForceCharset reads a page in each charset, and then in the detected one.
func TestForceCharset(t *testing.T) {
	p, _ := loadPage(t, protocols.Head{}, []string{"Größe", encodeIn(t, charmap.KOI8R, "Добро пожаловать на наш сервер")}, 1)
	all, now := p.Charsets()
	if now != 0 || len(all) != len(charset.All()) {
		t.Fatalf("%d of %d charsets, want the first of all %d", now, len(all), len(charset.All()))
	}
	fetchtest.Equal(t, p.CharsetSample(), "Größe", "the sample under the cursor")
	p.Cursor = -1
	fetchtest.Equal(t, p.CharsetSample(), encodeIn(t, charmap.KOI8R, "Добро пожаловать на наш сервер"), "the sample")
	for i, want := range slices.Concat(all[1:], all[:1]) {
		p.ForceCharset(want)
		c, _ := p.CharsetChoice()
		_, now := p.Charsets()
		if c.Charset != want || now != (i+1)%len(all) || (p.ForcedCharset() == charset.Auto) != (now == 0) {
			t.Errorf("after ForceCharset(%s): got %s with the index %d, want the index %d; ForcedCharset is %v", want, c.Charset, now, (i+1)%len(all), p.ForcedCharset())
		}
	}
	p.RememberCharset(charset.CP866)
	if c, _ := p.CharsetChoice(); c.Charset != charset.CP866 {
		t.Errorf("after RememberCharset(%s): got %s", charset.CP866, c.Charset)
	}
	p.ForceCharset(all[0])
	if c, _ := p.CharsetChoice(); c.Charset != all[0] {
		t.Errorf("after ForceCharset with the detected charset: got %s, want %s", c.Charset, all[0])
	}
}

func TestReloadKeepsTheCharset(t *testing.T) {
	var s Session
	s.load = &Load{URL: somewhere}
	p := s.Answer(s.load, protocols.Head{})
	var lines Lines
	lines.Append(protocols.Line{Text: "\xe4\xf6\xfc"})
	s.Append(s.load, lines, nil)
	all, _ := p.Charsets()
	p.ForceCharset(all[1])
	want := p.ForcedCharset()
	s.Append(s.load, Lines{}, io.EOF)
	s.load, s.reloading, s.page = &Load{URL: somewhere}, true, nil
	p = s.Answer(s.load, protocols.Head{})
	fetchtest.Equal(t, p.ForcedCharset(), want, "after a reload")
	p.ForceCharset(charset.Auto)
	p.RememberCharset(charset.CP866)
	s.Append(s.load, Lines{}, io.EOF)
	s.load, s.reloading, s.page = &Load{URL: somewhere}, true, nil
	fetchtest.Equal(t, s.Answer(s.load, protocols.Head{}).Reading().Charset, charset.CP866, "after another reload")
}

// BenchmarkAppend appends the lines of a menu in ASCII and looks for their charset.
func BenchmarkAppend(b *testing.B) {
	var batch Lines
	for range 4096 {
		batch.Append(protocols.Line{Kind: protocols.Text, Text: "a line of a menu that is very long indeed", Link: somewhere})
	}
	b.SetBytes(batch.Bytes())
	for b.Loop() {
		p := new(Page)
		for range 20 {
			from := p.Lines.Len()
			p.Lines.AppendLines(&batch)
			p.learnCharset(from, false)
		}
	}
}
