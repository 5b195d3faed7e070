package download

import (
	"strings"

	"gofer/urlcore"
)

// selectorPath returns the path in a selector, without leading and trailing slashes.
// The selectors of UMN gopherd begin with the item type ("0/text/a"), with "m" (a mail
// folder), or with a range of octets (a message in a folder, "R0-93-/mail"). A range
// becomes the last element of the path ("mail/0-93").
func selectorPath(u urlcore.Gopher) string {
	s, octets := cutRange(u.Selector)
	if len(s) > 1 && s[1] == '/' && (s[0] == u.Type || s[0] == 'm' || octets != "") {
		s = s[1:]
	}
	return strings.Trim(strings.Trim(s, "/")+"/"+octets, "/")
}

// cutRange removes the prefix "R0-93-" and returns its range, "0-93".
func cutRange(selector string) (rest, octets string) {
	from, rest, ok := strings.Cut(strings.TrimPrefix(selector, "R"), "-")
	to, rest, ok2 := strings.Cut(rest, "-")
	if !ok || !ok2 || selector[0] != 'R' || from == "" || to == "" || strings.Trim(from+to, "0123456789") != "" {
		return selector, ""
	}
	return rest, from + "-" + to
}

// below reports whether an item is below the menu that is mirrored.
func below(root, u urlcore.Gopher) bool {
	r, s := selectorPath(root), selectorPath(u)
	return r == "" || s == r || strings.HasPrefix(s, r+"/")
}
