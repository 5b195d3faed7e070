package web_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/internal/wire/identities"
	"gofer/protocols"
	"gofer/protocols/web"
)

// newIdentity returns a store with the identity "me", which is accepted for no server, and its certificate.
func newIdentity(t *testing.T) (*identities.Store, tls.Certificate) {
	t.Helper()
	store := identities.Open(filepath.Join(t.TempDir(), "identities"))
	fetchtest.NoError(t, store.Make("me", 1))
	store.Accept(identities.Scope{Addr: "nowhere:1"}, "me")
	return store, fetchtest.Must(store.Choose("nowhere:1", ""))(t).Certificate
}

// TestNginxIdentity checks which pages of nginx need an identity, that nginx gets it only after it is accepted, also in resumed
// sessions, and that a refused one is named.
func TestNginxIdentity(t *testing.T) {
	store, certificate := newIdentity(t)
	fetchtest.NoError(t, store.Make("other", 1))
	for _, verify := range []string{"on", "optional"} {
		s := realserver.NginxAsking(t, verify, certificate)
		c := &web.Client{Proxy: noProxy}
		c.Dialer.TLS.Roots, c.Dialer.TLS.Identities = s.Roots(), store
		knows := func(want string) {
			t.Helper()
			res, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "https://"+s.Addr+"/who.txt")})
			if err != nil {
				t.Fatalf("%s: %v", verify, err)
			}
			fetchtest.ReturnsText(t, "known: "+want+"\n", verify)(io.ReadAll(res.Body))
			fetchtest.Equal(t, res.Personal, want != "", "%s: personal", verify)
			_ = res.Close()
		}
		refuses := func(sent string) {
			t.Helper()
			_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "https://"+s.Addr+"/who.txt")})
			if e, ok := errors.AsType[*wire.IdentityError](err); !ok || e.Sent != sent || e.Addr != s.Addr {
				t.Errorf("%s: got %v, want an IdentityError about %q", verify, err, sent)
			}
		}
		for range 2 { // the second session is resumed
			if verify == "on" {
				refuses("")
			} else {
				knows("")
			}
		}
		scope := identities.Scope{Addr: s.Addr, Path: "/"}
		store.Accept(scope, "me")
		knows("CN=me")
		knows("CN=me")
		store.Accept(scope, "other")
		refuses("other")
		store.SendNone(scope)
		if verify == "optional" {
			knows("")
		}
	}
}

// TestConditionsWithIdentity checks that a request with an identity is not conditional on the page that anybody gets, nor one
// without on the page of the user.
func TestConditionsWithIdentity(t *testing.T) {
	store, _ := newIdentity(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"same"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		name := "anybody"
		for _, known := range r.TLS.PeerCertificates {
			name = known.Subject.CommonName
		}
		_, _ = io.WriteString(w, "for "+name)
	}))
	s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	s.StartTLS()
	defer s.Close()
	c := &web.Client{Proxy: noProxy}
	c.Dialer.TLS.Unverified, c.Dialer.TLS.Identities = true, store
	scope := identities.Scope{Addr: strings.TrimPrefix(s.URL, "https://"), Path: "/"}
	for _, want := range []string{"anybody", "me", "anybody", "me"} {
		if store.SendNone(scope); want == "me" {
			store.Accept(scope, want)
		}
		_, body := fetchtest.Read(t, c, parse(t, s.URL+"/"))
		fetchtest.Equal(t, body, "for "+want, "the page")
	}
}
