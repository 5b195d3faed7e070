package protocols

import "context"

type htmlKey struct{}

// WithHTML asks for the hypertext of an article that comes as text and as HTML.
func WithHTML(ctx context.Context) context.Context {
	return context.WithValue(ctx, htmlKey{}, true)
}

// PrefersHTML reports whether ctx is of [WithHTML].
func PrefersHTML(ctx context.Context) bool { return ctx.Value(htmlKey{}) != nil }
