package urlcore

import "testing"

// TestLDAPUp checks the level above entries, searches and attributes.
func TestLDAPUp(t *testing.T) {
	for from, want := range map[string]string{
		`ldap://h/cn=a%5C,b,%20ou=c,o=d`:   "ldap://h/ou=c,o=d",
		"ldap://h/ou=c,o=d?mail?sub?(a=b)": "ldap://h/ou=c,o=d",
		"ldap://h/o=d?jpegPhoto":           "ldap://h/o=d",
		"ldap://h/o=d":                     "ldap://h/",
		"ldap://h/ou=x,DC=example,dc=org":  "ldap://h/DC=example,dc=org",
		"ldap://h/dc=example,DC=org":       "ldap://h/",
		"ldaps:///o=d????x-words":          "ldaps:///o=d",
		"ldap://h/":                        "",
	} {
		u, err := Parse(from)
		if err != nil {
			t.Fatal(err)
		}
		up, ok := Up(u)
		if ok != (want != "") || ok && up.String() != want {
			t.Errorf("Up(%s) = %s, %v; want %q", from, up, ok, want)
		}
	}
}

// TestLDAPItem checks what a URL says about its item.
func TestLDAPItem(t *testing.T) {
	for text, want := range map[string][2]string{
		`ldap://h/cn=M%5Cc3%5CB6we%5C+%5C%5C,o=d?jpegPhoto`: {"image", `Möwe+\.jpg`},
		"ldap://h/o=d?userCertificate%3Bbinary":             {"file", "d.cer"},
		"ldap://h/o=d?jpegPhoto,cn":                         {"menu", "d"},
		"ldap://h/o=d?jpegPhoto?sub":                        {"menu", "d.jpg"},
		"ldap://h/o=d????X-Words":                           {"search", "d"},
		"ldap://h/o=d????y=x-words":                         {"menu", "d"},
		"ldap://h/":                                         {"menu", ""},
	} {
		u, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		l := u.(LDAP)
		if got := [2]string{l.Kind(), l.FileName()}; got != want {
			t.Errorf("%s: got kind and file name %q; want %q", text, got, want)
		}
	}
}

// TestLDAPExtensions checks the list of extensions.
func TestLDAPExtensions(t *testing.T) {
	list := LDAP{Extensions: "!e-BindName=cn=a%2Co=b,,x"}.ExtensionList()
	want := []LDAPExtension{{"e-bindname", "cn=a,o=b", true}, {"x", "", false}}
	if len(list) != 2 || list[0] != want[0] || list[1] != want[1] {
		t.Errorf("got %+v; want %+v", list, want)
	}
}
