package ldap

import (
	"cmp"
	"errors"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// The results that mean more than a failure (RFC 4511, appendix A).
const (
	success                     = goldap.LDAPResultSuccess
	operationsError             = goldap.LDAPResultOperationsError
	timeLimit                   = goldap.LDAPResultTimeLimitExceeded
	sizeLimit                   = goldap.LDAPResultSizeLimitExceeded
	strongerAuthRequired        = goldap.LDAPResultStrongAuthRequired
	referral                    = goldap.LDAPResultReferral
	adminLimit                  = goldap.LDAPResultAdminLimitExceeded
	confidentialityRequired     = goldap.LDAPResultConfidentialityRequired
	noSuchObject                = goldap.LDAPResultNoSuchObject
	invalidDN                   = goldap.LDAPResultInvalidDNSyntax
	inappropriateAuthentication = goldap.LDAPResultInappropriateAuthentication
	invalidCredentials          = goldap.LDAPResultInvalidCredentials
	insufficientAccess          = goldap.LDAPResultInsufficientAccessRights
	busy                        = goldap.LDAPResultBusy
	unavailable                 = goldap.LDAPResultUnavailable
	unwilling                   = goldap.LDAPResultUnwillingToPerform
)

// describe returns the name of a result.
func describe(code int) string {
	if code < 0 || code > 0xffff || goldap.LDAPResultCodeMap[uint16(code)] == "" {
		return "an unknown result"
	}
	return strings.ToLower(goldap.LDAPResultCodeMap[uint16(code)])
}

// failures has the reasons and remedies of results that are not simply failures of the server.
var failures = map[int]struct {
	reason protocols.Reason
	remedy string
}{
	sizeLimit:               {protocols.TooBig, "the server sends no more entries at once: search below for words"},
	timeLimit:               {protocols.TooBig, "the search took longer than the server allows: search for fewer entries"},
	adminLimit:              {protocols.TooBig, "the search is larger than the server allows: search for fewer entries"},
	strongerAuthRequired:    {protocols.Denied, "the server requires a login that gofer does not support"},
	confidentialityRequired: {protocols.Insecure, "the server requires TLS: try an ldaps: URL"},
	noSuchObject:            {protocols.NotFound, "there is no such entry, or the server does not show it to this user"},
	invalidDN:               {protocols.NotFound, "the server cannot read this name: write it as cn=...,ou=...,o=..."},
	insufficientAccess:      {protocols.Denied, "the server does not show it to this user"},
}

// failure returns the error for a result other than success: the question for a login if one may help.
func (s *session) failure(r result, op string) error {
	if s.key.Login.User == "" && needsLogin(r) {
		return s.client.askLogin(s.url, false, r.text)
	}
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: op, Code: r.code, Text: cmp.Or(r.text, describe(r.code))}
	if f, ok := failures[r.code]; ok {
		e.Reason, e.Err = f.reason, errors.New(f.remedy)
	}
	switch r.code {
	case busy, unavailable:
		e.Err = protocols.ErrUnavailable
	case noSuchObject, invalidDN:
		e.Lines = s.nearLines(r.matched)
		if strings.HasSuffix(s.url.DN, "/") {
			e.Err = errors.New(`there is no such entry: leave out the "/" at the end of its name`)
		}
	}
	return e
}

// needsLogin reports whether a login may help. Active Directory has no result of its own for this.
func needsLogin(r result) bool {
	switch r.code {
	case insufficientAccess, inappropriateAuthentication, strongerAuthRequired:
		return true
	}
	return r.code == operationsError && strings.Contains(strings.ToLower(r.text), "bind")
}

// isTLSRequired reports whether err says that the server answers by TLS only.
func isTLSRequired(err error) bool {
	e, ok := errors.AsType[*protocols.Error](err)
	return ok && e.Code == confidentialityRequired
}

// nearLines returns links to what exists near a missing entry.
func (s *session) nearLines(matched string) []protocols.Line {
	lines := []protocols.Line{{}}
	if matched != "" {
		lines = append(lines, s.itemLine(matched, "The nearest entry above: "+matched))
	}
	return append(lines, s.itemLine("", "The server "+s.url.Addr()), s.loginLine())
}

// askLogin returns the question for a login at the server of u.
func (c *Client) askLogin(u urlcore.LDAP, failed bool, text string) error {
	logins := wire.Remember(c.Dialer.Memory, &c.logins)
	account := accountOf(u)
	return &protocols.Login{
		URL: u, Server: u.Addr(), User: cmp.Or(logins.LastRefused(account).User, account.User), Failed: failed, Text: text,
		Note: "the user is an entry (uid=...,o=...) or user@domain",
		With: logins.KeepFunc(account),
	}
}

// mask hides passwords in a text of the server: in results and referrals. Entries are documents, and are shown as they are.
func (s *session) mask(text string) string {
	return wire.Remember(s.client.Dialer.Memory, &s.client.logins).Mask(s.url.Addr(), text)
}

// loginLine returns the name of the user, or a link to a login at the server.
func (s *session) loginLine() protocols.Line {
	if user := s.key.Login.User; user != "" {
		return protocols.Line{Text: "Logged in as " + user}
	}
	u := s.url
	u.Attributes, u.Scope, u.Filter, u.Extensions = "", "", "", "!"+extensionLogin
	return protocols.Line{Kind: protocols.Menu, Text: "Log in", Link: canonical(u)}
}

// canonical returns u in canonical form, or nil.
func canonical(u urlcore.LDAP) urlcore.URL {
	c, err := urlcore.Canon(u)
	if err != nil {
		return nil
	}
	return c
}
