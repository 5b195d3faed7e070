package urlcore

import "strings"

// bundlePage begins the text after "about:" of the URL of a bundle of saved pages: "bundle/", the escaped URL of the
// bundle, and for a page in it "?" and the escaped URL of the page.
const bundlePage = "bundle/"

// Bundled returns the URL of the page u in the bundle, or of the start page of the bundle if u is nil.
func Bundled(bundle, u URL) (URL, error) {
	rest := bundlePage + bundleEscaper.Replace(bundle.String())
	if u != nil {
		rest += "?" + bundleEscaper.Replace(Redact(u).String())
	}
	c, err := Canon(Generic{Name: "about", Rest: rest})
	if err == nil && len(rest) > maxBundled {
		err = fail(BadEscape, 0, "the URL is too long for a page of a bundle")
	}
	return c, err
}

// maxBundled is the largest length of the text after "about:", in octets.
const maxBundled = 8 << 10

// bundleEscaper escapes the few characters that end a part of the URL.
var bundleEscaper = strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", " ", "%20")

// BundledIn returns the URLs that [Bundled] made u of; page is nil for the start page of a bundle.
func BundledIn(u URL) (bundle, page URL, ok bool) {
	g, _ := u.(Generic)
	rest, found := strings.CutPrefix(g.Rest, bundlePage)
	if g.Name != "about" || !found {
		return nil, nil, false
	}
	of, in, isPage := strings.Cut(rest, "?")
	bundle, err := Parse(unescape(of))
	if err != nil {
		return nil, nil, false
	}
	if isPage {
		page, err = Parse(unescape(in))
	}
	return bundle, page, err == nil
}

// pageOfBundle returns the URL that the page u of a bundle had at its server, or nil.
func (u Generic) pageOfBundle() URL {
	_, page, _ := BundledIn(u)
	return page
}
