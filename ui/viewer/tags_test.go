package viewer

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// named returns items with these names, whose sizes are 1000, 2000 and so on. The items without a
// name are no items.
func named(names ...string) (lines []protocols.Line) {
	for i, name := range names {
		l := protocols.Line{Kind: protocols.Text, Text: name, Note: &protocols.FileNote{Size: int64(i+1) * 1000}}
		if name != "" {
			l.Link, _ = urlcore.NewFTP(urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, []string{"pub"}, name, 0)
		}
		lines = append(lines, l)
	}
	return lines
}

// end continues the searches of v to their end.
func (v *Viewer) end() {
	for v.Scan() != nil || v.scanning {
		v.Slice(true)
	}
}

// submit ends the prompt of v with an answer.
func (v *Viewer) submit(answer string) {
	l := v.Prompt.(*ask.Line)
	v.Prompt = nil
	l.Finish([]string{answer})
	v.end()
}

// taggedNames returns the texts of all tagged lines.
func taggedNames(v *Viewer) string {
	var names []string
	for i, l := range v.Session.Page().Lines.All(0) {
		if v.Session.Page().Tagged(i) {
			names = append(names, l.Text)
		}
	}
	return strings.Join(names, " ")
}

// TestTag tags items in each way.
func TestTag(t *testing.T) {
	const all = "a.txt b.TXT c[1].gif d/e.txt f"
	filter := func(text string) func(*Viewer) tea.Cmd {
		return func(v *Viewer) tea.Cmd { cmd, _ := v.narrow(text); v.end(); return cmd }
	}
	pattern := func(on bool, typed string) func(*Viewer) tea.Cmd {
		return func(v *Viewer) tea.Cmd { v.AskTag(on); v.submit(typed); return nil }
	}
	sized := func(v *Viewer) tea.Cmd { // sorted by size, the largest first
		v.Session.Sort(v.Session.Page(), nav.Order{By: "size", Reversed: true})
		v.Show()
		return nil
	}
	for name, tt := range map[string]struct {
		do   []func(*Viewer) tea.Cmd
		want string // tagged
		said string
		text string // in the status line
	}{
		"one":             {[]func(*Viewer) tea.Cmd{(*Viewer).Tag}, "a.txt", "", "1 tagged, 1.0 kB"},
		"two":             {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, (*Viewer).Tag}, "a.txt b.TXT", "", "2 tagged, 3.0 kB"},
		"none again":      {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, (*Viewer).Top, (*Viewer).Tag}, "", "", ""},
		"over a gap":      {[]func(*Viewer) tea.Cmd{(*Viewer).Bottom, (*Viewer).Tag, (*Viewer).Tag, (*Viewer).Tag}, "f", "", "1 tagged, 6.0 kB"},
		"all":             {[]func(*Viewer) tea.Cmd{(*Viewer).TagAll}, all, "tagged 5 items", "5 tagged, 16 kB"},
		"rest":            {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, (*Viewer).TagAll}, all, "tagged 4 items", "5 tagged, 16 kB"},
		"inverted":        {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, (*Viewer).InvertTags}, "b.TXT c[1].gif d/e.txt f", "inverted 5 items", "4 tagged, 15 kB"},
		"pattern":         {[]func(*Viewer) tea.Cmd{pattern(true, "*.txt")}, "a.txt b.TXT d/e.txt", "tagged 3 items", "3 tagged, 7.0 kB"},
		"escaped":         {[]func(*Viewer) tea.Cmd{pattern(true, `C\[?]*`)}, "c[1].gif", "tagged 1 item", "1 tagged, 3.0 kB"},
		"whole":           {[]func(*Viewer) tea.Cmd{pattern(true, "txt")}, "", "tagged 0 items", ""},
		"untag a pattern": {[]func(*Viewer) tea.Cmd{(*Viewer).TagAll, pattern(false, " *.txt ")}, "c[1].gif f", "tagged 5 items, untagged 3 items", "2 tagged, 9.0 kB"},
		"no pattern":      {[]func(*Viewer) tea.Cmd{pattern(true, "[a")}, "", "not a pattern: [a (a bracket is not closed)", ""},
		"blank":           {[]func(*Viewer) tea.Cmd{(*Viewer).TagAll, pattern(false, " ")}, all, "tagged 5 items", "5 tagged, 16 kB"},
		"untag all":       {[]func(*Viewer) tea.Cmd{(*Viewer).TagAll, filter("gif"), (*Viewer).UntagAll}, "", "tagged 5 items, untagged 5 items", ""},
		"filter, all":     {[]func(*Viewer) tea.Cmd{filter("txt"), (*Viewer).TagAll}, "a.txt b.TXT d/e.txt", "tagged 3 items", "3 tagged, 7.0 kB"},
		"filter, pattern": {[]func(*Viewer) tea.Cmd{filter("e"), pattern(true, "*.txt")}, "d/e.txt", "tagged 1 item", "1 tagged, 4.0 kB"},
		"filter, inverted": {
			[]func(*Viewer) tea.Cmd{(*Viewer).Tag, filter("gif"), (*Viewer).InvertTags, (*Viewer).ClearFilter},
			"a.txt c[1].gif",
			"inverted 1 item", "2 tagged, 4.0 kB",
		},
		"sorted": {[]func(*Viewer) tea.Cmd{(*Viewer).Tag, sized}, "a.txt", "", "1 tagged, 1.0 kB"},
	} {
		t.Run(name, func(t *testing.T) {
			v, said := viewing(named("a.txt", "b.TXT", "c[1].gif", "d/e.txt", "", "f", "")...)
			for _, do := range tt.do {
				do(v)
			}
			fetchtest.Equal(t, taggedNames(v), tt.want, "tagged")
			fetchtest.Equal(t, strings.Join(*said, ", "), tt.said, "said")
			fetchtest.Equal(t, v.tagText(v.Session.Page()), tt.text, "status")
		})
	}
}

