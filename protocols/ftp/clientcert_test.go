package ftp

import (
	"crypto/tls"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/internal/wire/identities"
	"gofer/protocols"
)

// newIdentity returns a store with the identities "me" and "other", which are accepted for no server, and the certificate of "me".
func newIdentity(t *testing.T) (*identities.Store, tls.Certificate) {
	t.Helper()
	store := identities.Open(filepath.Join(t.TempDir(), "identities"))
	fetchtest.NoError(t, errors.Join(store.Make("me", 1), store.Make("other", 1)))
	store.Accept(identities.Scope{Addr: "nowhere:1"}, "me")
	return store, fetchtest.Must(store.Choose("nowhere:1", ""))(t).Certificate
}

// readAll returns the number of lines or octets of a page.
func readAll(t *testing.T, res *protocols.Resource) (n int) {
	t.Helper()
	defer res.Close()
	if res.Body != nil {
		return len(fetchtest.Must(io.ReadAll(res.Body))(t))
	}
	for _, err := range res.Lines {
		fetchtest.NoError(t, err)
		n++
	}
	return n
}

// refusesIdentity checks that err says that a server refuses an identity with the name sent.
func refusesIdentity(t *testing.T, err error, sent string) {
	t.Helper()
	if e, ok := errors.AsType[*wire.IdentityError](err); !ok || e.Sent != sent {
		t.Errorf("got %v, want an IdentityError about %q", err, sent)
	}
}

// TestVsftpdClientCertificate fetches a listing and a file from a server that refuses clients without a certificate.
func TestVsftpdClientCertificate(t *testing.T) {
	store, certificate := newIdentity(t)
	for scheme, implicit := range map[string]bool{"ftp": false, "ftps": true} {
		s := realserver.VsftpdAsking(t, implicit, certificate)
		c := newClient(t)
		c.Dialer.TLS.Roots, c.Dialer.TLS.Identities = s.Roots(), store
		fetch := func(path string) (*protocols.Resource, error) {
			return c.Fetch(t.Context(), protocols.Request{URL: parse(t, scheme+"://"+s.Addr+"/"+path)})
		}
		_, err := fetch("pub/;type=d")
		refusesIdentity(t, err, "")
		store.Accept(identities.Scope{Addr: s.Addr}, "other")
		_, err = fetch("pub/;type=d")
		refusesIdentity(t, err, "other")
		store.Accept(identities.Scope{Addr: s.Addr}, "me")
		for _, path := range []string{"pub/;type=d", "pub/text/lf.txt;type=i"} {
			res := fetchtest.Must(fetch(path))(t)
			if res.Security.Identity != "me" || !res.Personal {
				t.Errorf("%s, %s: got %+v, personal %v; want a page for me", scheme, path, res.Security, res.Personal)
			}
			fetchtest.Equal(t, readAll(t, res) > 0, true, "%s: got octets or lines of %s", scheme, path)
		}
	}
}

// TestClientCertificateNeverInTheClear checks that a server that refuses the handshake for want of a certificate is not asked
// in the clear, and that an identity is for a server that has proved its name.
func TestClientCertificateNeverInTheClear(t *testing.T) {
	store, _ := newIdentity(t)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config := selfSigned(t)
		config.ClientAuth, config.MaxVersion = tls.RequireAnyClientCert, version
		f := startFake(t, &fake{tls: config})
		c := secureClient(t)
		c.Dialer.TLS.Identities = store
		fetch := func() error {
			res, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, f.url("d;type=d"))})
			if err == nil {
				_ = res.Close()
			}
			return err
		}
		refusesIdentity(t, fetch(), "")
		store.Accept(identities.Scope{Addr: f.ln.Addr().String()}, "me")
		fetchtest.As[*protocols.Confirm](t, fetch()).GiveConsent()
		fetchtest.NoError(t, fetch())
		if plain := f.plainCommands; slices.ContainsFunc(plain, func(s string) bool { return s != authTLS }) {
			t.Errorf("%x: got the commands %q in the clear, want only AUTH TLS", version, plain)
		}
	}
}
