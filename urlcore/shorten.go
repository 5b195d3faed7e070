package urlcore

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Shorten shortens the parts of a URL to at most n characters and writes mark in place of omitted
// text. The host stays complete if it fits, so a long user name cannot look like the host. Shorten
// keeps the end of a longer host, because the end identifies the owner. It cuts the middle of the
// login and of the text after the host. Before it cuts the host, it omits the scheme and the login.
// Octets that a URL cannot contain become escapes. Start and End of the parts do not change.
func Shorten(parts []Part, n int, mark string) []Part {
	parts = printableParts(parts)
	if runeCount(parts) <= n {
		return parts
	}
	at := hostIndex(parts)
	if at < 0 {
		return elide(parts, n, mark)
	}
	scheme, login, host, rest := splitAtHost(parts, at)
	m := utf8.RuneCountInString(mark)
	leastLogin, leastRest := min(runeCount(login), m+len("@")), min(runeCount(rest), m)
	room := n - runeCount(scheme) - runeCount(host)
	if room < leastLogin+leastRest {
		if room = n - m - runeCount(host); room < leastRest {
			return endOfHost(parts[at], n, mark)
		}
		scheme, login, leastLogin = []Part{{Name: "delimiter", Text: mark}}, nil, 0
	}
	forLogin := min(runeCount(login), max(room/3, room-runeCount(rest)), room-leastRest)
	forLogin = max(forLogin, leastLogin)
	list := scheme
	if len(login) > 0 {
		last := len(login) - 1
		list = append(append(list, elide(login[:last], forLogin-len("@"), mark)...), login[last])
	}
	return append(append(list, host...), elide(rest, room-forLogin, mark)...)
}

// printableParts returns parts with escapes for the octets that are not printable ASCII.
func printableParts(parts []Part) []Part {
	list := make([]Part, len(parts))
	for i, p := range parts {
		odd := func(r rune) bool { return r <= ' ' || r >= 0x7f }
		if strings.ContainsFunc(p.Text, odd) {
			var b []byte
			for _, c := range []byte(p.Text) {
				if odd(rune(c)) {
					b = appendEscape(b, c)
				} else {
					b = append(b, c)
				}
			}
			p.Text = string(b)
		}
		list[i] = p
	}
	return list
}

// hostIndex returns the index of the host, or -1 if there is none.
func hostIndex(parts []Part) int {
	return slices.IndexFunc(parts, func(p Part) bool { return p.Name == "host" && p.Text != "" })
}

// splitAtHost splits parts into four: the scheme with its delimiters, the login up to "@", the host
// with its port and the slash after it, and the rest. The parameter index is the index of the host.
func splitAtHost(parts []Part, index int) (scheme, login, host, rest []Part) {
	from, to := index, index+1
	for from > 0 && (parts[from-1].Name != "delimiter" || parts[from-1].Text != "//") {
		from--
	}
	if to+1 < len(parts) && parts[to+1].Name == "port" {
		to += 2
	}
	if to < len(parts) && parts[to].Name == "delimiter" {
		to++
	}
	return parts[:from:from], parts[from:index:index], parts[index:to:to], parts[to:]
}

// endOfHost returns mark and the end of the host, together at most n characters.
func endOfHost(host Part, n int, mark string) []Part {
	m := utf8.RuneCountInString(mark)
	switch {
	case n <= m:
		mark, m = "", 0
		fallthrough
	case len(host.Text) > n-m:
		host.Text = host.Text[len(host.Text)-min(len(host.Text), max(0, n-m)):]
	}
	return []Part{{Name: "delimiter", Text: mark}, host}
}

// elide replaces the middle of parts with mark if parts have more than n characters. If mark has
// more than n characters too, elide returns nil.
func elide(parts []Part, n int, mark string) []Part {
	total := runeCount(parts)
	if total <= n {
		return parts
	}
	m := utf8.RuneCountInString(mark)
	if n < m {
		return nil
	}
	from := (n - m + 1) / 2
	to := total - (n - m - from)
	var list []Part
	for _, p := range parts {
		size := utf8.RuneCountInString(p.Text)
		head, tail := min(size, max(0, from)), max(0, min(size, to))
		text := p.Text[:head]
		if from >= 0 && from < size {
			text += mark
		}
		if text += p.Text[tail:]; text != "" {
			p.Text = text
			list = append(list, p)
		}
		from, to = from-size, to-size
	}
	return list
}

// runeCount returns the number of characters of parts.
func runeCount(parts []Part) int {
	n := 0
	for _, p := range parts {
		n += utf8.RuneCountInString(p.Text)
	}
	return n
}
