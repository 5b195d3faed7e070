// Package mailto sends mail. A mailto: URL (RFC 6068) or a mailserver: URL opens a draft. When the
// user has written, checked and confirmed the message, sendmail or an SMTP server sends it.
package mailto

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/usenet/compose"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for mailto: and mailserver: URLs. It is
// safe for concurrent use if its fields are not changed after the first use.
type Client struct {
	Dialer wire.Dialer // opens the connections to the SMTP server
	Drafts string      // the folder for drafts
	From   string      // the author, "Joe <joe@example.org>"; optional with Sendmail
	SMTP   string      // the server, "smtp://user@host:port" or "smtps://..."; Sendmail is used if empty
	// Sendmail is the program and its arguments. It reads a message, which contains the recipients,
	// from its standard input.
	Sendmail []string
	Now      func() time.Time // time.Now if nil

	logins        wire.Logins
	plainConsents wire.Consents[Client] // addresses of servers that may be used without TLS
}

// acceptedFields are the fields that a URL may set (RFC 6068, section 4). A URL must not set the
// author or how the message is sent.
var acceptedFields = map[string]string{
	"to": "To", "cc": "Cc", "bcc": "Bcc", "subject": "Subject", "keywords": "Keywords", "in-reply-to": "In-Reply-To", "references": "References",
}

func parseURL(u urlcore.URL) (t compose.Text, err error) {
	var fields [][2]string
	switch u := u.(type) {
	case urlcore.Mailto:
		fields = u.Header()
	case urlcore.Generic:
		if fields, err = parseServerURL(u); err != nil {
			return t, err
		}
	default:
		return t, &protocols.Error{Reason: protocols.Unsupported, Op: "write mail to " + urlcore.Redact(u).String()}
	}
	values := map[string]string{}
	for _, f := range fields {
		switch name, known := acceptedFields[f[0]]; {
		case f[0] == "body":
			t.Body += f[1] + "\n"
		case !known:
		case values[name] != "" && (name == "To" || name == "Cc" || name == "Bcc"):
			values[name] += ", " + f[1]
		default:
			values[name] = f[1]
		}
	}
	for _, name := range []string{"To", "Cc", "Bcc", "Subject", "In-Reply-To", "References", "Keywords"} {
		if values[name] != "" || name == "To" || name == "Subject" {
			t.Header = append(t.Header, compose.Field{Name: name, Value: values[name]})
		}
	}
	return t, nil
}

// parseServerURL parses mailserver:address/subject/body (Internet-Drafts of 1995; historic by RFC 6196).
func parseServerURL(u urlcore.Generic) ([][2]string, error) {
	parts := strings.SplitN(u.Rest, "/", 3)
	for i, p := range parts {
		parts[i] = urlcore.Lookup{Path: p}.Query()
	}
	m, err := urlcore.Canon(urlcore.Mailto{Address: parts[0]})
	if u.Name != "mailserver" || err != nil {
		return nil, protocols.NewError(protocols.BadURL, "read "+u.String(),
			"it is not of the form mailserver:address/subject/body (drafts of 1995, RFC 6196)")
	}
	fields := m.(urlcore.Mailto).Header()
	for i, p := range parts[1:] {
		fields = append(fields, [2]string{[]string{"subject", "body"}[i], p})
	}
	return fields, nil
}

// Plan returns the server or the program that would send the message.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	if _, err := parseURL(u); err != nil {
		return nil, err
	}
	s, err := c.server()
	if err != nil {
		return nil, err
	}
	note := "nothing until you have written the message and agreed to send it"
	if s == nil {
		return []protocols.Step{{Peer: strings.Join(c.Sendmail, " "), Note: note}}, nil
	}
	return []protocols.Step{{Peer: s.addr, Note: note}}, nil
}

// Fetch returns a *[protocols.Compose].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	t, err := parseURL(req.URL)
	if err != nil {
		return nil, err
	}
	return nil, c.Compose(req.URL, t, true)
}

// Compose returns a *[protocols.Compose] with a draft of the message t. If the field From of c is
// set, it is the author. The URL u identifies the draft. If the parameter unchanged is true, the
// user may send the draft without changing it. If the field SMTP of c is invalid, Compose returns
// another error.
func (c *Client) Compose(u urlcore.URL, t compose.Text, unchanged bool) error {
	s, err := c.server()
	if err != nil {
		return err
	}
	title := "Mail"
	if recipients := t.Get("To"); recipients != "" {
		title += " to " + recipients
	}
	if c.From != "" || s != nil { // a server needs an author
		t.Header = append([]compose.Field{{Name: "From", Value: c.From}}, t.Header...)
	}
	return compose.Message{URL: u, Title: title, Template: t, Unchanged: unchanged, Prepare: c.prepare}.Ask(c.Drafts)
}

// envelope is the sender and the recipients of a message.
type envelope struct {
	from string
	to   []string
}

// prepare checks a draft and returns the message to send.
func (c *Client) prepare(t compose.Text) (*compose.Outgoing, error) {
	var e envelope
	for _, f := range t.Header {
		name := strings.ToLower(f.Name)
		if strings.HasPrefix(name, "resent-") { // sendmail would send only to the addresses in such a field
			return nil, fmt.Errorf("the field %s is not allowed: use To, Cc or Bcc", f.Name)
		}
		if name != "from" && name != "to" && name != "cc" && name != "bcc" {
			continue
		}
		list, err := compose.Addresses(f.Value)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		case name != "from":
			for _, a := range list {
				e.to = append(e.to, a.Address)
			}
		case len(list) > 1 || e.from != "":
			return nil, errors.New("the field From has more than one address")
		default:
			e.from = list[0].Address
		}
	}
	s, err := c.server()
	switch {
	case err != nil:
		return nil, err
	case len(e.to) == 0:
		return nil, errors.New("no recipient: fill in To")
	case s != nil && e.from == "":
		return nil, &compose.NoSenderError{Setting: "mail.from"}
	}
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	extra := []compose.Field{{Name: "Date", Value: now().Format(time.RFC1123Z)}}
	transport, send := "sendmail", c.runSendmail
	omit := []string{}
	if s != nil {
		transport, omit = s.addr, []string{"bcc"} // the recipients in Bcc are only in the envelope
		send = func(ctx context.Context, e envelope, message string) error { return c.sendBySMTP(ctx, s, e, message) }
		_, host, _ := strings.Cut(e.from, "@")
		extra = append(extra, compose.Field{Name: "Message-ID", Value: t.MessageID(host)})
	}
	message, err := t.Format(extra, omit...)
	if err != nil {
		return nil, err
	}
	return &compose.Outgoing{
		Question: "Send this to " + clean.Name(strings.Join(e.to, ", ")) + " by " + transport,
		Sent:     message,
		Send:     func(ctx context.Context) error { return send(ctx, e, message) },
	}, nil
}
