package nav

import (
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
		{
			"found",
			[]string{"\xe4"},
			protocols.Head{},
			0, 0, charset.Windows1252, "one line is not UTF-8",
			clean.Reading{Charset: charset.Windows1252},
		},
		{
			"forced",
			[]string{"\xe4"},
			protocols.Head{},
			charset.KOI8R, charset.CP437, charset.KOI8R,
			"chosen for this page",
			clean.Reading{Charset: charset.KOI8R, AllLines: true},
		},
		{
			"forced for UTF-8",
			[]string{"ä"},
			protocols.Head{},
			charset.KOI8R, 0, charset.KOI8R,
			"chosen for this page",
			clean.Reading{Charset: charset.KOI8R, AllLines: true},
		},
		{
			"forced for the rest",
			[]string{"ä", "\xe4"},
			protocols.Head{},
			charset.KOI8R, 0, charset.KOI8R,
			"chosen for this page",
			clean.Reading{Charset: charset.KOI8R},
		},
		{
			"remembered",
			[]string{"\xe4"},
			protocols.Head{},
			0, charset.CP437, charset.CP437,
			"chosen for another page of this server",
			clean.Reading{Charset: charset.CP437},
		},
		{
			"remembered for nothing",
			[]string{"ä"},
			protocols.Head{},
			0, charset.CP437, charset.UTF8,
			"one line is valid UTF-8",
			clean.Reading{Charset: charset.CP437},
		},
		{
			"HTML",
			[]string{"ä"},
			protocols.Head{Media: "text/html", Charset: "koi8-r"},
			charset.CP437, 0,
			charset.KOI8R, "declared by the page or its server",
			clean.Reading{Charset: charset.CP437, AllLines: true},
		},
		{
			"HTML that says nothing",
			[]string{"ä"},
			protocols.Head{Media: "text/html"},
			0, 0, charset.UTF8,
			"one line is valid UTF-8",
			clean.Reading{Charset: charset.Windows1252},
		},
		{"a drawing", []string{"█"}, drawing, 0, 0, charset.CP437, "drawings for terminals", clean.Reading{Source: charset.CP437}},
		{
			"a drawing, forced",
			[]string{"█"},
			drawing, charset.KOI8R, charset.CP866, charset.KOI8R,
			"chosen for this page",
			clean.Reading{Charset: charset.KOI8R, Source: charset.CP437},
		},
		{
			"a drawing, remembered",
			[]string{"█"},
			drawing, 0, charset.CP866, charset.CP866, "chosen for another page",
			clean.Reading{Charset: charset.CP866, Source: charset.CP437},
		},
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
			t.Errorf("after ForceCharset(%s): got %s with the index %d, want the index %d; ForcedCharset is %v", want, c.Charset, now, (i+
				1)%len(all), p.ForcedCharset())
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
