package document

import (
	"net/url"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// unopenedReference returns the reference href of a page with the URL base, for the page that says why it
// cannot be opened. A relative reference that has an invalid URL becomes this URL.
func unopenedReference(base urlcore.URL, href string) string {
	href = strings.TrimSpace(href)
	if schemeOf(href) != "" || len(href) > maxHref {
		return href[:min(len(href), maxHref)]
	}
	if s, ok := joinReference(base, href); ok {
		return s
	}
	return href
}

// unsentForm ends the reference of a form that cannot be sent. No URL ends with it.
const unsentForm = " <form>"

// unsentAction returns the reference of a form that cannot be sent to its action, for the page that says why. The
// parameter ref is the action as the page writes it, and action its URL or nil.
func unsentAction(action urlcore.URL, ref string) string {
	if action != nil && ref == "" {
		ref = urlcore.Reference(action, "")
	}
	return ref + unsentForm
}

// unsentError returns the reason why a form cannot be sent to the action ref.
func unsentError(ref string) error {
	cause := "forms are sent only to http and https servers"
	switch scheme := schemeOf(ref); scheme {
	case "javascript", "vbscript":
		cause = "a script of the page sends it, and no scripts are run here"
	case "http", "https":
		if _, err := urlcore.Parse(ref); err != nil {
			return err
		}
	case "mailto":
		cause += ", and this one is a mail to " + strings.TrimPrefix(ref[len(scheme)+1:], "//")
	case "":
		cause = "it is sent to the server of the page, and this page comes from no http or https server"
	default:
		cause += ", and this one is sent to a URL of the scheme " + scheme
	}
	return protocols.NewError(protocols.BadURL, "send the form", cause)
}

// schemeOf returns the scheme of a reference in small letters, or "".
func schemeOf(ref string) string {
	scheme, _, ok := strings.Cut(ref, ":")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return ""
	}
	return strings.ToLower(scheme)
}

// UnopenedError returns the reason why the reference ref of a page cannot be opened, as an *[urlcore.Error] or
// a *[protocols.Error].
func UnopenedError(ref string) error {
	if action, ok := strings.CutSuffix(ref, unsentForm); ok {
		return unsentError(action)
	}
	cause := "it cannot be requested from a server"
	switch schemeOf(ref) {
	case "javascript", "vbscript":
		cause = "the link runs a script of the page, and no scripts are run here"
	case "data", "blob":
		cause = "the link contains data, and leads to no server"
	case "about", protocols.FormScheme:
		cause = "pages of servers may not lead to the program's own pages"
	case "file":
		cause = "pages of servers may not lead to files of this machine"
	case "":
		if cause = "the link is relative, and its page has no URL that relative links start from"; strings.TrimSpace(ref) == "" {
			cause = "the link has no URL"
		}
	default:
		if len(ref) >= maxHref {
			cause = "the URL is too long"
		} else if _, err := urlcore.Parse(ref); err != nil {
			return err
		}
	}
	return protocols.NewError(protocols.BadURL, "open the link", cause)
}

// joinReference joins a relative reference with the URL of its page. It returns false if such pages have no
// relative references.
func joinReference(base urlcore.URL, ref string) (string, bool) {
	switch base.(type) {
	case urlcore.HTTP, urlcore.FTP, urlcore.File:
	default:
		return "", false
	}
	if urlcore.IsStandardInput(base) { // its file is temporary
		return "", false
	}
	from, err := url.Parse(base.String())
	if err != nil {
		return "", false
	}
	to, err := from.Parse(strings.ReplaceAll(escapePercent(ref), `\`, "/"))
	if err != nil {
		return "", false
	}
	if base.Scheme() != "ftp" || strings.HasPrefix(ref, "//") {
		to.User = nil
	}
	return to.String(), true
}
