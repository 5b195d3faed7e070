package wire

import (
	"errors"
	"strconv"
	"sync"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// DescribeRefusal describes err, the reason why TLS could not begin with the server at addr, for the
// parameter why of [PlainPasswords.Ask]. The function mask hides passwords in the server's text.
func DescribeRefusal(addr string, err error, mask func(string) string) string {
	e, ok := errors.AsType[*protocols.Error](err)
	if !ok || e.Code == 0 && e.Text == "" {
		return mask(err.Error())
	}
	words := mask(e.Text)
	if e.Code != 0 {
		words = strconv.Itoa(e.Code) + " " + words
	}
	return e.Op + ": " + clean.ServerSays(addr, words)
}

// PlainPasswords records the servers that may get passwords without TLS. The zero value
// is empty and safe for concurrent use.
type PlainPasswords struct {
	agreed sync.Map // a set of agreement
}

// agreement identifies a question that was answered with yes. After another certificate is pinned,
// the question is asked again.
type agreement struct {
	protocol         uint16 // the default port of the scheme, which news: and nntp: share
	addr, login, pin string
}

// Ask returns the question whether the password of login may be sent in the clear to the server at
// addr. If login is empty, the password was typed into a form. The parameter why is the reason for
// the question. Ask returns nil if the user has agreed, or if the parameter allowed is true. It
// ignores this parameter if the server has a pinned certificate, because the server once had TLS.
func (p *PlainPasswords) Ask(pins Pins, u urlcore.URL, addr, login string, allowed bool, why string, details ...string) *protocols.Confirm {
	question, trusted := agreement{addr: addr, login: login}, false
	if u != nil {
		question.protocol = urlcore.DefaultPort(u.Scheme())
	}
	if pins != nil {
		question.pin, trusted = pins.Pin(addr)
	}
	if _, agreed := p.agreed.Load(question); agreed || allowed && !trusted {
		return nil
	}
	owner := ""
	if login != "" {
		owner = "of " + clean.Name(login) + " "
	}
	confirm := &protocols.Confirm{
		URL:         u,
		Question:    "Send the password " + owner + "to " + addr + " in the clear",
		Reason:      why,
		Details:     details,
		Consent:     protocols.ConsentPlainPassword,
		GiveConsent: func() { p.agreed.Store(question, nil) },
	}
	if trusted {
		confirm.Reason = "The server had TLS when you trusted its certificate. It no longer offers TLS, or somebody in between hides it to read the password. " +
			"Ask who runs the server before you send it."
		confirm.Consent = protocols.ConsentAsked
	}
	return confirm
}
