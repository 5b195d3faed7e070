package web

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
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

// TestAuthorization checks the examples of RFC 2617, section 3.5, and RFC 7616, sections 3.9.1 and 3.9.2. The responses of
// sessions are computed from the formula of section 3.4.2 by a script with the library hashlib of Python.
func TestAuthorization(t *testing.T) {
	const old = `Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`
	const rfc7616 = `Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", algorithm=`
	const cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
	for _, tt := range []struct{ challenge, user, password, cnonce, want string }{
		{old, "Mufasa", "Circle Of Life", "0a4f113b", `response="6629fae49393a05397450978507c4ef1"`},
		{
			strings.Replace(old, `qop="auth,auth-int", `, "", 1), "Mufasa", "Circle Of Life", "0a4f113b",
			`response="670fd8c2df070c60b045671b8b24ff02"`,
		},
		{rfc7616 + "MD5", "Mufasa", "Circle of Life", cnonce, `response="8ca523f5e9506fed4657c9700eebdbec"`},
		{rfc7616 + "SHA-256", "Mufasa", "Circle of Life", cnonce, `response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"`},
		{rfc7616 + "MD5-sess", "Mufasa", "Circle of Life", cnonce, `response="e783283f46242139c486a698fec7211d", algorithm=MD5-sess`},
		{
			rfc7616 + "SHA-256-sess", "Mufasa", "Circle of Life", cnonce,
			`response="2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7", algorithm=SHA-256-sess`,
		},
		{rfc7616 + "SHA-256, userhash=true", "Mufasa", "Circle of Life", cnonce, "userhash=true"},
		{rfc7616 + "SHA-256, charset=UTF-8", "Jäsøn", "x", cnonce, "username*=UTF-8''J%C3%A4s%C3%B8n"},
		{rfc7616 + "SHA-256", `a"b\c`, "x", cnonce, `username="a\"b\\c"`},
	} {
		c := newNonceUse(chooseChallenge([]string{tt.challenge}))
		c.count, c.cnonce = 1, tt.cnonce
		got := c.authorization("GET", "/dir/index.html", tt.user, tt.password)
		if !strings.Contains(got, tt.want) || strings.Contains(got, tt.password+`"`) {
			t.Errorf("%s: got %s, want %s", tt.challenge, got, tt.want)
		}
	}
}

// TestSession checks that the key of a session keeps its first nonce and cnonce when the server sends another nonce
// (RFC 7616, sections 3.4.2 and 3.5), and that a challenge begins another session.
func TestSession(t *testing.T) {
	var c challenges
	account := wire.Account{Scheme: "http", Addr: "h.example:80"}
	ch := chooseChallenge([]string{
		`Digest realm="http-auth@example.org", qop=auth, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", algorithm=SHA-256-sess`,
	})
	c.keep(account, ch)
	first := c.last[account].cnonce
	c.last[account].cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
	c.setNonce(account, "next")
	c.use(account)
	got := c.use(account).authorization("GET", "/dir/index.html", "Mufasa", "Circle of Life")
	if want := `response="84e4f3867bcad994677eaa9d86297cb8bc290f085a5a7bbc81879b290b854423"`; !strings.Contains(got, want) ||
		!strings.Contains(got, "nc=00000002") {
		t.Errorf("second request with the next nonce: got %s, want %s", got, want)
	}
	if c.keep(account, ch); c.last[account].cnonce == first || c.last[account].count != 0 {
		t.Error("another challenge: got the same cnonce or count, want another session")
	}
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Digest realm="a\"", nonce=n, Basic , NTLM ab==, x = y`)
	f.Fuzz(func(t *testing.T, value string) {
		if c := chooseChallenge([]string{value}); c != nil {
			if got := newNonceUse(c).authorization("GET", "/", "u", "p"); strings.ContainsAny(got, "\r\n") {
				t.Errorf("got a line end in %q", got)
			}
		}
	})
}
