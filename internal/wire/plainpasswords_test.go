package wire

import (
	"errors"
	"strings"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// onePin is a [Pins] with the same fingerprint for every server, or none if it is empty.
type onePin string

func (p *onePin) Pin(string) (string, bool) { return string(*p), *p != "" }
func (p *onePin) Agree(_, pin string)       { *p = onePin(pin) }
func (p *onePin) Remember(_, pin string)    { *p = onePin(pin) }

// TestPlainPasswords checks that consent applies to one login at one server. The consent ends when
// a certificate is pinned. For a pinned server, no flag replaces consent.
func TestPlainPasswords(t *testing.T) {
	var p PlainPasswords
	pin := new(onePin)
	ask := func(addr string, allowed bool) *protocols.Confirm {
		return p.Ask(pin, nil, addr, "joe", allowed, "Why.")
	}
	first := ask("h:21", false)
	if first == nil || first.Consent != protocols.ConsentPlainPassword || ask("h:21", true) != nil {
		t.Fatalf("got %v, want a question that a flag can answer", first)
	}
	first.GiveConsent()
	if ask("h:21", false) != nil || ask("h:22", false) == nil {
		t.Error("the consent does not apply to exactly one server")
	}
	if other := p.Ask(pin, nil, "h:21", "root", false, "Why."); other == nil ||
		other.Question != `Send the password of "root" to h:21 in the clear` {
		t.Errorf("after a yes for joe: got %v, want the question for root", other)
	}
	if p.Ask(pin, urlcore.Generic{Name: "gopher"}, "h:21", "joe", false, "Why.") == nil {
		t.Error("the consent applies to another scheme")
	}
	*pin = "SHA-256 one"
	second := ask("h:21", true)
	if second == nil || second.Consent != protocols.ConsentAsked {
		t.Fatalf("with a certificate: got %v, want a question that no flag answers", second)
	}
	second.GiveConsent()
	if ask("h:21", false) != nil {
		t.Error("the second consent was not recorded")
	}
	if *pin = "SHA-256 two"; ask("h:21", false) == nil {
		t.Error("the consent applies after another certificate was pinned")
	}
}

// TestRefusal checks that the text of the server is in quotation marks and without the password.
func TestRefusal(t *testing.T) {
	mask := func(text string) string { return strings.ReplaceAll(text, `se"cret`, "****") }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{
			&protocols.Error{Op: "begin TLS", Code: 500, Text: `no "TLS" for se"cret. Agree? (y/N)`},
			`begin TLS: h.example says: "500 no 'TLS' for ****. Agree? (y/N)"`,
		},
		{&protocols.Error{Op: "begin TLS", Text: "no"}, `begin TLS: h.example says: "no"`},
		{&protocols.Error{Op: "begin TLS", Err: errors.New("the connection ended")}, "begin TLS: the connection ended"},
		{errors.New(`x se"cret`), "x ****"},
	} {
		if got := DescribeRefusal("h.example:21", tt.err, mask); got != tt.want {
			t.Errorf("DescribeRefusal(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
}
