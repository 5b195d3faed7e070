// Package dump prints pages without the screen.
package dump

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// Format is how [Write] prints a page.
type Format uint8

// The formats.
const (
	Text  Format = iota // text for people, without control characters
	JSON                // one JSON object a line: the head, then each line
	Links               // the canonical URL of each item, one a line
	Raw                 // the exact octets of a document, or what servers sent for a list
)

var formatNames = [...]string{Text: "text", JSON: "json", Links: "links", Raw: "raw"}

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	for f, n := range formatNames {
		if n == name {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("unknown format %q: use %s", name, strings.Join(formatNames[:], ", "))
}

// ErrTerminal is returned by [Write] for the format Raw on a terminal, which might obey control
// characters in the octets.
var ErrTerminal = errors.New("exact octets are not written to a terminal: send them to a file or another program")

// Write fetches what req asks for with f and writes the page to w, line by line as the lines arrive. In the format
// Raw it writes the exact octets of a document, and of a list all octets received, as they arrive, with masked passwords:
// a Gopher menu, an FTP listing without the replies on the control connection, the replies of a news server. The parameter
// terminal reports whether w is a terminal. A document is shown as show says. If given has no charset, the head of the page
// and the first lines that are not UTF-8 determine the charset.
//
// The error is the error of the fetch, an *[protocols.Error] with the reason LocalFailure if
// w fails, [protocols.ErrSession], [ErrTerminal] or [ErrNoAnswer]. A menu that contains only an
// error is written and also returned as an *[protocols.Error] with the reason NotFound. Write writes
// the lines that arrive before an error. It omits passwords in URLs.
func Write(ctx context.Context, f protocols.Fetcher, req protocols.Request, w io.Writer, format Format, terminal bool, given clean.Reading, show nav.Show) error {
	if format == Raw && terminal {
		return ErrTerminal
	}
	show.MailboxText = format == Text
	if given.AllLines && given.Charset != charset.Auto {
		show.Charset = given.Charset.String()
	}
	opts := []nav.Option{nav.Limit(math.MaxInt64), nav.Shown(show)}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	octets := &answer{cancel: cancel}
	if format == Raw {
		opts = append(opts, nav.Received(octets))
	}
	l := nav.Open(ctx, f, req, opts...)
	defer l.Cancel()
	head, err := l.Wait()
	lw := localWriter{w}
	switch {
	case l.Session() != nil, isSession(req.URL, err):
		return protocols.ErrSession
	case err != nil:
		if format == Raw && keepsAnswer(req.URL, err) {
			octets.sendTo(lw)
		}
		return err
	case format == Raw && head.IsDocument():
		octets.sendTo(nil)
		_, err := l.Save(lw)
		return err
	}
	if r, ok := f.(interface{ RecordHead(h protocols.Head) }); ok { // the document may have more notes than the resource
		r.RecordHead(head)
	}
	if document.IsConverted(head.Media) {
		given = clean.Reading{}
	}
	p := pageWriter{load: l, buf: bufio.NewWriterSize(lw, 32<<10), read: reader{given: given, head: &head}, hidden: req.Hidden}
	p.read.declared, _ = charset.Parse(head.Charset)
	p.read.learn(new(nav.Lines))
	p.printer = newPrinter(format, p.buf, head, &p.read.Reading, terminal)
	if format == Raw {
		octets.sendTo(lw)
		p.printer = rawPrinter{l, octets}
	}
	p.linker = linker{findsLinks: head.Layout == protocols.LayoutText && format != Text, head: head, print: p.printer.line}
	if err := p.write(head); err != nil {
		return err
	}
	return p.refused.err(req.URL)
}

// isSession reports whether the URL u, whose fetch failed with err, leads to a session, which a question comes before.
func isSession(u urlcore.URL, err error) bool {
	_, asks := errors.AsType[*protocols.Confirm](err)
	return asks && protocols.KindOf(u) == protocols.Session
}

// keepsAnswer reports whether the octets that arrived before err are of a list, so that they may be printed.
func keepsAnswer(u urlcore.URL, err error) bool {
	kind := protocols.KindOf(u)
	return protocols.QuestionOf(err) == nil && (kind.Opening() == protocols.OpensList || kind.NeedsAnswers())
}

// pageWriter writes the lines of a page as they arrive.
type pageWriter struct {
	load    *nav.Load
	buf     *bufio.Writer
	read    reader
	printer printer
	linker  linker
	refused refusal
	hidden  bool // write hidden lines
}

// write writes the page, and returns the error that ended it, or nil at its end.
func (p *pageWriter) write(head protocols.Head) error {
	err := p.printer.head(head)
	for err == nil {
		var lines nav.Lines
		if err = p.buf.Flush(); err == nil {
			lines, err = p.load.Next()
		}
		p.read.learn(&lines)
		err = cmp.Or(p.writeLines(&lines, head.Layout), err)
	}
	err = cmp.Or(p.linker.end(), p.printer.end(), err)
	flushErr := p.buf.Flush()
	if !errors.Is(err, io.EOF) {
		return err
	}
	return flushErr
}

func (p *pageWriter) writeLines(lines *nav.Lines, layout protocols.Layout) error {
	for i := range lines.Len() {
		line := lines.At(i)
		if hidden, _ := protocols.IsHiddenLine(&line); hidden && layout == protocols.LayoutDirectory && !p.hidden {
			continue
		}
		if !layout.IsDocument() { // in a document they are notes of gofer
			p.refused.addLine(&line)
		}
		if err := p.linker.line(&line); err != nil {
			return err
		}
	}
	return nil
}

// Page writes the lines of a loaded page like [Write] in the format Text. If headers is set, it
// includes the whole header of an article. The function reading returns the charset of a line by the
// note of the line. While Page runs, only the states of the lines may change.
func Page(w io.Writer, layout protocols.Layout, lines *nav.Lines, reading func(protocols.Note) clean.Reading, headers bool) error {
	buf := bufio.NewWriterSize(w, 32<<10)
	p := &textPrinter{w: buf, layout: layout, reading: new(clean.Reading), wholeHeader: headers}
	for i := range lines.Len() {
		line := lines.WithoutLink(i)
		*p.reading = reading(line.Note)
		p.reading.Joiners = clean.AllJoiners
		switch line.Kind {
		case protocols.Info, protocols.Heading, protocols.Failure, protocols.Problem:
		default:
			line.Link = urlcore.Generic{} // any URL makes the line an item; the format Text prints no URLs
		}
		if err := p.line(&line, nil); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// refusal detects a menu that contains only a Gopher error (RFC 1436, section 3.8, type 3).
type refusal struct {
	found    bool
	text     string
	hasItems bool // the page has items besides errors
}

func (r *refusal) addLine(l *protocols.Line) {
	switch {
	case l.Kind == protocols.Failure && !r.found:
		r.found, r.text = true, l.Text
	case l.Kind != protocols.Failure && l.Kind != protocols.Info:
		r.hasItems = true
	}
}

func (r *refusal) err(u urlcore.URL) error {
	if !r.found || r.hasItems {
		return nil
	}
	return &protocols.Error{Reason: protocols.NotFound, Op: "open " + urlcore.Redact(u).String(), Text: r.text}
}

// localWriter turns the errors of a Writer into local failures.
type localWriter struct{ io.Writer }

func (w localWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	return n, protocols.LocalError("write the page", err)
}

// printer writes a page in one format.
type printer interface {
	head(h protocols.Head) error
	// line writes a line and the texts of the links in it.
	line(l *protocols.Line, links []string) error
	// end is called after the last line, even if an error ended the page.
	end() error
}

func newPrinter(f Format, w *bufio.Writer, h protocols.Head, r *clean.Reading, terminal bool) printer {
	switch f {
	case JSON:
		return newJSONPrinter(w, h.Layout, r)
	case Links:
		return linkPrinter{w, h.Layout}
	}
	return &textPrinter{w: w, layout: h.Layout, reading: r, cutsColumns: terminal}
}

type linkPrinter struct {
	w      *bufio.Writer
	layout protocols.Layout
}

func (p linkPrinter) head(protocols.Head) error { return nil }

func (p linkPrinter) end() error { return nil }

func (p linkPrinter) line(l *protocols.Line, links []string) error {
	switch {
	case p.layout == protocols.LayoutBinary: // gofer made the links of the page
		return nil
	case p.layout == protocols.LayoutDirectory && l.Kind == protocols.Menu: // another view of an entry
		return nil
	}
	if _, unopened := protocols.UnopenedReference(l.Link); l.Link != nil && !unopened {
		links = []string{protocols.LinkText(l.Link, l.Fragment())}
	}
	for _, text := range links {
		if _, err := p.w.WriteString(text + "\n"); err != nil {
			return err
		}
	}
	return nil
}
