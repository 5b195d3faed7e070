// Package ldap reads directories by LDAP (RFC 4511), for ldap: and ldaps: URLs (RFC 4516). It changes nothing in them.
//
// An entry is a page with its attributes and the entries directly below it. Names of entries, URLs and mail addresses among the
// values are links. A URL with a scope or a filter is the list of the entries found. Referrals to other servers are links, too: gofer
// follows none by itself, because a directory could make it connect, and log in, anywhere (RFC 4511, section 4.1.10).
//
// # Messages
//
// The filters of RFC 4515, names of entries (RFC 4514) and names of results come from github.com/go-ldap/ldap. Its connection is not
// used: it reads messages of any length (the limit of its BER library is one for the process, and up to 2 GB), builds a tree of each of
// their octets, reads ahead in a goroutine, for which the time limit of silence would run while nothing is requested, and writes
// unexpected messages to the standard error of the terminal. So [ber] reads messages. Lengths without an end, which LDAP does not have
// (RFC 4511, section 5.1), are read, too.
//
// # Portions
//
// Lists are requested in portions (RFC 2696). The next portion is requested when the lines of the last one have been read, so a huge
// directory is read no further than it is shown.
//
// # Logins
//
// A server is first asked without a login. If it wants one, the user is asked for the name of an entry and its password. Before the
// password is sent, TLS begins if the server offers it. The extensions bindname and e-bindname of a URL propose the name. An idle
// connection is kept for the same login only.
package ldap

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"gofer/internal/ber"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// secureScheme is the scheme of URLs that are opened by TLS from the start.
const secureScheme = "ldaps"

// Client fetches ldap: and ldaps: URLs. The zero value is ready and safe for concurrent use. A Client keeps idle connections until Close.
type Client struct {
	Dialer         wire.Dialer
	PlainPasswords bool                // send passwords without TLS without a question
	Getenv         func(string) string // names the server of URLs without a host; nil: none

	idle     wire.Pool[*session]
	logins   wire.Logins
	consents wire.PlainPasswords
}

var _ protocols.Planner = (*Client)(nil)

// Close closes the idle connections.
func (c *Client) Close() error {
	c.idle.Close()
	return nil
}

// Fetch returns an entry, a list of entries or the octets of an attribute.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	u, err := c.checkURL(req.URL)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	startTLS := c.idle.Has(c.keyOf(ctx, u, true))
	res, err := c.fetch(ctx, u, startTLS)
	if isTLSRequired(err) && u.Name != secureScheme && !startTLS {
		return c.fetch(ctx, u, true)
	}
	return res, err
}

// Plan returns the steps of a fetch without a login.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	l, err := c.checkURL(u)
	if err != nil {
		return nil, err
	}
	q, note := entryQuery(l), "ask for the entry"
	switch {
	case isList(l):
		q, note = listQuery(l), "search; the next portions are requested in the same way"
	case l.IsOctets():
		note = "ask for the attribute"
	}
	steps := []protocols.Step{{Peer: l.Addr(), Send: searchRequest(1, q), Note: note}}
	if hasChildren(l) {
		steps = append(steps, protocols.Step{Peer: l.Addr(), Send: searchRequest(2, childrenQuery(l)), Note: "ask for the names of the entries directly below, in portions"})
	}
	return steps, nil
}

