package nntp

import (
	"crypto/x509"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// secureFake returns a fake with TLS, and the certificates to trust.
func secureFake(t *testing.T, answers map[string]string) (*fake, *x509.CertPool) {
	t.Helper()
	config, roots := fetchtest.NewSelfSigned(t)
	f := startFake(t, answers)
	f.mu.Lock()
	f.tls = config
	f.mu.Unlock()
	return f, roots
}

// TestStartTLS checks that STARTTLS precedes a password, and that the user is asked if TLS cannot begin.
func TestStartTLS(t *testing.T) {
	const confirm = "asks"
	for _, tt := range []struct {
		name    string
		answers map[string]string
		trusted bool // the certificate is trusted
		want    string
		sent    string
	}{
		{"supported", map[string]string{"STARTTLS": "382 go\ntls"}, true, "TLS", "STARTTLS|AUTHINFO USER me|AUTHINFO PASS pw|ARTICLE <a@b>"},
		{
			"unknown certificate",
			map[string]string{"STARTTLS": "382 go\ntls"},
			false, confirm,
			"STARTTLS|AUTHINFO USER me|AUTHINFO PASS pw|ARTICLE <a@b>",
		},
		{"unknown command", nil, true, confirm, "STARTTLS|AUTHINFO USER me|AUTHINFO PASS pw|ARTICLE <a@b>"},
		{
			"not available",
			map[string]string{"STARTTLS": "580 no certificate"},
			true, confirm,
			"STARTTLS|AUTHINFO USER me|AUTHINFO PASS pw|ARTICLE <a@b>",
		},
		{"closed", map[string]string{"STARTTLS": "close"}, true, confirm, "STARTTLS|AUTHINFO USER me|AUTHINFO PASS pw|ARTICLE <a@b>"},
		{
			"no TLS after 382",
			map[string]string{"STARTTLS": "382 go\nnoise"},
			true, confirm,
			"STARTTLS|AUTHINFO USER me|AUTHINFO PASS pw|ARTICLE <a@b>",
		},
		{
			"octets after 382",
			map[string]string{"STARTTLS": "382 go\n281 you are in\ntls"},
			true, confirm,
			"STARTTLS|AUTHINFO USER me|AUTHINFO PASS pw|ARTICLE <a@b>",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answers := map[string]string{"AUTHINFO USER me": "381 more", "AUTHINFO PASS pw": "281 in", "ARTICLE": "220 go\nbody\n."}
			for verb, answer := range tt.answers {
				answers[verb] = answer
			}
			f, roots := secureFake(t, answers)
			c := &Client{Server: f.addr(), Dialer: wire.Dialer{TLS: wire.TLS{Pins: memoryPins{}}}}
			defer c.Close()
			if tt.trusted {
				c.Dialer.TLS.Roots = roots
			}
			c.logins.Keep(wire.Account{Scheme: "nntp", Addr: f.addr()}, wire.NewCredentials("me", "pw"))
			r, err := c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: "a@b"}})
			if question, ok := errors.AsType[*protocols.Confirm](err); ok {
				if sent := strings.Join(f.sentCommands(), " "); strings.Contains(sent, "AUTHINFO") || tt.want != confirm {
					t.Fatalf("got the question %q after sending %q; want %s, and no AUTHINFO before the question", question.Question, sent, tt.want)
				}
				plain := strings.Contains(question.Question, "in the clear")
				fetchtest.Equal(t, plain, tt.trusted, "whether %q is about the password", question.Question)
				question.GiveConsent()
				r, err = c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: "a@b"}})
			} else if tt.want == confirm {
				t.Fatalf("got %v, want a question", err)
			}
			fetchtest.NoError(t, err)
			_ = r.Close()
			if secure := r.Security.Protocol != ""; secure != (tt.answers["STARTTLS"] == "382 go\ntls") {
				t.Errorf("Security = %+v; want TLS only if STARTTLS succeeds", r.Security)
			}
			commands := f.sentCommands()
			if i := slices.Index(commands, "QUIT"); i >= 0 {
				commands = slices.Delete(commands, i, i+1)
			}
			sent := strings.Join(slices.Compact(commands), "|")
			fetchtest.Equal(t, sent, tt.sent, "sent")
		})
	}
}

// memoryPins keeps pins in memory.
type memoryPins map[string]string

func (m memoryPins) Pin(addr string) (string, bool)    { p, ok := m[addr]; return p, ok }
func (m memoryPins) Agree(addr, fingerprint string)    { m[addr] = fingerprint }
func (m memoryPins) Remember(addr, fingerprint string) { m[addr] = fingerprint }

