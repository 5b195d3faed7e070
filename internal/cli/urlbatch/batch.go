// Package urlbatch answers questions about URLs. Questions and answers are JSON objects, one per line.
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

// MaxLine bounds a line, in octets. A longer line is answered with "bad-request".
const MaxLine = 16 << 20

// Question is one line of input. Each character of the strings in Native is one octet; Input and
// Base are ordinary text.
type Question struct {
	Input           string  `json:"input"`   // the URL or the text
	Context         string  `json:"context"` // "full" (also ""), "text", "partial" or "native"
	Mode            string  `json:"mode"`    // "lenient" (also "") or "strict"
	Dialect         string  `json:"dialect"` // "1738" (also ""), "1993-07", "1993-10" or "1994-03"
	Base            *string `json:"base"`    // for "partial": the base URL
	DefaultNewsHost string  `json:"default_news_host"`
	Native          *Native `json:"native"` // for "native": the item
}

// Answer is one line of output.
type Answer struct {
	OK     bool   `json:"ok"`
	Error  string `json:"error,omitempty"`  // an [urlcore.Category] or "bad-request"
	Reason string `json:"reason,omitempty"` // a readable explanation
	Offset *int   `json:"offset,omitempty"` // offset of the error in the input, in octets

	Canonical        string          `json:"canonical,omitempty"`
	CanonicalLenient bool            `json:"canonical_lenient,omitempty"` // set if a strict parser refuses Canonical
	Parts            map[string]any  `json:"parts,omitempty"`
	URLs             *[]Link         `json:"urls,omitempty"` // for "text": the URLs found
	Native           *Native         `json:"native,omitempty"`
	RoundTrip        *bool           `json:"roundtrip,omitempty"`   // for "native": true if converting the URL back gives the item of the question
	RequestHex       json.RawMessage `json:"request_hex,omitempty"` // the Gopher request; null if the request needs input from the user
	Warnings         []string        `json:"warnings,omitzero"`
}

// Link is a URL found in a text.
type Link struct {
	Canonical    string   `json:"canonical"`
	Fragment     string   `json:"fragment,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
}

// Run reads lines from r and writes the answer to each line to w. It skips empty lines. The answer to an
// invalid line has ok false and the error "bad-request". Run returns the errors of r and w.
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

// ReadLine reads a line of any length. The line is valid until the next call. If it is longer than
// MaxLine, ReadLine drops it, and the result long is true. After an error the line may be incomplete.
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
		return badRequest("the line is not a JSON question: " + err.Error())
	}
	return AnswerQuestion(q)
}

func badRequest(reason string) Answer {
	return Answer{Error: "bad-request", Reason: reason}
}

// AnswerQuestion returns the answer to q.
func AnswerQuestion(q Question) Answer {
	dialect, ok := urlcore.ParseDialect(q.Dialect)
	if !ok {
		return badRequest("unknown dialect " + q.Dialect)
	}
	if q.Mode != "" && q.Mode != "lenient" && q.Mode != "strict" {
		return badRequest("the mode must be strict or lenient")
	}
	p := urlcore.Parser{Dialect: dialect, Strict: q.Mode == "strict", NewsHost: q.DefaultNewsHost}
	switch q.Context {
	case "", "full":
		parsed, err := p.Parse(q.Input)
		return answerParsed(parsed, err)
	case "partial":
		return answerPartial(p, q)
	case "text":
		return answerText(p, q.Input)
	case "native":
		if q.Native == nil {
			return badRequest("the key native is missing")
		}
		return answerNative(*q.Native)
	}
	return badRequest("the context must be full, text, partial or native")
}

func answerPartial(p urlcore.Parser, q Question) Answer {
	var base urlcore.URL
	if q.Base != nil {
		r, err := p.Resolve(nil, *q.Base)
		if err != nil {
			return errorAnswer(&urlcore.Error{Category: urlcore.BadBase, Reason: "the base is not a full URL: " + err.Error()})
		}
		base = r.URL
	}
	parsed, err := p.Resolve(base, q.Input)
	return answerParsed(parsed, err)
}

func answerText(p urlcore.Parser, s string) Answer {
	links := []Link{}
	for _, f := range p.Extract(s) {
		links = append(links, LinkOf(f))
	}
	return Answer{OK: true, URLs: &links}
}

// LinkOf returns the Link for a URL found in a text.
func LinkOf(f urlcore.Found) Link {
	l := Link{Canonical: f.URL.String(), Fragment: f.Fragment}
	for _, a := range f.Alternatives {
		l.Alternatives = append(l.Alternatives, a.String())
	}
	return l
}

func errorAnswer(err error) Answer {
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

func answerParsed(parsed urlcore.Parsed, err error) Answer {
	if err != nil {
		return errorAnswer(err)
	}
	a := answerURL(parsed.URL)
	a.Warnings = parsed.Warnings.Names()
	if parsed.HasFragment {
		a.Parts["fragment"] = parsed.Fragment
	}
	return a
}

// answerURL returns the answer about a URL.
func answerURL(u urlcore.URL) Answer {
	d := describe(u)
	a := Answer{OK: true, Canonical: u.String(), Parts: d.parts, Native: d.item}
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

// answerNative converts an item to a URL, and the URL back to an item.
func answerNative(n Native) Answer {
	u, err := n.URL()
	if err != nil {
		return errorAnswer(err)
	}
	a := answerURL(u)
	roundTrip := a.Native
	if n.Kind == "gopher-menu" && n.Scheme == "gopher" {
		roundTrip = menuOf(u, n)
	}
	equal := roundTrip != nil && reflect.DeepEqual(roundTrip.normalized(), n.normalized())
	a.Native, a.RoundTrip = roundTrip, &equal
	return a
}
