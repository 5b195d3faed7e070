package cli

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func isTerminal(stream any) bool {
	_, ok := terminalFile(stream)
	return ok
}

// terminalFile returns the file of stream, or nil, and whether the file is a terminal.
func terminalFile(stream any) (*os.File, bool) {
	if a, ok := stream.(*asciiWriter); ok {
		stream = a.w
	}
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}

// screenSize returns the size of the terminal, or 0 if the stream is not a terminal.
func screenSize(stream any) (width, height int) {
	if f, ok := terminalFile(stream); ok {
		width, height, _ = term.GetSize(f.Fd()) // 0 after an error
	}
	return width, height
}

// errorText returns the message for err, without the passwords in args. If a URL was refused, the URL follows
// the message, with a caret at the error. If a scheme is not supported, an explanation of the scheme follows.
func errorText(err error, args ...string) string {
	if refused, ok := errors.AsType[*urlcore.Error](err); ok && !errors.Is(err, app.ErrUsage) && !hasType[*mirror.PartialError](err) {
		shown, column := nav.Caret(refused)
		return "gofer: " + errorLine(err, args...) + "\n  " + shown + "\n  " + strings.Repeat(" ", column) + "^\n"
	}
	if problem := new(config.Problem); errors.As(err, &problem) {
		return configErrorText(err)
	}
	text, kept := errorLine(err, args...), ""
	if e, ok := errors.AsType[*protocols.KeptError](err); ok {
		kept = clean.Text(e.Note())
		text = strings.Replace(text, kept, "", 1) // the hint belongs to the error
	}
	return "gofer: " + text + errorHint(err) + suggestScheme(err, args) + kept + "\n" + schemeExplanation(err)
}

func schemeExplanation(err error) string {
	text := ""
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Reason == protocols.Unsupported {
		for _, l := range e.Lines {
			if l.Text != "" {
				text += clean.Text(l.Text) + "\n"
			}
		}
	}
	return text
}

// suggestScheme suggests another scheme if a URL in args has an unknown scheme.
func suggestScheme(err error, args []string) string {
	if protocols.ReasonOf(err) != protocols.Unsupported {
		return ""
	}
	for _, arg := range args {
		if u, err := urlcore.Parse(arg); err == nil && isGeneric(u) {
			for _, other := range urlcore.OtherGuesses(u, false) {
				return "; did you mean " + clean.Text(urlcore.Redact(other.URL).String()) + "?"
			}
		}
	}
	return ""
}

func isGeneric(u urlcore.URL) bool {
	_, ok := u.(urlcore.Generic)
	return ok
}

const (
	answerAdvice = "; use gofer URL to answer on the screen"
	openAdvice   = "; use gofer URL to open it"
)

// errorHint returns advice if err is a [protocols.Question] or protocols.ErrSession. The advice is to use the
// screen or a flag, or to add words to the URL.
func errorHint(err error) string {
	switch q := protocols.QuestionOf(err).(type) {
	case *protocols.Handoff, *protocols.Compose:
		return openAdvice
	case *protocols.Login:
		if q.Failed && q.Text != "" {
			return ": " + clean.ServerSays(q.Server, q.Text) + answerAdvice
		}
		return answerAdvice
	case *protocols.Confirm:
		reason := "? " + strings.TrimRight(q.Reason, ".:")
		if details := strings.Join(q.ShortDetails(), "; "); details != "" {
			reason += " (" + clean.Text(details) + ")"
		}
		if flag, _ := q.Consent.Flag(); flag != "" {
			return reason + ". Use --" + flag + " to agree"
		}
		return reason + answerAdvice
	case *protocols.Ask:
		says := ""
		if len(q.Fields) > 0 && q.Fields[0].ServerLabel != "" && !q.IsForm {
			says = ": " + clean.ServerSays(q.Server, q.Fields[0].ServerLabel)
		}
		if len(q.Fields) == 1 && !q.IsForm && q.Fields[0].Input == protocols.InputLine {
			answer, what := "words", "words"
			if value := q.Fields[0].Value; value != "" {
				answer, what = value, "answer"
			}
			if u, err := q.With([]string{answer}); err == nil {
				return says + "; add the " + what + " to the URL (" + clean.Text(urlcore.Redact(u).String()) + "), or use gofer URL to answer on the screen"
			}
		}
		return says + answerAdvice
	}
	if errors.Is(err, protocols.ErrSession) {
		return openAdvice
	}
	return ""
}

func errorLine(err error, args ...string) string {
	text := strings.TrimPrefix(err.Error(), app.ErrUsage.Error()+"\n")
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Op != "" {
		text = strings.Replace(text, e.Error(), "c"+strings.TrimPrefix(sentence.Of(e), "C"), 1) // "Could not" becomes "could not" in the middle of a line
	}
	for _, a := range args {
		if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			a = value
		}
		if masked := urlcore.MaskPassword(a); masked != a {
			text = strings.NewReplacer(a, masked, quoteInner(a), quoteInner(masked), clean.Text(a), clean.Text(masked)).Replace(text)
		}
	}
	return clean.Text(strings.ReplaceAll(text, "\n", " "))
}

// quoteInner returns s as %q formats it, without the quotes.
func quoteInner(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
