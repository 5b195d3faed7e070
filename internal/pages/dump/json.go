package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	encode16 "unicode/utf16"

	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// jsonHead is the first object of JSON output.
type jsonHead struct {
	Head struct {
		URL   string   `json:"url"`
		Title string   `json:"title"`
		Media string   `json:"media"`
		Size  *int64   `json:"size"`
		TLS   *jsonTLS `json:"tls,omitempty"`
		Notes []string `json:"notes,omitempty"`
		// FreeSpace is the space for more files in a directory.
		FreeSpace string `json:"free_space,omitempty"`
		// Article is the parsed header of an article.
		Article json.RawMessage `json:"article,omitempty"`
	} `json:"head"`
}

// jsonTLS describes the encryption of a connection by TLS.
type jsonTLS struct {
	Protocol    string `json:"protocol"`
	Trust       string `json:"trust"`
	Fingerprint string `json:"fingerprint"`
	Identity    string `json:"identity,omitempty"` // of the user, if the server got one
}

// jsonLine is the object for a line. Unknown values are omitted. Texts are decoded to UTF-8 but not
// cleaned; JSON escapes their control characters.
type jsonLine struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	URL  string `json:"url,omitempty"`
	// Links are the URLs in the text.
	Links []string `json:"links,omitempty"`
}

// jsonPrinter writes one JSON object a line. For a binary document it writes only the head and an
// object with the URL of the document.
type jsonPrinter struct {
	w           *bufio.Writer
	buf         bytes.Buffer // the object being written
	enc         *json.Encoder
	binary      bool
	menu        bool
	reading     *clean.Reading
	delayedHead *jsonHead // head of an article, written when the first line arrives, whose note may have the header
}

func newJSONPrinter(w *bufio.Writer, l protocols.Layout, r *clean.Reading) *jsonPrinter {
	p := &jsonPrinter{w: w, binary: l == protocols.LayoutBinary, menu: l == protocols.LayoutMenu, reading: r}
	p.enc = json.NewEncoder(&p.buf)
	p.enc.SetEscapeHTML(false)
	return p
}

// print writes one object with the attributes after its fields. It escapes control characters, as in
// \u001b. So the output is safe to show, and a JSON parser gets the values that the server sent.
func (p *jsonPrinter) print(object any, attributes ...protocols.Attribute) error {
	if err := p.encode(object, attributes...); err != nil {
		return err
	}
	for _, r := range p.buf.String() {
		if r == '\n' || clean.IsPrintable(r) {
			_, _ = p.w.WriteRune(r)
			continue
		}
		for _, unit := range encode16.Encode([]rune{r}) {
			fmt.Fprintf(p.w, "\\u%04x", unit)
		}
	}
	_, err := p.w.Write(nil) // a bufio.Writer returns the error of an earlier write
	return err
}

// encode encodes an object into p.buf.
func (p *jsonPrinter) encode(object any, attributes ...protocols.Attribute) error {
	p.buf.Reset()
	if err := p.enc.Encode(object); err != nil {
		return err
	}
	for _, f := range attributes {
		v := p.jsonValue(f.Value)
		if v == nil {
			continue
		}
		p.buf.Truncate(p.buf.Len() - len("}\n"))
		if p.buf.Len() > len("{") {
			p.buf.WriteByte(',')
		}
		fmt.Fprintf(&p.buf, "%q:", f.Name)
		if err := p.enc.Encode(v); err != nil {
			return err
		}
		p.buf.Truncate(p.buf.Len() - len("\n"))
		p.buf.WriteString("}\n")
	}
	return nil
}

// printArticle prints the head of an article, with the fields of header. If the article has no
// header, the parameter is nil.
func (p *jsonPrinter) printArticle(header *protocols.ArticleHeader) error {
	o := p.delayedHead
	p.delayedHead = nil
	o.Head.Title = mimeheader.DecodeAs(*p.reading, o.Head.Title)
	if header != nil {
		if err := p.encode(struct{}{}, header.Attributes()...); err != nil {
			return err
		}
		o.Head.Article = bytes.Clone(bytes.TrimSpace(p.buf.Bytes()))
	}
	return p.print(o)
}