// TestDowngrade checks that the user is asked before a password is sent in the clear to a server whose
// certificate was trusted, even if the settings allow passwords in the clear.
func TestDowngrade(t *testing.T) {
	f := startFake(t, map[string]string{"AUTHINFO": "281 in", "ARTICLE": "220 go\n."})
	c := f.client()
	c.Dialer.TLS.Pins = memoryPins{f.addr(): "SHA-256 00"}
	c.logins.Keep(wire.Account{Scheme: "nntp", Addr: f.addr()}, wire.NewCredentials("me", "pw"))
	_, err := c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: "a@b"}})
	if confirm, ok := errors.AsType[*protocols.Confirm](err); !ok || confirm.Consent != protocols.ConsentAsked {
		t.Errorf("got %v, want a question that is always asked", err)
	}
}

// TestWantsTLS fetches from a server that refuses commands in the clear with 483, with and without a
// login.
func TestWantsTLS(t *testing.T) {
	for _, login := range []bool{false, true} {
		f, roots := secureFake(t, map[string]string{"ARTICLE": "483 TLS first\n220 go\nbody\n.", "STARTTLS": "382 go\ntls", "AUTHINFO": "281 in"})
		c := f.client()
		c.Dialer.TLS.Roots = roots
		if login {
			c.logins.Keep(wire.Account{Scheme: "nntp", Addr: f.addr()}, wire.NewCredentials("me", "pw"))
		}
		fetchtest.Returns(t, "body\r\n", "login %v", login)(fetchBody(t, c, urlcore.News{MessageID: "a@b"}))
		f.setAnswer("ARTICLE", "483 TLS first\n483 more than that")
		fetchtest.Fails(t, protocols.Insecure, "login %v", login)(c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: "a@b"}}))
	}
	f := startFake(t, map[string]string{"ARTICLE": "483 TLS first"})
	_, err := f.client().Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: "a@b"}})
	if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != protocols.Insecure || e.Err == nil ||
		!strings.Contains(e.Err.Error(), "nntps:") {
		t.Errorf("a server without STARTTLS: got %v, want Insecure and the advice to use an nntps: URL", err)
	}
}

// TestSASLPlain logs in by SASL PLAIN to a server that does not know AUTHINFO USER.
func TestSASLPlain(t *testing.T) {
	long := strings.Repeat("x", 400)
	code := func(password string) string {
		return base64.StdEncoding.EncodeToString([]byte("\x00me\x00" + password))
	}
	for _, tt := range []struct {
		name, password string
		answers        map[string]string
		sent           []string
		failed         bool
	}{
		{
			"at once", "pw",
			map[string]string{"AUTHINFO SASL PLAIN " + code("pw"): "281 in"},
			[]string{"AUTHINFO USER me", "AUTHINFO SASL PLAIN " + code("pw")},
			false,
		},
		{
			"with data", "pw",
			map[string]string{"AUTHINFO SASL PLAIN " + code("pw"): "283 ="},
			[]string{"AUTHINFO USER me", "AUTHINFO SASL PLAIN " + code("pw")},
			false,
		},
		{
			"step by step", "pw",
			map[string]string{"AUTHINFO SASL PLAIN " + code("pw"): "383 =", code("pw"): "281 in"},
			[]string{"AUTHINFO USER me", "AUTHINFO SASL PLAIN " + code("pw"), code("pw")},
			false,
		},
		{
			"long", long,
			map[string]string{"AUTHINFO SASL PLAIN": "383 =", code(long): "281 in"},
			[]string{"AUTHINFO USER me", "AUTHINFO SASL PLAIN", code(long)},
			false,
		},
		{
			"wrong", "pw",
			map[string]string{"AUTHINFO SASL PLAIN " + code("pw"): "481 no"},
			[]string{"AUTHINFO USER me", "AUTHINFO SASL PLAIN " + code("pw")},
			true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.answers["AUTHINFO USER me"], tt.answers["ARTICLE"] = "503 not this way", "220 go\nbody\n."
			f := startFake(t, tt.answers)
			c := f.client()
			c.logins.Keep(wire.Account{Scheme: "nntp", Addr: f.addr()}, wire.NewCredentials("me", tt.password))
			_, err := fetchBody(t, c, urlcore.News{MessageID: "a@b"})
			if _, ok := errors.AsType[*protocols.Login](err); ok != tt.failed || err != nil && !tt.failed {
				t.Errorf("got %v, want a failed login: %v", err, tt.failed)
			}
			got := f.sentCommands()
			fetchtest.EqualSlices(t, got[min(1, len(got)):min(1+len(tt.sent), len(got))], tt.sent, "commands after the first")
		})
	}
}
