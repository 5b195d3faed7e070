package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/charset"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/ui/page"
)

// toggleMouse turns the use of the mouse on or off.
func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	key := m.keys.keyOf("mouse")
	return m.notifyState(m.mouse,
		"mouse on; "+key+" turns it off; a click opens, the wheel scrolls, the right button goes back",
		"mouse selects text; "+key+" turns it on")
}

// applyWrap applies the wrap setting for the server of p, unless the user has already turned wrapping
// on or off for this server.
func (m *Model) applyWrap(p *nav.Page) {
	server := page.ServerOf(p)
	wrap := wrapSetting(&m.opts.Config, server)
	if _, ok := m.tab.Pager.WrapHost[server]; !ok && wrap != nil {
		m.tab.Pager.WrapHost[server] = page.WrapNone
		if *wrap {
			m.tab.Pager.WrapHost[server] = page.WrapParagraphs
		}
	}
}

// wrapSetting returns the setting of a server that wraps long lines or not, or nil.
func wrapSetting(c *config.Config, server string) *bool {
	return config.HostSetting(c, server, func(h config.Host) *bool { return h.Wrap })
}

// charsetBadge returns the charset of the page for the URL bar, or "" for ASCII. The name of a
// guessed charset ends in a question mark, unless it is "mixed".
func (t *tab) charsetBadge() (name string, guessed bool) {
	p := t.Session.Page()
	if p == nil {
		return "", false
	}
	c, odd := p.CharsetChoice()
	switch {
	case !odd:
		return "", false
	case charset.IsWide(p.Charset):
		return strings.ToUpper(p.Charset), false
	case c.Mixed && c.Charset != charset.UTF8:
		return "mixed", true
	case c.Sure:
		return c.Charset.Name(), false
	}
	return c.Charset.Name() + "?", true
}
