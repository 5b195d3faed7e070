package protocols

import (
	"io"

	"gofer/urlcore"
)

// NewPage returns a Resource of lines that are known.
func NewPage(h Head, lines ...Line) *Resource {
	h.Size = -1
	return &Resource{
		Head: h,
		Lines: func(yield func(Line, error) bool) {
			for _, l := range lines {
				if !yield(l, nil) {
					return
				}
			}
		},
		Closer: io.NopCloser(nil),
	}
}

// NewRedirect returns a page with the link of a redirect that leads to a server
// of another scheme. h is the head of the answer.
func NewRedirect(h Head, to urlcore.URL) *Resource {
	h.Title, h.Layout = "Redirect", LayoutPage
	return NewPage(
		h,
		Line{Text: "The server sends its readers on to another kind of server:"},
		Line{},
		Line{Kind: KindOf(to), Text: urlcore.Redact(to).String(), Link: to},
	)
}
