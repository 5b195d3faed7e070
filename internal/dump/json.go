package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	encode16 "unicode/utf16"

	"gofer/internal/clean"
	"gofer/internal/document"
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
		Notes []string `json:"notes,omitempty"`
	} `json:"head"`
}

// jsonLine is each other object of JSON output. What is not known is left out.
// Texts are decoded to UTF-8 but not cleaned: controls are escaped as JSON has it.
type jsonLine struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	URL  string `json:"url,omitempty"`

	// Of a file.
	Size     *int64 `json:"size,omitempty"`
	Modified string `json:"modified,omitempty"`
	DateOnly bool   `json:"date_only,omitempty"`
	Target   string `json:"target,omitempty"`

	// Of a group.
	Low         *uint64 `json:"low,omitempty"`
	High        *uint64 `json:"high,omitempty"`
	Count       *uint64 `json:"count,omitempty"`
	Status      string  `json:"status,omitempty"`
	Description string  `json:"description,omitempty"`

	// Of an article.
	Number     uint64   `json:"number,omitempty"`
	Depth      *int     `json:"depth,omitempty"`
	Subject    string   `json:"subject,omitempty"`
	From       string   `json:"from,omitempty"`
	Date       string   `json:"date,omitempty"`
	MessageID  string   `json:"message_id,omitempty"`
	References []string `json:"references,omitempty"`
	Bytes      *int64   `json:"bytes,omitempty"`
	Lines      *int64   `json:"lines,omitempty"`
}

// jsonPrinter writes an object a line. Of a document that is not for reading
// only the head is written and where it can be had.
type jsonPrinter struct {
	w      *bufio.Writer
	one    bytes.Buffer // the object being written
	enc    *json.Encoder
	binary bool
}

func newJSONPrinter(w *bufio.Writer, binary bool) *jsonPrinter {
	p := &jsonPrinter{w: w, binary: binary}
	p.enc = json.NewEncoder(&p.one)
	p.enc.SetEscapeHTML(false)
	return p
}

// print writes one object. Every character that a terminal might obey is
// written as \u and four digits, so that the output is safe to look at and
// its value is still what the server sent.
func (p *jsonPrinter) print(object any) error {
	p.one.Reset()
	if err := p.enc.Encode(object); err != nil {
		return err
	}
	for _, r := range p.one.String() {
		if r == '\n' || clean.Harmless(r) {
			_, _ = p.w.WriteRune(r)
			continue
		}
		for _, unit := range encode16.Encode([]rune{r}) {
			fmt.Fprintf(p.w, "\\u%04x", unit)
		}
	}
	_, err := p.w.Write(nil) // the error of any write before
	return err
}

func (p *jsonPrinter) head(h protocols.Head) error {
	var o jsonHead
	o.Head.URL = jsonURL(h.URL)
	o.Head.Title = decode(document.DecodeHeader(h.Title))
	o.Head.Media = decode(h.MediaType())
	o.Head.Size = known(h.Size >= 0, h.Size)
	for _, n := range h.Notes {
		o.Head.Notes = append(o.Head.Notes, decode(n))
	}
	return p.print(o)
}

func (p *jsonPrinter) line(l *protocols.Line) error {
	if p.binary && l.Kind != protocols.Binary {
		return nil
	}
	o := jsonLine{Kind: l.Kind.String(), Text: decode(l.Text), URL: jsonURL(l.Link)}
	if p.binary {
		o.Text = ""
	}
	switch n := l.Note.(type) {
	case *protocols.FileNote:
		o.Size = known(n.Size >= 0, n.Size)
		o.Modified, o.DateOnly = jsonTime(n.Modified), n.DateOnly && !n.Modified.IsZero()
		if o.DateOnly {
			o.Modified = n.Modified.UTC().Format(time.DateOnly) + "T00:00:00Z"
		}
		o.Target = decode(n.Target)
	case *protocols.GroupNote:
		o.Low, o.High, o.Count = &n.Low, &n.High, &n.Count
		if n.Status != 0 {
			o.Status = decode(string([]byte{n.Status}))
		}
		o.Description = decode(n.Description)
	case *protocols.ArticleNote:
		o.Number, o.Depth, o.Date = n.Number, &n.Depth, jsonTime(n.Date)
		o.Text = decode(document.DecodeHeader(l.Text))
		o.Subject, o.From = decode(document.DecodeHeader(n.Subject)), decode(document.DecodeHeader(n.From))
		o.MessageID = decode(n.MessageID)
		for _, r := range n.References {
			o.References = append(o.References, decode(r))
		}
		o.Bytes, o.Lines = known(n.Bytes >= 0, n.Bytes), known(n.Lines >= 0, n.Lines)
	}
	return p.print(o)
}

func decode(s string) string { return clean.Auto.Decode(s) }

func jsonURL(u urlcore.URL) string {
	if u == nil {
		return ""
	}
	return urlcore.Redact(u).String()
}

func jsonTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// known returns a pointer to n, or nil if nobody told n.
func known(told bool, n int64) *int64 {
	if !told {
		return nil
	}
	return &n
}
