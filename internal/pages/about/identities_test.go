package about

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire/identities"
	"gofer/protocols"
)

// TestIdentities checks the list of identities, their pages, and the forms that make them and choose one for a URL.
func TestIdentities(t *testing.T) {
	c := &Client{Identities: identities.Open(filepath.Join(t.TempDir(), "identities"))}
	shows := func(url string, wants ...string) {
		t.Helper()
		res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, url)}))(t)
		text := ""
		for line, err := range res.Lines {
			fetchtest.NoError(t, err)
			text += line.Text + "\n"
			if line.Note != nil {
				text += line.Note.Row().Description + "\n"
			}
		}
		if slices.ContainsFunc(wants, func(want string) bool { return !strings.Contains(text, want) }) {
			t.Errorf("%s: got %q, want %q", url, text, wants)
		}
	}
	answer := func(url string, answers ...string) error {
		t.Helper()
		_, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, url)})
		_, err = fetchtest.As[*protocols.Ask](t, err).With(answers)
		return err
	}
	shows("about:identities", "There are no identities")
	fetchtest.NoError(t, answer("about:identities?new", "oscar b", "3"))
	shows("about:identities", "oscar b", "sent to no server")
	fetchtest.NoError(t, answer("about:identities?new", "oscar b", "3"))
	shows("about:identities", "there is an identity oscar b already")
	u := IdentityURL(fetchtest.Parse(t, "gemini://h.example/a"))
	fetchtest.CheckCanonical(t, u)
	fetchtest.NoError(t, answer(u.String(), "oscar b", "", "20", "/a"))
	shows("about:identities/oscar%20b", "CN=oscar b", "h.example:1965/a")
	fetchtest.Equal(t, IdentityName(fetchtest.Parse(t, "about:identities/oscar%20b")), "oscar b", "the name in the URL")
	if err := answer("about:identities?import", "/no/such/file", ""); err != nil {
		t.Error(err)
	}
	shows("about:identities", "/no/such/file")
	if _, err := c.Fetch(t.Context(), protocols.Request{URL: IdentityURL(fetchtest.Parse(t, "gopher://h.example/"))}); err == nil || !strings.Contains(err.Error(), "only servers with TLS") {
		t.Errorf("a URL without TLS: got %v", err)
	}
}
