package web

import (
	"errors"
	"net/http"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// account returns the key for stored credentials. An HTTP URL contains no user name.
func (r *request) account() wire.Account {
	return wire.Account{Scheme: r.url.Scheme(), Addr: r.url.Addr()}
}

// authorize adds the stored login for the server to hr (RFC 7617). If the login or a password in a form
// would be sent in the clear, and the user has not agreed to this, authorize returns a
// *[protocols.Confirm].
func (c *Client) authorize(r *request, hr *http.Request) error {
	kept, ok := c.sharedLogins().Get(r.account())
	if (ok || r.secret) && !r.url.Secure {
		if confirm := wire.Remember(c.Dialer.Memory, &c.plainPasswords).Ask(c.Dialer.TLS.Pins, r.originalURL, r.url.Addr(), kept.User, c.PlainPasswords,
			"The URL has no TLS (https): anyone on the network can read the password."); confirm != nil {
			return confirm
		}
	}
	if ok {
		password, _ := kept.Password()
		hr.SetBasicAuth(kept.User, password)
		c.sharedLogins().Try(r.url.Addr(), kept)
	}
	return nil
}

// askLogin returns a request to the user for a login. If the server does not accept Basic
// authentication, it returns another error.
func (c *Client) askLogin(a *exchange) error {
	basic, realm := false, ""
	for _, challenge := range a.Header.Values("WWW-Authenticate") {
		scheme, params, _ := strings.Cut(strings.TrimSpace(challenge), " ")
		if strings.EqualFold(scheme, "basic") {
			basic = true
			_, realm, _ = strings.Cut(a.mask(params), "realm=") // masked first: a password may have a quotation mark
			realm, _, _ = strings.Cut(strings.TrimPrefix(realm, `"`), `"`)
		}
	}
	if !basic {
		return &protocols.Error{
			Reason: protocols.Denied, Op: "open " + a.request.url.String(), Code: a.StatusCode, Text: a.mask(reasonPhrase(a.Response)),
			Err: errors.New("the server requires a login method that gofer does not support: only Basic is supported"),
		}
	}
	account := a.request.account()
	kept, ok := c.sharedLogins().Get(account)
	if ok {
		c.sharedLogins().RecordRefusal(account, kept)
	}
	return &protocols.Login{
		URL: a.request.originalURL, Server: account.Addr, User: kept.User, Failed: ok,
		Text: realm, With: c.sharedLogins().KeepFunc(account),
	}
}
