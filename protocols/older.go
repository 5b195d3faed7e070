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

type fromKey struct{}

// WithFrom asks for the articles of a group from a number on, where that is before
// the newest ones: from returns it for the numbers that the group has, or 0.
func WithFrom(ctx context.Context, from func(group string, low, high uint64) uint64) context.Context {
	return context.WithValue(ctx, fromKey{}, from)
}

// From returns the number of [WithFrom], 0 if ctx is not of it.
func From(ctx context.Context, group string, low, high uint64) uint64 {
	if from, ok := ctx.Value(fromKey{}).(func(group string, low, high uint64) uint64); ok {
		return from(group, low, high)
	}
	return 0
}
