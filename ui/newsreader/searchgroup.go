package newsreader

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/urlcore"
)

// SearchGroup asks what to search for in the group of the page, and opens the results.
func (r *Reader) SearchGroup() tea.Cmd {
	t := r.tab()
	list, _ := r.currentArticle(t)
	if list == nil || list.Layout != protocols.LayoutArticles || urlcore.NewsGroup(list.URL).Group == "" {
		return r.notify("no group to search in")
	}
	group, old := urlcore.NewsGroup(list.URL), urlcore.SearchOf(list.URL)
	var fields []ask.Field
	for i, label := range [...]string{"From", "Subject", "Message-ID", "Since (2026-01-31)", "Before this day (2026-01-31)"} {
		fields = append(fields, ask.Field{Label: label, Value: old[i]})
	}
	form := ask.NewForm(ask.Head{Title: "Search in " + clean.Name(group.Group)}, "Search", fields...)
	form.Finish = func(answers []string) tea.Cmd {
		u, err := urlcore.Canon(urlcore.News{HostPort: group.HostPort, Group: group.Group, Search: urlcore.NewsSearch(answers).String(), Secure: group.Secure})
		if err != nil {
			t.Prompt = form
			return r.notify(err.Error())
		}
		return r.program.Visit(room.Target{URL: u}, room.How{Tab: t})
	}
	return t.Ask(form)
}
