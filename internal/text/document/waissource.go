package document

import (
	"cmp"
	"io"
	"iter"

	"gofer/internal/text/waissource"
	"gofer/protocols"
	"gofer/urlcore"
)

// sourceLines returns the page of a WAIS source description: the link to its database and
// the details. An invalid description, or one that is too long, is a text.
func sourceLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		text, err := io.ReadAll(io.LimitReader(d, waissource.MaxSize))
		source, ok := waissource.Parse(string(text))
		if err != nil || !ok || len(text) == waissource.MaxSize {
			d.first, d.err = text, cmp.Or(err, d.err)
			textLines(d)(yield)
			return
		}
		from, _ := d.URL.(urlcore.WAIS)
		protocols.NewPage(d.Head, source.Lines(source.URL(from.HostPort))...).Lines(yield)
	}
}
