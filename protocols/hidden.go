package protocols

import (
	"context"
	"strings"
)

type hiddenKey struct{}

// WithHidden asks for directories with the names that servers leave out unless
// asked for: those that begin with a dot.
func WithHidden(ctx context.Context) context.Context {
	return context.WithValue(ctx, hiddenKey{}, true)
}

// Hidden reports whether ctx is of [WithHidden].
func Hidden(ctx context.Context) bool { return ctx.Value(hiddenKey{}) != nil }

// HiddenName reports whether a name in a directory is one of those, or in an archive
// the path of one.
func HiddenName(name string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	return strings.HasPrefix(first, ".") && first != "." && first != ".."
}
