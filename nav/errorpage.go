package nav

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/protocols"
	"gofer/urlcore"
)

// ErrorPage returns a page that describes the error for u and its cause, with links to possible next
// steps. u may be nil if the error is about the URL. ErrorPage cleans texts of servers. The parameter
// mirrors holds lines that lead to the same item at other servers.
func ErrorPage(u urlcore.URL, err error, mirrors ...protocols.Line) *Page {
	return newErrorPage(u, err, mirrors, nil, false)
}

// newErrorPage is like [ErrorPage]. The parameter others has the other URLs that the user may mean. The parameter guessed is
// set if u was guessed from a text without a scheme.
func newErrorPage(u urlcore.URL, err error, mirrors []protocols.Line, others []urlcore.URL, guessed bool) *Page {
	p := &Page{Failed: err, Err: io.EOF}
	p.URL, p.Title, p.Layout, p.Size = u, "Error", protocols.LayoutPage, -1
	if u == nil {
		p.URL = urlcore.Generic{Name: "about", Rest: "error"}
	}
	w := errorWriter{page: p, url: u, reason: protocols.ReasonOf(err), mirrors: mirrors, others: others, guessed: guessed, byTLS: errors.Is(err, protocols.ErrTLS)}
	w.write(err)
	return p
}

// errorWriter writes the lines of an error page.
type errorWriter struct {
	page       *Page
	url        urlcore.URL // nil if there is none
	reason     protocols.Reason
	byTLS      bool // the server uses TLS
	mayBeGuess bool // the URL may be a wrong guess for the typed text
	mirrors    []protocols.Line
	others     []urlcore.URL
	guessed    bool          // the URL was guessed from a text without a scheme
	links      []urlcore.URL // that addLinks has added
}

func (w *errorWriter) addLines(k protocols.Kind, texts ...string) {
	for _, s := range texts {
		w.page.Lines.Append(protocols.Line{Kind: k, Text: s})
	}
}

func (w *errorWriter) addInfo(texts ...string) { w.addLines(protocols.Info, texts...) }

// writeServerWords writes the words of the server in quotation marks.
func (w *errorWriter) writeServerWords(words []string) {
	if len(words) > 0 {
		w.addInfo("")
		w.addLines(protocols.Quote, words...)
	}
}

// addAction adds a line that runs an action on this page.
func (w *errorWriter) addAction(text string, name protocols.Action) {
	w.page.Lines.Append(protocols.Line{Kind: protocols.Menu, Text: text, Link: w.page.URL, Note: name})
}

// addSettings adds a link to the settings whose keys contain the parameter key.
func (w *errorWriter) addSettings(text, key string, note protocols.Note) {
	w.addInfo("")
	w.page.Lines.Append(protocols.Line{Kind: protocols.Menu, Text: text, Link: urlcore.Generic{Name: "about", Rest: "settings?" + key}, Note: note})
}

func (w *errorWriter) addHeading(text string) {
	w.page.Title = text
	w.addLines(protocols.Heading, text)
	w.addInfo("")
}

func (w *errorWriter) write(err error) {
	switch q := protocols.QuestionOf(err).(type) {
	case *protocols.Handoff:
		w.writeHandoff(q)
	case *protocols.Confirm:
		w.writeConfirm(q)
	case *protocols.Ask:
		w.writeAsk(q)
	case *protocols.Login:
		w.writeLogin(q)
	case *protocols.Compose:
		w.addHeading("A message must be written")
		w.addInfo(clean.Text(q.Title) + ": the editor opens, and nothing is sent before you agree.")
		w.addAction("Write it", protocols.ActionReload)
	default:
		w.writeFailure(err)
	}
}

// writeFailure writes an error that asks no question.
func (w *errorWriter) writeFailure(err error) {
	var (
		invalid *urlcore.Error
		crash   *protocols.Panic
		failure *protocols.Error
	)
	switch {
	case errors.As(err, &invalid):
		w.writeInvalidURL(invalid)
	case errors.As(err, &crash):
		w.writePanic(crash)
	case errors.As(err, &failure):
		w.writeError(failure)
	case errors.Is(err, ErrStopped), errors.Is(err, context.Canceled):
		w.addHeading("Stopped")
		w.addInfo("Loading was stopped before the server answered.")
		w.writeSuggestions(true)
	case errors.Is(err, ErrSessionEnded):
		w.addHeading("Session ended")
		w.addAction("Connect again", protocols.ActionReload)
	case errors.Is(err, protocols.ErrNoOctets):
		w.addHeading("Nothing to save")
		w.addInfo(sentence.Capitalize(err.Error()) + ".")
		w.writeSuggestions(false)
	default:
		w.addHeading("Failed")
		w.addInfo(sentence.Capitalize(clean.Text(err.Error())) + ".")
		w.writeSuggestions(true)
	}
}

