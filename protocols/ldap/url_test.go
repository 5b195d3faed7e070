package ldap

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestURLs checks which URLs are refused before anything is sent, and the words of a search.
func TestURLs(t *testing.T) {
	for url, want := range map[string]protocols.Reason{
		"ldap://127.0.0.1:1/o=a????!x-other":                                  protocols.Unsupported,
		"ldap://127.0.0.1:1/o=a????x-other,bindname=":                         protocols.Refused,
		"ldap://127.0.0.1:1/o=a??sub?(cn=" + strings.Repeat("a", 9000) + ")":  protocols.BadURL,
		"ldap://127.0.0.1:1/" + strings.Repeat("a", maxName+1):                protocols.BadURL,
		"ldap://127.0.0.1:1/????bindname=" + strings.Repeat("a", maxRepeated): protocols.BadURL,
		"ldap:///o=a": protocols.BadURL,
	} {
		_, err := open(t, new(Client), url)
		fetchtest.Reason(t, err, want, "%s", url)
	}
	_, err := open(t, new(Client), "ldap://h.example/o=a????x-words")
	ask := fetchtest.As[*protocols.Ask](t, err)
	for words, want := range map[string]string{
		"Jörg  M*(\\": `(|(cn=*Jörg*M\2a\28\5c*)(sn=*Jörg*M\2a\28\5c*)(uid=*Jörg*M\2a\28\5c*)(mail=*Jörg*M\2a\28\5c*)(ou=*Jörg*M\2a\28\5c*)(o=*Jörg*M\2a\28\5c*))`,
		"(sn=moss)":   "(sn=moss)",
	} {
		u, err := ask.With([]string{words})
		fetchtest.NoError(t, err)
		l := u.(urlcore.LDAP)
		fetchtest.Equal(t, l.Filter, want)
		fetchtest.Equal(t, l.Attributes+" "+l.Scope+l.Extensions, "cn,mail,telephoneNumber sub")
	}
	for text, want := range map[string]string{
		"o=a?(sn=lab*)":     "ldap://h/o=a??sub?(sn=lab*)",
		"o=a?(&(a=b)(c=d))": "ldap://h/o=a??sub?(&(a=b)(c=d))",
		"o=a?sn=lab*?one":   "ldap://h/o=a??one?(sn=lab*)",
		"o=a?cn,sn=lab*":    "(cn,sn=lab*)",
	} {
		_, err := open(t, new(Client), "ldap://h/"+text)
		fetchtest.Reason(t, err, protocols.BadURL, text)
		fetchtest.Contains(t, err.Error(), want)
	}
	for _, wrong := range []string{"", "(sn=moss", "(sn)"} {
		if u, err := ask.With([]string{wrong}); err == nil {
			t.Errorf("With(%q) = %s; want an error", wrong, u)
		}
	}
	for text, want := range map[string]string{
		"ldap://h/??sub?" + urlcore.EscapeQuery(wordsFilter("mary moss")): "mary moss at h:389",
		"ldap://h/dc=lab,dc=example??sub?(sn=lab*)":                       "(sn=lab*) below dc=lab",
		"ldap://h/dc=lab,dc=example??one":                                 "Entries below dc=lab",
		"ldap://h/ou=people,dc=lab":                                       "people",
		"ldap://h/":                                                       "Directory server h:389",
	} {
		fetchtest.Equal(t, titleOf(fetchtest.Parse(t, text).(urlcore.LDAP)), want, "%s", text)
	}
}

// TestWrongFilters checks that the error for a filter says what is wrong.
func TestWrongFilters(t *testing.T) {
	for filter, want := range map[string]string{
		"(cn=" + strings.Repeat("a", 9000) + ")": "too long",
		"cn=mary":                                `"cn=mary" is outside of the parentheses`,
		"(cn=a)(sn=b)":                           `"(sn=b)" is outside`,
		"(&(cn=mary)(|(sn)(cn=ä)))":              `"(sn)" is no comparison`,
		`(!(cn=\zz))`:                            `"(cn=\zz)" is no comparison`,
		"(|(cn=a)((cn=b)(cn=c)))":                `"((cn=b)(cn=c))" has no "&", "|" or "!"`,
		"(&(cn=a)(|(sn=b)(sn=c))":                `"(&(cn=a)(|(sn=b)(sn=c))" has no parenthesis at its end`,
		"(!(a=b)(c=d))":                          "it is no filter",
		"()":                                     `"()" is no comparison`,
	} {
		_, err := compileFilter(filter)
		fetchtest.Reason(t, err, protocols.BadURL, filter)
		fetchtest.Contains(t, err.Error(), want)
	}
}
