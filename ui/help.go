package ui

import (
	_ "embed"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/urlcore"
)

// helpTable has a line for each kind of page and prompt. A line has the name of the kind, a title, and
// the actions that apply, the most used first. The first line is for all pages.
//
//go:embed help.txt
var helpTable string

func helpActions() []action {
	return []action{{[]string{"?", "f1"}, "help", "show the keys, first those for the page", (*Model).showHelp, anytime, always}}
}

// pageKind returns the name of the kind of the page on the screen, or "" if there is no page.
func (m *Model) pageKind() string {
	p := m.tab.Session.Page()
	if p == nil {
		return ""
	}
	g, _ := p.URL.(urlcore.Gopher)
	switch own := m.tab.OwnPage().Name; {
	case p.Failed != nil:
		return "error"
	case m.tab.Picture() != nil:
		return "picture"
	case m.tab.IsArticle():
		return "article"
	case g.Plus == "!", g.Plus == "$":
		return "attributes"
	case g.Type == '7':
		return "search"
	case own != "" && strings.Contains(helpTable, "\n"+own+": "):
		return own
	}
	return map[protocols.Layout]string{
		protocols.LayoutText: "text", protocols.LayoutBinary: "binary", protocols.LayoutMenu: "menu", protocols.LayoutDirectory: "directory",
		protocols.LayoutGroups: "groups", protocols.LayoutArticles: "group", protocols.LayoutPage: "own",
	}[p.Layout]
}

// Help returns the rows of the help on pages of a kind, for the keys in the settings: first the actions for this kind, then all
// actions.
func Help(kind string, c *config.Config) []KeyHelp {
	km := configuredKeymap(c)
	if slices.Contains([]string{"groups", "group", "article", "new"}, kind) {
		km.pageContext = func() string { return contextNews }
	}
	return slices.Concat(km.helpRows(kind))
}

// helpRows returns the rows for a kind of page or prompt, and the rows for all actions.
func (km *keymap) helpRows(kind string) (first, all []KeyHelp) {
	for line := range strings.Lines(helpTable) {
		row := strings.SplitN(strings.TrimSpace(line), ": ", 3)
		contexts := []string{contextPage}
		if prompt := km.tables[kind] != nil; prompt {
			contexts = []string{kind, "editing"}
		} else if row[0] == "every page" {
			row[0] = kind
		}
		for name := range strings.SplitSeq(row[2], ", ") {
			for i := 0; i < len(contexts) && row[0] == kind; i++ {
				first = km.addHelp(first, row[1], contexts[i], name)
			}
		}
	}
	for _, s := range km.sections {
		for _, a := range s.actions {
			if !isOverlay(s.contexts[0]) {
				all = km.addHelp(all, s.title, s.bindingContext(), a.name)
			}
		}
	}
	isUnbound := func(k KeyHelp) bool { return k.Unbound }
	last := slices.DeleteFunc(slices.Clone(all), func(k KeyHelp) bool { return !isUnbound(k) })
	return slices.DeleteFunc(first, isUnbound), append(slices.DeleteFunc(all, isUnbound), last...)
}

// addHelp adds a row with the keys of all actions that have this name and context. If they have no
// keys, the row has the name in place of the keys, and a section of its own. addHelp adds
// nothing if rows already has the row, or if there is no such action.
func (km *keymap) addHelp(rows []KeyHelp, section, context, name string) []KeyHelp {
	row := KeyHelp{Section: section, Context: context, Name: name}
	for _, s := range km.sections {
		for i := range s.actions {
			a, keys := &s.actions[i], s.actions[i].keys
			if a.name != name || s.bindingContext() != context {
				continue
			}
			if context == contextPage {
				keys = km.keysHere(a)
			}
			row.Keys, row.Help = append(row.Keys, keyLabels(keys)...), a.help
		}
	}
	if len(row.Keys) == 0 {
		row.Section, row.Keys, row.Unbound = "Not bound to a key", []string{name}, true
	}
	if row.Help == "" || slices.ContainsFunc(rows, func(k KeyHelp) bool { return k.Context == context && k.Name == name }) {
		return rows
	}
	return append(rows, row)
}

// showHelp shows the help for the open prompt, or else for the page.
func (m *Model) showHelp() tea.Cmd {
	if p := m.openPrompt(); p != nil {
		return m.showHelpOver(p)
	}
	kind := m.pageKind()
	first, all := m.keys.helpRows(kind)
	return m.tab.Ask(ask.NewHelp(m.helpChoices(first), m.helpChoices(all), func() tea.Cmd { return m.visit(room.Target{URL: about.Page("help?" + kind)}, room.How{}) }))
}

// showHelpOver covers a prompt with the help for its keys. The typed text stays in the prompt.
func (m *Model) showHelpOver(p ask.Prompt) tea.Cmd {
	if _, ok := p.(*ask.Help); ok {
		return nil
	}
	context := p.KeyContext()
	first, all := m.keys.helpRows(context)
	all = slices.DeleteFunc(all, func(k KeyHelp) bool {
		return k.Context != context && (k.Context != "editing" || context == contextQuestion)
	})
	m.promptHelp = ask.NewHelp(m.helpChoices(first), m.helpChoices(all), nil)
	m.promptHelp.CoverPrompt(p)
	return nil
}

// helpChoices returns a choice for each row. A choice runs the action of the row if the action
// works on pages. Otherwise it shows a notice that says where the key works.
func (m *Model) helpChoices(rows []KeyHelp) (choices []ask.Choice) {
	for _, k := range rows {
		a, s := m.keys.findAction(k.Context, k.Name)
		choices = append(choices, ask.Choice{Under: k.Section, Text: k.Name, About: k.Help, Key: strings.Join(k.Keys, " "), Keys: k.Keys, Do: func() tea.Cmd {
			if m.pressedKey = ""; s.contexts[0] != contextPage {
				if s.bindingContext() == contextBar {
					return m.notify(k.Keys[0] + " works in the URL bar (press " + m.keys.keyOf("URL") + ")")
				}
				return m.notify(k.Keys[0] + " works elsewhere: " + s.title)
			}
			return m.runAction(a)
		}})
	}
	return choices
}

// openPalette lists all actions on pages and runs the selected one.
func (m *Model) openPalette() tea.Cmd {
	_, all := m.keys.helpRows("")
	return m.tab.Choose("Actions", "Action", ask.NewList(m.helpChoices(slices.DeleteFunc(all, func(k KeyHelp) bool { return k.Context != contextPage })), false, 0))
}

// keyLabels returns the labels of keys. The keys 1 to 9 have a single label.
func keyLabels(keys []string) (labels []string) {
	for _, k := range keys {
		labels = append(labels, keyLabel(k))
	}
	return strings.Fields(strings.Replace(strings.Join(labels, " "), "1 2 3 4 5 6 7 8 9", "1-9", 1))
}
