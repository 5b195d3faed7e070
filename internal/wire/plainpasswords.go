package wire

import (
	"errors"
	"strconv"
	"sync"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// DescribeRefusal returns why TLS could not begin at the server at addr, for
// [PlainPasswords.Ask]. mask hides passwords in the server's text.
func DescribeRefusal(addr string, err error, mask func(string) string) string {
	e, ok := errors.AsType[*protocols.Error](err)
	if !ok || e.Code == 0 && e.Text == "" {
		return mask(err.Error())
	}
	words := mask(e.Text)
	if e.Code != 0 {
		words = strconv.Itoa(e.Code) + " " + words
	}
	return e.Op + ": " + clean.Said(addr, words)
}

// PlainPasswords knows the servers that may get passwords without TLS. The zero value
// knows none and is safe for concurrent use.
type PlainPasswords struct {
	agreed sync.Map // by agreement
}

// agreement identifies a question. A certificate pinned later makes it a new one.
type agreement struct{ addr, login, pin string }

// Ask asks whether the password of login, or of a form if login is empty, may be sent to
// the server at addr in the clear, because of why. It returns nil if the reader has
// agreed or unasked is set. A server that had TLS when its certificate was pinned is
// asked about even then, and no flag agrees.
func (p *PlainPasswords) Ask(pins Pins, u urlcore.URL, addr, login string, unasked bool, why string, details ...string) *protocols.Confirm {
	about, trusted := agreement{addr: addr, login: login}, false
	if pins != nil {
		about.pin, trusted = pins.Pin(addr)
	}
	if _, agreed := p.agreed.Load(about); agreed || unasked && !trusted {
		return nil
	}
	whose := ""
	if login != "" {
		whose = "of " + clean.Name(login) + " "
	}
	confirm := &protocols.Confirm{
		URL:      u,
		Question: "Send the password " + whose + "to " + addr + " in the clear",
		Reason:   why,
		Details:  details,
		Consent:  protocols.ConsentPlainPassword,
		Yes:      func() { p.agreed.Store(about, nil) },
	}
	if trusted {
		confirm.Reason = "The server had TLS when you trusted its certificate: it has none any more, or somebody in between hides it to read the password. " +
			"Ask who runs the server before you send it."
		confirm.Consent = protocols.ConsentAsked
	}
	return confirm
}