// TestTagGoesToTheNextItem moves the cursor, however far away the next item is.
func TestTagGoesToTheNextItem(t *testing.T) {
	lines := named("a")
	for range 100 {
		lines = append(lines, protocols.Line{Text: "no item"})
	}
	v, _ := viewing(append(lines, named("b")...)...)
	v.Tag()
	fetchtest.Equal(t, v.Session.Page().Cursor, 101, "cursor")
	v.Tag()
	fetchtest.Equal(t, taggedNames(v), "a b", "tagged")
}

// TestTagsOfNoList tags nothing where no item is, and says so.
func TestTagsOfNoList(t *testing.T) {
	for name, do := range map[string]func(*Viewer) tea.Cmd{
		"tag": (*Viewer).Tag, "all": (*Viewer).TagAll, "invert": (*Viewer).InvertTags, "untag": (*Viewer).UntagAll,
		"pattern": func(v *Viewer) tea.Cmd { return v.AskTag(true) },
	} {
		v, said := viewing(named("a")...)
		v.Session.Page().Layout = protocols.LayoutText
		do(v)
		if v.Prompt != nil || v.IsList() || v.Tagged() != nil {
			t.Errorf("%s: a text is a list", name)
		}
		fetchtest.EqualSlices(t, *said, []string{"there is no item to tag here"}, name)
	}
	v, said := viewing(named("")...)
	v.Tag()
	fetchtest.EqualSlices(t, *said, []string{"there is no item to tag here"}, "without an item")
	new(Viewer).Tagged() // nothing is loaded yet
}

// TestPatternInAHugePage tags a slice at a time, from the beginning again if the page is put in
// another order, and not in another page.
func TestPatternInAHugePage(t *testing.T) {
	const n = 3 * sliceLines
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("file %05d", n-i))
	}
	v, said := viewing(named(names...)...)
	v.AskTag(true)
	l := v.Prompt.(*ask.Line)
	v.Prompt = nil
	l.Finish([]string{"*0"})
	v.Slice(true)
	if got := v.Session.Page().Tags.Count; got == 0 || got > sliceLines/5 {
		t.Errorf("one slice has tagged %d items", got)
	}
	v.Session.Sort(v.Session.Page(), nav.Order{By: "name"})
	v.Show()
	v.end()
	fetchtest.Equal(t, v.Session.Page().Tags.Count, n/10, "tagged")
	fetchtest.EqualSlices(t, *said, []string{"tagged 1,228 items"}, "said")

	v.AskTag(true)
	l = v.Prompt.(*ask.Line)
	v.Prompt = nil
	l.Finish([]string{"*"})
	other := &nav.Page{Head: protocols.Head{Layout: protocols.LayoutMenu}}
	other.Lines.Append(named("a", "b")...)
	v.Session.Cover(other)
	v.Show()
	v.end()
	fetchtest.Equal(t, other.Tags.Count, 0, "tagged in another page")
}

