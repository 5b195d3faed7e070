package ftp

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestLoginAfterAnonymous supplies a login after the server has refused the anonymous login. The client
// must send the login over a new connection, and ask the same questions as for a URL with a user.
func TestLoginAfterAnonymous(t *testing.T) {
	refused := func() map[string]string { return map[string]string{"PASS gofer@": "530 not anonymous"} }
	const clear, certificate = protocols.ConsentPlainPassword, protocols.ConsentCertificate
	for _, tt := range []struct {
		name        string
		userinfo    string // text before the host in the URL
		f           *fake
		pinned      bool // the user has trusted another certificate before
		wantConsent protocols.Consent
	}{
		{"no TLS", "", &fake{replies: refused()}, false, clear},
		{"TLS before, no TLS now", "", &fake{replies: refused()}, true, protocols.ConsentAsked},
		{"unknown certificate", "", &fake{replies: refused(), tls: selfSigned(t)}, false, certificate},
		{"changed certificate", "", &fake{replies: refused(), tls: selfSigned(t)}, true, protocols.ConsentAsked},
		{"login required by RETR", "", &fake{replies: map[string]string{"RETR x": "530 not anonymous"}, tls: selfSigned(t)}, false, certificate},
		{"closes at AUTH", "", &fake{replies: map[string]string{"PASS gofer@": "530 not anonymous", "AUTH": ""}}, false, clear},
		{"anonymous in the URL", "anonymous@", &fake{replies: refused()}, false, clear},
		{"ftp in the URL", "ftp@", &fake{replies: refused()}, false, clear},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, tt.f)
			c := secureClient(t)
			if tt.pinned {
				c.PlainPasswords = true
				c.Dialer.TLS.Pins.Agree(f.ln.Addr().String(), "SHA-256 of another")
			}
			url := "ftp://" + tt.userinfo + f.ln.Addr().String() + "/x"
			var login *protocols.Login
			if _, _, _, err := get(t, c, url); !errors.As(err, &login) {
				t.Fatalf("before the login: got %v, want a Login", err)
			}
			if want := "anonymous login refused"; login.Note != want && tt.name != "login required by RETR" {
				t.Errorf("Note of the Login = %q; want %q", login.Note, want)
			}
			user := "joe"
			if tt.userinfo != "" {
				user = strings.TrimSuffix(tt.userinfo, "@")
			}
			login.With(user, "sesame")
			before := f.connections()
			for range 2 {
				_, _, _, err := get(t, c, url)
				var confirm *protocols.Confirm
				if !errors.As(err, &confirm) || confirm.Consent != tt.wantConsent {
					t.Fatalf("after the login: got %v, want a question for the consent %v", err, tt.wantConsent)
				}
				if got := f.commands(); slices.Contains(got, "PASS sesame") {
					t.Fatalf("sent %q before the consent, want no password", got)
				}
				defer func() { confirm.GiveConsent() }()
			}
			_, _, _, err := get(t, c, url)
			confirm := fetchtest.As[*protocols.Confirm](t, err)
			confirm.GiveConsent()
			_, _, _, _ = get(t, c, url)
			got := slices.DeleteFunc(f.commandsAfter(before), func(s string) bool { return s == "QUIT" })
			if !slices.Contains(got, "PASS sesame") || slices.Contains(got, "PASS gofer@") || got[0] != "AUTH TLS" {
				t.Errorf("sent %q after the consent, want AUTH TLS first and only the password of the user", got)
			}
		})
	}
}

// TestAnonymousCredentials checks which credentials are anonymous. Credentials with a typed password are
// never anonymous.
func TestAnonymousCredentials(t *testing.T) {
	for url, want := range map[string]wire.Credentials{
		"ftp://h/":                    wire.NewAnonymous("anonymous", "gofer@"),
		"ftp://anonymous@h/":          wire.NewAnonymous("anonymous", "gofer@"),
		"ftp://ftp@h/":                wire.NewAnonymous("ftp", "gofer@"),
		"ftp://anonymous:me%40here@h": wire.NewAnonymous("anonymous", "me@here"),
		"ftp://ftp:sesame@h/":         wire.NewCredentials("ftp", "sesame"),
		"ftp://joe:sesame@h/":         wire.NewCredentials("joe", "sesame"),
		"ftp://joe@h/":                {User: "joe"},
		"ftp://@h/":                   {},
		"ftp://chosen/":               wire.NewAnonymous("anonymous", "me@here"),
		"ftp://ftp@chosen/":           wire.NewAnonymous("ftp", "me@here"),
	} {
		c := newClient(t)
		c.AnonymousPassword = func(host string) string { return map[string]string{"chosen": "me@here"}[host] }
		f := parse(t, url)
		r := fetchtest.Must(newRequest(f))(t)
		if got := c.chooseCredentials(t.Context(), f, r); got != want || got.IsAnonymous() != want.IsAnonymous() {
			t.Errorf("chooseCredentials for %s = %v (anonymous: %v); want %v (anonymous: %v)", url, got, got.IsAnonymous(), want, want.IsAnonymous())
		}
		c.logins.Keep(accountOf(r), wire.NewCredentials(want.User, "gofer@"))
		f.Password, f.HasPassword = "", false
		if got := c.chooseCredentials(t.Context(), f, r); got.IsAnonymous() {
			t.Errorf("chooseCredentials for %s and a typed password: the credentials are anonymous", url)
		}
	}
}
