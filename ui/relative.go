package ui

import (
	"strings"

	"gofer/nav"
	"gofer/urlcore"
)

// guess returns the URL for a typed text. In a directory it may be a path from there, see [relativeURL].
func (m *Model) guess(typed string) (urlcore.URL, error) {
	if p, ok := m.tab.directory(); ok {
		if u := relativeURL(p, strings.TrimSpace(typed)); u != nil {
			return u, nil
		}
	}
	return m.opts.Guess(typed)
}

// relativeURL returns the URL of a path from the directory of a page, or nil if typed is no such path. A path begins with "." or
// "..", or with an item of the page and a slash, so that it is not a host.
func relativeURL(p *nav.Page, typed string) urlcore.URL {
	first, _, hasSlash := strings.Cut(typed, "/")
	if first != "." && first != ".." && (!hasSlash || first == "" || !hasItem(p, first)) {
		return nil
	}
	u := p.URL
	for name := range strings.SplitSeq(typed, "/") {
		switch dir, canHaveItems := u.(interface {
			Child(name string) (urlcore.URL, error)
		}); {
		case name == "" || name == ".":
		case name == "..":
			u, _ = urlcore.Up(u)
		case !canHaveItems:
			return nil
		default:
			var err error
			if u, err = dir.Child(name); err != nil {
				return nil
			}
		}
	}
	if strings.HasSuffix(typed, "/") && !strings.HasSuffix(u.String(), "/") {
		if dir, err := urlcore.Parse(u.String() + "/"); err == nil {
			u = dir
		}
	}
	return u
}

// hasItem reports whether a directory has an item with this name.
func hasItem(p *nav.Page, name string) bool {
	for i := range p.Lines.Len() {
		if p.Lines.WithoutLink(i).Text == name {
			return true
		}
	}
	return false
}
