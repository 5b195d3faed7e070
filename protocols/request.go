package protocols

import (
	"strconv"
	"strings"
	"time"

	"gofer/urlcore"
)

// Request says what a [Fetcher] is asked for. The zero value of each option is what a user gets who opens the URL.
type Request struct {
	URL urlcore.URL
	// Fresh asks the server even if a copy of the answer is stored.
	Fresh bool
	// Typed is set if the user has typed or bookmarked the URL. For such a URL, the [Guard] asks only about the
	// ports of redirects, not about the port of the URL.
	Typed bool
	// Hidden also asks for the directory entries that servers omit by default, because their names begin with
	// a dot. For a search that is not Paged, it asks for all results.
	Hidden bool
	// Paged asks for the newest articles of a group and Older articles before them, or for the first results of
	// a search and Older results after them. If there are more articles or results, the answer has a line with
	// [ActionOlder] or [ActionMore].
	Paged bool
	Older int
	// FirstArticle, if not nil, asks for all articles of a group whose numbers are at least its result. It has
	// no effect if all of these articles are among the newest articles, which a fetch returns by default. The
	// note becomes one of [Head.Notes].
	FirstArticle FirstArticleFunc
	// Facts asks only for the Head of a document. The Resource has an empty Body, or the whole Body if the
	// Fetcher cannot get the Head alone.
	Facts bool
	// Within is the directory whose list the user sees, if the URL was found in it or below it and nothing else must be
	// read; or nil. No directory below Within is entered through a symbolic link, nor is a file of a Known size read through
	// one: a link that has taken its place is refused. Servers on other machines follow their own rules.
	Within urlcore.URL
	// Known holds the properties of the file that the caller knows, or is nil. The fetch does not ask the server
	// for a value that Known contains.
	Known *FileFacts
	// Modified asks for the date of a document ([Head.Modified]) even if that takes longer.
	Modified bool
	// Version is the [Head.Version] of the document that the caller has, or "". If the server says that the document still has
	// this version, the answer has [Head.Unchanged].
	Version string
	// Identity asks the server to identify the directory that it lists ([Head.Identity]). This may take one
	// more command.
	Identity bool
	// Offset is the number of octets of the document that the caller has. A [Resumer] fetches the rest.
	Offset int64
}

// At returns the same request for another URL, for a Fetcher that opens u in place of the URL of r. The user has not typed u.
func (r Request) At(u urlcore.URL) Request {
	r.URL, r.Typed = u, r.Typed && u == r.URL
	return r
}

// FileFacts holds the properties of a file that a caller knows, usually from the listing of the directory.
type FileFacts struct {
	Size     int64     // -1 if unknown; the actual size may differ
	Modified time.Time // exact to the second; zero if unknown
}

// FileVersion returns the version of a file for [Request.Version], or "" if its size or its date is unknown.
func FileVersion(size int64, modified time.Time) string {
	if size < 0 || modified.IsZero() {
		return ""
	}
	return strconv.FormatInt(size, 10) + " " + modified.UTC().Format(time.RFC3339Nano)
}

// FirstArticleFunc returns the number of the first wanted article of a group that is not empty, or 0, and a note for
// the user, or "". The parameters low and high are the marks of the group, by the server.
type FirstArticleFunc func(group string, low, high uint64) (first uint64, note string)

// ThreadPlace is the place of an article in its thread. N counts from 1; Articles is the number of articles
// in the thread. Only the list of articles shows the place.
type ThreadPlace struct{ N, Articles int }

// IsHiddenName reports whether servers omit a name without [Request.Hidden]. The name may also be a path in an
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