// explain returns the explanation of the error e, which occurred with the URL u.
func explain(e *protocols.Error, u urlcore.URL) protocols.Explanation {
	explained := e.Reason.Explain()
	switch {
	case errors.Is(e.Err, protocols.ErrRestricted):
		return protocols.Explanation{Title: "Not allowed here"}
	case errors.Is(e.Err, protocols.ErrNoPrograms):
		return protocols.Explanation{Title: "Offline"}
	case errors.Is(e.Err, protocols.ErrUnavailable):
		explained.Title = "Service unavailable"
	case errors.Is(e.Err, protocols.ErrBadRequest):
		explained.Title = "Bad request"
	case errors.Is(e.Err, protocols.ErrTLS):
		explained.Advice = ""
	case e.Reason == protocols.Offline && (protocols.KindOf(u) == protocols.Group || protocols.KindOf(u) == protocols.Article):
		explained.Advice += " gofer news fetch stores unread articles."
	case e.Reason != protocols.NotFound || u == nil:
	case protocols.KindOf(u) == protocols.Group && e.Code == 411:
		explained.Cause = "the server has no such group"
	case protocols.KindOf(u).Opening() == protocols.OpensPrompt:
		explained.Cause = "nothing matches the words, or the search was removed"
	case protocols.KindOf(u) == protocols.Article && strings.Contains(u.String(), "%3F") && strings.Contains(u.String(), "from="):
		explained.Cause = "a news: URL with @ names an article, not a search: write the @ as %40"
	case protocols.KindOf(u) == protocols.Article:
		explained.Cause = "it has expired, was canceled, or has not arrived at this server"
	}
	return explained
}

func (w *errorWriter) writeError(e *protocols.Error) {
	x := explain(e, w.url)
	code, words := sentence.QuoteReply(e, x.Title, e.Reason == protocols.ServerFailed)
	w.addHeading(x.Title + code)
	reason := strings.TrimPrefix(sentence.Cause(e, x.Title), protocols.ErrRestricted.Error()+": ")
	if s := sentence.Format(e, cmp.Or(reason, x.Cause)); s != "" {
		w.addInfo(s + ".")
	}
	w.writeServerWords(words)
	if x.Advice != "" && len(e.Lines) == 0 {
		w.addInfo("", x.Advice)
	}
	for _, l := range e.Lines {
		w.page.Lines.Append(protocols.Line{Kind: l.Kind, Text: clean.Text(l.Text), Link: l.Link, Note: l.Note})
	}
	switch e.Reason {
	case protocols.NoServer:
		w.addSettings("Set your news server", "news_server", protocols.ActionSetting)
	case protocols.Unsupported: // a misspelt scheme needs no program
		if guesses := w.guessLinks(); len(guesses) > 0 {
			w.addInfo("")
			w.addLinks(guesses)
		}
		if _, generic := w.url.(urlcore.Generic); generic && w.url.Scheme() != "about" || errors.Is(e.Err, protocols.ErrNotInstalled) {
			w.addSettings("Set a program for "+clean.Text(w.url.Scheme())+": URLs, under [open]", "open", nil)
		}
		w.addInfo("")
		w.addAction("Copy the URL", protocols.ActionCopy)
	case protocols.TooBig:
		w.addInfo("")
		w.addAction("Save it to a file of any size", protocols.ActionSave)
	}
	offersReload := slices.ContainsFunc(e.Lines, func(l protocols.Line) bool {
		return l.Note == protocols.ActionReload || l.Link != nil && l.Link == w.url
	})
	w.writeSuggestions(x.Retry && !offersReload)
}

// caretContext is the largest number of characters that Caret returns on each side of the fault.
const caretContext = 60

