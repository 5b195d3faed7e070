// Package web fetches http: and https: URLs (RFC 9110), and sends the forms of their
// pages.
//
// # Connections
//
// Each request has a connection of package wire, and net/http or http2 speaks HTTP;
// this package handles redirects and cookies itself. The time limits, cancellation,
// pinned certificates and transcript are therefore the same as for all other schemes.
// A connection is not reused, because it reports to the fetch that opened it.
//
// # Forms
//
// A form is a URL that holds its fields ([protocols.Form]); its Fetch returns a *[protocols.Ask]. A
// form can therefore be bookmarked. With GET the answers become the next URL. With POST, or with a
// secret field, the answers stay in memory, and the next URL holds only a number: the answers are
// never in a URL, the history or a bookmark. They are sent once, and again only if the user agrees.
package web
