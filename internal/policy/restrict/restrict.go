package restrict

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// Rules are the rules that the owner of the terminal has set.
type Rules struct {
	// Enabled turns on the restricted mode. Gofer then starts no other programs, shows no files of
	// this machine and saves nothing. It sends only requests for pages and searches.
	Enabled   bool            `toml:"enabled"`
	Start     string          `toml:"start"`     // URL of the start page, see [Rules.StartURL]
	Allow     []ServerPattern `toml:"allow"`     // the only allowed servers; empty: all
	Bookmarks bool            `toml:"bookmarks"` // show the owner's bookmarks, read-only
}

// ServerPattern is a pattern of servers such as "gopher.example.org", "*.example.org:70" or "*:70".
// The zero value matches none.
type ServerPattern struct {
	host string // in lower case; "*" is any host, "*.example.org" any subdomain of example.org
	port uint16 // 0: any port
}

// MarshalText formats the pattern in the syntax of UnmarshalText.
func (s ServerPattern) MarshalText() ([]byte, error) {
	if s.port == 0 {
		return []byte(s.host), nil
	}
	return []byte(net.JoinHostPort(s.host, strconv.Itoa(int(s.port)))), nil
}

// UnmarshalText parses "host", "*.domain" (all subdomains of domain) or "*" (any host), each perhaps
// with ":port".
func (s *ServerPattern) UnmarshalText(text []byte) error {
	host, port := string(text), ""
	if bare := strings.Trim(host, "[]"); net.ParseIP(bare) != nil {
		host = bare
	} else if strings.Contains(host, ":") {
		var err error
		if host, port, err = net.SplitHostPort(host); err != nil || port == "" {
			return fmt.Errorf("%q is not a host or host:port", text)
		}
	}
	n, err := strconv.ParseUint("0"+port, 10, 16)
	name := strings.TrimPrefix(strings.TrimPrefix(host, "*"), ".")
	if err != nil || port != "" && n == 0 || host == "" || strings.ContainsAny(name, "*/@ ") || strings.HasPrefix(host, "*") != (host != name) ||
		strings.HasPrefix(host, "*") && host != "*" && (name == "" || host != "*."+name) {
		return fmt.Errorf("%q is not \"host\", \"host:port\", \"*.domain\" or \"*:port\"", text)
	}
	s.host, s.port = canonicalHost(host), uint16(n)
	return nil
}

// canonicalHost returns the canonical spelling of a host.
func canonicalHost(host string) string {
	if ip := net.ParseIP(host); ip != nil {
		return ip.String()
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

func (s ServerPattern) matches(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	host = canonicalHost(host)
	switch {
	case err != nil || s.port != 0 && port != strconv.Itoa(int(s.port)):
		return false
	case s.host == "*":
		return true
	case strings.HasPrefix(s.host, "*."):
		return strings.HasSuffix(host, s.host[1:]) && net.ParseIP(host) == nil
	}
	return s.host != "" && host == s.host
}

// DenyAllRules returns rules that allow nothing. They apply after errors in the settings (see the package
// comment).
func DenyAllRules() Rules { return Rules{Enabled: true, Allow: []ServerPattern{{}}} }

// CheckServer returns an *[protocols.Error] if addr, "host:port", is not allowed.
func (r *Rules) CheckServer(addr string) error {
	if !r.Enabled || len(r.Allow) == 0 || slices.ContainsFunc(r.Allow, func(s ServerPattern) bool { return s.matches(addr) }) {
		return nil
	}
	return refusal("connect to "+addr, "it is not one of the allowed servers")
}

// CheckURL returns an *[protocols.Error] if the server of u is not allowed. A URL that names no server is allowed.
func (r *Rules) CheckURL(u urlcore.URL) error {
	addr, _ := urlcore.Addr(u)
	if generic, ok := u.(urlcore.Generic); ok && addr == "" {
		if s, _, ok := generic.Server(); ok && s.Host != "" {
			addr = net.JoinHostPort(s.Host, strconv.Itoa(int(s.Port)))
		}
	}
	if addr == "" {
		return nil
	}
	return r.CheckServer(addr)
}

// StartURL returns the URL of the start page, or nil if it is that of gofer.
func (r *Rules) StartURL() (urlcore.URL, error) {
	if !r.Enabled || r.Start == "" {
		return nil, nil
	}
	return urlcore.Parse(r.Start)
}

func refusal(op, why string) error {
	return &protocols.Error{Reason: protocols.Denied, Op: op, Err: fmt.Errorf("%w: %s", protocols.ErrRestricted, why)}
}

// Guard is the [protocols.Guard] of the restricted mode. It gives allowed URLs to Next.
type Guard struct {
	Rules Rules
	Next  protocols.Guard
}

// Allow returns an *[protocols.Error] if the request is not allowed.
func (g Guard) Allow(ctx context.Context, req protocols.Request, change bool) error {
	if isPost(req.URL) {
		return refusal("send the form", "only searches can be sent to servers here")
	}
	server := req.URL
	if f, err := protocols.ParseForm(req.URL); err == nil {
		server = f.Action
	}
	if err := g.Rules.CheckURL(server); err != nil { // if a news: URL names no server, the Dialer checks the server
		return err
	}
	return g.Next.Allow(ctx, req, change)
}

// isPost reports whether u asks a server to store or change something.
func isPost(u urlcore.URL) bool {
	switch u := u.(type) {
	case urlcore.Gopher:
		return strings.Contains(u.Plus, "\n") // a filled-in form
	case urlcore.HTTP:
		return u.Name == "spartan" && u.HasQuery || u.Name == "titan"
	}
	if u.Scheme() != protocols.FormScheme {
		return false
	}
	f, err := protocols.ParseForm(u)
	return err != nil || f.Post || slices.ContainsFunc(f.Fields, func(f protocols.FormField) bool { return f.Input == protocols.InputFile })
}

// RestrictedFetcher is a Fetcher that has no method except Fetch and Plan, and starts no other programs.
type RestrictedFetcher struct{ protocols.Fetcher }

// Fetch refuses other programs, and forms that are not searches.
func (r RestrictedFetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	res, err := r.Fetcher.Fetch(ctx, req)
	if _, ok := errors.AsType[*protocols.Handoff](err); ok {
		return NoPrograms{}.Fetch(ctx, req)
	}
	if ask, ok := errors.AsType[*protocols.Ask](err); ok {
		g, _ := ask.URL.(urlcore.Gopher)
		sendsFile := slices.ContainsFunc(ask.Fields, func(f protocols.Field) bool { return f.Input == protocols.InputFile })
		if sendsFile || isPost(ask.URL) || g.HasPlus && strings.HasPrefix(g.Plus, "?") {
			return nil, refusal("fill in the form", "only searches can be sent to servers here")
		}
	}
	return res, err
}

// NoPrograms is the Fetcher of the restricted mode for URLs that need another program.
type NoPrograms struct{}

// Fetch refuses u.
func (NoPrograms) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	return nil, refusal("open "+urlcore.Redact(req.URL).String(), "other programs cannot be started here")
}

// State implements [protocols.Stater].
func (NoPrograms) State(urlcore.URL) string { return "not opened here" }

// State implements [protocols.Stater].
func (r RestrictedFetcher) State(u urlcore.URL) string {
	return protocols.Registry{u.Scheme(): r.Fetcher}.State(u)
}

// Plan implements [protocols.Planner].
func (r RestrictedFetcher) Plan(u urlcore.URL) ([]protocols.Step, error) {
	return protocols.Registry{u.Scheme(): r.Fetcher}.Plan(u)
}
