package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"strconv"
	"strings"
)

// ldapEntries returns the entries of the directory: the people of the phone book, their groups, and many below LDAPMany.
func ldapEntries(many int, replace func(string) string) []ldapEntry {
	entries := []ldapEntry{
		{"", []string{
			"namingContexts", LDAPBase, "supportedLDAPVersion", "3", "supportedControl", ldapPaging, "vendorName", "The demonstration world",
			"subschemaSubentry", "cn=Subschema",
		}},
		{LDAPBase, []string{
			"objectClass", "organization", "o", "Gopher Hole", "description", "Everybody in the hole.\nNobody else.",
			"labeledURI", replace("gopher://@GOPHER@/1 The Gopher hole"), "postalAddress", "Hole 70",
		}},
		{"ou=People," + LDAPBase, []string{"objectClass", "organizationalUnit", "ou", "People"}},
		{"ou=Groups," + LDAPBase, []string{"objectClass", "organizationalUnit", "ou", "Groups"}},
		{LDAPStaff, []string{"objectClass", "organizationalUnit", "ou", "Staff"}},
		{"cn=Night shift," + LDAPStaff, []string{"objectClass", "groupOfNames", "cn", "Night shift", "member", LDAPUser}},
		{LDAPMany, []string{"objectClass", "organizationalUnit", "ou", "Many"}},
	}
	otters := []string{"objectClass", "groupOfNames", "cn", "Otters, and one gull", "owner", LDAPUser}
	for _, p := range csoPeople {
		e := ldapPerson(p)
		entries = append(entries, e)
		if strings.Contains(p[0], "otter") || strings.Contains(p[0], "moewe") {
			otters = append(otters, "member", e.dn)
		}
	}
	entries = append(entries, ldapEntry{`cn=Otters\, and one gull,ou=Groups,` + LDAPBase, otters})
	for i := range many {
		name := "Number " + strconv.Itoa(i)
		entries = append(entries, ldapEntry{"cn=" + name + "," + LDAPMany, []string{"objectClass", "person", "cn", name, "sn", strconv.Itoa(i)}})
	}
	return entries
}

// ldapPerson returns the entry of a person of the phone book, whose values are in ISO 8859-1.
func ldapPerson(p [len(csoFields)]string) ldapEntry {
	for i, v := range p {
		r := make([]rune, 0, len(v))
		for _, c := range []byte(v) {
			r = append(r, rune(c))
		}
		p[i] = string(r)
	}
	dn := "cn=" + strings.ReplaceAll(p[1], `"`, `\"`) + ",ou=People," + LDAPBase
	a := []string{"objectClass", "inetOrgPerson", "uid", p[0], "cn", p[1], "sn", p[1][strings.LastIndexByte(p[1], ' ')+1:]}
	for i, name := range [len(csoFields)]string{2: "mail", 3: "telephoneNumber", 4: "roomNumber", 6: "labeledURI"} {
		if name != "" && p[i] != "" {
			a = append(a, name, p[i])
		}
	}
	if strings.HasPrefix(p[1], "Mary") {
		a = append(a, "jpegPhoto", ldapPhoto(), "userCertificate;binary", "0\x82\x00\x04\x00\xff\x00\xff")
	} else {
		a = append(a, "manager", LDAPUser)
	}
	return ldapEntry{dn, a}
}

// ldapPhoto returns a small picture.
func ldapPhoto() string {
	m := image.NewRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		m.Set(i%32, i/32, color.RGBA{uint8(8 * (i % 32)), uint8(i / 4), 96, 255})
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, m, nil) // a bytes.Buffer does not fail
	return b.String()
}

// worldMany is the number of entries below LDAPMany in the World: more than gofer asks for at once.
const worldMany = 250

// addLDAP adds a directory server to the World that start makes.
func (w *World) addLDAP() (fill func(replace func(string) string)) {
	var s *LDAPServer
	startServer(w, "LDAP", "389", &s, func() (*LDAPServer, error) { return StartLDAP(func(text string) string { return text }) })
	return func(replace func(string) string) {
		s.fill(ldapEntries(worldMany, replace))
		w.addStartPage(s.URL(LDAPBase), "A directory of people (LDAP)")
	}
}
