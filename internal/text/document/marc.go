package document

import (
	"cmp"
	"io"
	"iter"
	"strings"

	"gofer/internal/text/marc"
	"gofer/protocols"
)

// maxMARC is the maximum size of a file of MARC records that is shown.
const maxMARC = 4 << 20

// detectMARC sets the media type, layout and title of a file of MARC records.
func (d *Document) detectMARC() {
	if !marc.IsRecord(d.first) {
		return
	}
	if essence(d.Media) != marc.Media {
		d.Media = marc.Media
	}
	d.Layout, d.Charset = protocols.LayoutText, "utf-8"
	first, _ := marc.Cut(d.first)
	if r, err := marc.Parse(first); err == nil {
		d.Title = cmp.Or(r.Title(), d.Title)
	}
}

// marcLines returns the fields of the records. The names of the fields are those of MARC 21; other formats have
// a parameter with their name.
func marcLines(d *Document) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		_, params := parseContentType(d.Media, false)
		octets, err := io.ReadAll(io.LimitReader(d, maxMARC+1))
		full := len(octets) > maxMARC
		octets = octets[:min(len(octets), maxMARC)]
		for i := 0; len(octets) > 0; i++ {
			var one []byte
			if one, octets = marc.Cut(octets); full && len(octets) == 0 {
				break
			}
			if !yieldMARC(one, i > 0, params["format"], yield) {
				return
			}
		}
		switch {
		case full:
			yield(protocols.Line{Kind: protocols.Failure, Text: "The file is larger than " + formatSize(maxMARC) + ": the other records are not shown."}, nil)
		case err != nil:
			yield(protocols.Line{}, err)
		}
	}
}

func yieldMARC(octets []byte, apart bool, format string, yield func(protocols.Line, error) bool) bool {
	r, err := marc.Parse(octets)
	lines := r.Lines(format == "" || strings.EqualFold(format, "marc21"))
	if err != nil {
		lines = []protocols.Line{{Kind: protocols.Failure, Text: "A record is damaged and cannot be shown."}}
	}
	if apart {
		lines = append([]protocols.Line{{}}, lines...)
	}
	for _, l := range lines {
		if !yield(l, nil) {
			return false
		}
	}
	return true
}
