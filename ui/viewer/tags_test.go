package viewer

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// namedItems returns items with the given names and with sizes of 1000, 2000 and so on. An empty name
// makes a line that is not an item.
func namedItems(names ...string) (lines []protocols.Line) {
	for i, name := range names {
		l := protocols.Line{Kind: protocols.Text, Text: name, Note: &protocols.FileNote{Size: int64(i+1) * 1000}}
		if name != "" {
			l.Link, _ = urlcore.NewFTP(urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, []string{"pub"}, name, 0)
		}
		lines = append(lines, l)
	}
	return lines
}

// finishSearches runs the searches of v to their end.
func (v *Viewer) finishSearches() {
	for v.Scan() != nil || v.scanning {
		v.SearchPortion(true)
	}
}

// submit answers the prompt of v.
func (v *Viewer) submit(answer string) {
	l := v.Prompt.(*ask.Line)
	v.Prompt = nil
	l.Finish([]string{answer})
	v.finishSearches()
}

// taggedNames returns the texts of all tagged lines.
func taggedNames(v *Viewer) string {
	var names []string
	for i, l := range v.Session.Page().Lines.All(0) {
		if v.Session.Page().IsTagged(i) {
			names = append(names, l.Text)
		}
	}
	return strings.Join(names, " ")
}

// TestTag tags items with each action.
func TestTag(t *testing.T) {
	const all = "a.txt b.TXT c[1].gif d/e.txt f"
	filter := func(text string) func(*Viewer) tea.Cmd {
		return func(v *Viewer) tea.Cmd { cmd, _ := v.filterTyped(text); v.finishSearches(); return cmd }
	}
	pattern := func(on bool, typed string) func(*Viewer) tea.Cmd {
		return func(v *Viewer) tea.Cmd { v.AskTag(on); v.submit(typed); return nil }
	}
	sortBySize := func(v *Viewer) tea.Cmd { // largest first
		v.Session.Sort(v.Session.Page(), nav.Order{By: "size", Reversed: true})
		v.Show()
		return nil
	}
	for name, tt := range map[string]struct {
		do      []func(*Viewer) tea.Cmd
		want    string // names of the tagged items
		notices string
		text    string // text in the status line
	}{
		"one":        {[]func(*Viewer) tea.Cmd{(*Viewer).Tag}, "a.txt", "", "1 tagged"},
		"two":        {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, (*Viewer).Tag}, "a.txt b.TXT", "", "2 tagged"},
		"none again": {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, (*Viewer).GoToTop, (*Viewer).Tag}, "", "", ""},
		"over a gap": {[]func(*Viewer) tea.Cmd{(*Viewer).GoToBottom, (*Viewer).Tag, (*Viewer).Tag, (*Viewer).Tag}, "f", "", "1 tagged"},
		"all":        {[]func(*Viewer) tea.Cmd{(*Viewer).TagAll}, all, "tagged 5 items", "5 tagged"},
		"rest":       {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, (*Viewer).TagAll}, all, "tagged 4 items", "5 tagged"},
		"inverted": {
			[]func(*Viewer) tea.Cmd{(*Viewer).Tag, (*Viewer).InvertTags},
			"b.TXT c[1].gif d/e.txt f",
			"inverted 5 items", "4 tagged",
		},
		"pattern": {[]func(*Viewer) tea.Cmd{pattern(true, "*.txt")}, "a.txt b.TXT d/e.txt", "tagged 3 items", "3 tagged"},
		"escaped": {[]func(*Viewer) tea.Cmd{pattern(true, `C\[?]*`)}, "c[1].gif", "tagged 1 item", "1 tagged"},
		"whole":   {[]func(*Viewer) tea.Cmd{pattern(true, "txt")}, "", "tagged 0 items", ""},
		"untag a pattern": {
			[]func(*Viewer) tea.Cmd{(*Viewer).TagAll, pattern(false, " *.txt ")},
			"c[1].gif f",
			"tagged 5 items, untagged 3 items", "2 tagged",
		},
		"no pattern": {[]func(*Viewer) tea.Cmd{pattern(true, "[a")}, "", "not a pattern: [a (a bracket is not closed)", ""},
		"blank":      {[]func(*Viewer) tea.Cmd{(*Viewer).TagAll, pattern(false, " ")}, all, "tagged 5 items", "5 tagged"},
		"untag all": {
			[]func(*Viewer) tea.Cmd{(*Viewer).TagAll, filter("gif"), (*Viewer).UntagAll},
			"",
			"tagged 5 items, untagged 5 items", "",
		},
		"filter, all":     {[]func(*Viewer) tea.Cmd{filter("txt"), (*Viewer).TagAll}, "a.txt b.TXT d/e.txt", "tagged 3 items", "3 tagged"},
		"filter, pattern": {[]func(*Viewer) tea.Cmd{filter("e"), pattern(true, "*.txt")}, "d/e.txt", "tagged 1 item", "1 tagged"},
		"filter, inverted": {
			[]func(*Viewer) tea.Cmd{(*Viewer).Tag, filter("gif"), (*Viewer).InvertTags, (*Viewer).ClearFilter},
			"a.txt c[1].gif",
			"inverted 1 item", "2 tagged",
		},
		"sorted": {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, sortBySize}, "a.txt", "", "1 tagged"},
	} {
		t.Run(name, func(t *testing.T) {
			v, notices := newViewer(namedItems("a.txt", "b.TXT", "c[1].gif", "d/e.txt", "", "f", "")...)
			for _, do := range tt.do {
				do(v)
			}
			fetchtest.Equal(t, taggedNames(v), tt.want, "tagged")
			fetchtest.Equal(t, strings.Join(*notices, ", "), tt.notices, "notices")
			place, _, tagged := strings.Cut(v.PlaceText(), "  ")
			if !tagged {
				place = ""
			}
			fetchtest.Equal(t, place, tt.text, "status")
		})
	}
}

