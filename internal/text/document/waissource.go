package document

import (
	"cmp"
	"io"
	"iter"

	"gofer/internal/text/waissource"
	"gofer/protocols"
	"gofer/urlcore"
)

// sourceLines returns the lines of a WAIS source description: the link to the database and the
// details. It returns an invalid or too long description as a text.
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
