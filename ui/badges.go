package ui

import (
	"strings"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
)

// leastBadges is the screen's width from which on there is room for badges.
const leastBadges = 24

// badges says at the right of the bar, in at most width cells, how a page came, the
// most important first. The URL beside it names scheme and host.
func (s *screen) badges(p *nav.Page, width int) string {
	var words []string
	if s.m.private {
		words = append(words, "private")
	}
	if p != nil && p.Failed == nil {
		words = append(words, s.m.keptBadge(p, width))
		if p.Security.Protocol != "" {
			words = append(words, "TLS"+map[bool]string{true: "?"}[p.Security.Trust == protocols.Unverified])
		}
		if c := s.m.tab.charsetBadge(); c != "" && s.m.width >= page.KindScreen {
			words = append(words, c)
		}
	}
	text := ""
	for _, word := range words {
		if longer := strings.TrimSpace(text + " " + word); s.m.tab.Pager.Cells.Width(longer) <= width {
			text = longer
		}
	}
	return text
}
