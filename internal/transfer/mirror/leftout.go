package mirror

import (
	"errors"
	"fmt"
	"slices"

	"gofer/internal/text/sentence"
	"gofer/protocols"
	"gofer/urlcore"
)

// LeftOut is an item of a tree that was not saved, not stored or not removed.
type LeftOut struct {
	URL  urlcore.URL // nil if the item has none
	Path string      // relative to the root of the tree, with slashes
	Err  error       // the reason; not nil
}

// String returns the path of the item and the reason.
func (l LeftOut) String() string { return l.Path + ": " + sentence.Of(l.Err) }

// PartialError reports that some items of a tree were left out.
type PartialError struct {
	LeftOut []LeftOut // at least one
	Unnamed int       // the number of further items that were left out, which LeftOut does not name
	Total   int       // the number of all items
	Verb    string    // past participle for the message, such as "saved"
	Cause   error     // the error that ended the transfers early, or nil
}

// Error returns the number of items that were left out, and the cause.
func (e *PartialError) Error() string {
	text := fmt.Sprintf("%d of %d items were not %s", e.Count(), e.Total, e.Verb)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Count returns the number of items that were left out.
func (e *PartialError) Count() int { return len(e.LeftOut) + e.Unnamed }

// WithoutCause returns the given items except those that were left out because of the Cause of err. The
// message of err has the cause already.
func WithoutCause(items []LeftOut, err error) []LeftOut {
	if e, ok := errors.AsType[*PartialError](err); ok {
		items = slices.DeleteFunc(slices.Clone(items), func(l LeftOut) bool { return errors.Is(l.Err, e.Cause) })
	}
	return items
}

// Unwrap returns the first error of the items that is a [protocols.Question]. If there is none, it returns the
// first network error, because a retry may succeed, or else the first error.
func (e *PartialError) Unwrap() error {
	i := slices.IndexFunc(e.LeftOut, func(l LeftOut) bool { return protocols.QuestionOf(l.Err) != nil })
	if i < 0 {
		i = slices.IndexFunc(e.LeftOut, func(l LeftOut) bool { return protocols.ReasonOf(l.Err).IsNetworkFailure() })
	}
	return e.LeftOut[max(i, 0)].Err
}
