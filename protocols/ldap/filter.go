package ldap

import (
	"cmp"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"gofer/protocols"
	"gofer/urlcore"
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

// checkAttributes returns an error if a filter was written in the place of the attributes.
func checkAttributes(u urlcore.LDAP) error {
	for _, a := range attributesOf(u) {
		name, _, _ := strings.Cut(a, ";range=")
		if strings.ContainsAny(name, "()=&|") {
			right := u
			right.Attributes, right.Scope, right.Filter = "", cmp.Or(u.Scope, "sub"), u.Attributes
			if !strings.HasPrefix(right.Filter, "(") {
				right.Filter = "(" + right.Filter + ")"
			}
			return protocols.NewError(protocols.BadURL, "ask for the attribute "+a, "this is a filter, which comes after three question marks: "+right.String())
		}
	}
	return nil
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
