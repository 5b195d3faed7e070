package demo

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// WAISDocument is a document, available in one or more types.
type WAISDocument struct {
	Name     string // file name
	Headline string
	Date     string // yyyymmdd; may be empty
	Types    []string
	Content  map[string]string // contents by type
	// IndexedSize is the size at indexing time, if the file has changed since then. Search
	// results contain it, and a request beyond the end of the file gets diagnostics without text.
	IndexedSize int64
	// LargeSize is the size of a document without Content. The document consists of lines of 16
	// octets. Each line is its own offset in the format "%015x\n".
	LargeSize int64
}

// id returns the document ID. withServer is false for a catalog, whose ID names no server.
func (s *WAISServer) id(d WAISDatabase, doc WAISDocument, withServer bool) string {
	host, db := s.Addr(), "/srv/wais/"+d.Name
	local := fmt.Sprintf("0 %d %s", doc.indexedSize(), path.Join("/srv/wais", doc.Name))
	var b []byte
	if withServer {
		b = waisField(b, 1, host)
	}
	b = waisField(waisField(b, 2, db), 3, local)
	if withServer {
		b = waisField(waisField(waisField(b, 4, host), 5, db), 6, local)
	}
	return string(waisField(b, 7, "\x00"))
}

// findDocument returns the document of d with the ID id.
func (s *WAISServer) findDocument(d WAISDatabase, id string) (doc WAISDocument, ok bool) {
	for _, doc := range append(slices.Clip(d.Documents), s.description(d), waisCatalog(d)) {
		if s.id(d, doc, true) == id || s.id(d, doc, false) == id {
			return doc, true
		}
	}
	return doc, false
}

func (d WAISDocument) size(typ string) int64 {
	if d.Content == nil {
		return d.LargeSize
	}
	return int64(len(d.Content[typ]))
}

// indexedSize returns the size that search results contain.
func (d WAISDocument) indexedSize() int64 { return cmp.Or(d.IndexedSize, d.size(d.Types[0])) }

// encodeRecord returns the header of a document in a search result.
func (s *WAISServer) encodeRecord(d WAISDatabase, doc WAISDocument, score int, withServer bool) []byte {
	text := doc.Content[doc.Types[0]]
	var types []byte
	for _, t := range doc.Types {
		types = waisField(types, 133, t)
	}
	date := cmp.Or(doc.Date, "0")
	b := waisField(nil, 116, s.id(d, doc, withServer))
	b = waisField(b, 118, waisDigits(int64(score)))
	b = waisField(b, 119, waisDigits(0))
	b = waisField(b, 120, waisDigits(doc.indexedSize()))
	b = waisField(b, 131, waisDigits(int64(strings.Count(text, "\n"))))
	b = waisField(b, 132, string(types))
	b = waisField(b, 121, "/srv/wais/"+d.Name)
	b = waisField(waisField(b, 122, date), 123, doc.Headline)
	return waisField(nil, 150, string(b))
}

// waisTerms returns the terms of a query. The keys of the map are the use and relation
// attributes.
func waisTerms(query []byte) map[string]string {
	terms := make(map[string]string)
	use := ""
	for tag, value := range waisFields(query) {
		switch {
		case tag == 44 && len(value) >= 5:
			use = value[:5]
		case tag == 45:
			terms[use] = value
		}
	}
	return terms
}

// retrieve answers a request for a part of a document.
func (s *WAISServer) retrieve(d WAISDatabase, query []byte) ([]byte, error) {
	terms := waisTerms(query)
	id := terms["un re"]
	var tags []int
	for tag := range waisFields([]byte(id)) {
		tags = append(tags, tag)
	}
	if slices.Equal(tags, []int{3}) {
		return nil, errWAISCrash
	}
	if len(tags) == 0 {
		return waisDiagnostic("SF", "Missing DocID in request", 0), nil
	}
	doc, ok := s.findDocument(d, id)
	if !ok {
		return waisDiagnostic("SF", "File not present in specified database", 0), nil
	}
	typ := terms["wt re"]
	if !slices.Contains(doc.Types, typ) {
		typ = doc.Types[0]
	}
	start, err1 := strconv.ParseInt(terms["wb ro"], 10, 64)
	end, err2 := strconv.ParseInt(terms["wb rl"], 10, 64)
	if err1 != nil || err2 != nil || start < 0 || end < start || end-start > 1<<20 {
		return nil, errWAISCrash
	}
	size := doc.size(typ)
	if doc.IndexedSize > 0 && end > size {
		return append(waisDiagnostic("S3", "", 1), waisDiagnostic("SF", "Request out of range", 1)...), nil
	}
	start = min(start, size)
	var text []byte
	if doc.Content == nil {
		text = make([]byte, min(end, size)-start)
		for n := 0; n < len(text); {
			var line [16]byte
			off := start + int64(n)
			n += copy(text[n:], formatOffset(&line, off&^15)[off&15:])
		}
	} else {
		text = []byte(doc.Content[typ][start:min(end, size)])
	}
	var b []byte
	if len(text) > 0 {
		r := waisField(waisField(nil, 116, id), 117, "\x00")
		b = waisField(nil, 153, string(waisField(r, 127, string(text))))
	}
	if end > size {
		b = append(b, waisDiagnostic("SF", "Request out of range", 1)...)
	}
	return b, nil
}
