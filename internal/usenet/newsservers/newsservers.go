// Package newsservers reads the news servers of the settings and finds them by name.
package newsservers

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"gofer/internal/userfile/searchkeyword"
	"gofer/urlcore"
)

// Parse parses "host", "host:port" or a URL such as "nntps://host:port/" with one of the news
// schemes. It returns the URL of all groups of the server. An IPv6 address needs no brackets.
func Parse(s string) (urlcore.News, error) {
	s = strings.TrimSpace(s)
	scheme, host, ok := strings.Cut(s, "://")
	switch {
	case !ok:
		scheme, host = "news", s
		if _, err := netip.ParseAddr(host); err == nil && strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
	case strings.EqualFold(scheme, "nntp"):
		scheme = "news"
	case strings.EqualFold(scheme, "nntps"):
		scheme = "snews"
	}
	u, err := urlcore.Parse(scheme + "://" + strings.TrimSuffix(host, "/") + "/*")
	if news, ok := u.(urlcore.News); err == nil && ok && news.Host != "" && news.Group == "*" {
		return news, nil
	}
	return urlcore.News{}, fmt.Errorf("%q is not a host, host:port or nntps://host/", urlcore.MaskPassword(s))
}

// Names maps the user's names of servers to addresses in the syntax of [Parse].
type Names map[string]string

// Check returns an error if the name or the address of a server is invalid.
func (n Names) Check(name string) error {
	if err := searchkeyword.CheckName(name); err != nil {
		return err
	}
	_, err := Parse(n[name])
	return err
}

// All returns the sorted names.
func (n Names) All() []string { return slices.Sorted(maps.Keys(n)) }

// Server returns the URL of all groups of the named server.
func (n Names) Server(name string) (u urlcore.News, ok bool) {
	s, ok := n[name]
	if !ok {
		return u, false
	}
	u, err := Parse(s)
	return u, err == nil
}

// Expand returns the URL for a typed text that consists of the name of a server, a blank, and a
// group, a group/number or a Message-ID. For any other text ok is false.
func (n Names) Expand(typed string) (u urlcore.URL, ok bool, err error) {
	name, item, _ := strings.Cut(strings.TrimSpace(typed), " ")
	server, ok := n.Server(name)
	if item = strings.TrimSpace(item); !ok || item == "" {
		return nil, false, nil
	}
	all := server.String()
	if strings.Contains(item, "/") && !strings.Contains(item, "@") {
		all = strings.Replace(strings.Replace(all, "snews:", "nntps:", 1), "news:", "nntp:", 1)
	}
	u, err = urlcore.Parse(strings.TrimSuffix(all, "*") + item)
	return u, true, err
}
