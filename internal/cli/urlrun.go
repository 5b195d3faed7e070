package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gofer/internal/cli/urlbatch"
	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/urlcore"
)

type urlRun struct {
	parser        urlcore.Parser
	json          bool
	in            *bufio.Reader
	out           *bufio.Writer
	err           io.Writer
	buf           bytes.Buffer
	encoder       *json.Encoder // writes to buf
	hasRefused    bool          // a URL was refused
	maskPasswords bool          // mask passwords in JSON too
	hasOutput     bool          // text was written
}

func (p *Program) newURLRun(flags *urlFlags) *urlRun {
	r := &urlRun{
		parser: urlcore.Parser{Dialect: urlcore.Dialect(flags.dialect), Strict: flags.strict, MailFields: true, Readings: true, OwnNNTP: true, NewsHost: flags.newsHost},
		json:   flags.json,
		in:     bufio.NewReaderSize(p.In, 64<<10),
		out:    bufio.NewWriterSize(p.Out, 64<<10),
		err:    p.Err,
	}
	r.encoder = json.NewEncoder(&r.buf)
	r.encoder.SetEscapeHTML(false)
	return r
}

// encode writes v as a line of JSON. It escapes characters that could control a terminal.
func (r *urlRun) encode(v any) error {
	r.buf.Reset()
	if err := r.encoder.Encode(v); err != nil {
		return err
	}
	b := r.buf.Bytes()
	for len(b) > 0 {
		i := bytes.IndexFunc(b, func(c rune) bool { return c > '~' && !clean.IsPrintable(c) })
		if i < 0 {
			break
		}
		if _, err := r.out.Write(b[:i]); err != nil {
			return err
		}
		c, n := utf8.DecodeRune(b[i:])
		for _, unit := range utf16.Encode([]rune{c}) {
			fmt.Fprintf(r.out, `\u%04x`, unit)
		}
		b = b[i+n:]
	}
	_, err := r.out.Write(b)
	return err
}

// eachURL is like eachInput, but passes the parsed URL to handle.
func (r *urlRun) eachURL(args []string, handle func(input string, parsed urlcore.Parsed) error) error {
	return r.eachInput(args, false, func(input string) error {
		parsed, err := r.parser.Parse(input)
		if err != nil {
			return err
		}
		return handle(input, parsed)
	})
}

func (r *urlRun) writeSeparator() {
	if r.hasOutput {
		fmt.Fprintln(r.out)
	}
	r.hasOutput = true
}

// newQuestion returns the urlbatch.Question about input.
func (r *urlRun) newQuestion(input string) urlbatch.Question {
	q := urlbatch.Question{Input: input, Dialect: r.parser.Dialect.String(), DefaultNewsHost: r.parser.NewsHost}
	if r.parser.Strict {
		q.Mode = "strict"
	}
	return q
}

// urlAnswer is the output of --json: the keys of batch, the input and the fragment.
type urlAnswer struct {
	Input string `json:"input"`
	urlbatch.Answer
	Fragment string `json:"fragment,omitempty"` // only if the answer has no parts, because parts include the fragment
}

// eachInput calls handle for every argument or, without arguments, for every line of standard input. It skips
// empty lines unless the parameter empty is true. It reports each *urlcore.Error and stops at any other
// error.
func (r *urlRun) eachInput(args []string, empty bool, handle func(input string) error) error {
	for _, a := range args {
		if err := r.reportRefusal(a, 0, handle(a)); err != nil {
			return err
		}
	}
	var err error
	if len(args) == 0 {
		err = r.eachLine(empty, handle)
	}
	if err := errors.Join(err, r.out.Flush()); err != nil {
		return err
	}
	if r.hasRefused {
		return errRefused
	}
	return nil
}

func (r *urlRun) eachLine(empty bool, handle func(string) error) error {
	for n := 1; ; n++ {
		s, err := readURLLine(r.in)
		if n == 1 {
			s = strings.TrimPrefix(s, userfile.BOM)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && (s != "" || empty) {
			err = handle(s)
		}
		if err := r.reportRefusal(s, n, err); err != nil {
			return err
		}
		if r.in.Buffered() == 0 {
			if err := r.out.Flush(); err != nil {
				return err
			}
		}
	}
}

// reportRefusal prints that input was refused if err is an *urlcore.Error, and returns any other error. The
// parameter n is the number of the line, or 0.
func (r *urlRun) reportRefusal(input string, n int, err error) error {
	var refused *urlcore.Error
	if !errors.As(err, &refused) {
		return err
	}
	r.hasRefused = true
	if r.json {
		a := urlAnswer{Input: input}
		if r.maskPasswords {
			a.Input = urlcore.MaskPassword(input)
		}
		a.Error, a.Reason = string(refused.Category), refused.Reason
		if refused.Input != "" {
			a.Offset = &refused.Offset
		}
		return r.encode(a)
	}
	if n > 0 {
		err = fmt.Errorf("line %d: %w", n, err)
	}
	if err := r.out.Flush(); err != nil {
		return err
	}
	fmt.Fprint(r.err, errorText(err))
	return nil
}

// readURLLine reads a line without its LF or CR LF. It returns io.EOF at the end, and an
// *urlcore.Error if the line is longer than urlbatch.MaxLine.
func readURLLine(in *bufio.Reader) (string, error) {
	line, long, err := urlbatch.ReadLine(in)
	switch {
	case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !long):
		return "", err
	case long:
		return "", &urlcore.Error{Category: "bad-request", Reason: "the line is too long"}
	}
	if whole, ok := bytes.CutSuffix(line, []byte("\n")); ok {
		line = bytes.TrimSuffix(whole, []byte("\r"))
	}
	return string(line), nil
}
