package ldap

import (
	"cmp"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"gofer/protocols"
)

// everything is the filter that every entry matches.
const everything = "(objectClass=*)"

// maxFilter limits the filter of a URL, in octets: the library encodes each level of it anew.
const maxFilter = 8 << 10

// compileFilter encodes a filter (RFC 4515), or that for everything if it is "". The error says what is wrong, and where.
func compileFilter(filter string) (string, error) {
	if len(filter) > maxFilter {
		return "", protocols.NewError(protocols.BadURL, "send the filter", "it is too long")
	}
	compiled, err := goldap.CompileFilter(cmp.Or(filter, everything))
	if err != nil {
		return "", protocols.NewError(protocols.BadURL, "send the filter "+filter, findMistake(filter)+"; write a filter such as (cn=mary) or (&(sn=moss)(mail=*))")
	}
	return string(compiled.Bytes()), nil
}

// findMistake returns what is wrong in a filter: the first part, from the left, that is no filter.
func findMistake(filter string) string {
	var open []int // where the parts that are not closed begin
	last := 0      // where the last part begins
	for i, c := range []byte(filter) {
		switch {
		case len(open) == 0 && (i > 0 || c != '('):
			return `"` + filter[i:] + `" is outside of the parentheses`
		case c == '(':
			open, last = append(open, i), i
		case c == ')':
			start := open[len(open)-1]
			open = open[:len(open)-1]
			part := filter[start : i+1]
			if start < last && strings.IndexByte("&|!", part[1]) < 0 {
				return `"` + part + `" has no "&", "|" or "!" before its parts`
			}
			if _, err := goldap.CompileFilter(part); start == last && err != nil {
				return `"` + part + `" is no comparison`
			}
		}
	}
	if len(open) > 0 {
		return `"` + filter[open[len(open)-1]:] + `" has no parenthesis at its end`
	}
	return "it is no filter"
}
