package nav

import (
	"io"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// listPage returns a complete page with a line for each URL in the parameter links. The text of a line is its
// URL. An empty URL makes an empty line.
func listPage(t *testing.T, url string, layout protocols.Layout, kind protocols.Kind, links ...string) *Page {
	t.Helper()
	p := &Page{Head: protocols.Head{URL: mustParse(t, url), Layout: layout}, Err: io.EOF}
	for _, s := range links {
		line := protocols.Line{Kind: kind, Text: s}
		if s != "" {
			line.Link = mustParse(t, s)
		}
		p.Lines.Append(line)
	}
	return p
}

// TestArticleList checks that the list of an article is the latest one that contains the article.
func TestArticleList(t *testing.T) {
	groups := listPage(t, "news:*", protocols.LayoutGroups, protocols.Group, "news:a.a", "news:a.b", "news:a.c")
	older := listPage(t, "news:a.b", protocols.LayoutArticles, protocols.Article, "news:1@x", "news:2@x", "news:3@x")
	list := listPage(t, "news:a.b", protocols.LayoutArticles, protocols.Article, "news:3@x", "", "news:2@x")
	list.Lines.Append(
		protocols.Line{Kind: protocols.Other, Text: "Older articles", Link: mustParse(t, "news:4@x")},
		protocols.Line{Kind: protocols.Article, Link: mustParse(t, "nntp://h/a.b/5"), Note: &protocols.ArticleNote{MessageID: "5@x"}},
		protocols.Line{Kind: protocols.Article, Link: mustParse(t, "nntp://h/a.b/6"), Note: &protocols.ArticleNote{}},
	)
	mailbox := listPage(t, "file:///mbox", protocols.LayoutText, protocols.Article, "news:7@x")
	mailbox.Media = document.MediaMailbox
	menu := listPage(t, "gopher://h/1", protocols.LayoutMenu, protocols.Article, "news:8@x")
	dropped := listPage(t, "news:a.b", protocols.LayoutArticles, protocols.Article, "news:9@x")
	dropped.Dropped = true
	for _, tt := range []struct {
		url  string
		list *Page
		line int
	}{
		{"news:1@x", older, 0},
		{"news:2@x", list, 2},
		{"news:3@x", list, 0},
		{"news:4@x", nil, 0},
		{"news:5@x", list, 4},
		{"nntp://h/a.b/6", list, 5},
		{"news:7@x", mailbox, 0},
		{"news:8@x", nil, 0},
		{"news:9@x", nil, 0},
		{"news:a.b", nil, 0},
		{"gopher://h/", nil, 0},
	} {
		var s Session
		for _, p := range []*Page{dropped, groups, older, list, mailbox, menu} {
			s.stack.Push(p)
		}
		if _, _, ok := s.ArticleList(); ok {
			t.Errorf("ArticleList returned a list for a menu")
		}
		cur := listPage(t, tt.url, protocols.LayoutText, protocols.Text)
		cur.Media = protocols.MediaArticle
		s.stack.Push(cur)
		if got, line, ok := s.ArticleList(); got != tt.list || line != tt.line || ok != (tt.list != nil) {
			t.Errorf("ArticleList of %s = %v, line %d, %v; want %v, line %d", tt.url, got, line, ok, tt.list, tt.line)
		}
		s.GoBack()
		s.ShowError(mustParse(t, tt.url), io.ErrNoProgress)
		if got, line, _ := s.ArticleList(); got != tt.list || line != tt.line {
			t.Errorf("ArticleList of the error page of %s = %v, line %d; want %v, line %d", tt.url, got, line, tt.list, tt.line)
		}
	}
	if _, _, ok := new(Session).ArticleList(); ok || list.IndexArticle(nil) != -1 {
		t.Error("ArticleList returned a list without a current page")
	}
}

// TestGroupList checks that GroupList returns the latest list, and the line of the group that was last opened
// from this list. If none was opened, it must return the line of the cursor.
func TestGroupList(t *testing.T) {
	groups := func() *Page {
		return listPage(t, "news:*", protocols.LayoutGroups, protocols.Group, "news:a.a", "news:a.b", "news:a.c")
	}
	article := listPage(t, "news:a.c", protocols.LayoutText, protocols.Text)
	group := func(url string) *Page { return listPage(t, url, protocols.LayoutArticles, protocols.Article) }
	first, last, dropped := groups(), groups(), groups()
	first.Cursor, last.Cursor, dropped.Dropped = 2, 1, true
	for _, tt := range []struct {
		name  string
		pages []*Page
		want  *Page
		line  int
	}{
		{"nothing", nil, nil, 0},
		{"the cursor's", []*Page{first}, first, 2},
		{"that of the articles", []*Page{first, group("news:a.a"), article}, first, 0},
		{"of two the last", []*Page{first, group("news:a.a"), group("news:a.b"), group("news:z")}, first, 1},
		{"the latest list", []*Page{first, group("news:a.c"), last, dropped}, last, 1},
	} {
		var s Session
		for _, p := range tt.pages {
			s.stack.Push(p)
		}
		if got, line := s.GroupList(); got != tt.want || line != tt.line {
			t.Errorf("%s: GroupList = %v, line %d; want %v, line %d", tt.name, got, line, tt.want, tt.line)
		}
	}
}

// TestParentAndUp checks the URLs that Parent and Up return: for a follow-up, the article that it answers and
// the group of the follow-up.
func TestParentAndUp(t *testing.T) {
	header := func(text, link string) protocols.Line {
		l := protocols.Line{Kind: protocols.Header, Text: text}
		if link != "" {
			l.Link = mustParse(t, link)
		}
		return l
	}
	references := []protocols.Line{
		header("From: a", "mailto:a@x"),
		header("Newsgroups: a.b,", "news:a.b"),
		header("  a.c", "news:a.c"),
		header("References: <1@x>", "news:1@x"),
		header("  <2@x>", "news:2@x"),
		header("  and so on", ""),
		header("", ""),
		header("Message-ID: <3@x>", "news:3@x"),
		{Text: ""},
		{Kind: protocols.Header, Text: "References: <4@x>", Link: mustParse(t, "news:4@x")},
	}
	for _, tt := range []struct {
		name, url, media string
		lines            []protocols.Line
		parent, up       string
	}{
		{"an answer", "news:3@x", protocols.MediaArticle, references, "news:2@x", "news:a.b"},
		{"a first article", "news:3@x", protocols.MediaArticle, references[:3], "", "news:a.b"},
		{"without groups", "nntp://h/a.z/3", protocols.MediaArticle, references[3:], "news:2@x", "nntp://h/a.z"},
		{"of the body", "news:3@x", protocols.MediaArticle, []protocols.Line{{Text: ""}, header("Newsgroups: a.b", "news:a.b")}, "", "news:*"},
		{"of a group", "news:a.z", protocols.MediaArticle, references, "news:2@x", "news:*"},
		{"no article", "gopher://h/0/a/b", "text/plain", references, "", "gopher://h/1/a"},
	} {
		p := &Page{Head: protocols.Head{URL: mustParse(t, tt.url), Media: tt.media}}
		p.Lines.Append(tt.lines...)
		text := func(u urlcore.URL, ok bool) string {
			if !ok {
				return ""
			}
			return u.String()
		}
		fetchtest.Equal(t, text(p.Parent()), tt.parent, "%s: it answers", tt.name)
		fetchtest.Equal(t, text(p.Up()), tt.up, "%s: up leads to", tt.name)
	}
}

func TestIndexID(t *testing.T) {
	var p Page
	for _, id := range []string{"a", "", "b", "a"} {
		p.Lines.Append(protocols.Line{Text: id, Note: &protocols.Hypertext{IDs: []string{"x" + id, id}}})
	}
	p.Lines.Append(protocols.Line{Text: "no place"})
	for _, tt := range []struct {
		id         string
		from, want int
	}{{"a", 0, 0}, {"a", 1, 3}, {"b", 0, 2}, {"b", 2, 2}, {"b", 3, -1}, {"c", 0, -1}, {"top", 0, -1}, {"a", 5, -1}} {
		fetchtest.Equal(t, p.IndexID(tt.id, tt.from), tt.want, "%q from line %d", tt.id, tt.from)
	}
	p.Err = io.EOF
	fetchtest.Equal(t, p.IndexID("Top", 0), 0, "the beginning of a page that is whole")
	fetchtest.Equal(t, p.IndexID("c", 0), -1, "nowhere in a page that is whole")
}

// TestTextLinks finds the links of a text, some of which continue in the next lines.
func TestTextLinks(t *testing.T) {
	p := &Page{Head: protocols.Head{URL: mustParse(t, "news:9@x"), Media: protocols.MediaArticle}}
	p.Lines.Append(
		protocols.Line{Kind: protocols.Header, Text: "From:  joe ", Link: mustParse(t, "mailto:joe@x")},
		protocols.Line{Kind: protocols.Header, Text: "  <1@x> ", Link: mustParse(t, "news:1@x")},
		protocols.Line{Text: ""},
		protocols.Line{Text: "see gopher://a/1 and gopher://b/1, <URL:gopher://c"},
		protocols.Line{Text: "/1/d/"},
		protocols.Line{Text: " e> and gopher://f/1"},
		protocols.Line{Text: "> text <URL:gopher://g"},
		protocols.Line{Text: "> /1/h>."},
		protocols.Line{Text: "a < b"},
		protocols.Line{Text: ""},
		protocols.Line{Text: "gopher://i/1/j"},
		protocols.Line{Text: "  k"},
		protocols.Line{Text: ""},
		protocols.Line{Text: "<URL:"},
	)
	for i, tt := range []struct {
		want  []TextLink
		count int
		open  bool
	}{
		{[]TextLink{{mustParse(t, "mailto:joe@x"), "", 7, 10, 0, 1}}, 1, false},
		{[]TextLink{{mustParse(t, "news:1@x"), "", 2, 7, 1, 1}}, 1, false},
		{},
		{[]TextLink{
			{mustParse(t, "gopher://a/1"), "", 4, 16, 3, 1},
			{mustParse(t, "gopher://b/1"), "", 21, 33, 3, 2},
			{mustParse(t, "gopher://c/1/d/e"), "", 35, 50, 3, 3},
		}, 3, false},
		{[]TextLink{{mustParse(t, "gopher://c/1/d/e"), "", 0, 5, 3, 3}}, 0, false},
		{[]TextLink{{mustParse(t, "gopher://c/1/d/e"), "", 1, 3, 3, 3}, {mustParse(t, "gopher://f/1"), "", 8, 20, 5, 1}}, 1, false},
		{[]TextLink{{mustParse(t, "gopher://g/1/h"), "", 7, 22, 6, 1}}, 1, false},
		{[]TextLink{{mustParse(t, "gopher://g/1/h"), "", 2, 7, 6, 1}}, 0, false},
		{},
		{},
		{[]TextLink{{mustParse(t, "gopher://i/1/jk"), "", 0, 14, 10, 1}}, 1, false},
		{[]TextLink{{mustParse(t, "gopher://i/1/jk"), "", 2, 3, 10, 1}}, 0, false},
		{},
		{nil, 0, true},
	} {
		for _, whole := range []bool{false, true} {
			if p.Err = nil; whole {
				p.Err = io.EOF
			}
			links, open := p.TextLinks(i)
			if open != (tt.open && !whole) || len(links) != len(tt.want) || p.CountLinks(i) != tt.count {
				t.Errorf("line %d, whole %v: got %v, open %v, %d begin there, want %v", i, whole, links, open, p.CountLinks(i), tt.want)
				continue
			}
			for k := range links {
				fetchtest.Equal(t, links[k], tt.want[k], "line %d: link %d", i, k)
			}
		}
	}
	if !p.IsText() {
		t.Error("IsText returned false for an article")
	}
	if p.Media = document.MediaMailbox; p.IsText() {
		t.Error("IsText returned true for a list of messages")
	}
}

// TestDotsWhileLoading checks that names that begin with a dot are hidden while a directory loads,
// and shown when the user asks for them.
func TestDotsWhileLoading(t *testing.T) {
	entry := func(name string) protocols.Line {
		return protocols.Line{Kind: protocols.Text, Text: name, Link: testURL("test:" + name), Note: &protocols.FileNote{Size: -1}}
	}
	var s Session
	s.load = &Load{URL: somewhere, done: make(chan struct{}), cancel: func(error) {}}
	p := s.Answer(s.load, protocols.Head{Layout: protocols.LayoutDirectory})
	for _, tt := range []struct {
		lines  []protocols.Line
		end    error
		want   string
		hidden int
	}{
		{[]protocols.Line{entry("b")}, nil, "b", 0},
		{[]protocols.Line{entry("d"), entry(".c"), {Text: ".a note of ours"}, entry("a")}, nil, "b d .a note of ours a", 1},
		{[]protocols.Line{entry(".e"), entry("f")}, nil, "b d .a note of ours a f", 2},
		{nil, io.EOF, "a b d f .a note of ours", 2},
	} {
		s.Append(s.load, linesOf(tt.lines...), tt.end)
		if got := shownTexts(p); got != tt.want || p.Hidden != tt.hidden {
			t.Errorf("lines while loading: got %q, %d hidden; want %q, %d hidden", got, p.Hidden, tt.want, tt.hidden)
		}
	}
	for _, show := range []bool{true, false} {
		want, hidden := ".c .e a b d f .a note of ours", 0
		if !show {
			want, hidden = "a b d f .a note of ours", 2
		}
		if s.ShowDots(p, show); shownTexts(p) != want || p.Hidden != hidden || s.Dots != show {
			t.Errorf("ShowDots(%v): got %q, %d hidden; want %q, %d hidden", show, shownTexts(p), p.Hidden, want, hidden)
		}
	}
}

func shownTexts(p *Page) string {
	text := ""
	for i, l := range p.Lines.All(0) {
		if i > 0 {
			text += " "
		}
		text += l.Text
	}
	return text
}

// TestLearnKind checks that a name in a directory gets the kind of its content.
func TestLearnKind(t *testing.T) {
	dir := func() *Page {
		p := listPage(t, "ftp://h/", protocols.LayoutDirectory, protocols.Other, "ftp://h/a", "ftp://h/b", "ftp://h/a")
		p.Cursor = 2
		return p
	}
	for _, tt := range []struct {
		name   string
		change func(p, came *Page)
		want   [3]protocols.Kind
	}{
		{"a text", func(_, came *Page) { came.Media = "application/x-sh" }, [3]protocols.Kind{2: protocols.Text}},
		{"HTML", func(_, came *Page) { came.Media = "text/html" }, [3]protocols.Kind{2: protocols.HTML}},
		{
			"a picture", func(_, came *Page) { came.Media, came.Layout = "image/png", protocols.LayoutBinary },
			[3]protocols.Kind{2: protocols.Image},
		},
		{"octets", func(_, came *Page) { came.Media, came.Layout = "x/y", protocols.LayoutBinary }, [3]protocols.Kind{}},
		{"a directory", func(_, came *Page) { came.Layout = protocols.LayoutDirectory }, [3]protocols.Kind{2: protocols.Directory}},
		{"a menu", func(_, came *Page) { came.Layout, came.Media = protocols.LayoutMenu, "image/png" }, [3]protocols.Kind{}},
		{"of another line", func(p, _ *Page) { p.Cursor = 1 }, [3]protocols.Kind{protocols.Text}},
		{"of no line", func(p, _ *Page) { p.Cursor = -1 }, [3]protocols.Kind{protocols.Text}},
		{"from elsewhere", func(_, came *Page) { came.Asked = somewhere }, [3]protocols.Kind{}},
		{"not loaded", func(_, came *Page) { came.Asked = nil }, [3]protocols.Kind{}},
		{"failed", func(_, came *Page) { came.Failed = io.EOF }, [3]protocols.Kind{}},
		{"to no directory", func(p, _ *Page) { p.Layout = protocols.LayoutMenu }, [3]protocols.Kind{}},
	} {
		p, came := dir(), &Page{Asked: fetchtest.Parse(t, "ftp://h/a")}
		came.Media = "text/plain"
		tt.change(p, came)
		p.LearnKind(came)
		for i, want := range tt.want {
			if want == 0 {
				want = protocols.Other
			}
			fetchtest.Equal(t, p.Lines.At(i).Kind, want, "%s: line %d", tt.name, i)
		}
	}
}
