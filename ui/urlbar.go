package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/urlcore"
)

// barURL returns the URL in the bar: the URL of the load that waits for its answer, of the prompt,
// or of the page.
func (t *tab) barURL() urlcore.URL {
	switch l := t.Session.Loading(); {
	case l != nil && t.Session.IsWaiting():
		return l.URL
	case t.Prompt != nil && t.Prompt.Subject() != nil:
		return t.Prompt.Subject()
	}
	u, _ := t.PageURL()
	return u
}

// linkTarget returns the target of line, the line under the cursor.
func (t *tab) linkTarget(line *protocols.Line) room.Target {
	return room.Target{URL: line.Link, Fragment: t.Pager.Fragment(), Words: t.foundWords(line), Others: t.Pager.OtherURLs(), Title: t.linkTitle(line)}
}

// foundWords returns the words by which a search in what was read has found the page behind the link of line, or "".
func (t *tab) foundWords(line *protocols.Line) string {
	if t.OwnPage().Name != about.SearchName || line.Link.Scheme() == "about" {
		return ""
	}
	return about.SearchedWords(t.Session.Page().URL)
}

// linkTitle returns the title for the page behind the link of line, or "" if the page should use its
// own title. The title of a group is its description, if known. Lists on about pages, except the
// bookmarks and the home page, have dates in their lines, so they give no title. See
// [nav.Page.BarTitle] for the rules.
func (t *tab) linkTitle(line *protocols.Line) string {
	if line.Note != nil && line.Kind == protocols.Group && line.Note.Row().Description != "" {
		return t.Pager.Reading.Short(line.Note.Row().Description)
	}
	own, text := t.OwnPage(), t.Pager.LineText(line)
	switch {
	case t.Pager.HasLinksInText(), own.Name != "" && own.Shows&about.Bookmarks == 0:
		return ""
	case own.Name != "":
		text, _, _ = strings.Cut(text, "  (") // remove the server, which follows the title of a bookmark
	}
	return clean.Short(text)
}

// places returns the functions that find and open URLs for the bar.
func (m *Model) places() ask.Places {
	return ask.Places{Guess: m.guess, Open: m.openTyped, Complete: m.opts.Complete, Recent: m.opts.Recent, History: m.barLines}
}

// editURL begins to edit the URL of the page.
func (m *Model) editURL() tea.Cmd {
	u := m.tab.barURL()
	if m.tab.stoppedURL != nil && !m.tab.Session.IsWaiting() {
		u = m.tab.stoppedURL
	}
	s := ""
	if u != nil && u != m.standardInput { // the name of its temporary file is of no use
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
	text = ansi.Strip(text[:min(len(text), maxPaste)])
	found := findURLs(text)
	switch len(found) {
	case 0:
		word, ok := m.findTypableWord(text)
		if !ok {
			return m.notify("the pasted text has no URL")
		}
		m.bar = ask.NewBar(m.places(), "")
		return tea.Batch(m.bar.Paste(word, m.askScreen()), m.notify("pasted: Enter opens it"))
	case 1:
		return m.pasteFound(found[0])
	}
	var choices []ask.Choice
	for _, f := range found {
		choices = append(choices, ask.Choice{Text: clean.Short(f.URL.String()), Do: func() tea.Cmd { return m.pasteFound(f) }})
	}
	return m.tab.Choose("Pasted URLs", "URL", ask.NewList(choices, false, 0))
}

// pasteFound puts a URL of a pasted text into the URL bar, and says what else the text may mean.
func (m *Model) pasteFound(f urlcore.Found) tea.Cmd {
	m.bar = ask.NewBar(m.places(), "")
	cmd := m.bar.PasteFound(f, m.askScreen())
	if len(f.Alternatives) == 0 {
		return tea.Batch(cmd, m.notify("pasted: Enter opens it"))
	}
	return tea.Batch(cmd, m.notify("pasted: Enter opens it, or: "+shortOther(f.URL, f.Alternatives[0])))
}

// findURLs returns the URLs in a text.
func findURLs(text string) (found []urlcore.Found) {
	for _, f := range (urlcore.Parser{MailFields: true, OwnNNTP: true, Readings: true}).Extract(text) {
		if len(found) == 0 || found[len(found)-1].URL != f.URL {
			found = append(found, f)
		}
	}
	return found
}

// findTypableWord returns the first word of text that looks like a URL and can be typed as one.
func (m *Model) findTypableWord(text string) (word string, ok bool) {
	words := strings.Fields(text)
	for _, word := range words {
		if !strings.Contains(word, "://") && (len(words) > 1 || !strings.ContainsAny(word, ".:")) {
			continue
		}
		if _, err := m.opts.Guess(word); err == nil {
			return word, true
		}
	}
	return "", false
}

// openTyped opens the URL of the bar. A URL that was not typed is treated like a link.
func (m *Model) openTyped(e ask.Entry) tea.Cmd {
	m.rememberLine(e.Text, e.URL)
	target, how := readTyped(e.URL, e.Text), room.How{Typed: e.IsTyped}
	if e.Others != nil {
		target.Others = e.Others
	}
	if m.tab.readings.guessed && !target.Guessed {
		m.tab.readings = readings{} // the same URL may now be typed with its scheme
	}
	if e.InNewTab {
		return m.openAndShowTab(m.tabIndex()+1, target, how)
	}
	return m.visit(target, how)
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
