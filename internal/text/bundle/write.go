package bundle

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/archive"
	"gofer/internal/text/clean"
)

// Item is a page or file for a bundle: its line of the map, and the path of the local file with its octets.
type Item struct {
	Entry
	Path string // "" if it was left out
}

// Room is what the map and the archive have room for. The zero value is that of an empty bundle.
type Room struct {
	saved, left       int // entries
	savedMap, leftMap int // octets of the map
	names             int // octets
}

// maxLeftOut is the part of the map for what was left out, in octets. The rest is for the head, saved pages and the last line.
const maxLeftOut = maxMap / 4

// The reasons why there is no room for an entry.
var (
	ErrFull    = errors.New("the bundle has reached its limit of items")
	errTooLong = errors.New("its URL, name and title are too long for a bundle")
)

// Take takes the room for an entry. If there is none, it takes nothing and returns an error, such as [ErrFull]. There is always
// room for one last entry that counts what was left out without a line.
func (r *Room) Take(e *Entry) error {
	line, err := encodeLine(e)
	octets := len(line)
	switch {
	case err != nil:
		return err
	case octets >= maxLine:
		return errTooLong
	case e.LeftOut != "":
		if r.left >= MaxEntries-1 || r.leftMap+octets > maxLeftOut {
			return ErrFull
		}
		r.left, r.leftMap = r.left+1, r.leftMap+octets
	default:
		if r.saved >= MaxEntries || r.savedMap+octets > maxMap-maxLeftOut-2*maxLine || r.names+len(e.Name) > maxNames {
			return ErrFull
		}
		r.saved, r.savedMap, r.names = r.saved+1, r.savedMap+octets, r.names+len(e.Name)
	}
	return nil
}

// encodeLine returns a line of the map.
func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Write writes a bundle. The entries of all items have different names, sizes and digests, and a [Room] has room for them.
func Write(w io.Writer, h Head, items []Item) error {
	z := zip.NewWriter(w)
	data, err := encodeMap(h, items)
	if err != nil {
		return err
	}
	if err := writeEntry(z, MapName, h.Saved, bytes.NewReader(data)); err != nil {
		return err
	}
	if err := writeEntry(z, IndexName, h.Saved, bytes.NewReader(indexPage(h, items))); err != nil {
		return err
	}
	for i := range items {
		if items[i].LeftOut == "" {
			if err := writeFile(z, &items[i]); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

func writeEntry(z *zip.Writer, name string, date time.Time, r io.ReadSeeker) error {
	method, err := methodFor(r)
	if err != nil {
		return err
	}
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: date})
	if err == nil {
		_, err = io.Copy(w, r)
	}
	return err
}

// methodFor returns the compression for an entry. What would shrink very much is not compressed, because readers would take it
// for an attack.
func methodFor(r io.ReadSeeker) (uint16, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil || size < archive.FreeOctets {
		return zip.Deflate, err
	}
	var compressed countingWriter
	w, err := flate.NewWriter(&compressed, flate.BestSpeed)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(w, r)
	if err = errors.Join(err, w.Close()); err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if size/archive.MaxRatio*4 > int64(compressed) {
		return zip.Store, err
	}
	return zip.Deflate, err
}

// countingWriter counts the octets that are written to it.
type countingWriter int64

func (w *countingWriter) Write(p []byte) (int, error) {
	*w += countingWriter(len(p))
	return len(p), nil
}

func writeFile(z *zip.Writer, it *Item) error {
	f, err := os.Open(it.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	date := it.Modified
	if date.IsZero() {
		date = it.Saved
	}
	return writeEntry(z, it.Name, date, f)
}

// encodeMap returns the map.
func encodeMap(h Head, items []Item) ([]byte, error) {
	h.Format = Format
	all, err := encodeLine(h)
	if err != nil {
		return nil, err
	}
	for i := range items {
		line, err := encodeLine(&items[i].Entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", items[i].URL, err)
		}
		all = append(all, line...)
	}
	return all, nil
}

// indexPage returns a page with links to all entries, for programs that know only zip and HTML.
func indexPage(h Head, items []Item) []byte {
	var b bytes.Buffer
	saved := Saved(items)
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Saved pages</title></head><body>\n<h1>Saved pages</h1>\n<p>%s, saved %s by gofer.", english.Plural(saved, "entry", "entries"), h.Saved.Format("2006-01-02 15:04 MST"))
	if left := len(items) - saved; left > 0 {
		fmt.Fprintf(&b, " %s left out; they are listed at the end.", humanize.Comma(int64(left)))
	}
	b.WriteString("</p>\n")
	list := func(heading string, wanted func(*Item) bool, write func(*Item)) {
		begun := false
		for i := range items {
			if it := &items[i]; wanted(it) {
				if !begun {
					fmt.Fprintf(&b, "<h2>%s</h2>\n<ul>\n", heading)
				}
				begun = true
				b.WriteString("<li>")
				write(it)
				b.WriteString("</li>\n")
			}
		}
		if begun {
			b.WriteString("</ul>\n")
		}
	}
	link := func(it *Item) {
		title := it.Title
		if title == "" {
			title = it.Name
		}
		fmt.Fprintf(&b, "<a href=\"%s\">%s</a> <small>%s</small>", html.EscapeString("./"+(&url.URL{Path: it.Name}).EscapedPath()), safe(title), safe(it.URL))
	}
	list("Begin here", func(it *Item) bool { return it.LeftOut == "" && it.Start }, link)
	list("All entries", func(it *Item) bool { return it.LeftOut == "" && !it.Start }, link)
	list("Left out", func(it *Item) bool { return it.LeftOut != "" }, func(it *Item) { b.WriteString(safe(cmp.Or(it.URL, it.Title) + ": " + it.LeftOut)) })
	b.WriteString("</body></html>\n")
	return b.Bytes()
}

// safe returns the text of a server for HTML.
func safe(s string) string { return html.EscapeString(clean.Text(s)) }

// Saved returns the number of items that were not left out.
func Saved(items []Item) (n int) {
	for i := range items {
		if items[i].LeftOut == "" {
			n++
		}
	}
	return n
}
