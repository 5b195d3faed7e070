// Package web fetches http: and https: URLs (RFC 9110), and sends the forms of their
// pages.
//
// # Connections
//
// Each request has a connection of package wire. The HTTP of net/http or http2 runs over this
// connection, and this package handles redirects and cookies itself. The time limits, cancellation,
// pinned certificates and transcript are therefore the same as for all other schemes. Connections are
// not reused, because each connection reports to the fetch that opened it.
//
// # Forms
//
// A form is a URL that contains its fields ([protocols.Form]), so a form can be bookmarked. Fetch
// returns a *[protocols.Ask] for such a URL. If the form uses GET, the answers become part of the next
// URL. Such a form is refused if it contains a password. If the form uses POST, the answers stay in
// memory, and the next URL contains a number in their place. Such answers are never in a URL, the
// history or a bookmark. They are sent once, and again only if the user agrees.
package web