// TestTaggedItems are those that are shown. The question names them, their size and the others.
func TestTaggedItems(t *testing.T) {
	v, said := viewing(named("a.txt", "b.gif", "c.txt", "d/")...)
	yes := 0
	ask1 := func() *ask.Question {
		t.Helper()
		v.Prompt = nil
		v.Tagged().Question("Eat", " now", true, func() tea.Cmd { yes++; return nil })
		q, _ := v.Prompt.(*ask.Question)
		return q
	}
	if v.Tagged() != nil {
		t.Fatal("items are tagged")
	}
	v.Tag()
	q := ask1()
	fetchtest.Equal(t, q.Title+q.Reason, `Eat "a.txt" (1.0 kB) now?`, "one")
	v.TagAll()
	q = ask1()
	fetchtest.Equal(t, q.Title+q.Reason, "Eat 4 tagged items (10 kB) now?", "all")
	if q.Yes(); !q.Destructive || yes != 1 {
		t.Errorf("the question %+v, answered %d times", q, yes)
	}
	v.narrow("txt")
	v.end()
	q = ask1()
	fetchtest.Equal(t, q.Title+" "+q.Reason, "Eat 2 tagged items (4.0 kB) now? 2 hidden items stay tagged.", "filtered")
	fetchtest.EqualSlices(t, v.Tagged().Links(), []urlcore.URL{named("a.txt")[0].Link, named("c.txt")[0].Link}, "links")
	v.narrow("txt a")
	v.end()
	q = ask1()
	fetchtest.Equal(t, q.Title+" "+q.Reason, `Eat "a.txt" (1.0 kB) now? 3 hidden items stay tagged.`, "one of all")
	v.Tag()
	*said = nil
	if ask1() != nil {
		t.Error("nothing is shown, and a question is asked")
	}
	fetchtest.EqualSlices(t, *said, []string{"the tagged items are hidden:  clears a filter,  untags them"}, "said")
}

// TestUntagAfterAReload untags the items in the page that has taken the place of theirs, and not in
// another that leads to them too.
func TestUntagAfterAReload(t *testing.T) {
	for _, other := range []urlcore.URL{nil, urlcore.Generic{Name: "other"}} {
		v, _ := viewing(named("a", "b")...)
		v.TagAll()
		tagged := v.Tagged()
		p := &nav.Page{Head: protocols.Head{URL: other, Layout: protocols.LayoutMenu}}
		p.Lines.Append(named("a", "b")...)
		v.Session.Cover(p)
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

// TestTagTextOfUnknownSizes says of which items the size is known.
func TestTagTextOfUnknownSizes(t *testing.T) {
	lines := named("a", "b")
	lines[1].Note = nil
	v, _ := viewing(lines...)
	v.Step(1)
	v.Tag()
	fetchtest.Equal(t, v.PlaceText(), "1 tagged  2/2", "place")
	v.Tagged().Question("Eat", "", false, nil)
	fetchtest.Equal(t, v.Prompt.(*ask.Question).Title, `Eat "b"?`, "question")
	v.TagAll()
	fetchtest.Equal(t, v.PlaceText(), "2 tagged, 1.0 kB+  2/2", "place")
	v.Tagged().Question("Eat", "", false, nil)
	fetchtest.Equal(t, v.Prompt.(*ask.Question).Title, "Eat 2 tagged items (1.0 kB and 1 of unknown size)?", "question")
	v.Resize(shortTags-1, 12, 8)
	fetchtest.Equal(t, v.PlaceText(), "2 tagged  2/2", "place on a narrow screen")
}

// BenchmarkTagAll tags and untags all items of a directory.
func BenchmarkTagAll(b *testing.B) {
	var names []string
	for i := range 100_000 {
		names = append(names, fmt.Sprintf("file %d of a directory.txt", i))
	}
	v, _ := viewing(named(names...)...)
	for b.Loop() {
		v.TagAll()
		v.Tagged()
		v.UntagAll()
	}
}
