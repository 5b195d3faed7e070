package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
)

// TestFindUnattended checks that a stored login is not used for a request that the user has not made.
func TestFindUnattended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "netrc")
	fetchtest.NoError(t, os.WriteFile(path, []byte("machine b.example login joe password secret\n"), 0o600))
	st := &State{sharedState: new(sharedState)}
	st.Getenv = func(name string) string { return map[string]string{"NETRC": path}[name] }
	st.latest.Store(st)
	login := &protocols.Login{URL: fetchtest.Parse(t, "http://b.example/"), Server: "b.example:80", With: func(string, string) {}}
	for _, tt := range []struct {
		ctx  context.Context
		want bool
	}{
		{t.Context(), true},
		{protocols.Unattended(t.Context(), login.URL), true},
		{protocols.Unattended(t.Context(), fetchtest.Parse(t, "http://a.example/")), false},
		{protocols.Unattended(t.Context(), nil), false},
	} {
		_, _, ok, err := StoredLogins{st, nil}.Find(tt.ctx, login)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, ok, tt.want, "login found")
	}
}

func TestAnonymousPassword(t *testing.T) {
	path := filepath.Join(t.TempDir(), "netrc")
	fetchtest.NoError(
		t,
		os.WriteFile(
			path,
			[]byte("machine a login anonymous password a@x\nmachine b login joe password secret\n"+
				"machine c password secret\ndefault login anonymous password all@x\n"),
			0o600,
		),
	)
	for _, tt := range []struct {
		host, netrc, setting, from, want string
		restricted                       bool
	}{
		{host: "h"},
		{host: "h", setting: "me@x", want: "me@x"},
		{host: "h", setting: "mail.from", from: "Joe <joe@x>", want: "joe@x"},
		{host: "h", setting: "mail.from"},
		{host: "h", from: "Joe <joe@x>"},
		{host: "a", netrc: path, setting: "me@x", want: "a@x"},
		{host: "b", netrc: path, want: "all@x"},
		{host: "c", netrc: path, setting: "me@x", want: "me@x"},
		{host: "a", netrc: path, setting: "me@x", restricted: true},
	} {
		s := Setup{Getenv: func(name string) string { return map[string]string{"NETRC": tt.netrc}[name] }}
		s.Config = config.Config{AnonymousPassword: tt.setting, Mail: config.Mail{From: tt.from}}
		s.Config.Restrict.Enabled = tt.restricted
		if got := s.AnonymousPassword(tt.host); got != tt.want {
			t.Errorf("AnonymousPassword(%q) of %+v = %q, want %q", tt.host, tt, got, tt.want)
		}
	}
}
