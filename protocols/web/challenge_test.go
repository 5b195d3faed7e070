package web

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestChooseChallenge(t *testing.T) {
	const md5, sha, basic = `Digest realm="m", nonce="n"`, `Digest realm="s", nonce="n", algorithm=SHA-256`, `Basic realm="b"`
	for _, tt := range []struct{ values, want string }{
		{basic, "basic b"},
		{"BASIC", "basic "},
		{basic + "\n" + md5, "digest m"},
		{basic + ", " + md5 + ", " + sha, "digest s"},
		{md5 + ` , ,` + basic, "digest m"},
		{`Negotiate, NTLM TlRMTVNTUAAC==, Bearer realm="x", ` + basic, "basic b"},
		{`Digest realm="a, Basic realm=\"q\" ", nonce=n, qop="auth-int, auth"`, `digest a, Basic realm="q" `},
		{`Digest realm="a",nonce="n",algorithm=SHA-256-sess,qop=auth`, "digest a"},
		{`Digest realm="a", nonce="n", algorithm=SHA-512-256`, "digest a"},
		{`Digest realm="a", nonce="n", algorithm=TOKEN, ` + basic, "basic b"},
		{`Digest realm="a", nonce="n", qop="auth-int"`, ""},
		{`Digest realm="a"`, ""},
		{`Digest nonce=n`, ""},
		{`Negotiate`, ""},
		{`=`, ""},
		{`a="`, ""},
		{`Basic realm=, `, "basic "},
		{``, ""},
	} {
		got := ""
		if c := chooseChallenge(strings.Split(tt.values, "\n")); c != nil {
			got = c.scheme + " " + c.parameters["realm"]
		}
		fetchtest.Equal(t, got, tt.want, "%s", tt.values)
	}
}

// TestAuthorization checks the examples of RFC 2617, section 3.5, and RFC 7616, sections 3.9.1 and 3.9.2.
func TestAuthorization(t *testing.T) {
	const old = `Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`
	const rfc7616 = `Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", algorithm=`
	const cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
	for _, tt := range []struct{ challenge, user, password, cnonce, want string }{
		{old, "Mufasa", "Circle Of Life", "0a4f113b", `response="6629fae49393a05397450978507c4ef1"`},
		{strings.Replace(old, `qop="auth,auth-int", `, "", 1), "Mufasa", "Circle Of Life", "0a4f113b", `response="670fd8c2df070c60b045671b8b24ff02"`},
		{rfc7616 + "MD5", "Mufasa", "Circle of Life", cnonce, `response="8ca523f5e9506fed4657c9700eebdbec"`},
		{rfc7616 + "SHA-256", "Mufasa", "Circle of Life", cnonce, `response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"`},
		{rfc7616 + "MD5-sess", "Mufasa", "Circle of Life", cnonce, "algorithm=MD5-sess"},
		{rfc7616 + "SHA-256, userhash=true", "Mufasa", "Circle of Life", cnonce, "userhash=true"},
		{rfc7616 + "SHA-256, charset=UTF-8", "Jäsøn", "x", cnonce, "username*=UTF-8''J%C3%A4s%C3%B8n"},
		{rfc7616 + "SHA-256", `a"b\c`, "x", cnonce, `username="a\"b\\c"`},
	} {
		c := chooseChallenge([]string{tt.challenge})
		got := c.authorization("GET", "/dir/index.html", tt.user, tt.password, 1, tt.cnonce)
		if !strings.Contains(got, tt.want) || strings.Contains(got, tt.password+`"`) {
			t.Errorf("%s: got %s, want %s", tt.challenge, got, tt.want)
		}
	}
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Digest realm="a\"", nonce=n, Basic , NTLM ab==, x = y`)
	f.Fuzz(func(t *testing.T, value string) {
		if c := chooseChallenge([]string{value}); c != nil {
			if got := c.authorization("GET", "/", "u", "p", 1, "c"); strings.ContainsAny(got, "\r\n") {
				t.Errorf("got a line end in %q", got)
			}
		}
	})
}
