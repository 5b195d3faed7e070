package protocols

import "context"

type olderKey struct{}

// WithOlder asks for so many articles of a group beyond the newest, and for a
// line with [ActionOlder] where there are still older ones.
func WithOlder(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, olderKey{}, n)
}

// Older returns the number of [WithOlder]; false if ctx is not of it.
func Older(ctx context.Context) (n int, ok bool) {
	n, ok = ctx.Value(olderKey{}).(int)
	return n, ok
}
