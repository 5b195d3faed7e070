package web

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/userfile"
	"gofer/protocols"
)

// pair is a name and a value that a form sends.
type pair struct {
	name, value string
	file        bool // value is the path of a file, or "" for no file
}

// pairsOf returns the names and values to send, in the order of the form (HTML, section 4.10.22.4).
// A hidden field has its own value, and each other field has the next answer.
func pairsOf(f *protocols.Form, answers []string) (pairs []pair, err error) {
	next := 0
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.Hidden {
			pairs = append(pairs, pair{name: field.Name, value: field.Value})
			continue
		}
		if next >= len(answers) {
			return nil, errors.New("an answer is missing")
		}
		answer := answers[next]
		next++
		switch field.Input {
		case protocols.InputCheck:
			if answer == "1" {
				pairs = append(pairs, pair{name: field.Name, value: field.Value})
			}
		case protocols.InputChoice:
			chosen, err := chosenPairs(field, answer)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, chosen...)
		case protocols.InputText:
			pairs = append(pairs, pair{name: field.Name, value: strings.ReplaceAll(answer, "\n", "\r\n")})
		default:
			pairs = append(pairs, pair{name: field.Name, value: answer, file: field.Input == protocols.InputFile})
		}
	}
	return pairs, nil
}

// chosenPairs returns the pairs to send for the answer to a choice.
func chosenPairs(field *protocols.FormField, answer string) ([]pair, error) {
	for i, c := range field.Choices {
		if c != answer || i >= len(field.Values) {
			continue
		}
		if field.Name != "" {
			return []pair{{name: field.Name, value: field.Values[i]}}, nil
		}
		values, err := url.ParseQuery(field.Values[i])
		var pairs []pair
		for name, v := range values {
			if name != "" {
				pairs = append(pairs, pair{name: name, value: v[0]})
			}
		}
		return pairs, err
	}
	return nil, errors.New(field.Label + " is not one of the choices")
}

// encodeQuery writes pairs as a query. For a file it writes the name.
func encodeQuery(pairs []pair) string {
	var b strings.Builder
	for _, p := range pairs {
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		value := p.value
		if p.file && value != "" {
			value = filepath.Base(value)
		}
		b.WriteString(url.QueryEscape(p.name) + "=" + url.QueryEscape(value))
	}
	return b.String()
}

type body struct {
	pairs     []pair
	multipart bool
}

func (b *body) hasFile() bool {
	return slices.ContainsFunc(b.pairs, func(p pair) bool { return p.file && p.value != "" })
}

// setBody sets the body of a request to b. It may be called several times.
func (b *body) setBody(hr *http.Request) error {
	if !b.multipart {
		text := encodeQuery(b.pairs)
		hr.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		hr.Body, hr.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		return nil
	}
	for _, p := range b.pairs {
		if p.file && p.value != "" {
			if _, err := userfile.Stat(p.value); err != nil {
				return protocols.LocalError("send "+p.value, err)
			}
		}
	}
	out, pw := io.Pipe()
	w := multipart.NewWriter(pw)
	hr.Header.Set("Content-Type", w.FormDataContentType())
	hr.Body, hr.ContentLength = out, -1
	go func() { _ = pw.CloseWithError(errors.Join(b.writeParts(w), w.Close())) }() // ends when out is closed
	return nil
}

// writeParts writes the parts of a multipart form (RFC 7578).
func (b *body) writeParts(w *multipart.Writer) error {
	for _, p := range b.pairs {
		if !p.file {
			if err := w.WriteField(p.name, p.value); err != nil {
				return err
			}
			continue
		}
		if err := writeFile(w, p); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(w *multipart.Writer, p pair) error {
	if p.value == "" {
		_, err := w.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {multipart.FileContentDisposition(p.name, "")}, "Content-Type": {"application/octet-stream"},
		})
		return err
	}
	f, err := userfile.Open(p.value, os.O_RDONLY, 0)
	if err != nil {
		return protocols.LocalError("send "+p.value, err)
	}
	defer f.Close()
	part, err := w.CreateFormFile(p.name, filepath.Base(p.value))
	if err == nil {
		_, err = io.Copy(part, f)
	}
	return err
}
