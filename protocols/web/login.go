package web

import (
	"errors"
	"net/http"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
)

// account returns the key of credentials. HTTP has no user in the URL.
func (r *request) account() wire.Account {
	return wire.Account{Scheme: r.url.Scheme(), Addr: r.url.Addr()}
}

// authorize adds the kept login of the server (RFC 7617). It returns a question before a password,
// also in a form, is sent in the clear.
func (c *Client) authorize(r *request, hr *http.Request) error {
	kept, ok := c.typed().Get(r.account())
	if (ok || r.secret) && !r.url.Secure {
		if confirm := wire.Remember(c.Dialer.Memory, &c.plain).Ask(c.Dialer.TLS.Pins, r.asked, r.url.Addr(), kept.User, c.PlainPasswords,
			"The URL has no TLS (https): whoever is on the way can read the password."); confirm != nil {
			return confirm
		}
	}
	if ok {
		password, _ := kept.Password()
		hr.SetBasicAuth(kept.User, password)
		c.typed().Try(r.url.Addr(), kept)
	}
	return nil
}

// askLogin returns the question for a login if the server accepts Basic authentication.
func (c *Client) askLogin(a *exchange) error {
	basic, realm := false, ""
	for _, challenge := range a.Header.Values("WWW-Authenticate") {
		scheme, params, _ := strings.Cut(strings.TrimSpace(challenge), " ")
		if strings.EqualFold(scheme, "basic") {
			basic = true
			_, realm, _ = strings.Cut(params, "realm=")
			realm, _, _ = strings.Cut(strings.TrimPrefix(realm, `"`), `"`)
		}
	}
	if !basic {
		return &protocols.Error{
			Reason: protocols.Denied, Op: "open " + a.request.url.String(), Code: a.StatusCode, Text: phrase(a.Response),
			Err: errors.New("the server wants a login of a kind that gofer does not know: only Basic is known"),
		}
	}
	who := a.request.account()
	kept, ok := c.typed().Get(who)
	if ok {
		c.typed().Refuse(who, kept)
	}
	return &protocols.Login{
		URL: a.request.asked, Server: who.Addr, User: kept.User, Failed: ok,
		Text: c.typed().Mask(who.Addr, realm), With: c.typed().With(who),
	}
}
