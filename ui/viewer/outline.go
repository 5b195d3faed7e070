package viewer

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/ui/ask"
)

// maxHeadings is the largest number of headings that are listed for a page.
const maxHeadings = 5000

// outliner collects the headings of a page, a portion at a time.
type outliner struct {
	page     *nav.Page
	headings *document.Headings
	prompt   *ask.Choose // lists the headings
	lines    []int       // lines of the headings
	next     int         // the first line that has not been searched
}

// AskHeading asks for a heading of the page, and goes to it.
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
	o := &outliner{page: page, headings: headings, prompt: ask.NewChoose(ask.Head{Title: "Headings"}, "Go to", ask.NewList(nil, true, 0))}
	v.Prompt, v.outline = o.prompt, o
	v.outlinePortion(newBudget(nil))
	if len(o.lines) == 0 && o.next >= page.Lines.Len() {
		v.Prompt = nil
		return v.host.Notify("no headings on this page")
	}
	return v.Scan()
}

// outlinePortion collects the headings in a portion of the page.
func (v *Viewer) outlinePortion(b *budget) (changed bool) {
	o, pager := v.outline, &v.Pager
	list, oldCount, typed := o.prompt.List, len(o.lines), o.prompt.Typed()
	for n := o.page.Lines.Len(); b.hasRest() && o.next < n; o.next++ {
		if !pager.IsShown(o.next) {
			continue
		}
		text, _, raw := pager.Text(o.next)
		b.spend(len(text), raw)
		title, depth := o.headings.At(o.next, text)
		if title == "" || len(o.lines) >= maxHeadings {
			continue
		}
		line := o.next
		o.lines = append(o.lines, line)
		list.Add(ask.Choice{Text: clean.Short(title), Key: fmt.Sprintf("%d%%", line*100/n), Depth: depth, Do: func() tea.Cmd {
			if v.Session.Page() == o.page {
				v.Pager.GoTo(line)
			}
			return nil
		}})
	}
	if len(o.lines) == oldCount {
		return b.hasRest()
	}
	index, moved := list.Selected()
	list.Narrow(typed)
	if typed == "" {
		if top := pager.FirstRow().Line; !moved || oldCount == 0 || o.lines[index] <= top && o.lines[oldCount] <= top {
			for index = 0; index+1 < len(o.lines) && o.lines[index+1] <= top; {
				index++
			}
		}
		list.Select(index)
	}
	return true
}
