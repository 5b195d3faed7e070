package urlcore

import "testing"

// TestInsteadOf checks the URLs and commands that open explained URLs today. In want, "link " begins a URL that gofer may open, and
// "; no " what the explained URL lacks.
func TestInsteadOf(t *testing.T) {
	for in, want := range map[string]string{
		"afs://cell.example/home/x%20y":         "file:///afs/cell.example/home/x%20y",
		"afs:x":                                 "file:///afs/HOST/x; no HOST",
		"x500://host.example/c=US":              "link ldap://host.example/c=US",
		"x500://host.example/c=US/o=A%20b/cn=x": "link ldap://host.example/cn=x,o=A%20b,c=US",
		"x500:c=us":                             "ldap://HOST/c=us; no HOST",
		"x500:/o=A%20b,c=us":                    "ldap://HOST/o=A%20b,c=us; no HOST",
		"x500:us":                               "ldap://HOST/DN; no HOST; no DN",
		"hytelnet://jo:pw@h.example:2300/x":     "link telnet://jo@h.example:2300/",
		"hytelnet:x":                            "telnet://SERVER/; no SERVER",
		"archie://h.example/emacs%20lisp":       "link prospero://h.example/ARCHIE/MATCH(100,0,S)/emacs%20lisp",
		"archie:emacs":                          "prospero://HOST/ARCHIE/MATCH(100,0,S)/emacs; no HOST",
		"veronica://h.example/otter+x":          "link gopher://gopher.floodgap.com/7/v2/vs%09otter+x",
		"veronica:cats":                         "link gopher://gopher.floodgap.com/7/v2/vs%09cats",
		"veronica://h.example/":                 "gopher://gopher.floodgap.com/7/v2/vs%09WORDS; no WORDS",
		"rwhois://h.example/1.2.3.4":            "link whois://h.example:4321/1.2.3.4",
		"rwhois://h.example:7/x":                "link whois://h.example:7/x",
		"vemmi://h.example/x":                   "",
		"shttp://h.example:80/a%20b?c":          "link https://h.example/a%20b?c",
		"nex://[::1]/a/b":                       "link gopher://[::1]:1900/0/a/b",
		"ssh://jo:pw@h.example:2222/":           "ssh ssh://jo@h.example:2222",
		"irc:channel":                           "weechat irc://SERVER/channel; no SERVER",
		"git://h.example/a$(x)'b":               `git clone 'git://h.example/a$(x)'\''b'`,
		"xmpp:jo@h.example?message;subject=hi":  "gajim 'xmpp:jo@h.example?message;subject=hi'",
		"misfin://jo@h.example":                 "python -m misfin send-as IDENTITY.pem jo@h.example MESSAGE",
		"view-source:http://h.example/":         "link http://h.example/",
		"view-source:file:///etc/motd":          "file:///etc/motd",
		"view-source:view-source:x":             "",
		"view-source:x":                         "",
		"nosuch://h.example/":                   "",
		"gopher://h.example/1":                  "",
	} {
		u, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		x := InsteadOf(u)
		got := x.Text
		if x.URL != nil {
			got = "link " + x.URL.String()
		}
		for _, m := range x.Missing {
			got += "; no " + m
		}
		if got != want {
			t.Errorf("InsteadOf(%s) = %q, want %q", in, got, want)
		}
	}
}
