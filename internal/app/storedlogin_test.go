package app

import (
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

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
