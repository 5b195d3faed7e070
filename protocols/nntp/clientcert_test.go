package nntp

import (
	"crypto/tls"
	"errors"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/internal/wire/identities"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestClientCertificate checks that a server that requires a certificate for STARTTLS gets it after it is accepted, over another
// connection, and no password in the clear before.
func TestClientCertificate(t *testing.T) {
	store := identities.Open(filepath.Join(t.TempDir(), "identities"))
	fetchtest.NoError(t, store.Make("me", 1))
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		f, roots := secureFake(t, map[string]string{"ARTICLE": "220 go\nbody\n.", "STARTTLS": "382 go\ntls", "AUTHINFO": "281 in"})
		f.mu.Lock()
		f.tls.ClientAuth, f.tls.MaxVersion = tls.RequireAnyClientCert, version
		f.mu.Unlock()
		c := f.client()
		c.PlainPasswords = true
		c.Dialer.TLS.Roots, c.Dialer.TLS.Identities = roots, store
		c.logins.Keep(wire.Account{Scheme: "nntp", Addr: f.addr()}, wire.NewCredentials("me", "pw"))
		article := protocols.Request{URL: urlcore.News{MessageID: "a@b"}}
		_, err := c.Fetch(t.Context(), article)
		if e, ok := errors.AsType[*wire.IdentityError](err); !ok || e.Sent != "" {
			t.Errorf("%x: got %v, want an IdentityError", version, err)
		}
		for _, want := range []string{"me", ""} {
			if store.SendNone(identities.Scope{Addr: f.addr()}); want != "" {
				store.Accept(identities.Scope{Addr: f.addr()}, want)
			}
			res, err := c.Fetch(t.Context(), article)
			if want == "" {
				if err == nil {
					t.Errorf("%x: got a page over the connection with the identity", version)
				}
				continue
			}
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, res.Security.Identity, want, "%x: the identity", version)
			_ = res.Close()
		}
	}
}
