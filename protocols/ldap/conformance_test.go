package ldap_test

import (
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ldap"
	"gofer/urlcore"
)

func startDemo(t *testing.T) *demo.LDAPServer {
	t.Helper()
	return fetchtest.CloseAtEnd(demo.StartLDAP(func(s string) string { return s }))(t)
}

func TestConformance(t *testing.T) {
	s := startDemo(t)
	mary := s.URL(demo.LDAPUser)
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &ldap.Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{URL: s.URL(demo.LDAPBase), Layout: protocols.LayoutMenu, Lines: 11, Contains: []string{"Everybody in the hole.", s.URL("ou=People,") + "o=Gopher%20Hole", "ldap://directory.example.invalid/"}},
			{URL: s.URL(""), Layout: protocols.LayoutMenu, Lines: 7, Contains: []string{s.URL(demo.LDAPBase), "portions (RFC 2696)", "????!bindname"}},
			{URL: mary, Layout: protocols.LayoutMenu, Lines: 11, Contains: []string{"mail                mary@example.invalid", "mailto:mary@example.invalid", "jpegPhoto           binary, ", mary + "?jpegPhoto", "gopher://example.invalid/1/mary"}},
			{URL: s.URL("ou=Groups," + demo.LDAPBase), Lines: 4, Contains: []string{"Otters, and one gull", "cn=Otters%5C,%20and%20one%20gull,ou=Groups"}},
			{URL: s.URL("ou=People,"+demo.LDAPBase) + "?mail?one?(%7C(cn=*otter*)(sn=m%C3%B6we))", Lines: 7, Contains: []string{"Paula Otter", "Jörg Möwe", "3 entries match."}},
			{URL: mary + "?mail,roomNumber", Lines: 2, Contains: []string{"Library, ground floor"}},
			{URL: s.URL(demo.LDAPBase) + "??sub?(cn=nobody)", Lines: 5, Contains: []string{"ldap://directory", "No entry matches."}},
			{URL: s.URL("ou=People,"+demo.LDAPBase) + "??one?(cn=nobody)", Lines: 3, Contains: []string{"No entry matches."}},
			{URL: s.URL(demo.LDAPMany), Lines: 1502, Contains: []string{"Number 1499"}},
			{URL: mary + "?jpegphoto", Media: "image/jpeg", Contains: []string{"\xff\xd9"}},
		},
		Large:    s.URL(demo.LDAPMany) + "?description?one",
		Missing:  []string{s.URL("cn=none," + demo.LDAPBase), s.URL("o=none") + "??sub", s.URL(demo.LDAPBase) + "???(o=other)", s.URL(demo.LDAPBase) + "?jpegPhoto"},
		WalkFrom: []string{s.URL("")},
		MayFail: func(u urlcore.URL) bool {
			return u.(urlcore.LDAP).DN == "cn=Subschema" || strings.Contains(u.String(), "bindname") // missing; a login
		},
	})
}
