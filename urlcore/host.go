package urlcore

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// canonHost checks a host that is not part of a URL and returns its canonical form. The host is a
// name, an IPv4 address, or an IPv6 address with or without brackets.
func canonHost(h string) (string, *Error) {
	if strings.IndexByte(h, ':') >= 0 {
		if len(h) > 2 && h[0] == '[' && h[len(h)-1] == ']' {
			h = h[1 : len(h)-1]
		}
		return parseIPv6(h, 0)
	}
	h = strings.TrimSuffix(h, ".")
	host, err := parseOnlyHost(h, 0)
	if err != nil && isForeignHost(h) {
		return parseForeignHost(h, 0)
	}
	return host, err
}

// The classes of octets for parseHostName. In an entry of hostClasses, the bits 4 to 6 are the
// classes that parseHostName must check if they follow the octet. The other bits are the class of
// the octet. The start and the end of a host count as dots.
const (
	hostNone   = 0 // not allowed in a host
	hostDigit  = 1
	hostHyphen = 2
	hostDot    = 4
	hostLower  = 8
	hostUpper  = 0x80
)

// parseHostName parses the host name or IPv4 address at the start of s. It returns the host in
// lower case, and the rest of s (RFC 1738, sections 3.1 and 5: hostname, hostnumber; RFC 1034,
// section 3.5). The loop has no branch for the ends of labels, because processors predict such a
// branch badly.
func parseHostName(s string, off int) (host, rest string, err *Error) {
	i, last, seen, odd := 0, hostClasses['.'], uint8(0), uint8(0)
	for ; i < len(s); i++ {
		next := hostClasses[s[i]]
		if next == hostNone {
			break
		}
		odd |= last >> 4 & next
		seen |= next
		last = next
	}
	odd |= last >> 4 & hostDot
	host, rest = s[:i], s[i:]
	if odd&(hostDot|hostHyphen) != 0 || i > 63 {
		if err := findHostFault(host, off); err != nil {
			return "", rest, err
		}
	}
	if odd&hostDigit != 0 && isDigit(host[strings.LastIndexByte(host, '.')+1]) {
		host, err = parseIPv4(host, off)
	} else if seen&hostUpper != 0 {
		host = strings.ToLower(host)
	}
	return host, rest, err
}

// parseOnlyHost is like parseHostName, but s must end after the host.
func parseOnlyHost(s string, off int) (string, *Error) {
	host, rest, err := parseHostName(s, off)
	if err == nil && rest != "" {
		err = hostCharError(off + len(s) - len(rest))
	}
	return host, err
}

// isForeignHost reports whether h contains characters that RFC 1738 does not allow in a host, but the DNS
// or IDNA does.
func isForeignHost(h string) bool {
	return strings.IndexByte(h, '_') >= 0 || scan(h)&markEight != 0
}

// ideographicStops are the characters that IDNA reads as dots (UTS #46, section 2.3).
var ideographicStops = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// parseForeignHost parses a host name with "_", which the DNS allows (RFC 2181, section 11), or with
// characters beyond ASCII. Labels with such characters become their form in ASCII (RFC 5891, section 5: lookup).
func parseForeignHost(s string, off int) (string, *Error) {
	if !utf8.ValidString(s) {
		return "", hostCharError(off)
	}
	labels := strings.Split(strings.TrimSuffix(ideographicStops.Replace(s), "."), ".")
	for i, label := range labels {
		if scan(label)&markEight == 0 {
			continue
		}
		ascii, err := idna.Lookup.ToASCII(label)
		if err != nil {
			return "", fail(BadHost, off, "IDNA (RFC 5891) does not allow a character in the host name, or its place")
		}
		labels[i] = ascii
	}
	name := strings.ToLower(strings.Join(labels, "."))
	host, err := parseOnlyHost(strings.ReplaceAll(name, "_", "a"), off)
	if err == nil && strings.IndexByte(name, '_') >= 0 {
		host = name
	}
	return host, err
}

func hostCharError(off int) *Error {
	return fail(BadHost, off, "a host has only letters, digits, - and dots")
}

// findHostFault returns the fault of a host whose characters are all allowed, or nil.
func findHostFault(h string, off int) *Error {
	if h == "" {
		return fail(BadHost, off, "there is no host")
	}
	start := 0
	for label := range strings.SplitSeq(h, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return findLabelFault(label, off+start)
		}
		start += len(label) + 1
	}
	if len(h) > 253 {
		return fail(BadHost, off, "a host name is longer than 253 characters")
	}
	return nil
}

func findLabelFault(label string, off int) *Error {
	switch {
	case label == "":
		return fail(BadHost, off, "the host name begins or ends with a dot, or has two dots together")
	case len(label) > 63:
		return fail(BadHost, off, "a part of a host name is longer than 63 characters")
	}
	return fail(BadHost, off, `a part of a host name cannot begin or end with "-"`)
}

// parseIPv4 checks four groups of decimal digits and removes leading zeros.
func parseIPv4(h string, off int) (string, *Error) {
	var buf [16]byte
	b := buf[:0]
	groups, n, digits := 0, 0, 0
	for i := 0; i <= len(h); i++ {
		if i < len(h) && isDigit(h[i]) {
			n, digits = n*10+int(h[i]-'0'), digits+1
			if digits > 3 {
				return "", ipv4Error(off)
			}
			continue
		}
		if i < len(h) && h[i] != '.' || digits == 0 || n > 255 || groups == 4 {
			return "", ipv4Error(off)
		}
		if groups > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, int64(n), 10)
		groups, n, digits = groups+1, 0, 0
	}
	if groups != 4 {
		return "", ipv4Error(off)
	}
	return string(b), nil
}

func ipv4Error(off int) *Error {
	return fail(BadHost, off, "a host that ends in a number must be four numbers up to 255")
}

// parseIPv6 checks an IPv6 address without its brackets and returns it in the form of RFC 5952.
// IPv6 addresses are an extension of RFC 1738 (RFC 2732).
func parseIPv6(s string, off int) (string, *Error) {
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is6() || a.Zone() != "" {
		return "", fail(BadHost, off, "brackets must contain an IPv6 address")
	}
	return a.String(), nil
}

// hostClasses contains the class of each octet. TestHostClasses computes the same table.
var hostClasses = [256]uint8{
	'-': 0x42, '.': 0x74,
	'0': 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	'A': 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	'N': 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	'a': 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
}
