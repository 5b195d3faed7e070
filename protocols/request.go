package protocols

import (
	"context"
	"strings"
)

// request names what a Fetch is asked beside its URL, or reports to, or asks itself: a
// value of its context.
type request uint8

const (
	requestFresh request = iota
	requestHidden
	requestHTML
	requestModified
	requestIdentity
	requestOlder
	requestFrom
	requestScreenWidth
	requestThreadPlace
	requestProgress
	requestTranscript
	requestGuard
)

// requested returns the value of a request, zero if ctx has none.
func requested[T any](ctx context.Context, r request) T {
	v, _ := ctx.Value(r).(T)
	return v
}

// WithFresh asks the server, not for a copy that was kept of its answer.
func WithFresh(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestFresh, true)
}

// Fresh reports whether ctx is of [WithFresh].
func Fresh(ctx context.Context) bool { return requested[bool](ctx, requestFresh) }

// WithHidden asks for directories with the names that servers leave out unless
// asked for: those that begin with a dot.
func WithHidden(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestHidden, true)
}

// Hidden reports whether ctx is of [WithHidden].
func Hidden(ctx context.Context) bool { return requested[bool](ctx, requestHidden) }

// WithHTML asks for the hypertext of an article that comes as text and as HTML.
func WithHTML(ctx context.Context) context.Context { return context.WithValue(ctx, requestHTML, true) }

// PrefersHTML reports whether ctx is of [WithHTML].
func PrefersHTML(ctx context.Context) bool { return requested[bool](ctx, requestHTML) }

// WithModified asks the server for the date of a document ([Head.Modified]) even if
// that takes longer.
func WithModified(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestModified, true)
}

// WantsModified reports whether ctx is of [WithModified].
func WantsModified(ctx context.Context) bool { return requested[bool](ctx, requestModified) }

// WithIdentity asks the server to identify the directory that it lists
// ([Head.Identity]), which may take another command.
func WithIdentity(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestIdentity, true)
}

// WantsIdentity reports whether ctx is of [WithIdentity].
func WantsIdentity(ctx context.Context) bool { return requested[bool](ctx, requestIdentity) }

// WithOlder asks for so many articles of a group beyond the newest, and for a
// line with [ActionOlder] where there are still older ones.
func WithOlder(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, requestOlder, n)
}

// Older returns the number of [WithOlder]; false if ctx is not of it.
func Older(ctx context.Context) (n int, ok bool) {
	n, ok = ctx.Value(requestOlder).(int)
	return n, ok
}

// WithFrom asks for the articles of a group from a number on, where that is before
// the newest ones: first returns it for the numbers that the group has, or 0.
func WithFrom(ctx context.Context, first func(group string, low, high uint64) uint64) context.Context {
	return context.WithValue(ctx, requestFrom, first)
}

// From returns the number of [WithFrom], 0 if ctx is not of it.
func From(ctx context.Context, group string, low, high uint64) uint64 {
	if first := requested[func(group string, low, high uint64) uint64](ctx, requestFrom); first != nil {
		return first(group, low, high)
	}
	return 0
}

// WithScreenWidth tells how many cells a row of the screen has on which a page is
// to be read: the tables of a hypertext are laid out for it.
func WithScreenWidth(ctx context.Context, cells int) context.Context {
	return context.WithValue(ctx, requestScreenWidth, cells)
}

// ScreenWidthOf returns the cells of [WithScreenWidth], 0 if ctx is not of it.
func ScreenWidthOf(ctx context.Context) int { return requested[int](ctx, requestScreenWidth) }

// ThreadPlace is where in its thread an article stands: N, from 1, of Articles.
type ThreadPlace struct{ N, Articles int }

// WithThreadPlace asks for an article with its place in the thread, which who
// lists the group knows, in its header.
func WithThreadPlace(ctx context.Context, p ThreadPlace) context.Context {
	return context.WithValue(ctx, requestThreadPlace, p)
}

// ThreadPlaceOf returns the place of [WithThreadPlace], zero if ctx is not of it.
func ThreadPlaceOf(ctx context.Context) ThreadPlace {
	return requested[ThreadPlace](ctx, requestThreadPlace)
}

// HiddenName reports whether a name in a directory is one that servers leave out
// unless asked for ([WithHidden]), or in an archive the path of one.
func HiddenName(name string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	return strings.HasPrefix(first, ".") && first != "." && first != ".."
}
