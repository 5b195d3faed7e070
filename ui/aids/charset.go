package aids

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/ui/ask"
	"gofer/ui/page"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Charsets remembers the charset of each server. Its methods may be called from any goroutine.
type Charsets interface {
	// All returns the names of the charsets by server.
	All() (map[string]string, error)
	// Set remembers the charset of the server of u. The parameter server is the key of this server in the
	// result of All. If charset is "", Set forgets the charset.
	Set(u urlcore.URL, server, charset string) error
}

// RememberCharset applies the remembered charset of the server to a page that begins to load.
// The first time, it also returns the command that reads the remembered charsets.
func (a *Aids) RememberCharset(p *nav.Page) tea.Cmd {
	server := page.ServerOf(p)
	if server == "" || a.Store == nil {
		return nil
	}
	p.RememberCharset(a.rememberedCharset(server))
	return a.ReadCharsets(func() tea.Cmd { return nil })
}

// rememberedCharset returns the charset that the user has chosen for a server, or the charset in the
// settings, or Auto.
func (a *Aids) rememberedCharset(server string) charset.Charset {
	c, _ := charset.Parse(cmp.Or(a.charsets[server], a.program.Config().HostCharset(server)))
	return c
}

// CharsetOf returns the Reading for the server of u. Its charset is the charset of the latest page in v
// that has the scheme and the host of u and is not ASCII. Without such a page, it is the remembered charset.
func (a *Aids) CharsetOf(v *viewer.Viewer, u urlcore.URL) clean.Reading {
	r := v.Session.CharsetOf(u)
	if addr, ok := urlcore.Addr(u); ok && r.Charset == charset.Auto {
		r.Charset = a.rememberedCharset(addr)
	}
	return r
}

// ReadCharsets reads the remembered charsets the first time that it is called. Each call then
// calls the function next.
func (a *Aids) ReadCharsets(next func() tea.Cmd) tea.Cmd {
	if a.charsets != nil || a.Store == nil {
		return next()
	}
	a.charsets = make(map[string]string)
	store := a.Store
	return a.program.RunInBackground(func() func() tea.Cmd {
		all, err := store.All()
		return func() tea.Cmd {
			if err != nil {
				return tea.Batch(a.program.Notify("charsets of servers not read: "+err.Error()), next())
			}
			a.addRememberedCharsets(all)
			return next()
		}
	})
}

// addRememberedCharsets adds the remembered charsets and applies them to the pages of the tabs. It leaves
// out the servers whose charset the user has chosen meanwhile.
func (a *Aids) addRememberedCharsets(all map[string]string) {
	for server, name := range all {
		if _, chosen := a.charsets[server]; !chosen {
			a.charsets[server] = name
		}
	}
	for _, t := range a.program.Tabs() {
		if p := t.Session.Page(); p != nil {
			if server := page.ServerOf(p); server != "" {
				p.RememberCharset(a.rememberedCharset(server))
			}
			t.Pager.Show(p)
		}
	}
}

// ChooseCharset asks for the charset of the page, and whether to keep it for the server.
func (a *Aids) ChooseCharset() tea.Cmd {
	p, explain := a.pageWithCharset()
	if p == nil {
		return explain
	}
	var choices []ask.Choice
	all, current := p.Charsets()
	sample := p.CharsetSample()
	for i, c := range all {
		choice := ask.Choice{Text: charsetName(c), About: p.ReadingAs(c).Short(sample), Do: func() tea.Cmd { return a.setCharset(p, c) }}
		if c == charset.Auto {
			choice.About = "each item in its own charset"
		}
		switch i {
		case current:
			choice.Key = "now"
		case 0:
			choice.Key = "found"
		}
		choices = append(choices, choice)
	}
	return a.program.Tab().Choose("Charset", "Charset", ask.NewList(slices.Insert(choices, current+1, a.keepChoices(p, all[current])...), true, current))
}