// TestTagWithoutItems checks the notice on pages without an item to tag.
func TestTagWithoutItems(t *testing.T) {
	for name, do := range map[string]func(*Viewer) tea.Cmd{
		"tag": (*Viewer).Tag, "all": (*Viewer).TagAll, "invert": (*Viewer).InvertTags, "untag": (*Viewer).UntagAll,
		"pattern": func(v *Viewer) tea.Cmd { return v.AskTag(true) },
	} {
		v, notices := newViewer(namedItems("a")...)
		v.Session.Page().Layout = protocols.LayoutText
		do(v)
		if v.Prompt != nil || v.IsList() || v.Items().Tagged {
			t.Errorf("%s: got a prompt, a list or tagged items, want none", name)
		}
		fetchtest.EqualSlices(t, *notices, []string{"no item to tag here"}, name)
	}
	v, notices := newViewer(namedItems("")...)
	v.Tag()
	fetchtest.EqualSlices(t, *notices, []string{"no item to tag here"}, "without an item")
	fetchtest.Equal(t, len(new(Viewer).Items().Lines), 0, "items before a page is loaded")
}

// TestItems checks that actions apply to the tagged items that are shown, or else to the item under the
// cursor. The question must name the items, their size and the number of hidden items.
func TestItems(t *testing.T) {
	v, _ := newViewer(namedItems("a.txt", "b.gif", "c.txt", "d/")...)
	yes := 0
	question := func(name, want string) *ask.Question {
		t.Helper()
		q := v.Items().Question("Eat", " now", true, func() tea.Cmd { yes++; return nil })
		fetchtest.Equal(t, q.Title+q.Reason, want, name)
		return q
	}
	v.Tag()
	question("one", `Eat "a.txt" now?`)
	v.TagAll()
	q := question("all", "Eat 4 tagged items (10 kB) now?")
	if q.Yes(); !q.Destructive || yes != 1 {
		t.Errorf("got the question %+v, answered %d times; want a destructive one, answered once", q, yes)
	}
	v.filterTyped("txt")
	v.finishSearches()
	question("filtered", "Eat 2 tagged items (4.0 kB) now?2 hidden items stay tagged.")
	fetchtest.EqualSlices(t, v.Items().Links(), []urlcore.URL{namedItems("a.txt")[0].Link, namedItems("c.txt")[0].Link}, "links")
	v.filterTyped("txt a")
	v.finishSearches()
	question("one of all", `Eat "a.txt" now?3 hidden items stay tagged.`)
	v.Tag()
	question("the cursor", `Eat "a.txt" now?`)
	if v.Items().Tagged || !v.Session.Page().IsTagged(1) {
		t.Error("the item under the cursor is tagged, or the hidden items are not")
	}
}

// TestUntagAfterReload checks that items are untagged in the reloaded page, but not in another page
// with the same links.
func TestUntagAfterReload(t *testing.T) {
	for _, other := range []urlcore.URL{nil, urlcore.Generic{Name: "other"}} {
		v, _ := newViewer(namedItems("a", "b")...)
		v.TagAll()
		tagged := v.Items()
		p := &nav.Page{Head: protocols.Head{URL: other, Layout: protocols.LayoutMenu}}
		p.Lines.Append(namedItems("a", "b")...)
		v.Session.PushOverlay(p)
		v.Show()
		v.TagAll()
		tagged.Untag(tagged.Links()[:1]...)
		want := "b"
		if other != nil {
			want = "a b"
		}
		fetchtest.Equal(t, taggedNames(v), want, "tagged")
		fetchtest.Equal(t, tagged.page.Tags.Count, 1, "tagged in the old page")
	}
}

// TestUnknownSizes checks that the question counts the items of unknown size.
func TestUnknownSizes(t *testing.T) {
	lines := namedItems("a", "b", "c", "d")
	lines[1].Note, lines[2].Kind = nil, protocols.Directory
	lines[3].Note = &protocols.ArticleNote{Bytes: 3000}
	v, _ := newViewer(lines...)
	v.TagAll()
	fetchtest.Equal(t, v.Items().Question("Eat", "", false, nil).Title, "Eat 4 tagged items (4.0 kB, 2 of unknown size)?", "question")
}
