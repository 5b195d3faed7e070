package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// barURL returns the URL in the bar: the URL of the load that waits for its answer, of the prompt,
// or of the page.
func (m *Model) barURL() urlcore.URL {
	switch l := m.tab.Session.Loading(); {
	case l != nil && m.tab.Session.IsWaiting():
		return l.URL
	case m.tab.Prompt != nil && m.tab.Prompt.Subject() != nil:
		return m.tab.Prompt.Subject()
	}
	u, _ := m.tab.PageURL()
	return u
}

// linkTitle returns the title for the page behind the link of line, or "" if the page should use its
// own title. The title of a group is its description, if known. Lists on about pages, except the
// bookmarks and the home page, have dates in their lines, so they give no title. See
// [nav.Page.BarTitle] for the rules.
func (t *tab) linkTitle(line *protocols.Line) string {
	if line.Note != nil && line.Kind == protocols.Group && line.Note.Row().Description != "" {
		return t.Pager.Reading.Short(line.Note.Row().Description)
	}
	about, text := t.AboutPage(), t.Pager.LineText(line)
	switch {
	case t.Pager.HasLinksInText(), about != "" && about != "bookmarks" && about != "home":
		return ""
	case about != "":
		text, _, _ = strings.Cut(text, "  (") // remove the server, which follows the title of a bookmark
	}
	return clean.Short(text)
}

// places returns the functions that find and open URLs for the bar.
func (m *Model) places() ask.Places {
	return ask.Places{Context: m.ctx, Guess: m.opts.Guess, Open: m.openTyped, Complete: m.opts.Complete, Recent: m.opts.Recent, History: m.barLines}
}

// editURL begins to edit the URL of the page.
func (m *Model) editURL() tea.Cmd {
	u := m.barURL()
	if m.tab.stoppedURL != nil && !m.tab.Session.IsWaiting() {
		u = m.tab.stoppedURL
	}
	s := ""
	if u != nil {
		s = urlcore.Redact(u).String()
	}
	return m.typeURL(s)
}

// typeURL opens the URL bar with the text s. Typing replaces this text.
func (m *Model) typeURL(s string) tea.Cmd {
	m.bar = ask.NewBar(m.places(), s)
	return m.bar.Propose(m.askScreen())
}

// maxPaste is the number of octets of a pasted text that are searched for URLs.
const maxPaste = 16 << 10

// pasteURLs puts the URL of a pasted text into the URL bar, or lists the URLs if there are several.
// It does not open them.
func (m *Model) pasteURLs(text string) tea.Cmd {
	urls := m.findURLs(ansi.Strip(text[:min(len(text), maxPaste)]))
	switch len(urls) {
	case 0:
		return m.notify("the pasted text has no URL")
	case 1:
		m.bar = ask.NewBar(m.places(), "")
		return tea.Batch(m.paste(urls[0]), m.notify("pasted: Enter opens it"))
	}
	var choices []ask.Choice
	for _, s := range urls {
		choices = append(choices, ask.Choice{Text: clean.Short(s), Do: func() tea.Cmd { return m.typeURL(s) }})
	}
	return m.tab.Choose("Pasted URLs", "URL", ask.NewList(choices, false, 0))
}

// findURLs returns the URLs in a text. If there are none, it returns the first word that looks like a URL
// and can be typed as one.
func (m *Model) findURLs(text string) (urls []string) {
	for _, f := range (urlcore.Parser{}).Extract(text) {
		urls = append(urls, f.URL.String())
	}
	words := strings.Fields(text)
	for _, word := range words {
		if len(urls) > 0 || !strings.Contains(word, "://") && (len(words) > 1 || !strings.ContainsAny(word, ".:")) {
			continue
		}
		if _, err := m.opts.Guess(word); err == nil {
			urls = append(urls, word)
		}
	}
	return slices.Compact(urls)
}

func (m *Model) openTyped(u urlcore.URL, typed string, inTab bool) tea.Cmd {
	m.rememberLine(typed, u)
	m.typedURL = u
	visit := m.visit
	if inTab {
		visit = m.visitInTab
	}
	cmd := visit(u)
	m.typedURL = nil
	m.tab.To.GoTo(nil, urlcore.TypedFragment(u, typed))
	return cmd
}

// rememberLine adds the line that was typed for u to the history of the bar. A password is left
// out.
func (m *Model) rememberLine(typed string, u urlcore.URL) {
	if m.private {
		return
	}
	if plain := urlcore.Redact(u); plain != u {
		typed = plain.String()
	}
	m.barLines.Add(typed)
}
