package cli

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func isTerminal(stream any) bool {
	_, ok := terminalFile(stream)
	return ok
}

// terminalFile is the terminal that a stream is, if it is one.
func terminalFile(stream any) (*os.File, bool) {
	if a, ok := stream.(*asciiWriter); ok {
		stream = a.w
	}
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}

// screenSize returns the size of the terminal that a stream is, or 0.
func screenSize(stream any) (width, height int) {
	if f, ok := terminalFile(stream); ok {
		width, height, _ = term.GetSize(f.Fd()) // 0 with an error
	}
	return width, height
}

// errorText returns err for people, without passwords of args: one line, below a refused
// URL a caret at the offending place, below an unknown scheme its explanation.
func errorText(err error, args ...string) string {
	if refused, ok := errors.AsType[*urlcore.Error](err); ok && !errors.Is(err, errUsage) && !is[*mirror.PartialError](err) {
		shown, column := nav.Caret(refused)
		return "gofer: " + line(err, args...) + "\n  " + shown + "\n  " + strings.Repeat(" ", column) + "^\n"
	}
	if problem := new(config.Problem); errors.As(err, &problem) {
		return configText(err)
	}
	return "gofer: " + line(err, args...) + hint(err) + misspelt(err, args) + "\n" + schemeText(err)
}

func schemeText(err error) string {
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

// misspelt suggests another scheme for a URL in args that nothing opens.
func misspelt(err error, args []string) string {
	if protocols.ReasonOf(err) != protocols.Unsupported {
		return ""
	}
	for _, arg := range args {
		if u, err := urlcore.Parse(arg); err == nil {
			for _, other := range urlcore.OtherGuesses(u) {
				return "; did you mean " + clean.Text(urlcore.Redact(other.URL).String()) + "?"
			}
		}
	}
	return ""
}

const (
	asksOnScreen = "; gofer URL asks on the screen"
	opensIt      = "; gofer URL opens it"
)

// hint says what to do where the page itself would have asked.
func hint(err error) string {
	switch q := protocols.QuestionOf(err).(type) {
	case *protocols.Handoff, *protocols.Compose:
		return opensIt
	case *protocols.Login:
		if q.Failed && q.Text != "" {
			return ": " + clean.Said(q.Server, q.Text) + asksOnScreen
		}
		return asksOnScreen
	case *protocols.Confirm:
		details := strings.Join(q.Details, "; ")
		if details != "" {
			details = " (" + clean.Text(details) + ")"
		}
		how := asksOnScreen
		if flag, ok := consentFlags[q.Consent]; ok {
			how = "; " + flag + " agrees"
		}
		return "? " + strings.TrimSuffix(q.Reason, ".") + details + how
	case *protocols.Ask:
		if len(q.Fields) == 1 && !q.IsForm && q.Fields[0].Input == protocols.InputLine {
			if u, err := q.With([]string{"words"}); err == nil {
				return "; put the words into the URL (" + clean.Text(urlcore.Redact(u).String()) + "), or let gofer URL ask on the screen"
			}
		}
		return asksOnScreen
	}
	if errors.Is(err, nav.ErrSession) {
		return opensIt
	}
	return ""
}

func line(err error, args ...string) string {
	text := strings.TrimPrefix(err.Error(), errUsage.Error()+"\n")
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Op != "" {
		text = strings.Replace(text, e.Error(), "c"+strings.TrimPrefix(nav.Sentence(e), "C"), 1) // Could not
	}
	for _, a := range args {
		if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			a = value
		}
		if masked := urlcore.MaskPassword(a); masked != a {
			text = strings.NewReplacer(a, masked, quoted(a), quoted(masked), clean.Text(a), clean.Text(masked)).Replace(text)
		}
	}
	return clean.Text(strings.ReplaceAll(text, "\n", " "))
}

// quoted is s as %q writes it, without the quotes.
func quoted(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
