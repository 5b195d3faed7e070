package ftp

import (
	"crypto/tls"
	"errors"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire/pins"
	"gofer/protocols"
)

// selfSigned returns the configuration of a server with an unknown certificate.
func selfSigned(t *testing.T) *tls.Config {
	config, _ := fetchtest.NewSelfSigned(t)
	return config
}

// secureClient returns a client that asks before it sends a password in the clear, and remembers
// certificates.
func secureClient(t *testing.T) *Client {
	c := newClient(t)
	c.PlainPasswords = false
	c.Dialer.TLS.Pins = pins.Open("")
	return c
}

// TestTLS fetches by explicit and implicit TLS. The user must be asked about the certificate once if a
// password is sent, or for an ftps URL.
func TestTLS(t *testing.T) {
	older := selfSigned(t)
	older.MaxVersion = tls.VersionTLS12
	for _, tt := range []struct {
		name         string
		f            *fake
		login        string // userinfo in the URL
		wantQuestion bool
		wantPlain    []string
		wantProtocol string
	}{
		{"explicit, a password", &fake{tls: selfSigned(t)}, "joe:secret@", true, []string{"AUTH TLS", "AUTH TLS"}, "TLS 1.3"},
		{"explicit, anonymous", &fake{tls: selfSigned(t)}, "", false, []string{"AUTH TLS"}, "TLS 1.3"},
		{
			"explicit, session reuse", &fake{tls: selfSigned(t), requiresReuse: true}, "joe:secret@", true,
			[]string{"AUTH TLS", "AUTH TLS"},
			"TLS 1.3",
		},
		{
			"explicit, session reuse, TLS 1.2", &fake{tls: older, requiresReuse: true}, "joe:secret@", true,
			[]string{"AUTH TLS", "AUTH TLS"},
			"TLS 1.2",
		},
		{"implicit, a password", &fake{tls: selfSigned(t), implicit: true, requiresReuse: true}, "joe:secret@", true, nil, "TLS 1.3"},
		{"implicit, anonymous", &fake{tls: selfSigned(t), implicit: true}, "", true, nil, "TLS 1.3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.f.data = map[string]string{"RETR": "the file", "MLSD": "type=file;size=8; a b\r\n"}
			f := startFake(t, tt.f)
			scheme := "ftp://"
			if f.implicit {
				scheme = "ftps://"
			}
			c := secureClient(t)
			base := scheme + tt.login + f.ln.Addr().String() + "/"
			head, _, body, err := get(t, c, base+"a%20b")
			var confirm *protocols.Confirm
			if errors.As(err, &confirm) != tt.wantQuestion {
				t.Fatalf("got %v, want a question: %v", err, tt.wantQuestion)
			}
			if tt.wantQuestion {
				if !strings.HasPrefix(confirm.Question, "Trust the certificate of "+f.ln.Addr().String()) {
					t.Errorf("the question is %q; want the question about the certificate", confirm.Question)
				}
				if got := f.commands(); slices.ContainsFunc(got, func(s string) bool { return s != "AUTH TLS" }) {
					t.Errorf("sent %q before the consent, want only AUTH TLS", got)
				}
				confirm.GiveConsent()
				head, _, body, err = get(t, c, base+"a%20b")
			}
			if err != nil || body != "the file" {
				t.Fatalf("the Body is %q, error %v; want %q", body, err, "the file")
			}
			want := protocols.Pinned
			if !tt.wantQuestion {
				want = protocols.Unverified
			}
			if s := head.Security; s.Protocol != tt.wantProtocol || s.Trust != want {
				t.Errorf("Security = %+v; want %s, %v", s, tt.wantProtocol, want)
			}
			fetchtest.Equal(t, head.Personal, tt.login != "", "Personal")
			// The links of a directory keep the scheme. The directory is fetched over the same connection.
			r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, base)}))(t)
			defer r.Close()
			user, _, _ := strings.Cut(tt.login, ":")
			if user != "" {
				user += "@"
			}
			for l, err := range r.Lines {
				if want := scheme + user + f.ln.Addr().String() + "/a%20b"; err != nil || l.Link.String() != want {
					t.Errorf("the item has the link %v, error %v; want %s", l.Link, err, want)
				}
			}
			fetchtest.DeepEqual(t, f.plainCommands, tt.wantPlain, "in the clear")
		})
	}
}

