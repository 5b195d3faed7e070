package protocols

import (
	"context"
	"strings"
	"time"

	"gofer/urlcore"
)

// Request says what a [Fetcher] is asked for.
type Request struct {
	URL urlcore.URL
}

// At returns the request for another URL: a part of what r asks for, such as the document that r's URL is an
// abbreviation of.
func (r Request) At(u urlcore.URL) Request {
	r.URL = u
	return r
}

// request is the key of a context value for a request to a Fetcher.
type request uint8

const (
	requestFresh request = iota
	requestHidden
	requestHTML
	requestMailboxText
	requestCharset
	requestModified
	requestFileFacts
	requestFacts
	requestIdentity
	requestOlder
	requestFirstArticle
	requestScreenWidth
	requestThreadPlace
	requestProgress
	requestTranscript
	requestTyped
	requestGuard
	requestChange
)

// requestValue returns the value of a request, or zero.
func requestValue[T any](ctx context.Context, r request) T {
	v, _ := ctx.Value(r).(T)
	return v
}

// WithFresh makes a fetch ask the server even if a copy of the answer is stored.
func WithFresh(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestFresh, true)
}

// WantsFresh reports whether [WithFresh] applies to ctx.
func WantsFresh(ctx context.Context) bool { return requestValue[bool](ctx, requestFresh) }

// WithTyped records that the user typed or bookmarked u. For such a URL, the [Guard] asks only about the
// ports of redirects, not about the port of u.
func WithTyped(ctx context.Context, u urlcore.URL) context.Context {
	return context.WithValue(ctx, requestTyped, u)
}

// IsTyped reports whether [WithTyped] for u applies to ctx.
func IsTyped(ctx context.Context, u urlcore.URL) bool {
	return u != nil && requestValue[urlcore.URL](ctx, requestTyped) == u
}

// WithHidden also asks for the directory entries that servers omit by default, because their names begin
// with a dot. For a search without [WithOlder], WithHidden asks for all results.
func WithHidden(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestHidden, true)
}

// WantsHidden reports whether [WithHidden] applies to ctx.
func WantsHidden(ctx context.Context) bool { return requestValue[bool](ctx, requestHidden) }

// WithHTML asks for the hypertext of an article that has both text and HTML.
func WithHTML(ctx context.Context) context.Context { return context.WithValue(ctx, requestHTML, true) }

// PrefersHTML reports whether [WithHTML] applies to ctx.
func PrefersHTML(ctx context.Context) bool { return requestValue[bool](ctx, requestHTML) }

// WithMailboxText asks for the text of a file of messages in place of the list of its messages.
func WithMailboxText(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestMailboxText, true)
}

// WantsMailboxText reports whether [WithMailboxText] applies to ctx.
func WantsMailboxText(ctx context.Context) bool { return requestValue[bool](ctx, requestMailboxText) }

// WithCharset gives the name of the charset that the user has chosen for a document. Documents whose lines are converted to
// UTF-8 are read in this charset, whichever they declare.
func WithCharset(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, requestCharset, name)
}

// CharsetOf returns the charset of [WithCharset], or "".
func CharsetOf(ctx context.Context) string { return requestValue[string](ctx, requestCharset) }

// WithModified asks for the date of a document ([Head.Modified]) even if that takes
// longer.
func WithModified(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestModified, true)
}

// WantsModified reports whether [WithModified] applies to ctx.
func WantsModified(ctx context.Context) bool { return requestValue[bool](ctx, requestModified) }

// FileFacts holds the properties of a file that a caller knows, usually from the listing of the directory.
type FileFacts struct {
	Size     int64     // -1 if unknown; the actual size may differ
	Modified time.Time // exact to the second; zero if unknown
}

// WithFileFacts returns a context with the size and date of the fetched file. The fetch does not ask the server
// for a value that k contains.
func WithFileFacts(ctx context.Context, k FileFacts) context.Context {
	return context.WithValue(ctx, requestFileFacts, k)
}

