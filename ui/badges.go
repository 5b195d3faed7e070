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
		charset, guessed := s.m.tab.charsetBadge()
		if guessed {
			words = append(words, charset)
		}
		words = append(words, s.m.keptBadge(p, width))
		if p.Security.Protocol != "" {
			words = append(words, "TLS"+map[bool]string{true: "?"}[p.Security.Trust == protocols.Unverified])
		}
		if !guessed && s.m.width >= page.KindScreen {
			words = append(words, charset)
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