// TestPlainPassword checks that a password is sent in the clear only after a question.
func TestPlainPassword(t *testing.T) {
	for name, f := range map[string]*fake{
		"no AUTH":         {},
		"closes at AUTH":  {replies: map[string]string{"AUTH": ""}},
		"no TLS after it": {replies: map[string]string{"AUTH": "234 go\r\nwhat?"}},
	} {
		t.Run(name, func(t *testing.T) {
			f.data = map[string]string{"RETR": "the file"}
			f = startFake(t, f)
			c := secureClient(t)
			url := "ftp://joe:secret@" + f.ln.Addr().String() + "/x"
			for range 2 {
				_, _, _, err := get(t, c, url)
				var confirm *protocols.Confirm
				if !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentPlainPassword ||
					!strings.Contains(confirm.Question, "in the clear") {
					t.Fatalf("got %v, want the question about a password in the clear", err)
				}
				if slices.ContainsFunc(f.commands(), func(s string) bool { return strings.HasPrefix(s, "PASS") }) {
					t.Fatalf("sent %q before the consent, want no PASS", f.commands())
				}
				defer func() { confirm.GiveConsent() }()
			}
			// If the URL has no password, this question comes before the question for the password.
			_, _, _, err := get(t, c, "ftp://joe@"+f.ln.Addr().String()+"/x")
			confirm := fetchtest.As[*protocols.Confirm](t, err)
			confirm.GiveConsent()
			var login *protocols.Login
			if _, _, _, err := get(t, c, "ftp://joe@"+f.ln.Addr().String()+"/x"); !errors.As(err, &login) || login.Failed {
				t.Fatalf("without a password: got %v, want a Login that has not failed", err)
			}
			head, _, body, err := get(t, c, url)
			if err != nil || body != "the file" || head.Security != (protocols.Security{}) {
				t.Errorf("after the consent: the Body is %q, Security %+v, error %v; want %q without TLS", body, head.Security, err, "the file")
			}
			// The anonymous password is sent without a question.
			fetchtest.Returns(t, "the file", "anonymous")(getBody(t, secureClient(t), f.url("x")))
		})
	}
}

// TestDowngrade checks that the user is asked before a password is sent in the clear to a server that had
// TLS, even if the settings allow it.
func TestDowngrade(t *testing.T) {
	f := startFake(t, &fake{data: map[string]string{"RETR": "the file"}})
	c := secureClient(t)
	c.PlainPasswords = true
	c.Dialer.TLS.Pins.Agree(f.ln.Addr().String(), "SHA-256 of before")
	url := "ftp://joe:secret@" + f.ln.Addr().String() + "/x"
	_, _, _, err := get(t, c, url)
	var confirm *protocols.Confirm
	if !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentAsked || !strings.Contains(confirm.Reason, "had TLS") {
		t.Fatalf("got %v, want the question about a password in the clear", err)
	}
	if slices.ContainsFunc(f.commands(), func(s string) bool { return strings.HasPrefix(s, "PASS") }) {
		t.Fatalf("sent %q before the consent, want no PASS", f.commands())
	}
	confirm.GiveConsent()
	fetchtest.Returns(t, "the file", "after the consent")(getBody(t, c, url))
}

// TestWantsTLS checks the error if the server or the URL requires TLS, but the server refuses AUTH TLS or
// PROT P. The error must not be the question for a login.
func TestWantsTLS(t *testing.T) {
	for name, f := range map[string]*fake{
		"530 at USER": {replies: map[string]string{"USER": "530 Non-anonymous sessions must use encryption."}},
		"530 at PASS": {replies: map[string]string{"PASS": "530 must use encryption"}},
		"534 at USER": {replies: map[string]string{"USER": "534 Policy requires SSL."}},
		"522 at RETR": {replies: map[string]string{"RETR": "522 Data connections must be encrypted."}},
		"530 at CWD":  {replies: map[string]string{"CWD": "530 TLS required"}},
		"PROT":        {replies: map[string]string{"PROT P": "534 no"}, tls: selfSigned(t), implicit: true},
	} {
		f := startFake(t, f)
		c := newClient(t)
		c.Dialer.TLS.Pins = pins.Open("")
		url := "ftp://joe:secret@" + f.ln.Addr().String() + "/d/x"
		if f.implicit {
			url = "ftps://" + strings.TrimPrefix(url, "ftp://")
		}
		_, _, _, err := get(t, c, url)
		if confirm, ok := errors.AsType[*protocols.Confirm](err); ok {
			confirm.GiveConsent()
			_, _, _, err = get(t, c, url)
		}
		fetchtest.Reason(t, err, protocols.Insecure, "%s", name)
	}
}

// TestUnprotectedData fetches from a server that refuses TLS for data connections.
func TestUnprotectedData(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"PROT P": "534 no"}, tls: selfSigned(t), data: map[string]string{"RETR": "the file"}})
	head, _, body, err := get(t, newClient(t), f.url("x"))
	if err != nil || body != "the file" || head.Security.Protocol != "" || !strings.Contains(strings.Join(head.Notes, " "), "PROT P") {
		t.Errorf("the Body is %q, Head %+v, error %v; want %q, no TLS and a note about PROT P", body, head, err, "the file")
	}
}

// TestCertificateChanges checks the question about a certificate that differs from the remembered
// certificate.
func TestCertificateChanges(t *testing.T) {
	f := startFake(t, &fake{tls: selfSigned(t), data: map[string]string{"RETR": "the file"}})
	c := secureClient(t)
	c.Dialer.TLS.Pins.Agree(f.ln.Addr().String(), "SHA-256 of another")
	_, _, _, err := get(t, c, "ftp://joe:secret@"+f.ln.Addr().String()+"/x")
	var confirm *protocols.Confirm
	if !errors.As(err, &confirm) || confirm.Details[0] != "was: SHA-256 of another" ||
		!strings.HasPrefix(confirm.Details[1], "now: SHA-256 ") || confirm.Consent != protocols.ConsentAsked {
		t.Fatalf("got %+v, want the question about the changed certificate", err)
	}
	fetchtest.DeepEqual(t, f.commands(), []string{"AUTH TLS"}, "sent before the consent")
	confirm.GiveConsent()
	fetchtest.Returns(t, "the file", "after the consent")(getBody(t, c, "ftp://joe:secret@"+f.ln.Addr().String()+"/x"))
}
