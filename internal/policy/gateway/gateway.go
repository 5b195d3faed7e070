// Package gateway opens the URLs of a scheme through another server that the user sets (RFC 1738,
// section 4).
package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// Placeholder is replaced by the requested URL in a template.
const Placeholder = "%s"

// Templates maps schemes to URLs that contain a [Placeholder].
type Templates map[string]string

// Check returns an error if the template of a scheme is invalid.
func (t Templates) Check(scheme string) error {
	if strings.Count(t[scheme], Placeholder) != 1 {
		return fmt.Errorf("%q must have one %s for the URL", t[scheme], Placeholder)
	}
	u, err := fillTemplate(t[scheme], urlcore.Generic{Name: scheme, Rest: "//a/"})
	if err != nil {
		return err
	}
	addr, _ := urlcore.Addr(u)
	other, _ := fillTemplate(t[scheme], urlcore.Generic{Name: scheme, Rest: "//b/"})
	switch {
	case scheme != strings.ToLower(scheme):
		return errors.New("write the scheme in lower case")
	case scheme == "about" || scheme == "file":
		return fmt.Errorf("%s: URLs name no server", scheme)
	case t[u.Scheme()] != "":
		return fmt.Errorf("%s: URLs go through a gateway themselves", u.Scheme())
	case urlcore.Redact(u) != u:
		return errors.New("a gateway cannot have a password")
	}
	if same, _ := urlcore.Addr(other); other == nil || same != addr || other.Scheme() != u.Scheme() {
		return fmt.Errorf("%s cannot be a part of the scheme, the host or the port", Placeholder)
	}
	return nil
}

// fillTemplate replaces the [Placeholder] in a template with u, escaped as in the query of a URL.
func fillTemplate(template string, u urlcore.URL) (urlcore.URL, error) {
	text := urlcore.EscapeQuery(urlcore.Reference(u, ""))
	return urlcore.Parse(strings.Replace(template, Placeholder, text, 1))
}

// Client is a [protocols.Fetcher] and [protocols.Planner] for the URLs of one scheme.
type Client struct {
	Template string
	Registry *protocols.Guarded // opens the URLs of the gateway
}

// State implements [protocols.Stater].
func (c *Client) State(urlcore.URL) string {
	host := ""
	if u, err := fillTemplate(c.Template, urlcore.Generic{Name: "x", Rest: "a"}); err == nil {
		host = urlcore.Host(u)
	}
	return "the gateway " + host
}

func (c *Client) gatewayURL(u urlcore.URL) (urlcore.URL, error) {
	if urlcore.Redact(u) != u {
		return nil, &protocols.Error{
			Reason: protocols.BadURL, Op: "send the URL to a gateway", Err: errors.New("it has a password, which the gateway could read"),
		}
	}
	return fillTemplate(c.Template, u)
}

// Fetch opens u through the gateway. The URL of the resource is the gateway's URL for u.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	v, err := c.gatewayURL(req.URL)
	if err != nil {
		return nil, err
	}
	return c.Registry.Fetch(ctx, req.At(v))
}

// Plan returns the steps of a fetch from the gateway.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	v, err := c.gatewayURL(u)
	if err != nil {
		return nil, err
	}
	addr, _ := urlcore.Addr(v)
	first := protocols.Step{Peer: addr, Note: "the gateway for " + u.Scheme() + ": URLs is asked for " + v.String()}
	steps, err := c.Registry.Plan(v)
	if err != nil && len(steps) == 0 {
		return []protocols.Step{first}, nil //nolint:nilerr // another program may open the URL
	}
	return append([]protocols.Step{first}, steps...), nil
}
