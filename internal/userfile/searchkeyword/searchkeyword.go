// Package searchkeyword expands keywords in the URL bar: "v cats" becomes the URL that the
// settings give for the keyword v, with "cats" in it.
package searchkeyword

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gofer/urlcore"
)

// Placeholder is the placeholder in a template for the words to search for.
const Placeholder = "{q}"

// Templates maps keywords to templates of URLs.
type Templates map[string]string

// CheckName returns an error if name cannot be a keyword.
func CheckName(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}) {
		return errors.New("a name has only letters, digits, - and _")
	}
	return nil
}

// Check returns an error if a template or its keyword is invalid.
func Check(name, template string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if !strings.Contains(template, Placeholder) {
		return fmt.Errorf("%q has no %s for the words searched", template, Placeholder)
	}
	one, err := fillTemplate(template, "a")
	if err != nil {
		return err
	}
	two, err := fillTemplate(template, "b")
	if err != nil {
		return err
	}
	if urlcore.Redact(one) != one {
		return errors.New("the URL of a search word cannot have a password")
	}
	addr, _ := urlcore.Addr(one)
	if other, _ := urlcore.Addr(two); one.Scheme() != two.Scheme() || addr != other {
		return fmt.Errorf("%s cannot be a part of the scheme, the host or the port", Placeholder)
	}
	return nil
}

// Expand returns the URL for a typed text: a keyword, a blank and words. The keyword alone is enough if
// the template is a Gopher search, which asks for words. ok is false if typed does not begin with a
// keyword.
func (t Templates) Expand(typed string) (u urlcore.URL, ok bool, err error) {
	name, words, _ := strings.Cut(strings.TrimSpace(typed), " ")
	template, ok := t[name]
	if !ok {
		return nil, false, nil
	}
	words = strings.Join(strings.Fields(words), " ")
	if u, err = fillTemplate(template, words); err != nil || words != "" {
		return u, true, err
	}
	g, asks := u.(urlcore.Gopher)
	if !asks || g.Type != '7' {
		return nil, true, &urlcore.Error{
			Category: urlcore.Empty, Input: typed, Offset: len(typed),
			Reason: "type the words to search for after " + name + ", or / for the host " + name,
		}
	}
	g.Search, g.HasSearch = "", false
	return g, true, nil
}

// Names returns the keywords, sorted.
func (t Templates) Names() []string { return slices.Sorted(maps.Keys(t)) }

// fillTemplate replaces the [Placeholder] in a template with words. At the end of a Gopher URL "?{q}" means
// "%09{q}" (RFC 1738, section 3.4.2), because people know the question mark from the web.
func fillTemplate(template, words string) (urlcore.URL, error) {
	escaped := urlcore.EscapeQuery(words)
	scheme, _, _ := strings.Cut(strings.ToLower(template), ":")
	if slices.Contains([]string{"ftp", "ftps", "sftp"}, scheme) {
		escaped = strings.ReplaceAll(escaped, "%2F", "/") // a slash in words separates names; "%2F" would be a slash inside a name (section 3.2.2)
	}
	if head, ok := strings.CutSuffix(template, "?"+Placeholder); ok {
		if u, err := urlcore.Parse(head); err == nil {
			if g, ok := u.(urlcore.Gopher); ok && g.Type == '7' {
				template = head + "%09" + Placeholder
			}
		}
	}
	return urlcore.Parse(strings.ReplaceAll(template, Placeholder, escaped))
}
