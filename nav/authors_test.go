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
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// loadLines returns a complete page of a session.
func loadLines(t *testing.T, s *Session, head protocols.Head, all ...protocols.Line) *Page {
	t.Helper()
	l := &Load{URL: head.URL}
	s.load, s.page = l, nil
	p := s.Answer(l, head)
	if !s.Append(l, linesOf(all...), io.EOF) {
		t.Fatal("Append did not accept the lines")
	}
	return p
}

// loadOneByOne is like loadLines, but the lines arrive one by one.
func loadOneByOne(s *Session, head protocols.Head, all ...protocols.Line) *Page {
	l := &Load{URL: head.URL}
	s.load, s.page = l, nil
	p := s.Answer(l, head)
	for _, line := range all {
		s.Append(l, linesOf(line), nil)
	}
	s.Append(l, Lines{}, io.EOF)
	return p
}

func url(t *testing.T, s string) urlcore.URL {
	t.Helper()
	u, err := urlcore.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func koi8(s string) string {
	octets, err := charmap.KOI8R.NewEncoder().String(s)
	if err != nil {
		panic(err)
	}
	return octets
}

func articleLine(number uint64, subject, from string) protocols.Line {
	return protocols.Line{Kind: protocols.Article, Text: subject, Note: &protocols.ArticleNote{Number: number, Subject: subject, From: from}}
}

// readItems returns the decoded texts of the items of a page.
func readItems(p *Page) (all []string) {
	for _, line := range p.Lines.All(0) {
		text, note := line.Text, line.Note
		r := p.ReadingOf(note)
		if a, ok := note.(*protocols.ArticleNote); ok {
			text = mimeheader.Author(r, a.From) + ": " + mimeheader.Text(r, a.Subject)
		}
		all = append(all, r.Line(text))
	}
	return all
}

// TestItemsOfAuthors checks that items of several authors or servers are each read in their own charset. A
// menu of one server, and a list with a declared charset, must be read in one charset.
func TestItemsOfAuthors(t *testing.T) {
	group := protocols.Head{URL: url(t, "news:lab.charset"), Layout: protocols.LayoutArticles}
	menu := protocols.Head{URL: url(t, "gopher://a.example/1"), Layout: protocols.LayoutMenu}
	directory := protocols.Head{URL: url(t, "ftp://a.example/;type=d"), Layout: protocols.LayoutDirectory}
	here, there := url(t, "gopher://a.example/0x"), url(t, "gopher://b.example/0x")
	found := []protocols.Line{{Text: koi8("Новости и статьи"), Link: here}, {Text: "Caf\xe9 de Flore", Link: here}, {Text: koi8("Привет")}}
	read := []string{"Новости и статьи", "Café de Flore", "Привет"}
	plain, plainRead := slices.Concat(found, []protocols.Line{{Text: "ASCII", Link: there}}), []string{
		read[0], "CafИ de Flore", read[2], "ASCII",
	}
	for _, tt := range []struct {
		name  string
		head  protocols.Head
		lines []protocols.Line
		want  []string
		badge string
	}{
		{"a group", group, []protocols.Line{
			articleLine(1, "Raw Latin-1 in the header: Gr\xfc\xdfe", "J\xfcrgen <raw@example.invalid>"),
			articleLine(2, koi8("Raw KOI8-R: Кофе"), "x@example.invalid"), articleLine(3, "Raw UTF-8: Grüße кофе", "Jürgen <raw@example.invalid>"),
			articleLine(4, "ASCII", koi8("Иван Петров <i@example.invalid>")),
		}, []string{
			"Jürgen: Raw Latin-1 in the header: Grüße", "x@example.invalid: Raw KOI8-R: Кофе",
			"Jürgen: Raw UTF-8: Grüße кофе", "Иван Петров: ASCII",
		}, "KOI8-R false"},
		{
			"a directory", directory,
			[]protocols.Line{{Text: koi8("документы.txt")}, {Text: "gr\xfc\xdfe.txt"}, {Text: koi8("файл")}},
			[]string{"документы.txt", "grüße.txt", "файл"},
			"KOI8-R false",
		},
		{
			"a menu of several servers", menu,
			[]protocols.Line{{Text: koi8("Новости и статьи"), Link: here}, {Text: "Caf\xe9 de Flore", Link: there}, {Text: koi8("Привет")}},
			[]string{"Новости и статьи", "Café de Flore", "Привет"},
			"KOI8-R false",
		},
		{
			"a menu of one server", menu,
			[]protocols.Line{{Text: koi8("Новости и статьи"), Link: here}, {Text: koi8("Да"), Link: here}, {Text: "ASCII", Link: there}},
			[]string{"Новости и статьи", "Да", "ASCII"},
			"KOI8-R true",
		},
		{"what a search found", protocols.Head{URL: url(t, "gopher://a.example/7find%09word"), Layout: menu.Layout}, found, read, "KOI8-R false"},
		{"what a WAIS search found", protocols.Head{URL: url(t, "wais://a.example/db?word"), Layout: menu.Layout}, found, read, "KOI8-R false"},
		{"a WAIS database", protocols.Head{URL: url(t, "wais://a.example/db"), Layout: menu.Layout}, plain, plainRead, "KOI8-R true"},
		{"a menu with an ASCII item of another server", menu, plain, plainRead, "KOI8-R true"},
		{
			"a group of one charset", group,
			[]protocols.Line{articleLine(1, koi8("Вопрос по FreeBSD"), koi8("Иван Петров <i@x>")), articleLine(2, koi8("Да"), "x")},
			[]string{"Иван Петров: Вопрос по FreeBSD", "x: Да"},
			"KOI8-R true",
		},
		{
			"declared",
			protocols.Head{URL: directory.URL, Layout: directory.Layout, Charset: "koi8-r"},
			[]protocols.Line{{Text: koi8("Новости")}, {Text: "gr\xfc\xdfe"}},
			[]string{"Новости", "grЭъe"},
			"KOI8-R true",
		},
	} {
		for _, p := range []*Page{loadLines(t, new(Session), tt.head, tt.lines...), loadOneByOne(new(Session), tt.head, tt.lines...)} {
			fetchtest.Equal(t, fmt.Sprint(readItems(p)), fmt.Sprint(tt.want), "%s", tt.name)
			c, _ := p.CharsetChoice()
			fetchtest.Equal(t, fmt.Sprint(c.Charset, c.Sure), tt.badge, "%s: %s", tt.name, c.Why)
		}
	}
}

// TestAuthorDeclares checks that the charset that an author declares in one article applies to the raw
// texts of the author's other articles in the same group.
func TestAuthorDeclares(t *testing.T) {
	var m Memory
	var list, other Session
	m.Use(&list)
	m.Use(&other)
	head := protocols.Head{URL: url(t, "news:lab.charset"), Layout: protocols.LayoutArticles}
	subject := "\xf6\xe4" // two letters are not enough to detect a charset
	lines := []protocols.Line{
		articleLine(1, subject, "Ivan <Ivan@example.invalid>"), articleLine(2, subject, "joe@example.invalid"),
		articleLine(3, "Gr\xfc\xdfe", "u@example.invalid"), articleLine(4, "x", subject+" <ivan@example.invalid>"),
	}
	p := loadLines(t, &list, head, lines...)
	before := readItems(p)
	fetchtest.Equal(t, before[0], "Ivan: öä", "before the article was read")
	read := func(declared, group string) {
		loadLines(t, &other, protocols.Head{URL: url(t, "news:1@example.invalid"), Media: protocols.MediaArticle}, protocols.Line{
			Text: "Subject: x", Note: &protocols.ArticleHeader{
				From: []protocols.Address{{Address: "ivan@Example.invalid"}}, Newsgroups: []urlcore.URL{url(t, group)}, Charset: declared,
			},
		})
	}
	read("koi8-r", "news:lab.other")
	read("no-such", "news:lab.charset")
	read("utf-8", "news:lab.charset")
	fetchtest.Equal(t, fmt.Sprint(readItems(p)), fmt.Sprint(before), "after articles without a charset for the group")
	readings := p.Readings()
	read("KOI8-R", "news:lab.charset")
	fetchtest.Equal(t, fmt.Sprint(readItems(p)), fmt.Sprint([]string{"Ivan: ЖД", before[1], before[2], "ЖД: x"}), "after an article in KOI8-R")
	fetchtest.Equal(t, readings(p.Lines.At(0).Note).Line(subject), "öä", "with the earlier readings")
	fetchtest.Equal(t, p.Readings()(p.Lines.At(0).Note).Line(subject), "ЖД", "with the present readings")
	p.ForceCharset(charset.Windows1251)
	fetchtest.Equal(t, p.ReadingOf(p.Lines.At(0).Note).Line(subject), "цд", "in a charset chosen by hand")
}

// TestManyAuthors checks that the memory for articles with many addresses and groups is bounded.
func TestManyAuthors(t *testing.T) {
	var m Memory
	h := &protocols.ArticleHeader{Charset: "koi8-r", From: make([]protocols.Address, 9000)}
	for i := range 1000 {
		h.Newsgroups = append(h.Newsgroups, urlcore.News{Group: fmt.Sprintf("g%d", i)})
	}
	for i := range 2 * maxAuthors {
		h.From[0].Address = fmt.Sprintf("a%d@example.invalid", i)
		if m.learnAuthor(h); len(m.authors) > maxAuthors {
			t.Fatalf("%d authors are remembered, want at most %d", len(m.authors), maxAuthors)
		}
	}
	h.From[0].Address = strings.Repeat("x", 1<<20)
	before := len(m.authors)
	m.learnAuthor(h)
	fetchtest.Equal(t, len(m.authors), before, "after an address of a MiB")
	h.From[0].Address, h.Newsgroups = "a@example.invalid", []urlcore.URL{urlcore.News{Group: h.From[0].Address}}
	m.authors = nil
	m.learnAuthor(h)
	fetchtest.Equal(t, len(m.authors), 0, "after a group of a MiB")
}

// TestHostileGroup checks that the charset of a page changes at most twice after the first choice,
// whatever the charsets of its items. It also checks that concurrent readers read each item alike.
func TestHostileGroup(t *testing.T) {
	const items, batch = 100_000, 1000
	subjects := []string{
		"plain", "Grüße", koi8("Вопрос по FreeBSD"), "J\xfcrgen", "\xff\x81\xfe", "\xcf\xf0\xe8\xe2\xe5\xf2",
		"\x1b$B$3\x1b(B", "",
	}
	var s Session
	l := &Load{URL: url(t, "news:lab.charset")}
	s.load = l
	p := s.Answer(l, protocols.Head{URL: l.URL, Layout: protocols.LayoutArticles})
	before, changes := p.Reading(), 0
	for i := range items / batch {
		var lines Lines
		for k := range batch {
			subject := subjects[min(i, k)%len(subjects)]
			lines.Append(articleLine(uint64(i*batch+k), fmt.Sprint(subject, k%500), subject+" <a@example.invalid>"))
		}
		s.Append(l, lines, nil)
		if r := p.Reading(); r != before {
			before, changes = r, changes+1
		}
	}
	s.Append(l, Lines{}, io.EOF)
	if r := p.Reading(); r != before {
		changes++
	}
	if changes > 3 { // the first choice counts as a change
		t.Errorf("the charset changed %d times after the first choice, want at most 2", changes-1)
	}
	read := make([]func() string, 2)
	for i := range read {
		reading, lines := p.Readings(), p.Lines.InArrivalOrder()
		text := make(chan string)
		go func() {
			var b strings.Builder
			for k := 0; k < lines.Len(); k += 97 {
				line := lines.WithoutLink(k)
				b.WriteString(reading(line.Note).Line(line.Text))
			}
			text <- b.String()
		}()
		read[i] = func() string { return <-text }
	}
	if first, second := read[0](), read[1](); first != second || !strings.Contains(first, "Вопрос") || !strings.Contains(first, "Jürgen") {
		t.Errorf("two readers read %d and %d octets, want equal texts in all charsets", len(first), len(second))
	}
}

// TestPagesWithoutLines checks that the user can choose a charset for a page without lines, unless it is one
// of gofer's own pages. A page without lines must have no detected charset and no sample.
func TestPagesWithoutLines(t *testing.T) {
	for _, layout := range []protocols.Layout{
		protocols.LayoutMenu, protocols.LayoutDirectory, protocols.LayoutGroups, protocols.LayoutArticles,
		protocols.LayoutText, protocols.LayoutPage,
	} {
		p := loadLines(t, new(Session), protocols.Head{URL: url(t, "news:lab.charset"), Layout: layout})
		_, differs := p.CharsetChoice()
		p.ForceCharset(charset.KOI8R)
		p.RememberCharset(charset.CP437)
		all, _ := p.Charsets()
		if differs || p.CharsetSample() != "" || len(all) == 0 && layout != protocols.LayoutPage {
			t.Errorf(
				"layout %d: CharsetChoice returns %v, the sample is %q, %d charsets; want false, no sample and some charsets",
				layout, differs, p.CharsetSample(), len(all),
			)
		}
	}
}

func TestDirectoryWithHiddenItemsOnly(t *testing.T) {
	p := loadLines(t, new(Session), protocols.Head{URL: url(t, "ftp://a.example/;type=d"), Layout: protocols.LayoutDirectory}, protocols.Line{
		Text: ".x", Note: new(protocols.FileNote),
	})
	fetchtest.Equal(t, p.Lines.Len(), 0, "lines shown")
}
