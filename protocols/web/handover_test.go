package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestRedirectHandsUserOver checks that a server knows the user after the redirect of a server that got a password.
func TestRedirectHandsUserOver(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("text")) }))
	defer target.Close()
	login := httptest.NewServer(http.RedirectHandler(target.URL+"/", http.StatusFound))
	defer login.Close()
	addr := func(url string) string { return strings.TrimPrefix(url, "http://") }
	for _, password := range []string{"", "pw"} {
		c := new(Client)
		c.logins.Try(addr(login.URL), wire.NewCredentials("", password))
		res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, login.URL+"/")}))(t)
		fetchtest.NoError(t, res.Close())
		fetchtest.Equal(t, c.logins.KnowsUser(addr(target.URL)), password != "", "with the password %q", password)
	}
}
