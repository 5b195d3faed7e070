// Package urlbatch answers questions about URLs, one JSON object a line.
package urlbatch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"unicode/utf8"

	"gofer/urlcore"
)

// MaxLine is the longest line, in octets. A longer one is a bad request.
const MaxLine = 16 << 20

// Question is a line of input: strings of one octet a character, but Input and Base.
type Question struct {
	Input           string  `json:"input"`   // what to read
	Context         string  `json:"context"` // "full" (also ""), "text", "partial" or "native"
	Mode            string  `json:"mode"`    // "lenient" (also "") or "strict"
	Dialect         string  `json:"dialect"` // "1738" (also ""), "1993-07", "1993-10" or "1994-03"
	Base            *string `json:"base"`    // partial: the context
	DefaultNewsHost string  `json:"default_news_host"`
	Native          *Native `json:"native"` // native: what to write as a URL
}

// Answer is one line of output.
type Answer struct {
	OK     bool   `json:"ok"`
	Error  string `json:"error,omitempty"`  // the category, or "bad-request"
	Reason string `json:"reason,omitempty"` // a sentence for people
	Offset *int   `json:"offset,omitempty"` // where in the input, in octets

	Canonical        string          `json:"canonical,omitempty"`
	CanonicalLenient bool            `json:"canonical_lenient,omitempty"` // set if only a lenient reader takes Canonical
	Parts            map[string]any  `json:"parts,omitempty"`
	URLs             *[]Link         `json:"urls,omitempty"` // context text
	Native           *Native         `json:"native,omitempty"`
	RoundTrip        *bool           `json:"roundtrip,omitempty"`   // whether Native equals the question
	RequestHex       json.RawMessage `json:"request_hex,omitempty"` // a Gopher request; null if the user must be asked
	Warnings         []string        `json:"warnings,omitzero"`
}

// Link is a URL that was found in text.
type Link struct {
	Canonical    string   `json:"canonical"`
	Fragment     string   `json:"fragment,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
}

// Run answers every line of r on w. An invalid line is answered with ok false and the
// category "bad-request". The error is r's or w's.
func Run(r io.Reader, w io.Writer) error {
	in := bufio.NewReaderSize(r, 64<<10)
	out := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for {
		line, long, readErr := ReadLine(in)
		if long || len(bytes.TrimSpace(line)) > 0 {
			if err := enc.Encode(answerLine(line, long)); err != nil {
				return err
			}
		}
		if readErr != nil {
			if errors.Is(readErr, io.EOF) {
				readErr = nil
			}
			return errors.Join(readErr, out.Flush())
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// ReadLine reads a line of any length, valid until the next call; it drops one longer
// than MaxLine. With an error the line may lack its end.
func ReadLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		long = long || len(line)+len(part) > MaxLine
		switch full := errors.Is(err, bufio.ErrBufferFull); {
		case long:
			line = nil
		case line == nil && !full:
			line = part
		default:
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

func answerLine(line []byte, long bool) Answer {
	if long {
		return badRequest("the line is too long")
	}
	if !utf8.Valid(line) {
		return badRequest("the line is not UTF-8")
	}
	var q Question
	if err := json.Unmarshal(line, &q); err != nil {
		return badRequest("the line is no question in JSON: " + err.Error())
	}
	return Ask(q)
}

func badRequest(reason string) Answer {
	return Answer{Error: "bad-request", Reason: reason}
}

// Ask answers one question.
func Ask(q Question) Answer {
	dialect, ok := urlcore.ParseDialect(q.Dialect)
	if !ok {
		return badRequest("there is no dialect " + q.Dialect)
	}
	if q.Mode != "" && q.Mode != "lenient" && q.Mode != "strict" {
		return badRequest("the mode is strict or lenient")
	}
	p := urlcore.Parser{Dialect: dialect, Strict: q.Mode == "strict", NewsHost: q.DefaultNewsHost}
	switch q.Context {
	case "", "full":
		parsed, err := p.Parse(q.Input)
		return answer(parsed, err)
	case "partial":
		return partial(p, q)
	case "text":
		return text(p, q.Input)
	case "native":
		if q.Native == nil {
			return badRequest("there is no native item")
		}
		return native(*q.Native)
	}
	return badRequest("the context is full, text, partial or native")
}

func partial(p urlcore.Parser, q Question) Answer {
	var base urlcore.URL
	if q.Base != nil {
		r, err := p.Resolve(nil, *q.Base)
		if err != nil {
			return failure(&urlcore.Error{Category: urlcore.BadBase, Reason: "the base is no full URL: " + err.Error()})
		}
		base = r.URL
	}
	parsed, err := p.Resolve(base, q.Input)
	return answer(parsed, err)
}

func text(p urlcore.Parser, s string) Answer {
	links := []Link{}
	for _, f := range p.Extract(s) {
		links = append(links, LinkOf(f))
	}
	return Answer{OK: true, URLs: &links}
}

// LinkOf returns the Link of a URL that was found in text.
func LinkOf(f urlcore.Found) Link {
	l := Link{Canonical: f.URL.String(), Fragment: f.Fragment}
	for _, a := range f.Alternatives {
		l.Alternatives = append(l.Alternatives, a.String())
	}
	return l
}

func failure(err error) Answer {
	var e *urlcore.Error
	if !errors.As(err, &e) {
		return badRequest(err.Error())
	}
	a := Answer{Error: string(e.Category), Reason: e.Reason}
	if e.Input != "" {
		a.Offset = &e.Offset
	}
	return a
}

func answer(parsed urlcore.Parsed, err error) Answer {
	if err != nil {
		return failure(err)
	}
	a := describe(parsed.URL)
	a.Warnings = parsed.Warnings.Names()
	if parsed.HasFragment {
		a.Parts["fragment"] = parsed.Fragment
	}
	a.Native = nativeOf(parsed.URL)
	return a
}

// describe returns the answer about a URL without its native item.
func describe(u urlcore.URL) Answer {
	a := Answer{OK: true, Canonical: u.String(), Parts: parts(u)}
	if _, err := (urlcore.Parser{Strict: true}).Parse(a.Canonical); err != nil {
		a.CanonicalLenient = true
	}
	a.Warnings = urlcore.WarningsOf(u).Names()
	if g, ok := u.(urlcore.Gopher); ok {
		a.RequestHex = json.RawMessage("null")
		if r, ok := g.Request(); ok {
			a.RequestHex = json.RawMessage(`"` + hexOf(r) + `"`)
		}
	}
	return a
}

// native writes an item as a URL, and that as an item again.
func native(n Native) Answer {
	u, err := n.URL()
	if err != nil {
		return failure(err)
	}
	a := describe(u)
	back := nativeOf(u)
	if n.Kind == "gopher-menu" && n.Scheme == "gopher" {
		back = menuOf(u, n)
	}
	same := back != nil && reflect.DeepEqual(back.plain(), n.plain())
	a.Native, a.RoundTrip = back, &same
	return a
}
