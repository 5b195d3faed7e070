package ldap

import (
	"cmp"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// referralLine returns a line with a link to a URL in a referral. Only the schemes of directories and the web are links: others are not
// where an entry is.
func (s *session) referralLine(text string) protocols.Line {
	text = shorten(s.mask(text), wire.MaxLine)
	l := protocols.Line{Text: "Another server: " + text}
	u, err := urlcore.Parse(text)
	if err != nil {
		return l
	}
	switch u.Scheme() {
	case "http", "https":
		l.Kind, l.Link = protocols.KindOf(u), u
	case "ldap", "ldaps":
		other, _ := u.(urlcore.LDAP)
		other = s.completeReferral(other, text)
		if link, ok := canonical(other).(urlcore.LDAP); other.Host != "" && ok {
			l.Kind, l.Link, l.Text = protocols.KindOf(link), link, "Another server: "+link.Host
			if link.Port != 0 {
				l.Text = "Another server: " + link.Addr()
			}
			if link.DN != "" {
				l.Text += " (" + link.DN + ")"
			}
		}
	}
	return l
}

// completeReferral returns the URL u of a referral, written text, with the parts that it leaves out: those of the URL of the page (RFC
// 4511, sections 4.1.10 and 4.5.3). Very long ones are left out. A referral without a host is to the domain in its name.
func (s *session) completeReferral(u urlcore.LDAP, text string) urlcore.LDAP {
	parts := strings.SplitN(text, "?", 4)
	if len(s.url.DN)+len(s.url.Attributes)+len(s.url.Filter) <= maxRepeated {
		u.DN, u.Attributes, u.Filter = cmp.Or(u.DN, s.url.DN), cmp.Or(u.Attributes, s.url.Attributes), cmp.Or(u.Filter, s.url.Filter)
		if len(parts) < 3 || parts[2] == "" { // "base" is a scope, too
			u.Scope = s.url.Scope
		}
	}
	u.Host = cmp.Or(u.Host, domainOf(u.DN))
	return u
}

// domainOf returns the domain that a name ends in, "example.org" for "cn=A,dc=example,dc=org" (RFC 2247), or "". Domains of Active
// Directory have the addresses of their servers.
func domainOf(dn string) string {
	var labels []string
	for part := ""; dn != ""; {
		part, dn = urlcore.CutDN(dn)
		if name, label, _ := strings.Cut(part, "="); strings.EqualFold(name, "dc") {
			labels = append(labels, label)
		} else {
			labels = nil
		}
	}
	return strings.Join(labels, ".")
}
