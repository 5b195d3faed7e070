package protocols

import "context"

type freshKey struct{}

// WithFresh asks the server, not for a copy that was kept of its answer.
func WithFresh(ctx context.Context) context.Context { return context.WithValue(ctx, freshKey{}, true) }

// Fresh reports whether ctx is of [WithFresh].
func Fresh(ctx context.Context) bool { return ctx.Value(freshKey{}) != nil }