// FileFactsOf returns the size and date of [WithFileFacts], or a size of -1 and a zero date.
func FileFactsOf(ctx context.Context) FileFacts {
	if k, ok := ctx.Value(requestFileFacts).(FileFacts); ok {
		return k
	}
	return FileFacts{Size: -1}
}

// WithFacts asks only for the Head of a document. The Resource has an empty Body, or the whole Body if
// the Fetcher cannot get the Head alone.
func WithFacts(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestFacts, true)
}

// WantsFacts reports whether [WithFacts] applies to ctx.
func WantsFacts(ctx context.Context) bool { return requestValue[bool](ctx, requestFacts) }

// WithIdentity asks the server to identify the directory that it lists
// ([Head.Identity]). This may take one more command.
func WithIdentity(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestIdentity, true)
}

// WantsIdentity reports whether [WithIdentity] applies to ctx.
func WantsIdentity(ctx context.Context) bool { return requestValue[bool](ctx, requestIdentity) }

// WithOlder asks for the newest articles of a group and n articles before them, or for the first results of a
// search and n results after them. If there are more articles or results, the answer has a line with [ActionOlder] or
// [ActionMore].
func WithOlder(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, requestOlder, n)
}

// OlderCount returns the number n of [WithOlder]. It returns false if WithOlder does not apply to ctx.
func OlderCount(ctx context.Context) (n int, ok bool) {
	n, ok = ctx.Value(requestOlder).(int)
	return n, ok
}

// FirstArticleFunc returns the number of the first wanted article of a group that is not empty, or 0, and a note for
// the user, or "". The parameters low and high are the marks of the group, by the server.
type FirstArticleFunc func(group string, low, high uint64) (first uint64, note string)

// WithFirstArticle asks for all articles of a group whose numbers are at least the result of the function
// first. WithFirstArticle has no effect if all of these articles are among the newest articles, which a
// fetch returns by default. The note becomes one of [Head.Notes].
func WithFirstArticle(ctx context.Context, first FirstArticleFunc) context.Context {
	return context.WithValue(ctx, requestFirstArticle, first)
}

// FirstArticle returns the results of the function of [WithFirstArticle], or 0.
func FirstArticle(ctx context.Context, group string, low, high uint64) (first uint64, note string) {
	if first := requestValue[FirstArticleFunc](ctx, requestFirstArticle); first != nil {
		return first(group, low, high)
	}
	return 0, ""
}

// WithScreenWidth sets the width of the screen in cells. The tables of a hypertext are laid out for this
// width.
func WithScreenWidth(ctx context.Context, cells int) context.Context {
	return context.WithValue(ctx, requestScreenWidth, cells)
}

// ScreenWidthOf returns the width of [WithScreenWidth], or 0.
func ScreenWidthOf(ctx context.Context) int { return requestValue[int](ctx, requestScreenWidth) }

// ThreadPlace is the place of an article in its thread. N counts from 1; Articles is the number of articles
// in the thread.
type ThreadPlace struct{ N, Articles int }

// WithThreadPlace asks for an article whose header shows p, the place of the article in its thread. Only
// the caller knows the place, from the list of articles.
func WithThreadPlace(ctx context.Context, p ThreadPlace) context.Context {
	return context.WithValue(ctx, requestThreadPlace, p)
}

// ThreadPlaceOf returns the place of [WithThreadPlace], or zero.
func ThreadPlaceOf(ctx context.Context) ThreadPlace {
	return requestValue[ThreadPlace](ctx, requestThreadPlace)
}

// IsHiddenName reports whether servers omit a name without [WithHidden]. The name may also be a path in an
// archive.
func IsHiddenName(name string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	return strings.HasPrefix(first, ".") && first != "." && first != ".."
}

// IsHiddenLine reports whether a line of a directory is an entry that is shown only on request. The result
// called entries is a description of such entries for the user. IsHiddenLine calls the method Hidden of the note. For a note
// without this method, it calls [IsHiddenName].
func IsHiddenLine(l *Line) (hidden bool, entries string) {
	if n, ok := l.Note.(interface{ Hidden() (bool, string) }); ok {
		return n.Hidden()
	}
	return l.Note != nil && IsHiddenName(l.Text), "names that begin with a dot"
}
