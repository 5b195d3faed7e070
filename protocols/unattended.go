package protocols

import (
	"context"

	"gofer/urlcore"
)

type unattendedKey struct{}

// Unattended returns a context for fetches that the user does not make one by one, such as checks of followed pages, crawls
// and fetches in advance. A foreign page may choose their URLs by its links, feeds and redirects, and nobody is asked.
// Therefore they use no logins, neither stored ones nor those in memory, and no cookies, except at the server of chosen, the URL
// that the user has chosen, unless it is nil, and at news servers, where a login is for reading at all.
func Unattended(ctx context.Context, chosen urlcore.URL) context.Context {
	server := ""
	if chosen != nil {
		server, _ = urlcore.Addr(chosen)
	}
	return context.WithValue(ctx, unattendedKey{}, server)
}

// MayLogIn reports whether a fetch with ctx may use a login or cookies at the server "host:port" of a scheme. See [Unattended].
func MayLogIn(ctx context.Context, scheme, server string) bool {
	switch scheme {
	case "news", "snews", "nntp", "nntps":
		return true
	}
	only, unattended := ctx.Value(unattendedKey{}).(string)
	return !unattended || only == server && server != ""
}
