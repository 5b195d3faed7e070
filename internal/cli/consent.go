package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// consents records what the flags of a command agree to in advance.
type consents struct{ certificate, plainPassword, port bool }

var consentFlags = map[protocols.Consent]string{
	protocols.ConsentCertificate:   "--trust",
	protocols.ConsentPlainPassword: "--plain-password",
	protocols.ConsentReplace:       "--force",
	protocols.ConsentPort:          "--any-port",
}

func (c *consents) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.certificate, "trust", false, "trust a certificate that nobody vouches for, unless it has changed")
	cmd.Flags().BoolVar(&c.plainPassword, "plain-password", false, "send a password in the clear where the server has no TLS")
	cmd.Flags().BoolVar(&c.port, "any-port", false, "send to ports at which another service may listen")
}

// agree reports whether the flags answer the question with yes.
func (c consents) agree(to *protocols.Confirm) bool {
	switch to.Consent {
	case protocols.ConsentCertificate:
		return c.certificate
	case protocols.ConsentPlainPassword:
		return c.plainPassword
	case protocols.ConsentPort:
		return c.port
	}
	return false
}

func (c consents) repeat(_ context.Context, do func() error) error { return asked(do, c.agree) }

const maxQuestions = 8 // bounds what one fetch may ask

// asked calls do until it asks for no more than agree agrees to.
func asked(do func() error, agree func(*protocols.Confirm) bool) error {
	for range maxQuestions {
		err := do()
		if confirm, ok := errors.AsType[*protocols.Confirm](err); ok && agree(confirm) {
			confirm.Yes()
		} else {
			return err
		}
	}
	return do()
}

// repeater is a Registry that passes each fetch to repeat, which may call it several times.
type repeater struct {
	protocols.Registry
	repeat func(ctx context.Context, fetch func() error) error
}

func (f repeater) Fetch(ctx context.Context, u urlcore.URL) (r *protocols.Resource, err error) {
	err = f.repeat(ctx, func() error {
		r, err = f.Registry.Fetch(ctx, u)
		return err
	})
	return r, err
}

func (f repeater) Resume(ctx context.Context, u urlcore.URL, offset int64) (r *protocols.Resource, err error) {
	err = f.repeat(ctx, func() error {
		r, err = f.Registry.Resume(ctx, u, offset)
		return err
	})
	return r, err
}

// agrees asks for a consent, if there is a terminal.
func (p *Program) agrees(c *protocols.Confirm) bool {
	if !p.canAsk() {
		return false
	}
	text := fold(p.Err, clean.Text(c.Question)+"?\n"+clean.Text(c.Reason)+"\n", "")
	for _, d := range c.Details {
		text += fold(p.Err, "  "+clean.Line(d), "  ") + "\n"
	}
	return confirm(p.In, p.Err, text+"Agree? (y/N) ")
}

// canAsk reports whether the user can be asked on a terminal.
func (p *Program) canAsk() bool { return isTerminal(p.In) && isTerminal(p.Err) }

// confirm asks a question; only y and yes agree.
func confirm(in io.Reader, out io.Writer, question string) bool {
	fmt.Fprint(out, question)
	answer, _ := typedLine(in) // nothing is no
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}