// checkURL returns u with the host of its server, or the question for the words of a search.
func (c *Client) checkURL(u urlcore.URL) (urlcore.LDAP, error) {
	l, ok := u.(urlcore.LDAP)
	if !ok {
		return l, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by LDAP"}
	}
	canonical, err := urlcore.Canon(l)
	if err != nil {
		return l, &protocols.Error{Reason: protocols.BadURL, Op: "ask the directory server", Err: err}
	}
	l, _ = canonical.(urlcore.LDAP)
	for _, e := range l.ExtensionList() {
		if e.Critical && !isBindName(e) && e.Name != urlcore.LDAPWords {
			return l, protocols.NewError(protocols.Unsupported, "open "+l.String(), `gofer does not know the extension "`+e.Name+`", without which the URL must not be opened (RFC 4516, section 2)`)
		}
	}
	if len(l.Extensions) > maxRepeated || len(l.DN) > maxName {
		return l, protocols.NewError(protocols.BadURL, "send the name of the entry and the user", "it is too long")
	}
	if err := checkAttributes(l); err != nil {
		return l, err
	}
	if _, err := compileFilter(l.Filter); err != nil {
		return l, err
	}
	if l.Host == "" {
		if l, err = c.withServer(l); err != nil {
			return l, err
		}
	}
	if l.Kind() == "search" {
		return l, askWords(l)
	}
	return l, nil
}

// dialerFor returns the dialer for a scheme.
func (c *Client) dialerFor(scheme string) wire.Dialer {
	d := c.Dialer
	d.TLS.Scheme = scheme
	if scheme == secureScheme {
		d.TLS.PlainName = "ldap"
	}
	return d
}

// extensionLogin is the extension with the name of the user.
const extensionLogin = "bindname"

// isBindName reports whether an extension has the name of the user: by RFC 2255, section 4, or in the examples of RFC 4516.
func isBindName(e urlcore.LDAPExtension) bool {
	return e.Name == extensionLogin || e.Name == "e-"+extensionLogin
}

// mustLogIn reports whether u must not be opened without a login.
func mustLogIn(u urlcore.LDAP) bool {
	for _, e := range u.ExtensionList() {
		if isBindName(e) && e.Critical {
			return true
		}
	}
	return false
}

// accountOf returns the account for u.
func accountOf(u urlcore.LDAP) wire.Account {
	account := wire.Account{Scheme: u.Name, Addr: u.Addr()}
	for _, e := range u.ExtensionList() {
		if isBindName(e) && e.Value != "" {
			account.User, account.HasUser = e.Value, true
		}
	}
	return account
}

// loginFor returns the login that the user has given for u, or the zero value. A login without a password is none: servers log nobody
// in and report success (RFC 4513, section 5.1.2).
func (c *Client) loginFor(ctx context.Context, u urlcore.LDAP) wire.Credentials {
	if !protocols.MayLogIn(ctx, u.Name, u.Addr()) {
		return wire.Credentials{}
	}
	login, _ := wire.Remember(c.Dialer.Memory, &c.logins).Get(accountOf(u))
	if password, _ := login.Password(); password == "" {
		return wire.Credentials{}
	}
	return login
}

// open asks for what the URL names.
func (s *session) open() (*protocols.Resource, error) {
	if isList(s.url) {
		return s.openList()
	}
	if err := s.search(entryQuery(s.url)); err != nil {
		return nil, err
	}
	e, r, err := s.readEntry()
	op := "open the entry " + cmp.Or(s.url.DN, "of the server")
	switch {
	case err != nil:
		return nil, err
	case r.code == referral:
		return s.newReferral(r), nil
	case r.code != success:
		return nil, s.failure(r, op)
	case e == nil:
		missing := protocols.NewError(protocols.NotFound, op, "it does not match the filter, or the server does not show it to this user")
		missing.Lines = s.nearLines("")
		return nil, missing
	case s.url.Attributes != "" && e.isEmpty():
		return nil, protocols.NewError(protocols.NotFound, "open "+s.url.Attributes+" of "+s.url.DN, "the entry has no such attribute, or the server does not show it to this user")
	case s.url.IsOctets():
		return s.newDocument(e)
	}
	return s.newEntryPage(e), nil
}

// maxReferences limits the references in the answer to a search for one entry, which has none.
const maxReferences = 100

// readEntry reads the answer to a search for one entry. The entry is nil if there is none.
func (s *session) readEntry() (e *entry, r result, err error) {
	for range maxReferences {
		a, err := s.next()
		switch {
		case err != nil:
			return nil, r, err
		case a.op.Tag == tagReference:
			continue
		case a.op.Tag != tagEntry || e != nil: // a search for one entry finds no other
			r, err = a.result(tagDone, s.mask)
			return e, r, err
		}
		found, err := a.entry()
		if err != nil {
			return nil, r, err
		}
		found.raw.Content = bytes.Clone(found.raw.Content)
		e = &found
	}
	return nil, r, ber.Malformed(ber.ErrDamaged)
}

