package whois

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// answers have the fields of whois.iana.org, of a registry and of ARIN, and malformed fields.
var answers = map[string]string{
	"example.com": "% IANA WHOIS server\n\nrefer:        whois.verisign-grs.com\n\ndomain:       COM\ne-mail:       info@verisign-grs.com\n" +
		"whois:        whois.verisign-grs.com\n",
	"example.org": "   Domain Name: EXAMPLE.ORG\r\n   Registrar WHOIS Server: whois.example-registrar.example\n" +
		"   Registrar URL: http://www.example/\n",
	"10.0.0.1": "ReferralServer:  whois://whois.ripe.net:43\nReferralServer: rwhois://rwhois.example:4321\nRef: https://rdap.example/10\n",
	"hostile": "refer: -oProxyCommand\nrefer: h h\nwhois: \x1b[2J\nmail: a@b@c\nmail: <a@b>\nmail: a@b c\ndomain: COM\nmail: a@b,c\na@b\nwhois://x\nrefer:\n:\n\n" +
		strings.Repeat("x", 200_000) + "\n",
}

func TestConformanceLoopback(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartWhois(answers))(t)
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{
				URL: s.URL("example.com"), Layout: protocols.LayoutMenu, Lines: 6,
				Contains: []string{"whois://whois.verisign-grs.com/example.com", "mailto:info@verisign-grs.com"},
			},
			{URL: s.URL("example.org"), Lines: 3, Contains: []string{"whois://whois.example-registrar.example/example.org", "http://www.example/"}},
			{URL: s.URL("10.0.0.1"), Lines: 3, Contains: []string{"whois://whois.ripe.net/10.0.0.1", "rwhois://rwhois.example:4321"}},
			{URL: s.URL("nothing"), Lines: 1, Contains: []string{"No match"}},
			{URL: s.URL("many"), Lines: 100_000, Streams: true},
		},
		Large: s.URL("many"),
	})
}

// TestHostile checks that malformed referrals and addresses do not become links.
func TestHostile(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartWhois(answers))(t)
	res := fetchtest.CloseAtEnd(new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.URL("hostile"))}))(t)
	for l, err := range res.Lines {
		if err != nil || l.Link != nil || len(l.Text) > wire.MaxLine {
			t.Errorf("got the line %.50q, link %v, %v; want at most %d octets and no link", l.Text, l.Link, err, wire.MaxLine)
		}
	}
}

func TestPlan(t *testing.T) {
	steps, err := new(Client).Plan(fetchtest.Parse(t, "whois://h/-T%20dn%20example.org"))
	if err != nil || fmt.Sprint(steps) != "[{h:43 -T dn example.org\r\n ask}]" {
		t.Errorf("Plan = %v, %v; want the query -T dn example.org to h:43", steps, err)
	}
	for _, s := range []string{"whois://h", "whois://h/", "whois://h/%20"} {
		_, err := new(Client).Plan(fetchtest.Parse(t, s))
		ask := fetchtest.As[*protocols.Ask](t, err, "%s", s)
		fetchtest.Returns(t, fetchtest.Parse(t, "whois://h/a%2Fb%20c"), "%s", s)(ask.With([]string{" a/b c "}))
		for _, a := range [][]string{nil, {" "}, {"a\r\nb"}} {
			if u, err := ask.With(a); err == nil {
				t.Errorf("With(%q) = %v; want an error", a, u)
			}
		}
	}
	for _, u := range []urlcore.Lookup{
		{Name: "whois", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/a%00"},
		{Name: "whois", Path: "/a"},
		{Name: "finger", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/a"},
	} {
		var e *protocols.Error
		if _, err := new(Client).Plan(u); !errors.As(err, &e) {
			t.Errorf("Plan(%#v): got %v; want an *Error", u, err)
		}
	}
}

func TestEmptyAnswer(t *testing.T) {
	addr := fetchtest.Serve(t, func(c net.Conn) { _, _ = bufio.NewReader(c).ReadString('\n') })
	fetchtest.Fails(t, protocols.NotFound)(new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "whois://"+addr+"/a")}))
}

// TestNoHost checks that the error for a URL without a host shows the form of a URL with a host.
func TestNoHost(t *testing.T) {
	_, err := new(Client).Plan(fetchtest.Parse(t, "whois:joe"))
	if protocols.ReasonOf(err) != protocols.BadURL || !strings.Contains(err.Error(), "whois://host/") {
		t.Errorf("Plan(whois:joe): got %v; want reason BadURL and the form whois://host/", err)
	}
}

func FuzzLine(f *testing.F) {
	for _, text := range answers {
		for line := range strings.Lines(text) {
			f.Add(line[:min(len(line), 100)])
		}
	}
	w := fetchtest.Parse(f, "whois://h/a").(urlcore.Lookup)
	f.Fuzz(func(t *testing.T, text string) {
		l := pageLine(w, text)
		if l.Text != text {
			t.Errorf("pageLine(%q): got the text %q", text, l.Text)
		}
		if l.Link != nil && fetchtest.Parse(t, l.Link.String()) != l.Link {
			t.Errorf("pageLine(%q): Parse of the link is not %#v", text, l.Link)
		}
	})
}
