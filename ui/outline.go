package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/ui/ask"
)

// maxHeadings bounds how many headings of a page are listed.
const maxHeadings = 5000

// outliner collects the headings of a page, a slice at a time.
type outliner struct {
	page     *nav.Page
	headings *document.Headings
	list     *ask.List
	lines    []int // of the headings
	next     int   // the line to look at
}

// outlinePrompt asks for a heading to go to.
type outlinePrompt struct {
	*ask.Choose
	outline *outliner
}

// startOutline lists the headings of the page, of which one is gone to.
func (t *reader) startOutline() tea.Cmd {
	page := t.session.Page()
	if page == nil {
		return nil
	}
	v := &t.pager
	headings := document.NewHeadings(&page.Lines, page.Layout, page.Media, func(i int) string {
		text, _, _ := v.Text(i)
		return text
	})
	o := &outliner{page: page, headings: headings, list: ask.NewList(nil, true, 0)}
	t.prompt = &outlinePrompt{ask.NewChoose(ask.Head{Title: "Headings"}, "Go to", o.list), o}
	t.outlineSlice(newBudget(nil))
	if len(o.lines) == 0 && o.next >= page.Lines.Len() {
		t.prompt = nil
		return t.host.Say("there are no headings in this page")
	}
	return t.scan()
}

// outlining is the outline that is being collected for the page, or nil.
func (t *reader) outlining() *outliner {
	p, ok := t.prompt.(*outlinePrompt)
	if !ok || p.outline.page != t.session.Page() {
		return nil
	}
	return p.outline
}

// outlineSlice collects the headings in a slice of the page.
func (t *reader) outlineSlice(b *budget) (changed bool) {
	p := t.prompt.(*outlinePrompt)
	o, v := p.outline, &t.pager
	before, typed := len(o.lines), p.Typed()
	for n := o.page.Lines.Len(); b.left() && o.next < n; o.next++ {
		if !v.Shown(o.next) {
			continue
		}
		text, _, raw := v.Text(o.next)
		b.take(len(text), raw)
		title, depth := o.headings.At(o.next, text)
		if title == "" || len(o.lines) >= maxHeadings {
			continue
		}
		line := o.next
		o.lines = append(o.lines, line)
		o.list.Add(ask.Choice{Text: clean.Short(title), Key: fmt.Sprintf("%d%%", line*100/n), Depth: depth, Do: func() tea.Cmd {
			if t.session.Page() == o.page {
				t.pager.GoTo(line)
			}
			return nil
		}})
	}
	if len(o.lines) == before {
		return b.left()
	}
	at, moved := o.list.Selected()
	o.list.Narrow(typed)
	if typed == "" {
		if top := v.Start().Line; !moved || before == 0 || o.lines[at] <= top && o.lines[before] <= top {
			for at = 0; at+1 < len(o.lines) && o.lines[at+1] <= top; {
				at++
			}
		}
		o.list.Select(at)
	}
	return true
}
