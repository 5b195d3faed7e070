package bundle

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
)

// Item is a page or file for a bundle: its line of the map, and the path of the local file with its octets.
type Item struct {
	Entry
	Path string // "" if it was left out
}

// Write writes a bundle. The entries of all items have different names, sizes and digests.
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

func writeEntry(z *zip.Writer, name string, date time.Time, r io.Reader) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: date})
	if err == nil {
		_, err = io.Copy(w, r)
	}
	return err
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
	return writeEntry(z, it.Name, date, bufio.NewReader(f))
}

// encodeMap returns the map. It fails if [Open] would not accept it.
func encodeMap(h Head, items []Item) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	h.Format = Format
	if err := enc.Encode(h); err != nil {
		return nil, err
	}
	for i := range items {
		if err := enc.Encode(&items[i].Entry); err != nil {
			return nil, fmt.Errorf("%s: %w", items[i].URL, err)
		}
	}
	if b.Len() > maxMap {
		return nil, fmt.Errorf("the map of the bundle would have more than %d MiB: save less", maxMap>>20)
	}
	return b.Bytes(), nil
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
	list("Left out", func(it *Item) bool { return it.LeftOut != "" }, func(it *Item) { b.WriteString(safe(it.URL + ": " + it.LeftOut)) })
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
