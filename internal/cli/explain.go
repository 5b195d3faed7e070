package cli

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"gofer/internal/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// explain returns err for people: one line, and below a refused URL a caret at
// the offending place. Nothing of a server's or a URL's octets reaches the
// terminal uncleaned.
func explain(err error) string {
	var refused *urlcore.Error
	if errors.As(err, &refused) && !errors.Is(err, errUsage) {
		shown, column := nav.Caret(refused)
		return "gofer: " + line(err) + "\n  " + shown + "\n  " + strings.Repeat(" ", column) + "^\n"
	}
	var login *protocols.Login
	if errors.As(err, &login) {
		return "gofer: " + line(err) + "; put the user into the URL (ftp://user@host/) or browse it without dump\n"
	}
	var ask *protocols.Ask
	if errors.As(err, &ask) {
		return "gofer: " + line(err) + "; put the words into the URL, or browse it without dump\n"
	}
	return "gofer: " + line(err) + "\n"
}

func line(err error) string {
	return clean.Text(strings.ReplaceAll(strings.TrimPrefix(err.Error(), errUsage.Error()+"\n"), "\n", " "))
}