func (w *errorWriter) writeInvalidURL(e *urlcore.Error) {
	w.addHeading("Invalid URL")
	w.addInfo(sentence.Capitalize(clean.Text(e.Reason)) + ".")
	if e.Input != "" {
		text, column := Caret(e)
		w.addInfo("")
		w.addInfo("  "+text, "  "+strings.Repeat(" ", column)+"^")
	}
	w.writeSuggestions(false)
}

// Caret returns the part of an invalid URL around the fault, with its password masked, and the column
// of the fault in this part.
func Caret(e *urlcore.Error) (text string, column int) {
	in := urlcore.MaskPassword(e.Input)
	at := max(0, min(e.Offset, len(in)))
	before, after := clean.Line(in[:at]), clean.Line(in[at:])
	if r := []rune(before); len(r) > caretContext {
		before = clean.Line("…" + string(r[len(r)-caretContext:]))
	}
	if r := []rune(after); len(r) > caretContext {
		after = string(r[:caretContext]) + "…"
	}
	return before + after, displaywidth.String(before)
}

func (w *errorWriter) writeHandoff(h *protocols.Handoff) {
	w.addHeading("Another program is needed")
	where := "in the terminal"
	if h.Window {
		where = "in a new window"
	}
	w.addInfo("Nothing was started. The command to run "+where+":", "")
	w.addLines(protocols.Quote, commandLine(h.Argv))
	w.mayBeGuess = true
	w.writeSuggestions(true)
}

func (w *errorWriter) writeConfirm(c *protocols.Confirm) {
	w.addHeading(c.Heading())
	w.addInfo(c.Reason)
	if len(c.Details) > 0 {
		w.addInfo("")
	}
	for _, s := range c.Details {
		w.addLines(protocols.Quote, clean.Line(s))
	}
	w.addInfo("")
	label := "Ask again"
	if w.url != nil && isDraft(w.url) {
		label = "Continue with the message"
	}
	w.addAction(label, protocols.ActionReload)
}

// isDraft reports whether a load of u may edit a draft.
func isDraft(u urlcore.URL) bool {
	text := u.String()
	return u.Scheme() == "mailto" || u.Scheme() == "mailserver" ||
		strings.HasPrefix(text, "about:compose/") && !strings.HasPrefix(text, "about:compose/cancel")
}

// commandLine returns argv as a clean line for people, not for a shell. Empty arguments are quoted, and
// so are arguments with blanks or with special characters of a shell.
func commandLine(argv []string) string {
	shown := make([]string, len(argv))
	for i, a := range argv {
		shown[i] = clean.Line(a)
		if a == "" || strings.ContainsAny(a, " \t'\"\\$`&|;<>()*?[]#~") {
			shown[i] = "'" + strings.ReplaceAll(shown[i], "'", `'\''`) + "'"
		}
	}
	return strings.Join(shown, " ")
}

func (w *errorWriter) writeAsk(a *protocols.Ask) {
	w.addHeading("Input needed")
	w.addInfo(clean.Text(a.Title))
	if words := clean.ServerSays(a.Server, a.ServerTitle); words != "" {
		w.addInfo(words)
	}
	for _, f := range a.Fields {
		if f.Label != "" {
			w.addInfo("  " + clean.Text(f.Label))
		}
		if f.ServerLabel != "" {
			w.addInfo("  " + clean.ServerSays(a.Server, f.ServerLabel))
		}
	}
	w.writeSuggestions(true)
}

func (w *errorWriter) writeLogin(l *protocols.Login) {
	title, reason := "Login required", " requires a user and a password."
	if l.Failed {
		title, reason = "Login failed", " refused the user or password."
	}
	w.addHeading(title)
	w.addInfo(clean.Text(l.Server) + reason)
	w.writeServerWords(sentence.QuotedLines(l.Text))
	w.writeSuggestions(true)
}

// maxStack is the largest number of stack lines on an error page.
const maxStack = 40

func (w *errorWriter) writePanic(p *protocols.Panic) {
	w.addHeading("Internal error")
	w.addInfo("gofer failed on this answer. Other pages are not affected. Please report it with these lines:", "")
	w.addLines(protocols.Quote, clean.Text(p.Error()))
	stack := strings.Split(strings.TrimSpace(string(p.Stack)), "\n")
	for _, line := range stack[:min(len(stack), maxStack)] {
		w.addLines(protocols.Quote, clean.Line(line))
	}
	w.writeSuggestions(true)
}
