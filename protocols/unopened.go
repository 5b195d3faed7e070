package protocols

import (
	"cmp"
	"net/url"
	"os"
	"strings"

	"gofer/urlcore"
)

// unopenedPage begins the text after "about:" of the page of a link that cannot be opened.
const unopenedPage = "link?"

// UnopenedLink returns the URL of the page that says why a link of a page cannot be opened. The
// parameter ref is the reference as the page writes it. A password in it is masked.
func UnopenedLink(ref string) urlcore.URL {
	rest := unopenedPage + urlcore.EscapeQuery(urlcore.MaskPassword(ref))
	u, err := urlcore.Canon(urlcore.Generic{Name: "about", Rest: rest})
	if err != nil {
		return nil
	}
	return u
}

// UnopenedReference returns the reference in a URL made by [UnopenedLink].
func UnopenedReference(u urlcore.URL) (ref string, ok bool) {
	g, _ := u.(urlcore.Generic)
	rest, ok := strings.CutPrefix(g.Rest, unopenedPage)
	if !ok || g.Name != "about" {
		return "", false
	}
	ref, err := url.PathUnescape(rest)
	return ref, err == nil
}

// MayLead reports whether a page with the URL page may lead to u: only local pages lead to files of this machine and to
// the program's own pages. A part of a document, such as an attachment, is as local as its document.
func MayLead(page, u urlcore.URL) bool {
	switch u := u.(type) {
	case urlcore.File:
		if name, err := os.Hostname(); u.Host != "" && (err != nil || !strings.EqualFold(name, u.Host)) {
			return true // on another host
		}
	case urlcore.Generic:
		if _, unopened := UnopenedReference(u); u.Name != "about" || unopened {
			return true
		}
	default:
		return true
	}
	return isLocal(page)
}

// RefuseFile replaces the link of a line of a page if the link leads to a file of this machine, where the page must not
// lead.
func (l *Line) RefuseFile(page urlcore.URL) {
	if _, isFile := l.Link.(urlcore.File); isFile && !MayLead(page, l.Link) {
		l.Kind, l.Link = Problem, UnopenedLink(urlcore.Reference(l.Link, ""))
	}
}

func isLocal(page urlcore.URL) bool {
	switch page := page.(type) {
	case nil, urlcore.File:
		return true
	case urlcore.Generic:
		_, of, isPart := strings.Cut(page.Rest, "?")
		if page.Name != "about" || !isPart {
			return page.Name == "about"
		}
		whole, err := url.PathUnescape(of)
		if err != nil {
			return false
		}
		document, err := urlcore.Parse(whole)
		return err != nil || isLocal(document)
	}
	return false
}

// LinkText returns the text of a link for other programs and for files: its URL without the password,
// and its fragment, which may be "". For a link that cannot be opened it returns the reference of the
// page. Standard input has no URL, so that LinkText returns "-" for it, and only the fragment of a link in it.
func LinkText(u urlcore.URL, fragment string) string {
	if urlcore.IsStandardInput(u) {
		return cmp.Or(urlcore.WithFragment("", fragment), "-")
	}
	if ref, ok := UnopenedReference(u); ok {
		return ref
	}
	return urlcore.Reference(u, fragment)
}
