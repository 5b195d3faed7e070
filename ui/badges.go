package ui

import (
	"strings"

	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/page"
)

// minBadgesWidth is the least width of a screen that shows badges.
const minBadgesWidth = 24

// badgeText returns the badges at the right of the URL bar, the most important first. It leaves out
// the badges that do not fit the parameter width. The badges show private mode, the charset, the article
// view, the date of a copy, a bundle and TLS or SSH.
func (s *screen) badgeText(p *nav.Page, width int) string {
	var words []string
	if s.m.private {
		words = append(words, "private")
	}
	if p != nil && p.Failed == nil {
		charset, guessed := s.m.tab.charsetBadge()
		if guessed {
			words = append(words, charset)
		}
		if p.ArticleOf != nil {
			words = append(words, "article view")
		}
		words = append(words, s.m.keptBadge(p, width))
		if p.Security.Protocol != "" {
			protocol, _, _ := strings.Cut(p.Security.Protocol, " ")
			words = append(words, protocol+map[bool]string{true: "?"}[p.Security.Trust == protocols.Unverified])
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
