package about

import (
	"context"

	"gofer/protocols"
	"gofer/urlcore"
)

// ExplainURL returns the canonical URL of the page that explains u: "about:explain?" and the
// canonical text of u without its password. It escapes all octets except letters, digits and the
// special characters that need no escape in any URL (RFC 1738, section 2.2).
func ExplainURL(u urlcore.URL) urlcore.URL {
	rest := "explain?" + urlcore.EscapeQuery(urlcore.Redact(u).String())
	if c, err := urlcore.Canon(Page(rest)); err == nil {
		return c
	}
	return Page("explain?")
}

// explainPage makes the page that explains the URL in the query, or asks for a URL. The URL of the page contains no
// password.
func (c *Client) explainPage(ctx context.Context, r request) (*protocols.Resource, error) {
	if r.query == "" && r.part == "" {
		return nil, askExplain(r.URL)
	}
	if r.part != "" {
		return nil, c.missingPage(r.URL)
	}
	u, err := urlcore.Parse(unescape(r.query))
	if err != nil {
		return nil, err
	}
	u = urlcore.Redact(u)
	r.URL = ExplainURL(u)
	return r.resource(yieldLines(ctx, append([]protocols.Line{link(u.String(), u), text("")}, c.Explain(u)...))), nil
}

func askExplain(u urlcore.URL) *protocols.Ask {
	return ask(u, "Explain a URL", "URL", func(answer string) (urlcore.URL, error) {
		asked, err := urlcore.Guess(answer)
		if err != nil {
			return nil, err
		}
		return ExplainURL(asked), nil
	})
}
