package web

import (
	"context"
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

// keptLogin returns the login in memory for the server of r, if the fetch may use it.
func (c *Client) keptLogin(ctx context.Context, r *request) (kept wire.Credentials, ok bool) {
	if !protocols.MayLogIn(ctx, r.url.Scheme(), r.url.Addr()) {
		return wire.Credentials{}, false
	}
	return c.sharedLogins().Get(r.account())
}

// authorize adds the stored login for the server to hr, in answer to the last challenge of the server (RFC 7616, RFC
// 7617). Without a challenge, it adds nothing, because the server may accept a digest instead of the password. If the
// password or a password in a form would be sent in the clear, and the user has not agreed to this, authorize returns
// a *[protocols.Confirm].
func (c *Client) authorize(r *request, hr *http.Request) error {
	kept, ok := c.keptLogin(hr.Context(), r)
	var answered *nonceUse
	if ok {
		answered = c.sharedChallenges().use(r.account())
	}
	basic := answered != nil && answered.scheme == "basic"
	if (basic || r.secret) && !r.url.Secure {
		if confirm := wire.Remember(c.Dialer.Memory, &c.plainPasswords).Ask(c.Dialer.TLS.Pins, r.originalURL, r.url.Addr(), kept.User, c.PlainPasswords,
			"The URL has no TLS (https): anyone on the network can read the password."); confirm != nil {
			return confirm
		}
	}
	if answered == nil {
		return nil
	}
	password, _ := kept.Password()
	if basic {
		hr.SetBasicAuth(kept.User, password)
	} else {
		hr.Header.Set("Authorization", answered.authorization(hr.Method, hr.URL.RequestURI(), kept.User, password))
	}
	r.answered = answered
	c.sharedLogins().Try(r.url.Addr(), kept)
	return nil
}

func (c *Client) sharedChallenges() *challenges {
	return wire.Remember(c.Dialer.Memory, &c.challenges)
}

// login handles the status 401. It returns the request to repeat with the stored login, or a *[protocols.Login]. If the
// server accepts no login method that gofer supports, it returns another error.
func (c *Client) login(a *exchange) (*request, error) {
	chosen := chooseChallenge(a.Header.Values("WWW-Authenticate"))
	if chosen == nil {
		return nil, &protocols.Error{
			Reason: protocols.Denied, Op: "open " + a.request.url.String(), Code: a.StatusCode, Text: a.mask(reasonPhrase(a.Response)),
			Err: errors.New("the server requires a login method that gofer does not support: only Basic and Digest are supported"),
		}
	}
	account := a.request.account()
	kept, ok := c.keptLogin(a.conn.Context(), a.request)
	c.sharedChallenges().keep(account, chosen)
	if ok && a.request.mayRepeatLogin(chosen) {
		again := *a.request
		again.answered, again.logins = nil, a.request.logins+1
		return &again, nil
	}
	if ok {
		c.sharedLogins().RecordRefusal(account, kept)
	}
	var masked []string // before it is parsed: a password may have a quotation mark
	for _, v := range a.Header.Values("WWW-Authenticate") {
		masked = append(masked, a.mask(v))
	}
	realm := ""
	if shown := chooseChallenge(masked); shown != nil {
		realm = shown.parameters["realm"]
	}
	return nil, &protocols.Login{
		URL: a.request.originalURL, Server: account.Addr, User: kept.User, Failed: ok,
		Text: realm, With: c.sharedLogins().KeepFunc(account),
	}
}

// maxLogins is how often a request is repeated with the stored login: once if the login was not sent, and once with a new
// nonce.
const maxLogins = 2

// mayRepeatLogin reports whether the server has not refused the login: it was not sent, or its nonce was old (RFC 7616,
// section 3.3, "stale").
func (r *request) mayRepeatLogin(next *challenge) bool {
	old := r.answered
	switch {
	case r.logins >= maxLogins:
		return false
	case old == nil:
		return true
	case old.scheme != "digest" || next.scheme != "digest":
		return false
	}
	return strings.EqualFold(next.parameters["stale"], "true") || old.count > 1 && next.parameters["nonce"] != old.parameters["nonce"]
}
