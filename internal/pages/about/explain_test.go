package about

import (
	"errors"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func explainer() *Client {
	return &Client{Explain: func(u urlcore.URL) []protocols.Line {
		return []protocols.Line{heading("Its parts"), text("explained: " + u.Scheme())}
	}}
}

// fetchExplanation fetches the page about:explain and returns its own URL, the link to the explained
// URL, and its text.
func fetchExplanation(t *testing.T, page urlcore.URL) (own, link urlcore.URL, shown string) {
	t.Helper()
	r, err := explainer().Fetch(t.Context(), protocols.Request{URL: page})
	fetchtest.NoError(t, err, "Fetch(%s)", page)
	defer r.Close()
	shown = r.Title
	for l, err := range r.Lines {
		fetchtest.NoError(t, err)
		if l.Link != nil {
			link = l.Link
		}
		shown += "\n" + l.Text
	}
	return r.URL, link, shown
}

func TestExplainHidesPasswords(t *testing.T) {
	own, link, shown := fetchExplanation(t, parse(t, "about:explain?ftp%3A%2F%2Fjoe%3Ahush%40h.example%2F"))
	for _, s := range []string{own.String(), link.String(), shown} {
		fetchtest.NotContains(t, s, "hush", "the password")
	}
}

func TestExplainAsks(t *testing.T) {
	for _, s := range []string{"about:explain", "about:explain?"} {
		_, err := explainer().Fetch(t.Context(), protocols.Request{URL: parse(t, s)})
		var ask *protocols.Ask
		if !errors.As(err, &ask) || len(ask.Fields) != 1 {
			t.Fatalf("%s gives %v, want an Ask", s, err)
		}
		u, err := ask.With([]string{"gopher.example.org"})
		if want := "about:explain?gopher%3A%2F%2Fgopher.example.org%2F1"; err != nil || u.String() != want {
			t.Errorf("With(gopher.example.org) = %v, %v; want %s", u, err, want)
		}
		if u, err := ask.With([]string{"\x00"}); err == nil {
			t.Errorf("With(NUL) = %v, want an error", u)
		}
	}
}

// FuzzExplain checks that the page about a URL links to this URL.
func FuzzExplain(f *testing.F) {
	for _, s := range []string{"gopher://h.example/0a%09%25%2B+?", "foo:a~!*'(),$;/?:@=&", "news:a@b", "http://[::1]/\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := urlcore.Parse(s)
		if err != nil {
			return
		}
		page := ExplainURL(u)
		fetchtest.Equal(t, parse(t, page.String()), page, "the canonical URL")
		if _, link, _ := fetchExplanation(t, page); link != urlcore.Redact(u) {
			t.Errorf("the page that explains %s: got a link to %v", u, link)
		}
	})
}

func TestExplain(t *testing.T) {
	for s, want := range map[string]string{
		"gopher://h.example/7/a%09b%20c?":    "about:explain?gopher%3A%2F%2Fh.example%2F7%2Fa%2509b%2520c%253F",
		"news:*":                             "about:explain?news%3A*",
		"http://h.example/a+b?c=d&e=%23$'()": "about:explain?http%3A%2F%2Fh.example%2Fa+b%3Fc%3Dd%26e%3D%2523$'()",
		"ftp://joe:pw@h.example/;type=d":     "about:explain?ftp%3A%2F%2Fjoe%40h.example%2F%3Btype%3Dd",
		"foo://joe:pw@h.example/x":           "about:explain?foo%3A%2F%2Fjoe%40h.example%2Fx",
		"about:history?a%20b":                "about:explain?about%3Ahistory%3Fa%2520b",
	} {
		u := parse(t, s)
		page := ExplainURL(u)
		if page.String() != want || parse(t, want) != page {
			t.Errorf("ExplainURL(%s) = %s, want %s", s, page, want)
		}
		own, link, shown := fetchExplanation(t, page)
		if plain := urlcore.Redact(u); own != page || link != plain || !strings.Contains(shown, "explained: "+u.Scheme()) {
			t.Errorf("Fetch(%s): got the URL %s, the link %v (want %v) and the text\n%s", page, own, link, plain, shown)
		}
	}
}

func TestExplainRefuses(t *testing.T) {
	_, err := explainer().Fetch(t.Context(), protocols.Request{URL: parse(t, "about:explain?gopher%3A%2F%2Fa%24b%2F")})
	if refused, ok := errors.AsType[*urlcore.Error](err); !ok || refused.Category != urlcore.BadHost || refused.Input != "gopher://a$b/" {
		t.Errorf("got %#v, want bad-host in gopher://a$b/", err)
	}
	_, err = (&Client{}).Fetch(t.Context(), protocols.Request{URL: parse(t, "about:explain?news:*")})
	fetchtest.Reason(t, err, protocols.NotFound, "without Explain")
}
