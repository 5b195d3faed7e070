package viewer

import (
	"fmt"
	"iter"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// Items holds the items of a page that an action applies to.
type Items struct {
	View   *Viewer
	Lines  []protocols.Line
	Tagged bool // true for the tagged items, false for the item under the cursor
	Unread bool // at least one item is unread
	page   *nav.Page
}

// Items returns the tagged items that are shown, in the order of the page. If there are none, it
// returns the item under the cursor, or no item. Tagged items that are hidden, for example by a filter
// or a fold, are left out.
func (v *Viewer) Items() *Items {
	p := v.Session.Page()
	t := &Items{View: v, page: p, Tagged: true}
	if p != nil && p.Tags.Count > 0 {
		for i := range v.shownLines() {
			if p.IsTagged(i) {
				t.Lines = append(t.Lines, p.Lines.At(i))
				t.Unread = t.Unread || p.Lines.State(i)&nav.Unread != 0
			}
		}
	}
	if len(t.Lines) == 0 {
		return v.Item()
	}
	return t
}

// Item returns the item under the cursor, or no item.
func (v *Viewer) Item() *Items {
	t := &Items{View: v, page: v.Session.Page()}
	if line, ok := v.Pager.Current(); ok {
		t.Lines = append(t.Lines, line)
		t.Unread = t.page.Lines.State(t.page.Cursor)&nav.Unread != 0
	}
	return t
}

// shownLines yields the lines of the page that are shown.
func (v *Viewer) shownLines() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, n := v.Pager.LineBelow(-1), v.Pager.Page.Lines.Len(); i < n && yield(i); {
			i = v.Pager.LineBelow(i)
		}
	}
}

// Text returns the text of item i.
func (t *Items) Text(i int) string { return t.View.Pager.LineText(&t.Lines[i]) }

// Description returns the name of the item, or the number of the items.
func (t *Items) Description() string {
	if len(t.Lines) == 1 {
		return clean.Name(t.Text(0))
	}
	return english.Plural(len(t.Lines), "tagged item", "")
}

// Links returns the links of the items.
func (t *Items) Links() []urlcore.URL {
	links := make([]urlcore.URL, len(t.Lines))
	for i := range t.Lines {
		links[i] = t.Lines[i].Link
	}
	return links
}

// Question returns the question whether to do something to the items. Its text has three parts: the
// verb, the name of the item (or the number and the size of several items), and the rest.
func (t *Items) Question(verb, rest string, destructive bool, yes func() tea.Cmd) *ask.Question {
	q := ask.NewQuestion(verb+" "+t.Description()+t.size()+rest+"?", destructive, yes)
	if hidden := t.page.Tags.Count - len(t.Lines); t.Tagged && hidden > 0 {
		q.Reason = english.Plural(hidden, "hidden item stays", "hidden items stay") + " tagged."
	}
	return q
}

// size returns the size of several items as " (1.2 MB, 2 of unknown size)", or "".
func (t *Items) size() string {
	octets, sized := int64(0), 0
	for _, line := range t.Lines {
		if line.Note == nil || line.Kind == protocols.Directory {
			continue
		}
		for _, a := range line.Note.Attributes() {
			if size, ok := a.Value.(protocols.Octets); ok && size >= 0 {
				octets += int64(size)
				sized++
				break
			}
		}
	}
	switch n := len(t.Lines); {
	case n == 1, sized == 0:
		return ""
	case sized < n:
		return fmt.Sprintf(" (%s, %d of unknown size)", cell.Size(octets), n-sized)
	}
	return " (" + cell.Size(octets) + ")"
}

// Untag untags the items with these links. If their page was reloaded, it also untags them in the new
// page.
func (t *Items) Untag(links ...urlcore.URL) {
	t.page.Untag(links...)
	if p := t.View.Session.Page(); p != t.page && p != nil && p.URL == t.page.URL {
		p.Untag(links...)
	}
}

// notifyNoItem says that nothing can be tagged here.
func (v *Viewer) notifyNoItem() tea.Cmd { return v.host.Notify("no item to tag here") }

// IsList reports whether the page has items that can be tagged.
func (v *Viewer) IsList() bool {
	p := v.Session.Page()
	return p != nil && !p.Layout.IsDocument() && p.Failed == nil
}

// Tag tags the item under the cursor, or untags it, and goes to the next item.
func (v *Viewer) Tag() tea.Cmd {
	p := v.Session.Page()
	if _, ok := v.Pager.Current(); !ok || !v.IsList() || !p.Tag(p.Cursor, !p.IsTagged(p.Cursor)) {
		return v.notifyNoItem()
	}
	v.Pager.Jump(1)
	return nil
}

// TagAll tags all items that are shown.
func (v *Viewer) TagAll() tea.Cmd {
	return v.tagShown("tagged", func(*nav.Page, int) bool { return true })
}

// InvertTags tags the shown items that are not tagged, and untags the other shown items.
func (v *Viewer) InvertTags() tea.Cmd {
	return v.tagShown("inverted", func(p *nav.Page, i int) bool { return !p.IsTagged(i) })
}

// tagShown calls choose for each shown item. If choose returns true, tagShown tags the item, else it
// untags the item.
func (v *Viewer) tagShown(participle string, choose func(p *nav.Page, i int) bool) tea.Cmd {
	if !v.IsList() {
		return v.notifyNoItem()
	}
	p, n := v.Session.Page(), 0
	for i := range v.shownLines() {
		if p.Tag(i, choose(p, i)) {
			n++
		}
	}
	return v.host.Notify(participle + " " + english.Plural(n, "item", ""))
}

// UntagAll untags all items, also those that are not shown.
func (v *Viewer) UntagAll() tea.Cmd {
	if !v.IsList() {
		return v.notifyNoItem()
	}
	p := v.Session.Page()
	n := p.Tags.Count
	p.UntagAll()
	return v.host.Notify("untagged " + english.Plural(n, "item", ""))
}

// AskTag asks for a pattern. If on is true, it tags the items that match, else it untags them. The
// pattern has the syntax of [path.Match]. Unlike there, case does not matter, and an asterisk also
// matches slashes.
func (v *Viewer) AskTag(on bool) tea.Cmd {
	if !v.IsList() {
		return v.notifyNoItem()
	}
	fold := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x00") }
	title, participle := "Tag", "tagged"
	if !on {
		title, participle = "Untag", "untagged"
	}
	return v.AskLine(title+" what matches, as in *.txt", "Pattern", "*", func(typed string) tea.Cmd {
		glob := fold(strings.TrimSpace(typed))
		if _, err := path.Match(glob, ""); err != nil {
			return v.host.Notify("not a pattern: " + typed + " (a bracket is not closed)")
		}
		return v.tagShown(participle, func(p *nav.Page, i int) bool {
			text, _, _ := v.Pager.Text(i)
			if ok, _ := path.Match(glob, fold(text)); ok {
				return on
			}
			return p.IsTagged(i)
		})
	})
}
