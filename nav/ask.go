package nav

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Questions is an Ask with the charset of its texts and answers. The Fetcher cannot choose the
// charset, because it does not know the other pages of the server. The URL with the answers
// contains encoded octets. So the charset has no effect when that URL is opened again.
type Questions struct {
	*protocols.Ask
	Reading clean.Reading // how the texts, proposals and choices are decoded
}

// ReadAsk chooses one charset for an Ask. The parameter pages is the Reading of the server's pages.
// ReadAsk chooses the first of these that applies:
//   - pages.Charset, if the user has chosen it (pages.AllLines)
//   - UTF-8 or ISO-2022-JP, if the texts are recognized as such
//   - pages.Charset, if it is neither Auto nor UTF-8
//   - the charset guessed from the texts, if they are not all ASCII
//   - pages.Charset, if it is UTF-8
//   - ask.Charset
func ReadAsk(ask *protocols.Ask, pages clean.Reading) *Questions {
	return &Questions{ask, clean.Reading{Charset: askCharset(ask, pages), AllLines: true}}
}

func askCharset(ask *protocols.Ask, pages clean.Reading) charset.Charset {
	if pages.AllLines && pages.Charset != charset.Auto {
		return pages.Charset
	}
	var e charset.Evidence
	e.Add(ask.ServerTitle)
	for _, f := range ask.Fields {
		e.Add(f.ServerLabel)
		for _, c := range f.Choices {
			e.Add(c)
		}
	}
	// The texts have priority over the proposals, which may be earlier answers in another charset.
	_, invalid := e.Counts()
	for _, f := range ask.Fields {
		if !e.HasNonASCII() || invalid > 0 && !utf8.ValidString(f.Value) {
			e.Add(f.Value)
		}
	}
	found := e.Choose(charset.Auto, false).Charset
	switch {
	case e.HasNonASCII() && (found == charset.UTF8 || found == charset.ISO2022JP || pages.Charset == charset.Auto || pages.Charset == charset.UTF8):
		return found
	case pages.Charset != charset.Auto:
		return pages.Charset
	}
	declared, _ := charset.Parse(ask.Charset)
	return declared
}

// Proposal returns the proposal of field i. It is decoded if the answer to the field is a text.
func (q *Questions) Proposal(i int) string {
	if !q.isTyped(i) {
		return q.Fields[i].Value
	}
	return q.Reading.Decode(q.Fields[i].Value)
}

// isTyped reports whether the answer to field i is a text, not a choice, a yes or a file.
func (q *Questions) isTyped(i int) bool { return q.Fields[i].Input <= protocols.InputText }

// AnswerError reports that the answer to a field cannot be sent.
type AnswerError struct {
	Field int
	Err   error
}

// Error names the letter that the charset lacks. It does not name a letter of a secret.
func (e *AnswerError) Error() string {
	return e.Err.Error() + ": replace it, or change the server's charset"
}

// Unwrap returns the cause.
func (e *AnswerError) Unwrap() error { return e.Err }

// Octets encodes the answer to field i. The parameter proposal is the proposal as it was shown. If
// answer equals proposal, Octets returns the server's octets of the proposal. The error is an
// *[AnswerError].
func (q *Questions) Octets(i int, proposal, answer string) (octets string, err error) {
	switch {
	case q.Charset == "" || !q.isTyped(i):
		return answer, nil
	case answer == proposal:
		return q.Fields[i].Value, nil
	}
	c := q.Reading.Charset
	octets, lacks, ok := c.Encode(answer)
	switch {
	case ok:
		return octets, nil
	case q.Fields[i].Input == protocols.InputSecret:
		err = fmt.Errorf("%s lacks a letter of this answer", c)
	case lacks == 0:
		err = fmt.Errorf("%s cannot encode the text", c)
	default:
		err = fmt.Errorf("%s has no %q (%U)", c, clean.Text(string(lacks)), lacks)
	}
	return "", &AnswerError{i, err}
}

// Answer encodes the answers, one for each field, and returns the URL to fetch for them. The
// parameter proposals holds the proposals as they were shown. The error may be an *[AnswerError].
func (q *Questions) Answer(proposals, answers []string) (urlcore.URL, error) {
	octets := slices.Clone(answers)
	for i := range q.Fields {
		var err error
		if octets[i], err = q.Octets(i, proposals[i], answers[i]); err != nil {
			return nil, err
		}
	}
	return q.With(octets)
}

// CharsetOf returns the Reading of the latest page in s that has the scheme and the host of u and is not
// ASCII. If there is no such page, it returns the zero Reading. Ports are ignored, because the phone book of
// a Gopher server has another port.
func (s *Session) CharsetOf(u urlcore.URL) clean.Reading {
	host := urlcore.Host(u)
	pages := s.stack.items[:s.stack.at]
	if s.overlay != nil {
		pages = append(slices.Clip(pages), s.overlay)
	}
	for _, p := range slices.Backward(pages) {
		if host == "" || p.URL.Scheme() != u.Scheme() || urlcore.Host(p.URL) != host || p.Layout == protocols.LayoutPage {
			continue
		}
		if p.Converted != "" && p.ChosenCharset() == charset.Auto {
			continue // the charset of a drawing says nothing about other texts
		}
		if c, ok := p.CharsetChoice(); ok {
			return clean.Reading{Charset: c.Charset, AllLines: p.ForcedCharset() != charset.Auto}
		}
	}
	return clean.Reading{}
}
