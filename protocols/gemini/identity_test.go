package gemini_test

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/internal/wire/identities"
	"gofer/protocols"
	"gofer/protocols/gemini"
)

// TestIdentity checks that a server gets the identity only below the accepted path, also after redirects, and which errors say
// what of it.
func TestIdentity(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartGemini(tree))(t)
	away := serveTLS(t, func(string) string { return "30 gemini://" + s.Addr() + "/identity/page" })
	store := identities.Open(filepath.Join(t.TempDir(), "identities"))
	fetchtest.NoError(t, store.Make("alice", 1))
	c := &gemini.Client{Dialer: wire.Dialer{TLS: wire.TLS{Pins: pins{}, Identities: store, Scheme: "gemini"}}}
	fetch := func(url string) (text string, personal bool, err error) {
		res, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, url)})
		if err != nil {
			return "", false, err
		}
		defer res.Close()
		body := fetchtest.Must(io.ReadAll(res.Body))(t)
		return string(body), res.Personal, nil
	}
	demands := func(url, sent, text string) {
		t.Helper()
		_, _, err := fetch(url)
		if refused, ok := errors.AsType[*wire.IdentityError](err); !ok || refused.Sent != sent || refused.Addr != s.Addr() || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v; want an IdentityError of %s about %q with %q", url, err, s.Addr(), sent, text)
		}
	}
	demands(s.URL()+"identity", "", "a certificate is needed")
	demands("gemini://"+away+"/identity", "", "a certificate is needed")
	store.Accept(identities.Scope{Addr: s.Addr(), Path: "/identity"}, "alice")
	for _, url := range []string{s.URL() + "identity", s.URL() + "identity/page", "gemini://" + away + "/"} {
		if text, personal, err := fetch(url); !strings.Contains(text, "Hello, alice") || !personal || err != nil {
			t.Errorf("%s: got %q, personal %v, %v; want alice's own page", url, text, personal, err)
		}
	}
	if _, personal, err := fetch(s.URL()); personal || err != nil {
		t.Errorf("outside of the scope: got personal %v, %v", personal, err)
	}
	demands(s.URL()+"identity/always", "alice", "does not accept the identity alice")
	demands(s.URL()+"identity/refused", "alice", "not authorized")
	demands(s.URL()+"identity/invalid", "alice", "not valid")
}