// keepChoices returns the choices to remember the parameter current as the charset of the server of p,
// and to forget the remembered charset of the server.
func (a *Aids) keepChoices(p *nav.Page, current charset.Charset) (choices []ask.Choice) {
	server := page.ServerOf(p)
	if server == "" || a.Store == nil {
		return nil
	}
	remembered := a.charsets[server]
	if current != charset.Auto && current.String() != remembered {
		choices = append(choices, ask.Choice{Text: "Keep it", Depth: 1, About: "for all pages of " + server, Do: func() tea.Cmd { return a.keepCharset(p, current.String()) }})
	}
	if remembered != "" {
		choices = append(choices, ask.Choice{Text: "Forget it", Depth: 1, About: remembered + " is kept for " + server, Do: func() tea.Cmd { return a.keepCharset(p, "") }})
	}
	return choices
}

// charsetName returns the name of a charset in lists and notices.
func charsetName(c charset.Charset) string {
	if c == charset.Auto {
		return "mixed"
	}
	return c.Name()
}

// pageWithCharset returns the page of the tab if the page can be read in another charset. Otherwise it
// returns nil and a command that shows the reason.
func (a *Aids) pageWithCharset() (*nav.Page, tea.Cmd) {
	p := a.program.Tab().Session.Page()
	if p == nil {
		return nil, nil
	}
	c, ok := p.CharsetChoice()
	switch {
	case !ok:
		return nil, a.program.Notify("this page is ASCII: all charsets show the same")
	case charset.IsWide(p.Charset):
		return nil, a.program.Notify("the server names the charset " + strings.ToUpper(p.Charset) + ": " + a.program.KeyOf("raw") + " shows the octets")
	case document.IsConverted(p.Media):
		return nil, a.program.Notify("hypertext has one charset, here " + c.Charset.Name() + ": " + c.Why)
	}
	return p, nil
}

// setCharset reads a page in another charset.
func (a *Aids) setCharset(p *nav.Page, choice charset.Charset) tea.Cmd {
	p.ForceCharset(choice)
	a.updateViewers(p)
	all, current := p.Charsets()
	c, _ := p.CharsetChoice()
	text := charsetName(all[current])
	switch {
	case current == 0:
		text += ": " + c.Why
	case page.ServerOf(p) != "" && a.Store != nil:
		text += fmt.Sprintf(", this page only: %s keeps it (%d of %d)", a.program.KeyOf("charset"), current+1, len(all))
	default:
		text += fmt.Sprintf(" (%d of %d)", current+1, len(all))
	}
	return a.program.Notify(text)
}

// updateViewers updates p in the viewers that show it.
func (a *Aids) updateViewers(p *nav.Page) {
	for _, v := range a.Viewers() {
		if v.Pager.Page == p {
			v.Pager.Show(p)
		}
	}
}

// keepCharset remembers the named charset for the server of p, or forgets the charset if name is "". It
// updates all pages of the server.
func (a *Aids) keepCharset(p *nav.Page, name string) tea.Cmd {
	server := page.ServerOf(p)
	if a.charsets == nil {
		a.charsets = make(map[string]string)
	}
	a.charsets[server] = name
	text := name + " is kept for " + server
	if name == "" {
		text = "no charset is kept for " + server
		all, _ := p.Charsets()
		p.ForceCharset(all[0])
	}
	for _, t := range a.Viewers() {
		pages, _ := t.Session.Pages()
		for p := range pages {
			if page.ServerOf(p) == server {
				p.RememberCharset(a.rememberedCharset(server))
				a.updateViewers(p)
			}
		}
	}
	if a.program.Private() {
		return a.program.Notify(text + " while this program runs")
	}
	store, u := a.Store, urlcore.Redact(p.URL)
	return a.program.WriteInBackground(func() func() tea.Cmd {
		if err := store.Set(u, server, name); err != nil {
			return func() tea.Cmd { return a.program.Notify("charset not kept: " + err.Error()) }
		}
		return func() tea.Cmd { return a.program.Notify(text) }
	})
}
