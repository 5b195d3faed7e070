package ldap_test

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ldap"
)

const lab = "dc=lab,dc=example"

func TestSlapd(t *testing.T) {
	s := "ldap://" + realserver.Slapd(t).Addr + "/"
	joerg := s + "cn=J%C3%B6rg%5C2C%20der%20%5C2B%20M%C3%B6we,ou=people," + lab
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &ldap.Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{URL: s + lab, Layout: protocols.LayoutMenu, Lines: 9, Contains: []string{"The lab", s + "ou=people," + lab, "ldap://other.example/ou=elsewhere,dc=other,dc=example"}},
			{URL: s, Layout: protocols.LayoutMenu, Lines: 9, Contains: []string{s + lab, "StartTLS", "portions (RFC 2696)"}},
			{URL: s + "cn=alias,ou=people," + lab, Lines: 6, Contains: []string{"aliasedObjectName   ou=people," + lab, s + "ou=people," + lab}},
			{URL: s + "ou=people," + lab, Lines: 7, Contains: []string{"alias", "Jörg, der + Möwe", "labuser"}},
			{URL: joerg, Lines: 8, Contains: []string{"manager             uid=labuser,ou=people," + lab, s + "uid=labuser,ou=people," + lab, "binary, 12004 octets", "http://lab.example/joerg"}},
			{URL: s + "ou=many," + lab, Lines: 1504, Contains: []string{"number 1499"}},
			{URL: s + lab + "?mail?sub?(%7C(cn=*laura*)(sn=m%C3%B6we))", Lines: 4, Contains: []string{"labuser", "Jörg, der + Möwe"}},
			{URL: joerg + "?jpegPhoto", Media: "image/jpeg", Contains: []string{"photo\x00"}},
		},
		Missing:  []string{s + "cn=none," + lab, s + "o=none", s + "ou=closed," + lab},
		WalkFrom: []string{s + lab},
	})
}

// TestSlapdLogin checks that a password is sent by TLS where the server offers it, and what the login shows.
func TestSlapdLogin(t *testing.T) {
	for _, tt := range []struct {
		scheme string
		start  func(testing.TB) *realserver.Server
		first  string // the security without a login
	}{
		{"ldap", realserver.Slapd, ""},
		{"ldap", realserver.SlapdStrict, "TLS 1.3"},
		{"ldaps", realserver.SlapdSecure, "TLS 1.3"},
	} {
		s := tt.start(t)
		c := &ldap.Client{Dialer: wire.Dialer{TLS: wire.TLS{Roots: s.Roots()}}}
		text := ""
		fetch := func(url string) (*protocols.Resource, error) {
			r, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, tt.scheme+"://"+s.Addr+"/"+url)})
			if err == nil {
				text = ""
				for l, lineErr := range r.Lines {
					fetchtest.NoError(t, lineErr)
					text += l.Text + "\n"
				}
				_ = r.Close()
			}
			return r, err
		}
		r, err := fetch(lab)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, r.Security.Protocol, tt.first, "%s: security", tt.scheme)
		fetchtest.Equal(t, r.Personal, false, "%s: personal", tt.scheme)
		_, err = fetch("????!bindname")
		login := fetchtest.As[*protocols.Login](t, err)
		login.With("uid=labuser,ou=people,"+lab, "wrong")
		_, err = fetch("????!bindname")
		fetchtest.Equal(t, fetchtest.As[*protocols.Login](t, err).Failed, true)
		login.With("uid=labuser,ou=people,"+lab, s.Password)
		r, err = fetch("ou=closed," + lab)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, r.Security.Protocol, "TLS 1.3", "%s: security of the login", tt.scheme)
		fetchtest.Equal(t, r.Personal, true, "%s: personal", tt.scheme)
		fetchtest.Contains(t, text, "Logged in as uid=labuser,ou=people,"+lab+"\nSearch below this entry\n")
		_, err = fetch("")
		fetchtest.NoError(t, err)
		fetchtest.Contains(t, text, lab+"\nLogged in as uid=labuser,ou=people,"+lab+"\n\n")
		closed := protocols.Request{URL: fetchtest.Parse(t, tt.scheme+"://"+s.Addr+"/ou=closed,"+lab)}
		fetchtest.Reason(t, fetchtest.Drain(protocols.Unattended(t.Context(), nil), c, closed), protocols.NotFound, "%s: work without the user", tt.scheme)
		_ = c.Close()
	}
}

// TestRoundTrips counts the round trips of fetches one after the other: connect, StartTLS where the server requires it, the entry,
// and each portion of the entries below.
func TestRoundTrips(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start func(testing.TB) *realserver.Server
		first int // round trips of the first page
	}{
		{"slapd", realserver.Slapd, 3},
		{"slapd that requires TLS", realserver.SlapdStrict, 7}, // connect; the refusal; connect; StartTLS; the handshake; as above
	} {
		s, trips := tt.start(t), fetchtest.NewRoundTrips(t)
		c := &ldap.Client{Dialer: wire.Dialer{Proxies: trips, TLS: wire.TLS{Roots: s.Roots()}}}
		defer c.Close()
		for _, page := range []struct {
			url  string
			want int
		}{{lab, tt.first}, {"ou=people," + lab, 2}, {lab + "??sub?(sn=labuser)", 1}, {"cn=none," + lab, 1}, {"uid=labuser,ou=people," + lab + "?mail", 1}, {"ou=many," + lab + "??one", 8}, {"", 1}} {
			got := trips.Count(func() {
				err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: fetchtest.Parse(t, "ldap://"+s.Addr+"/"+page.url)})
				if page.url != "cn=none,"+lab {
					fetchtest.NoError(t, err)
				}
			})
			fetchtest.Equal(t, got, page.want, "%s: round trips of %q", tt.name, page.url)
		}
	}
}

// TestSlapdLimit checks that gofer lists more entries than the server sends for one search.
func TestSlapdLimit(t *testing.T) {
	s := realserver.Slapd(t)
	r, err := new(ldap.Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "ldap://"+s.Addr+"/ou=many,"+lab+"??one")})
	fetchtest.NoError(t, err)
	defer r.Close()
	n := 0
	for l, err := range r.Lines {
		fetchtest.NoError(t, err)
		if l.Link != nil && l.Kind == protocols.Menu {
			n++
		}
	}
	fetchtest.Equal(t, n, 1500, "entries")
}
