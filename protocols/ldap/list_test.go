package ldap

import (
	"strconv"
	"strings"
	"testing"

	"gofer/internal/ber"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// refer encodes URLs of other servers.
func refer(tag int, urls ...string) string {
	var b strings.Builder
	for _, u := range urls {
		b.WriteString(ber.Leaf(ber.Octets, u))
	}
	return ber.Group(tag, b.String())
}

// TestReferrals checks that referrals are links to directories and the web, and nothing else, wherever they come in an answer. They
// keep what the user has searched for (RFC 4511, sections 4.1.10 and 4.5.3).
func TestReferrals(t *testing.T) {
	urls := []string{"ldap://other.example/", "ldaps://other.example/o=b??sub", "http://h/", "javascript:alert(1)", "file:///etc/passwd", "ldap:///o=x", "ldap:///dc=x,o=x", "ldap:///CN=x,DC=Corp,DC=example", "ldap:///dc=%2F", "telnet://h/", "no url"}
	want := "ldap://other.example/o=a ldaps://other.example/o=b??sub http://h/ ldap://corp.example/CN=x,DC=Corp,DC=example "
	list := "ldap://other.example/o=a??sub ldaps://other.example/o=b??sub http://h/ ldap://corp.example/CN=x,DC=Corp,DC=example??sub "
	more := ber.Group(tagControls, ber.Group(ber.Sequence, ber.Leaf(ber.Octets, oidPaging), ber.Leaf(ber.Octets, ber.Group(ber.Sequence, ber.Number(ber.Integer, 0), ber.Leaf(ber.Octets, "next")))))
	for _, tt := range []struct{ url, answer, want string }{
		{"/o=a", done(1, referral, "", refer(tagReferrals, urls...)), want},
		{"/o=a", found(1, "o=a") + done(1, 0, "") + done(2, referral, "", refer(tagReferrals, urls...)), want},
		{"/o=a??sub", message(1, refer(tagReference, urls...)) + done(1, 0, ""), list},
		{"/o=a??sub", done(1, referral, "", refer(tagReferrals, urls...)), list},
		{"/o=a??sub", message(1, ber.Group(tagDone, ber.Number(ber.Enumerated, 0), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, "")), more) + done(2, referral, "", refer(tagReferrals, urls...)), list},
		{
			"/o=a?mail?one?(cn=b)", message(1, refer(tagReference, "ldap://h/o=b", "ldap://h:1/o=b?cn?sub?(cn=c)", "ldap://h/o=b??base", "ldap://h/")) + done(1, 0, ""),
			"ldap://h/o=b?mail?one?(cn=b) ldap://h:1/o=b?cn?sub?(cn=c) ldap://h/o=b?mail??(cn=b) ldap://h/o=a?mail?one?(cn=b) ",
		},
		{"/o=a??sub", message(1, refer(tagReference, strings.Split(strings.Repeat(",ldap://h/o=b??sub", 500), ",")...)) + done(1, 0, ""), strings.Repeat("ldap://h/o=b??sub ", 500)},
		{"/o=a??sub?(cn=" + strings.Repeat("x", maxRepeated) + ")", message(1, refer(tagReference, "ldap://h/o=b")) + done(1, 0, ""), "ldap://h/o=b "},
	} {
		lines, err := open(t, new(Client), "ldap://"+serve(t, tt.answer)+tt.url)
		fetchtest.NoError(t, err)
		got := ""
		for _, l := range lines {
			if l.Link != nil && l.Kind != protocols.Search {
				got += l.Link.String() + " "
			}
		}
		fetchtest.Equal(t, got, tt.want, "%s", tt.url)
	}
	s := &session{client: new(Client), url: urlcore.LDAP{Name: "ldap", HostPort: urlcore.HostPort{Host: "h"}, DN: "o=a"}}
	for text, want := range map[string]string{"ldap://h/": "h (o=a)", "ldap://h:1/o=b": "h:1 (o=b)", "http://h/": "http://h/", "x\x1b": "x\x1b"} {
		fetchtest.Equal(t, s.referralLine(text).Text, "Another server: "+want)
	}
}

// TestPartialList checks that a list that is not whole ends in an error after its lines, and that portions without entries end.
func TestPartialList(t *testing.T) {
	more := ber.Group(tagControls, ber.Group(ber.Sequence, ber.Leaf(ber.Octets, oidPaging), ber.Leaf(ber.Octets, ber.Group(ber.Sequence, ber.Number(ber.Integer, 0), ber.Leaf(ber.Octets, "next")))))
	lines, err := open(t, new(Client), "ldap://"+serve(t, found(1, "cn=x,o=a")+done(1, sizeLimit, ""))+"/o=a??one")
	fetchtest.Reason(t, err, protocols.TooBig)
	fetchtest.Contains(t, err.Error(), "no more entries at once")
	fetchtest.Equal(t, len(lines), 3, "lines before the limit")
	empty := ""
	for id := range 2 * emptyPortions {
		empty += message(id+1, ber.Group(tagDone, ber.Number(ber.Enumerated, 0), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, "")), more)
	}
	_, err = open(t, new(Client), "ldap://"+serve(t, empty)+"/o=a??one")
	fetchtest.Reason(t, err, protocols.Malformed)
	fetchtest.Contains(t, err.Error(), "have no entry")
}

// TestDescriptions checks what describes an entry in a list.
func TestDescriptions(t *testing.T) {
	many, want := []string{"photo", "\x00"}, ""
	for i := range 2 * maxDescribed {
		many = append(many, "cn", " a\n"+strconv.Itoa(i))
		if i < maxDescribed {
			want += "; a " + strconv.Itoa(i)
		}
	}
	for _, tt := range []struct{ url, answer, want string }{
		{"o=a?photo,cn?one", found(1, "cn=x,o=a", many...), want[2:]},
		{"o=a??one", found(1, "uid=joe,o=a", "cn", "Joe Otter", "cn", "J. Otter"), "Joe Otter"},
		{"o=a??sub", found(1, "uid=joe,ou=b,o=a", "cn", "Joe Otter"), "Joe Otter; ou=b"},
		{"o=a??sub", found(1, "cn=Joe\\, Otter,ou=b,o=a", "cn", "J. Otter", "cn", "Joe, Otter"), "ou=b"},
		{"o=a??one", found(1, "ou=b,o=a"), ""},
		{"o=a?cn,mail?sub", found(1, "cn=Joe Otter,o=a", "cn", "Joe Otter", "mail", "joe@h"), "joe@h"},
	} {
		lines, err := open(t, new(Client), "ldap://"+serve(t, tt.answer+done(1, 0, ""))+"/"+strings.ReplaceAll(tt.url, " ", "%20"))
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, lines[2].Note.Row().Description, tt.want, tt.url)
	}
	lines, err := open(t, new(Client), "ldap://"+serve(t, found(1, "o=a", "o", "a")+done(1, 0, "")+found(2, "uid=7,o=a", "cn", "Joe Otter")+done(2, 0, ""))+"/o=a")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, lines[3].Note.Row().Description, "Joe Otter", "an entry below")
}

// TestNoName checks that a link to an entry without a name has a text.
func TestNoName(t *testing.T) {
	lines, err := open(t, new(Client), "ldap://"+serve(t, found(1, "")+done(1, 0, ""))+"/o=a??one")
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, lines[2].Text, "(no name)")
}
