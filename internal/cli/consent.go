package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

// consentFlags says for each kind of question whether a flag answers it with yes in advance.
type consentFlags [protocols.NumConsents]bool

func (c *consentFlags) add(cmd *cobra.Command) {
	for kind := range protocols.NumConsents {
		if name, help := kind.Flag(); help != "" {
			cmd.Flags().BoolVar(&c[kind], name, false, help)
		}
	}
}

// allow reports whether the flags answer the question q with yes.
func (c consentFlags) allow(q *protocols.Confirm) bool { return c[q.Consent] }

func (c consentFlags) retry(_ context.Context, do func() error) error {
	return app.RetryWithConsent(do, c.allow)
}

// askConsent asks the question c on the terminal. Without a terminal it returns false.
func (p *Program) askConsent(c *protocols.Confirm) bool {
	if !p.canAsk() {
		return false
	}
	text := wrapText(p.Err, clean.Text(c.Question)+"?\n"+clean.Text(c.Reason)+"\n", "")
	for _, d := range c.Details {
		text += wrapText(p.Err, "  "+clean.Line(d), "  ") + "\n"
	}
	return confirm(p.In, p.Err, text+"Agree? (y/N) ")
}

// canAsk reports whether there is a terminal for questions.
func (p *Program) canAsk() bool { return isTerminal(p.In) && isTerminal(p.Err) }

// confirm asks a question. Only y and yes mean yes.
func confirm(in io.Reader, out io.Writer, question string) bool {
	fmt.Fprint(out, question)
	answer, _ := readTrimmedLine(in) // after an error the answer is "", which means no
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}
