package urlcore

import (
	"net/netip"
	"slices"
	"strings"
)

// OtherGuesses returns other URLs that the user may mean with u. A host may have another protocol, and an unknown scheme
// may be a similar known scheme. If the parameter guessed is set, u is what [Guess] returned for a text without a scheme:
// then a host may also be a newsgroup, a newsgroup a host, a Message-ID a mail address, and a mail address a
// Message-ID. If the scheme is known and u has a path or a port, OtherGuesses returns nil.
func OtherGuesses(u URL, guessed bool) []Alternative {
	switch u := u.(type) {
	case Gopher:
		if u == (Gopher{HostPort: HostPort{Host: u.Host}, Type: '1'}) {
			list := otherSchemes(u.Host, "gopher")
			if guessed {
				list = append(list, groupOf(u.Host)...)
			}
			return list
		}
	case FTP:
		if u == (FTP{Server: Server{HostPort: HostPort{Host: u.Host}}}) {
			return otherSchemes(u.Host, "ftp")
		}
	case HTTP:
		if u == (HTTP{HostPort: HostPort{Host: u.Host}, Path: u.Path}) && len(u.Path) < 2 {
			return otherSchemes(u.Host, "http")
		}
	case News:
		switch {
		case u == (News{HostPort: HostPort{Host: u.Host}, Group: "*"}) && u.Host != "":
			return otherSchemes(u.Host, "news")
		case !guessed:
		case u == (News{Group: u.Group}) && strings.Contains(u.Group, ".") && !isWorldwide(u.Group):
			if g, err := Canon(Gopher{HostPort: HostPort{Host: u.Group}, Type: '1'}); err == nil {
				return []Alternative{{g, "The host " + u.Group + " by Gopher"}}
			}
		case u == (News{MessageID: u.MessageID}):
			if m, err := Canon(Mailto{Address: u.MessageID}); err == nil {
				return []Alternative{{m, "Mail to " + u.MessageID}}
			}
		}
	case Generic:
		return similarSchemes(u)
	case Mailto:
		if !guessed {
			return nil
		}
		if n, err := Canon(News{MessageID: u.Address}); err == nil {
			return []Alternative{{n, "The article with this Message-ID"}}
		}
	}
	return nil
}

// otherSchemes returns the URLs of a host with the schemes gopher, ftp and news. It omits the
// scheme in the parameter tried.
func otherSchemes(host, tried string) (list []Alternative) {
	h := HostPort{Host: host}
	for _, a := range []Alternative{
		{Gopher{HostPort: h, Type: '1'}, "Try the host by Gopher"},
		{FTP{Server: Server{HostPort: h}}, "Try the host by FTP"},
		{News{HostPort: h, Group: "*"}, "Try the host as a news server"},
	} {
		if a.URL.Scheme() != tried {
			list = append(list, a)
		}
	}
	return list
}

// isWorldwide reports whether a group is in a worldwide hierarchy. Hosts rarely have such names.
func isWorldwide(group string) bool {
	first, _, _ := strings.Cut(strings.ToLower(group), ".")
	switch first {
	case "comp", "humanities", "misc", "news", "rec", "sci", "soc", "talk", "alt":
		return true
	}
	return false
}

// groupOf returns the newsgroup with the name of a host, or nil if the name cannot be a newsgroup.
func groupOf(host string) []Alternative {
	_, err := netip.ParseAddr(host)
	if err == nil || !strings.Contains(host, ".") || !isGroup(host) || isHostOnly(host) {
		return nil
	}
	return []Alternative{{News{Group: host}, "The newsgroup " + host}}
}

// isHostOnly reports whether a name with a dot is reserved for hosts (RFC 6761; RFC 7686), so that no group has it.
func isHostOnly(name string) bool {
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return slices.Contains([]string{"invalid", "localhost", "onion", "arpa"}, last)
}

// NamesScheme reports whether a typed text begins with a scheme, so that [Guess] does not choose one.
func NamesScheme(typed string) bool {
	typed = strings.TrimPrefix(strings.TrimSpace(typed), "<")
	scheme, _, ok := strings.Cut(typed, "//")
	return isURL(typed) || ok && isScheme(scheme)
}

// untypedReadings returns the URLs that u can mean if its path has no item type. For example, the
// "a" of gopher://host/about.txt is then a part of the selector. The likelier URLs come first.
func (u Gopher) untypedReadings() []Alternative {
	if !isLetter(u.Type) || u.Selector == "" || u.Selector[0] == '/' || strings.Contains(u.Selector, ":") {
		return nil
	}
	text := u
	text.Type, text.Selector = '0', "/"+string(rune(u.Type))+u.Selector
	menu := text
	menu.Type = '1'
	list := []Alternative{{menu, "The menu " + text.Selector}, {text, "The text " + text.Selector}}
	if looksLikeText(u.Selector) {
		list[0], list[1] = list[1], list[0]
	}
	return list
}

// looksLikeText reports whether the path has a suffix of a text file.
func looksLikeText(path string) bool {
	name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	return strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".text")
}

// similarSchemes returns copies of u with other schemes. Each scheme is known, and is similar to the
// scheme of u. Schemes that the drafts of RFC 1738 do not know come last.
func similarSchemes(u Generic) (list []Alternative) {
	if isScheme(u.Name) {
		return nil
	}
	for _, recent := range [...]bool{false, true} {
		for i := range schemes {
			k := &schemes[i]
			if k.recent != recent || k.bare == notBare || len(k.Name) < 4 && k.Name != "ftp" || !areSimilar(u.Name, k.Name) {
				continue
			}
			if a, err := Parse(k.Name + ":" + u.Rest); err == nil {
				at := len(list)
				if k.Name[0] == u.Name[0] {
					at = 0
				}
				list = slices.Insert(list, at, Alternative{a, "Did you mean " + k.Name + "?"})
			}
		}
	}
	return list
}

// areSimilar reports whether a and b differ by one letter that is added, removed or changed, by two letters of long names, or
// by the order of letters after the first.
func areSimilar(a, b string) bool {
	if a[0] == b[0] && hasSameLetters(a, b) || len(a) == len(b) && len(a) >= 6 && countDifferences(a, b) == 2 {
		return true
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	switch {
	case a == b || len(a)+len(b) == 0:
		return false
	case len(a) == len(b):
		return a[1:] == b[1:] || len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
	case len(a) > len(b):
		return a[1:] == b
	}
	return a == b[1:]
}

func hasSameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
}

// countDifferences returns the number of places at which a and b, which have the same length, differ.
func countDifferences(a, b string) (n int) {
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
