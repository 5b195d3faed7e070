package urlcore

import (
	"net/netip"
	"strconv"
	"strings"
)

// canonHost checks a host outside of any URL: a name, an IPv4 address, or an
// IPv6 address with or without brackets.
func canonHost(h string) (string, *Error) {
	if strings.IndexByte(h, ':') >= 0 {
		if len(h) > 2 && h[0] == '[' && h[len(h)-1] == ']' {
			h = h[1 : len(h)-1]
		}
		return ip6(h, 0)
	}
	return hostName(strings.TrimSuffix(h, "."), 0)
}

// host reads a host that is not in brackets.
func (st *state) host(h string, off int) (string, *Error) {
	if st.strict {
		if i := strings.IndexByte(h, '%'); i >= 0 {
			return "", fail(BadHost, off+i, "a host cannot hold escapes")
		}
		if h != "" && h[len(h)-1] == '.' {
			return "", fail(BadHost, off+len(h)-1, "a host cannot end with a dot")
		}
		return hostName(h, off)
	}
	if st.marks&markPercent != 0 {
		h = unescape(h)
	}
	return hostName(strings.TrimSuffix(h, "."), off)
}

// hostName checks a host name or IPv4 address and returns it in lower case
// (RFC 1738, sections 3.1 and 5: hostname, hostnumber; RFC 1034, section 3.5).
func hostName(h string, off int) (string, *Error) {
	i, label, upper := 0, 0, false
	for {
		label = i
		for ; i < len(h) && h[i] != '.'; i++ {
			if octets[h[i]]&inLabel == 0 {
				if h[i] < 'A' || h[i] > 'Z' {
					return "", fail(BadHost, off+i, "a host has only letters, digits, - and dots")
				}
				upper = true
			}
		}
		if i == label || i-label > 63 || h[label] == '-' || h[i-1] == '-' {
			return "", badLabel(h[label:i], off+label)
		}
		if i == len(h) {
			break
		}
		i++
	}
	if len(h) > 253 {
		return "", fail(BadHost, off, "a host name is longer than 253 characters")
	}
	if isDigit(h[label]) {
		return ip4(h, off)
	}
	if upper {
		h = strings.ToLower(h)
	}
	return h, nil
}

func badLabel(label string, off int) *Error {
	switch {
	case label == "" && off == 0:
		return fail(BadHost, off, "there is no host")
	case label == "":
		return fail(BadHost, off, "there is no host, or an empty part of one")
	case len(label) > 63:
		return fail(BadHost, off, "a part of a host name is longer than 63 characters")
	}
	return fail(BadHost, off, `a part of a host name cannot begin or end with "-"`)
}

// ip4 checks four groups of decimal digits and drops leading zeros.
func ip4(h string, off int) (string, *Error) {
	bad := fail4
	var buf [16]byte
	b := buf[:0]
	groups, n, digits := 0, 0, 0
	for i := 0; i <= len(h); i++ {
		if i < len(h) && isDigit(h[i]) {
			n, digits = n*10+int(h[i]-'0'), digits+1
			if digits > 3 {
				return "", bad(off)
			}
			continue
		}
		if i < len(h) && h[i] != '.' || digits == 0 || n > 255 || groups == 4 {
			return "", bad(off)
		}
		if groups > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, int64(n), 10)
		groups, n, digits = groups+1, 0, 0
	}
	if groups != 4 {
		return "", bad(off)
	}
	if string(b) == h {
		return h, nil
	}
	return string(b), nil
}

func fail4(off int) *Error {
	return fail(BadHost, off, "a host that ends in a number must be four numbers up to 255")
}

// ip6 checks an IPv6 address without its brackets and writes it as RFC 5952
// says. RFC 1738 has none; this is the extension of RFC 2732.
func ip6(s string, off int) (string, *Error) {
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is6() || a.Zone() != "" {
		return "", fail(BadHost, off, "what stands in brackets must be an IPv6 address")
	}
	if t := a.String(); t != s {
		return t, nil
	}
	return s, nil
}
