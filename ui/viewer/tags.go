package viewer

import (
	"fmt"
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

// Tagged are the tagged items of a page that are shown, in their order. An action on them leaves
// tagged items alone that a filter, a fold or another setting hides.
type Tagged struct {
	View   *Viewer
	Lines  []protocols.Line
	Hidden int  // tagged items that are not shown
	Unread bool // one of Lines is unread
	page   *nav.Page
	extent string
}

// Tagged returns the tagged items of the page, or nil if none is tagged.
func (v *Viewer) Tagged() *Tagged {
	p := v.Session.Page()
	if p == nil || p.Tags.Count == 0 {
		return nil
	}
	t, all := &Tagged{View: v, page: p, extent: extent(&p.Tags)}, nav.Tags{}
	v.eachItem(func(i int) {
		if p.Tagged(i) {
			line := p.Lines.At(i)
			all.Add(&line, 1)
			t.Lines = append(t.Lines, line)
			t.Unread = t.Unread || p.Lines.State(i)&nav.Unread != 0
		}
	})
	t.Hidden, t.extent = p.Tags.Count-len(t.Lines), extent(&all)
	return t
}

// eachItem calls do for each line of the page that is shown.
func (v *Viewer) eachItem(do func(i int)) {
	for i, n := v.Pager.After(-1), v.Pager.Page.Lines.Len(); i < n; i = v.Pager.After(i) {
		do(i)
	}
}

// What returns the name of the item, or the number of the items.
func (t *Tagged) What() string {
	if len(t.Lines) == 1 {
		return clean.Name(t.View.Pager.LineText(&t.Lines[0]))
	}
	return english.Plural(len(t.Lines), "tagged item", "")
}

// Links returns the links of the items.
func (t *Tagged) Links() []urlcore.URL {
	links := make([]urlcore.URL, len(t.Lines))
	for i := range t.Lines {
		links[i] = t.Lines[i].Link
	}
	return links
}

// Question returns the question whether to do something to the items: verb, their number and
// size, and rest. If none of them is shown, it says so.
func (t *Tagged) Question(verb, rest string, destructive bool, yes func() tea.Cmd) tea.Cmd {
	if len(t.Lines) == 0 {
		return t.SayHidden()
	}
	q := ask.NewQuestion(verb+" "+t.What()+t.extent+rest+"?", destructive, yes)
	if t.Hidden > 0 {
		q.Reason = english.Plural(t.Hidden, "hidden item stays", "hidden items stay") + " tagged."
	}
	return t.View.Ask(q)
}

// SayHidden says that no tagged item is shown.
func (t *Tagged) SayHidden() tea.Cmd {
	return t.View.host.Say("the tagged items are hidden: " + t.View.host.KeyOf("stop") + " clears a filter, " + t.View.host.KeyOf("untag all") + " untags them")
}

// Untag untags the items with these links, also after a reload of their page.
func (t *Tagged) Untag(links ...urlcore.URL) {
	t.page.Untag(links...)
	if p := t.View.Session.Page(); p != t.page && p != nil && p.URL == t.page.URL {
		p.Untag(links...)
	}
}

// extent returns the size of tagged items as " (1.2 MB and 2 of unknown size)", or "".
func extent(t *nav.Tags) string {
	switch {
	case t.Unsized == t.Count:
		return ""
	case t.Unsized > 0:
		return fmt.Sprintf(" (%s and %d of unknown size)", cell.Size(t.Octets), t.Unsized)
	}
	return " (" + cell.Size(t.Octets) + ")"
}

// tagText returns the number and size of the tagged items, as in "3 tagged, 1.2 MB", or "". A
// plus sign means that the size of others is unknown.
func (v *Viewer) tagText(p *nav.Page) string {
	if p.Tags.Count == 0 {
		return ""
	}
	text := fmt.Sprintf("%d tagged", p.Tags.Count)
	if p.Tags.Unsized < p.Tags.Count && v.Pager.Width >= shortTags {
		text += ", " + cell.Size(p.Tags.Octets)
		if p.Tags.Unsized > 0 {
			text += "+"
		}
	}
	return text
}

// shortTags is the width of the screen below which the size of tagged items is left out.
const shortTags = 34

// noItem says that nothing can be tagged here.
func (v *Viewer) noItem() tea.Cmd { return v.host.Say("there is no item to tag here") }

// IsList reports whether the page has items that can be tagged.
func (v *Viewer) IsList() bool { return v.list() != nil }

// list returns the page if it has items that can be tagged.
func (v *Viewer) list() *nav.Page {
	p := v.Session.Page()
	if p == nil || p.Layout.Document() || p.Failed != nil {
		return nil
	}
	return p
}

// Tag tags the item under the cursor, or untags it, and goes to the next item.
func (v *Viewer) Tag() tea.Cmd {
	p := v.list()
	if p == nil {
		return v.noItem()
	}
	if _, ok := v.Pager.Current(); !ok || !p.Tag(p.Cursor, !p.Tagged(p.Cursor)) {
		return v.noItem()
	}
	v.Pager.Jump(1)
	return nil
}

// TagAll tags all items that are shown.
func (v *Viewer) TagAll() tea.Cmd {
	return v.tagShown("tagged", func(*nav.Page, int) bool { return true })
}

// InvertTags tags the items that are shown and not tagged, and untags the others of them.
func (v *Viewer) InvertTags() tea.Cmd {
	return v.tagShown("inverted", func(p *nav.Page, i int) bool { return !p.Tagged(i) })
}

func (v *Viewer) tagShown(done string, on func(p *nav.Page, i int) bool) tea.Cmd {
	p := v.list()
	if p == nil {
		return v.noItem()
	}
	n := 0
	v.eachItem(func(i int) {
		if p.Tag(i, on(p, i)) {
			n++
		}
	})
	return v.host.Say(done + " " + english.Plural(n, "item", ""))
}

// UntagAll untags all items, also those that are not shown.
func (v *Viewer) UntagAll() tea.Cmd {
	p := v.list()
	if p == nil {
		return v.noItem()
	}
	n := p.Tags.Count
	p.UntagAll()
	return v.host.Say("untagged " + english.Plural(n, "item", ""))
}

// tagger tags the items of a page whose texts match a pattern, a slice at a time.
type tagger struct {
	page *nav.Page
	glob string // of path.Match, in lower case, with slashes as other characters
	on   bool   // or untags them
	next int    // the line to look at
	n    int    // the items that have been changed
}

// foldText prepares a text or a pattern for [path.Match]: the case does not matter, and an asterisk
// matches slashes too.
func foldText(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x00") }

// AskTag asks for a pattern and tags the items that match it, or untags them.
func (v *Viewer) AskTag(on bool) tea.Cmd {
	page := v.list()
	if page == nil {
		return v.noItem()
	}
	title := map[bool]string{true: "Tag", false: "Untag"}[on] + " what matches, as in *.txt"
	return v.AskLine(title, "Pattern", "*", func(typed string) tea.Cmd {
		glob := foldText(strings.TrimSpace(typed))
		if _, err := path.Match(glob, ""); err != nil {
			return v.host.Say("not a pattern: " + typed + " (a bracket is not closed)")
		}
		v.tagger = &tagger{page: page, glob: glob, on: on}
		return v.Scan()
	})
}

// tagSlice tags the items in a slice of the page.
func (v *Viewer) tagSlice(b *budget) (changed bool) {
	t := v.tagger
	for n := t.page.Lines.Len(); b.left() && t.next < n; t.next = v.Pager.After(t.next) {
		if !v.Pager.Shown(t.next) {
			continue
		}
		text, _, raw := v.Pager.Text(t.next)
		b.take(len(text), raw)
		if ok, _ := path.Match(t.glob, foldText(text)); ok && t.page.Tag(t.next, t.on) {
			t.n++
		}
	}
	return b.left()
}

// sayTagged says how many items t has tagged if it has come to the end of the page.
func (v *Viewer) sayTagged(t *tagger) tea.Cmd {
	if t.next < t.page.Lines.Len() {
		return nil
	}
	v.tagger = nil
	done := map[bool]string{true: "tagged ", false: "untagged "}[t.on]
	return v.host.Say(done + english.Plural(t.n, "item", ""))
}
