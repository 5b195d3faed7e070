package page

import (
	"cmp"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// ServerOf is the server of a page, under which its charset is remembered; ""
// if it has none.
func ServerOf(p *nav.Page) string {
	addr, ok := urlcore.Addr(p.URL)
	if !ok || p.Layout == protocols.LayoutPage {
		return ""
	}
	return cmp.Or(addr, p.URL.Scheme())
}
