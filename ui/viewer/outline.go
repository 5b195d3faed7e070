package viewer

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
	Next     int   // the line to look at
}

// OutlinePrompt asks for a heading to go to.
type OutlinePrompt struct {
	*ask.Choose
	Outline *outliner
}

// AskHeading lists the headings of the page, of which one is gone to.
func (v *Viewer) AskHeading() tea.Cmd {
	page := v.Session.Page()
	if page == nil {
		return nil
	}
	pager := &v.Pager
	headings := document.NewHeadings(&page.Lines, page.Layout, page.Media, func(i int) string {
		text, _, _ := pager.Text(i)
		return text
	})
	o := &outliner{page: page, headings: headings, list: ask.NewList(nil, true, 0)}
	v.Prompt = &OutlinePrompt{ask.NewChoose(ask.Head{Title: "Headings"}, "Go to", o.list), o}
	v.outlineSlice(newBudget(nil))
	if len(o.lines) == 0 && o.Next >= page.Lines.Len() {
		v.Prompt = nil
		return v.host.Say("there are no headings in this page")
	}
	return v.Scan()
}

// outlining is the outline that is being collected for the page, or nil.
func (v *Viewer) outlining() *outliner {
	p, ok := v.Prompt.(*OutlinePrompt)
	if !ok || p.Outline.page != v.Session.Page() {
		return nil
	}
	return p.Outline
}

// outlineSlice collects the headings in a slice of the page.
func (v *Viewer) outlineSlice(b *budget) (changed bool) {
	p := v.Prompt.(*OutlinePrompt)
	o, pager := p.Outline, &v.Pager
	before, typed := len(o.lines), p.Typed()
	for n := o.page.Lines.Len(); b.left() && o.Next < n; o.Next++ {
		if !pager.Shown(o.Next) {
			continue
		}
		text, _, raw := pager.Text(o.Next)
		b.take(len(text), raw)
		title, depth := o.headings.At(o.Next, text)
		if title == "" || len(o.lines) >= maxHeadings {
			continue
		}
		line := o.Next
		o.lines = append(o.lines, line)
		o.list.Add(ask.Choice{Text: clean.Short(title), Key: fmt.Sprintf("%d%%", line*100/n), Depth: depth, Do: func() tea.Cmd {
			if v.Session.Page() == o.page {
				v.Pager.GoTo(line)
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
		if top := pager.Start().Line; !moved || before == 0 || o.lines[at] <= top && o.lines[before] <= top {
			for at = 0; at+1 < len(o.lines) && o.lines[at+1] <= top; {
				at++
			}
		}
		o.list.Select(at)
	}
	return true
}