func (p *jsonPrinter) end() error {
	if p.delayedHead == nil {
		return nil
	}
	return p.printArticle(nil)
}

func (p *jsonPrinter) head(h protocols.Head) error {
	var o jsonHead
	o.Head.URL = jsonURL(h.URL, h.Fragment)
	o.Head.Title = h.Title
	o.Head.Media = p.reading.Decode(h.MediaType())
	if h.Size >= 0 {
		o.Head.Size = &h.Size
	}
	if s := h.Security; s.Protocol != "" {
		o.Head.TLS = &jsonTLS{s.Protocol, s.Trust.String(), s.Fingerprint, s.Identity}
	}
	for _, n := range h.Notes {
		o.Head.Notes = append(o.Head.Notes, p.reading.Decode(n))
	}
	o.Head.FreeSpace = h.FreeSpace
	if h.Media == protocols.MediaArticle {
		p.delayedHead = &o
		return nil
	}
	o.Head.Title = mimeheader.DecodeAs(*p.reading, h.Title)
	return p.print(o)
}

func (p *jsonPrinter) line(l *protocols.Line, links []string) error {
	if header, ok := l.Note.(*protocols.ArticleHeader); ok && p.delayedHead != nil {
		if err := p.printArticle(header); err != nil {
			return err
		}
		l.Note = nil
	} else if err := p.end(); err != nil {
		return err
	}
	if p.binary && l.Kind != protocols.Binary {
		return nil
	}
	o := jsonLine{Kind: l.Kind.String(), Text: p.reading.Decode(l.Text), URL: jsonURL(l.Link, l.Fragment()), Links: links}
	if p.binary {
		o.Text = ""
	}
	item, ok := l.Note.(interface {
		Item(u urlcore.URL) []protocols.Attribute
	})
	if l.Note == nil {
		item, ok = (*protocols.ItemNote)(nil), true
	}
	if p.menu && ok {
		return p.print(o, item.Item(l.Link)...)
	}
	if l.Note == nil {
		return p.print(o)
	}
	if l.Note.Row().Encoded {
		o.Text = mimeheader.DecodeAs(*p.reading, l.Text)
	}
	return p.print(o, l.Note.Attributes()...)
}

// jsonValue converts the value of a field for JSON. It returns nil if the value is unknown.
func (p *jsonPrinter) jsonValue(v any) any {
	switch v := v.(type) {
	case protocols.Encoded:
		return p.jsonValue(mimeheader.DecodeAs(*p.reading, string(v)))
	case string:
		if v = p.reading.Decode(v); v != "" {
			return v
		}
		return nil
	case []protocols.Address:
		var all []protocols.Address
		for _, a := range v {
			all = append(all, protocols.Address{Name: p.reading.Decode(a.Name), Address: p.reading.Decode(a.Address)})
		}
		return all
	case []string:
		var all []string
		for _, s := range v {
			all = append(all, p.reading.Decode(s))
		}
		if all != nil {
			return all
		}
		return nil
	case protocols.Octets:
		if v < 0 {
			return nil
		}
	case time.Time:
		return p.jsonValue(jsonDate(v.UTC(), time.RFC3339))
	case protocols.Day:
		return p.jsonValue(jsonDate(v.Time, time.DateOnly))
	case protocols.LocalTime:
		return p.jsonValue(jsonDate(v.Time, "2006-01-02T15:04:05"))
	}
	return v
}

func jsonURL(u urlcore.URL, fragment string) string {
	if u == nil {
		return ""
	}
	return protocols.LinkText(u, fragment)
}

func jsonDate(t time.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(layout)
}
