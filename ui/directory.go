package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/urlcore"
)

// directory returns the page of t, which may be nil, and reports whether it is a directory.
func (t *tab) directory() (p *nav.Page, ok bool) {
	p = t.Session.Page()
	return p, p != nil && p.Layout == protocols.LayoutDirectory
}

// toggleHidden shows or hides the hidden items of a directory, such as names that begin with a dot.
// In a group it shows or hides the killed articles. To show hidden items in an FTP directory that has
// none yet, it requests the directory again, because an FTP server may send them only on request.
func (m *Model) toggleHidden() tea.Cmd {
	p, ok := m.tab.directory()
	if !ok && p != nil && p.Layout == protocols.LayoutArticles {
		return m.news.ToggleKilled(p)
	}
	if !ok {
		return m.notify("this page is not a directory or a group")
	}
	show, known := !m.tab.Session.Dots, p.Hidden > 0
	m.tab.Session.ShowDots(p, show)
	if _, asks := p.URL.(urlcore.FTP); show && !known && asks {
		cmd := m.reloadTab(m.tab)
		m.tab.To.Dots = m.tab.Session.Loading()
		return cmd
	}
	m.tab.ShowRearranged(p)
	return tea.Batch(m.notifyDots(m.tab), m.tab.Scan())
}

// notifyDots shows a notice that says whether the hidden items of the directory are shown.
func (m *Model) notifyDots(t *tab) tea.Cmd {
	p := t.Session.Page()
	entries, found := p.HiddenItems()
	text := cmp.Or(entries, "hidden items")
	switch {
	case !t.Session.Dots:
		text += " are hidden"
	case p.IsLoading() || found:
		text += " are shown"
	default:
		text += " are shown: there are none here"
	}
	return m.notifyIn(t, text)
}

// openReadme opens the file that describes the directory. If several files do, the user chooses
// one.
func (m *Model) openReadme() tea.Cmd {
	p, ok := m.tab.directory()
	if !ok {
		return m.notify("this page is not a directory")
	}
	type file struct {
		rank int
		line protocols.Line
	}
	var files []file
	all := p.Lines.InArrivalOrder()
	for i := range all.Len() {
		line := all.WithoutLink(i)
		if rank := rankReadme(&line); rank > 0 && all.HasLink(i) && len(files) < maxReadmes {
			files = append(files, file{rank, all.At(i)})
		}
	}
	if visible := slices.DeleteFunc(slices.Clone(files), func(f file) bool { return f.line.Text[0] == '.' }); len(visible) > 0 {
		files = visible // without .message: the page shows its text above the files
	}
	slices.SortStableFunc(files, func(a, b file) int { return a.rank - b.rank })
	switch len(files) {
	case 0:
		return m.notify("no README, INDEX or .message in this directory")
	case 1:
		return m.visit(room.Target{URL: files[0].line.Link}, room.How{})
	}
	choices := make([]ask.Choice, len(files))
	for i, f := range files {
		choices[i] = ask.Choice{Text: m.tab.Pager.LineText(&f.line), Do: func() tea.Cmd { return m.visit(room.Target{URL: f.line.Link}, room.How{}) }}
	}
	return m.tab.Choose("About this directory", "Open", ask.NewList(choices, true, 0))
}

// maxReadmes is the largest number of files that openReadme lists.
const maxReadmes = 50

// rankReadme ranks a file by its name: 1 for the name that most likely describes the directory, 0
// for a file that does not describe it.
func rankReadme(line *protocols.Line) int {
	if line.Kind == protocols.Directory || line.Note == nil {
		return 0
	}
	name := line.Text[strings.LastIndexByte(line.Text, '/')+1:]      // names in an archive have folders
	name = strings.TrimLeft(strings.ToLower(name), "0123456789-_!.") // as in 00-INDEX and .message
	if i := strings.IndexAny(name, ".-"); i >= 0 {
		name = name[:i]
	}
	return 1 + slices.Index([]string{"readme", "index", "message", "welcome", "about", "banner", "descript", "files"}, name)
}
