package aids

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/ui/page"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Charsets remembers the charset of each server. Its methods may be called from any goroutine.
type Charsets interface {
	// All returns the names of the charsets by server.
	All() (map[string]string, error)
	// Set remembers the charset of the server of u, or forgets it if charset is "".
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

// rememberedCharset returns the charset that was chosen or set for a server, or Auto.
func (a *Aids) rememberedCharset(server string) charset.Charset {
	c, _ := charset.Parse(cmp.Or(a.charsets[server], a.Set(server)))
	return c
}

// CharsetOf returns the Reading for the server of u: the Reading of its pages in v, or else the
// remembered charset.
func (a *Aids) CharsetOf(v *viewer.Viewer, u urlcore.URL) clean.Reading {
	r := v.Session.CharsetOf(u)
	if addr, ok := urlcore.Addr(u); ok && r.Charset == charset.Auto {
		r.Charset = a.rememberedCharset(addr)
	}
	return r
}

// ReadCharsets calls then; the first time, after the remembered charsets were read.
func (a *Aids) ReadCharsets(then func() tea.Cmd) tea.Cmd {
	if a.charsets != nil || a.Store == nil {
		return then()
	}
	a.charsets = make(map[string]string)
	known := a.Store
	return a.program.Async(func() func() tea.Cmd {
		all, err := known.All()
		return func() tea.Cmd {
			if err != nil {
				return tea.Batch(a.program.Say("the charsets of servers are not known: "+err.Error()), then())
			}
			a.useCharsets(all)
			return then()
		}
	})
}

// useCharsets adds the remembered charsets, except for servers whose charset was chosen
// meanwhile.
func (a *Aids) useCharsets(all map[string]string) {
	for server, name := range all {
		if _, chosen := a.charsets[server]; !chosen {
			a.charsets[server] = name
		}
	}
	for _, t := range a.program.Tabs() {
		if p := t.Session.Page(); p != nil {
			a.RememberCharset(p)
			t.Pager.Show(p)
		}
	}
}

// ChangeCharset reads the page in the next charset, or in the previous one if dir is -1, and
// remembers it for the server.
func (a *Aids) ChangeCharset(dir int) tea.Cmd {
	p := a.program.Tab().Session.Page()
	if p == nil {
		return nil
	}
	if _, odd := p.CharsetChoice(); !odd {
		return a.program.Say("the page is ASCII in all charsets")
	}
	if document.IsHTML(p.Media) {
		c, _ := p.CharsetChoice()
		return a.program.Say("hypertext is read in one charset, here " + c.Charset.Name() + ": " + c.Why)
	}
	at, n := p.NextCharset(dir)
	a.program.Tab().Pager.Show(p)
	c, _ := p.CharsetChoice()
	text := fmt.Sprintf("%s (%d of %d)", c.Charset.Name(), at, n)
	if at == 1 {
		text += ": " + c.Why
	}
	return tea.Batch(a.program.Say(text), a.saveCharset(p))
}

func (a *Aids) saveCharset(p *nav.Page) tea.Cmd {
	server := page.ServerOf(p)
	if server == "" || a.Store == nil {
		return nil
	}
	name := ""
	if c := p.ForcedCharset(); c != charset.Auto {
		name = c.String()
	}
	if a.charsets == nil {
		a.charsets = make(map[string]string)
	}
	a.charsets[server] = name
	if a.Private() {
		return nil
	}
	known, u := a.Store, urlcore.Redact(p.URL)
	return a.program.Keep(func() func() tea.Cmd {
		if err := known.Set(u, server, name); err != nil {
			return func() tea.Cmd { return a.program.Say("the charset was not remembered: " + err.Error()) }
		}
		return nil
	})
}
