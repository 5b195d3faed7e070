package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
)

// keptBadge returns the badge of a kept copy or of a page of a bundle, or "" for other pages. The badge has the date of the
// copy if the date fits the parameter width.
func (m *Model) keptBadge(p *nav.Page, width int) string {
	if p.Origin != nil {
		return bundleBadge(p, m.opts.Zone, width)
	}
	if p.CopiedAt.IsZero() {
		return ""
	}
	if text := "copy " + p.CopiedAt.In(m.opts.Zone).Format(time.DateOnly); len(text) <= width {
		return text
	}
	return "copy"
}

// bundleBadge returns the badge of a page of a bundle, with as much of its parts as fits the parameter width.
func bundleBadge(p *nav.Page, zone *time.Location, width int) string {
	name, text := clean.Short(p.Origin.Bundle), "bundle"
	longer := []string{"from bundle " + name, "from bundle " + name + ", saved " + p.CopiedAt.In(zone).Format(time.DateOnly)}
	if p.Origin.Damaged {
		text, longer = "damaged", []string{"damaged, from bundle", "damaged, from bundle " + name}
	}
	for _, l := range longer {
		if len(l) <= width {
			text = l
		}
	}
	return text
}

// notifyNote shows the reason why the page is a stored copy and not the answer of the server. It names the
// key for a reload, unless gofer works offline. On the page of a group, it shows the first note, because
// the end of the page may be far away.
func (m *Model) notifyNote(t *tab) tea.Cmd {
	p := t.Session.Page()
	switch {
	case len(p.Notes) == 0, p.CopiedAt.IsZero() && p.Layout != protocols.LayoutArticles:
		return nil
	case p.CopiedAt.IsZero(), p.Origin != nil, strings.HasSuffix(p.Notes[0], protocols.Offline.String()):
		return m.notifyIn(t, p.Notes[0])
	}
	return m.notifyIn(t, p.Notes[0]+" ("+m.keys.keyOf("reload")+" asks the server)")
}
