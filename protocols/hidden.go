package protocols

import "strings"

// HiddenName reports whether a name in a directory is one that servers leave out
// unless asked for ([WithHidden]), or in an archive the path of one.
func HiddenName(name string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	return strings.HasPrefix(first, ".") && first != "." && first != ".."
}
