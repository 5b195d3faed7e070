package app

import (
	"context"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/internal/wire/identities"
	"gofer/protocols"
)

// refusal is a Fetcher that fails with an error.
type refusal struct {
	Fetcher
	err error
}

func (r refusal) Fetch(context.Context, protocols.Request) (*protocols.Resource, error) {
	return nil, r.err
}

// TestIdentityAsker checks that a server that got no identity is asked about, with its own words and the right scope, and that a
// server that refuses one is not: it could ask for ever.
func TestIdentityAsker(t *testing.T) {
	refused := func(e wire.IdentityError) error {
		return &protocols.Error{Reason: protocols.Denied, Text: "who are you", Err: &e}
	}
	for _, tt := range [...]struct {
		url        string
		err        error
		restricted bool
		title      string // of the question; "": there is none
		path       string // the proposed one; "": no path
		lines      int    // links on the error page
	}{
		{"gemini://h/a", refused(wire.IdentityError{Addr: "h:1965", Path: "/a"}), false, "Identity for h:1965", "/a", 0},
		{"gemini://h/a", refused(wire.IdentityError{Addr: "other:1965", Path: "/b"}), false, "Identity for other:1965", "/b", 0},
		{"https://h/a/b", refused(wire.IdentityError{Addr: "h:443", Path: "/a/b"}), false, "Identity for h:443", "/", 0},
		{"ftps://h/a", refused(wire.IdentityError{Addr: "h:990"}), false, "Identity for h:990", "", 0},
		{"gemini://h/a", refused(wire.IdentityError{Addr: "h:1965", Path: "/a", Sent: "me"}), false, "", "", 1},
		{"gemini://h/a", refused(wire.IdentityError{Addr: "h:1965", Path: "/a"}), true, "", "", 0},
		{"gemini://h/a", &protocols.Error{Reason: protocols.NotFound}, false, "", "", 0},
	} {
		store := identities.Open(filepath.Join(t.TempDir(), "identities"))
		store.Refuses = tt.restricted
		u := fetchtest.Parse(t, tt.url)
		_, err := identityAsker{refusal{err: tt.err}, store}.Fetch(t.Context(), protocols.Request{URL: u})
		if tt.title == "" {
			e := fetchtest.As[*protocols.Error](t, err)
			fetchtest.Equal(t, len(e.Lines), tt.lines, "%s: links of %v", tt.url, err)
			continue
		}
		ask := fetchtest.As[*protocols.Ask](t, err)
		path := ""
		if len(ask.Fields) > 3 {
			path = ask.Fields[3].Value
		}
		fetchtest.Equal(t, ask.Title, tt.title, "%s: the title", tt.url)
		fetchtest.Equal(t, ask.ServerTitle, "who are you", "%s: the words of the server", tt.url)
		fetchtest.Equal(t, path, tt.path, "%s: the path", tt.url)
		fetchtest.Equal(t, ask.URL, u, "the URL to open")
	}
}
