package ui

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/ui/page"
	"gofer/urlcore"
)

// Charsets remembers in which charset the pages of a server are read. Its
// methods may be called from any goroutine.
type Charsets interface {
	// All returns the names of the charsets by server.
	All() (map[string]string, error)
	// Set remembers one for the server of u; "" forgets it.
	Set(u urlcore.URL, server, charset string) error
}

// host is what is set for a server.
func (o *Options) host(server string) HostSettings {
	if o.Host == nil {
		return HostSettings{}
	}
	return o.Host(server)
}

// rememberCharset reads a page that begins to come in the charset of its server.
// The first time it looks which are known, after the page has been drawn.
func (m *Model) rememberCharset(p *nav.Page) tea.Cmd {
	server := page.ServerOf(p)
	if server == "" || m.opts.Charsets == nil {
		return nil
	}
	p.RememberCharset(m.rememberedCharset(server))
	return m.readCharsets(func() tea.Cmd { return nil })
}

// rememberedCharset returns the charset that was chosen or set for a server, or Auto.
func (m *Model) rememberedCharset(server string) charset.Charset {
	c, _ := charset.Parse(cmp.Or(m.charsets[server], m.opts.host(server).Charset))
	return c
}

// charsetOf returns the Reading of the server of u: the one of its pages in t, or else
// the remembered charset.
func (m *Model) charsetOf(t *tab, u urlcore.URL) clean.Reading {
	r := t.Session.CharsetOf(u)
	if addr, ok := urlcore.Addr(u); ok && r.Charset == charset.Auto {
		r.Charset = m.rememberedCharset(addr)
	}
	return r
}

// readCharsets calls then, the first time after it has read the remembered charsets.
func (m *Model) readCharsets(then resultFunc) tea.Cmd {
	if m.charsets != nil || m.opts.Charsets == nil {
		return then()
	}
	m.charsets = make(map[string]string)
	known := m.opts.Charsets
	return async(func() resultFunc {
		all, err := known.All()
		return func() tea.Cmd {
			if err != nil {
				return tea.Batch(m.say("the charsets of servers are not known: "+err.Error()), then())
			}
			m.useCharsets(all)
			return then()
		}
	})
}

// useCharsets takes over the charsets that are remembered, but for those chosen since.
func (m *Model) useCharsets(all map[string]string) {
	for server, name := range all {
		if _, chosen := m.charsets[server]; !chosen {
			m.charsets[server] = name
		}
	}
	for _, t := range m.tabs {
		if p := t.Session.Page(); p != nil {
			m.rememberCharset(p)
			t.Pager.Show(p)
		}
	}
}

// changeCharset reads the page in another charset, and remembers it for its
// server.
func (m *Model) changeCharset(dir int) tea.Cmd {
	p := m.tab.Session.Page()
	if p == nil {
		return nil
	}
	if _, odd := p.CharsetChoice(); !odd {
		return m.say("the page is ASCII in all charsets")
	}
	if document.IsHTML(p.Media) {
		c, _ := p.CharsetChoice()
		return m.say("hypertext is read in one charset, here " + c.Charset.Name() + ": " + c.Why)
	}
	at, n := p.NextCharset(dir)
	m.tab.Pager.Show(p)
	c, _ := p.CharsetChoice()
	text := fmt.Sprintf("%s (%d of %d)", c.Charset.Name(), at, n)
	if at == 1 {
		text += ": " + c.Why
	}
	return tea.Batch(m.say(text), m.saveCharset(p))
}

func (m *Model) saveCharset(p *nav.Page) tea.Cmd {
	server := page.ServerOf(p)
	if server == "" || m.opts.Charsets == nil {
		return nil
	}
	name := ""
	if c := p.ForcedCharset(); c != charset.Auto {
		name = c.String()
	}
	if m.charsets == nil {
		m.charsets = make(map[string]string)
	}
	m.charsets[server] = name
	if m.private {
		return nil
	}
	known, u := m.opts.Charsets, urlcore.Redact(p.URL)
	return m.keep(func() resultFunc {
		if err := known.Set(u, server, name); err != nil {
			return m.saying("the charset was not remembered: " + err.Error())
		}
		return nil
	})
}

// charsetBadge is the charset of the page for the URL bar, with a question mark
// if it is a guess; "" for ASCII.
func (t *tab) charsetBadge() string {
	p := t.Session.Page()
	if p == nil {
		return ""
	}
	c, odd := p.CharsetChoice()
	if !odd {
		return ""
	}
	name := c.Charset.Name()
	if !c.Sure {
		name += "?"
	}
	return name
}