// newDocument returns the octets of the attribute that the URL names: its first value.
func (s *session) newDocument(e *entry) (*protocols.Resource, error) {
	for name, values := range e.attributes() {
		first := values.First()
		if !strings.EqualFold(name, s.url.Attributes) || !first.Exists() {
			continue
		}
		head := protocols.Head{URL: s.url, Title: s.url.FileName(), Size: int64(len(first.Octets()))}
		head.Media, _ = protocols.BySuffix(head.Title)
		n := 0
		for range values.Children() {
			n++
		}
		notes := func() (notes []string) {
			if n > 1 {
				notes = []string{fmt.Sprintf("the attribute has %d values; this is the first", n)}
			}
			return notes
		}
		s.keep()
		return &protocols.Resource{Head: head, Body: bytes.NewReader(first.Octets()), LateNotes: notes, Closer: io.NopCloser(nil)}, nil
	}
	return nil, protocols.NewError(protocols.NotFound, "open "+s.url.Attributes+" of "+s.url.DN, "the entry has no such attribute")
}

// newReferral returns a page with links to the servers to which the server refers.
func (s *session) newReferral(r result) *protocols.Resource {
	return s.newPage(func(yield func(protocols.Line, error) bool) {
		if yield(protocols.Line{Text: "The server refers to other servers for this entry:"}, nil) && yield(protocols.Line{}, nil) {
			(&list{session: s, yield: yield}).writeReferrals(r.referrals)
		}
	})
}

// askWords returns the question for the words of a search below the entry of u.
func askWords(u urlcore.LDAP) *protocols.Ask {
	ask := protocols.AskOne(u, "Search "+titleOf(u), "Name, mail address, or a filter in ( )", func(words string) urlcore.URL {
		found := entryURL(u, u.DN)
		found.Attributes, found.Scope, found.Filter = "cn,mail,telephoneNumber", "sub", wordsFilter(words)
		if strings.HasPrefix(words, "(") {
			found.Filter = words
		}
		return found
	})
	urlOf := ask.With
	ask.With = func(answers []string) (urlcore.URL, error) {
		found, err := urlOf(answers)
		if err == nil {
			_, err = compileFilter(found.(urlcore.LDAP).Filter)
		}
		return found, err
	}
	return ask
}

// wordsFilter returns the filter for entries with the words in this order in a name, a login or a mail address.
func wordsFilter(words string) string {
	var escaped []string
	for word := range strings.FieldsSeq(words) {
		escaped = append(escaped, strings.NewReplacer(`\`, `\5c`, `*`, `\2a`, `(`, `\28`, `)`, `\29`, "\x00", `\00`).Replace(word)) // RFC 4515, section 3
	}
	filter := "(|"
	for _, attribute := range []string{"cn", "sn", "uid", "mail", "ou", "o"} {
		filter += "(" + attribute + "=*" + strings.Join(escaped, "*") + "*)"
	}
	return filter + ")"
}

// titleOf returns the title of the page of u.
func titleOf(u urlcore.LDAP) string {
	first, _ := urlcore.CutDN(u.DN)
	place := " below " + first
	if u.DN == "" {
		place = " at " + u.Addr()
	}
	switch {
	case u.Filter != "":
		words, _, _ := strings.Cut(strings.TrimPrefix(u.Filter, "(|(cn=*"), "*)(sn=*")
		if words = strings.ReplaceAll(words, "*", " "); wordsFilter(words) == u.Filter {
			return words + place
		}
		return u.Filter + place
	case isList(u):
		return "Entries" + place
	case u.DN != "":
		return itemText(u.DN)
	}
	return "Directory server " + u.Addr()
}
