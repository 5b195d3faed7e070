package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) postCommand() *cobra.Command {
	var consents consentFlags
	cmd := &cobra.Command{
		Use:   "post URL",
		Short: "post a news article",
		Long: "post posts an article to a group: news:comp.lang.go, nntp://host/comp.lang.go. On a\n" +
			"terminal you write it in $VISUAL or $EDITOR; gofer shows it and asks before posting.\n" +
			"Otherwise standard input is the article, header and body in UTF-8, and is posted at once:\n\n" +
			"  (echo 'Subject: Test'; echo; date) | gofer post news:misc.test\n\n" +
			"A missing From is taken from the settings, a missing Newsgroups from the URL. The same\n" +
			"text is not posted twice within a day, so a failed attempt can be repeated.",
		Args: checkArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.openState(nil)
			defer st.Close()
			server, err := st.GuessArgument(args[0])
			if err != nil {
				return err
			}
			return p.post(cmd.Context(), st, about.ComposeURL("post", server), consents)
		},
	}
	consents.add(cmd)
	return cmd
}

const maxArticle = 4 << 20 // bounds an article from standard input, in octets

// post lets the user write the article for u on the terminal. Without a terminal, it reads the article from
// standard input.
func (p *Program) post(ctx context.Context, st *app.State, u urlcore.URL, consents consentFlags) error {
	if p.canAsk() {
		_, err := st.Fetchers(app.Way{Use: app.Transfer, Retry: consents.retry}).Fetch(ctx, protocols.Request{URL: u})
		if message, ok := errors.AsType[*protocols.Compose](err); ok {
			return p.writeMessage(ctx, message)
		}
		return err
	}
	var article []byte
	err := runUntilSignal(ctx, func() (err error) {
		article, err = io.ReadAll(io.LimitReader(p.In, maxArticle+1))
		return err
	})
	if err == nil && len(article) > maxArticle {
		err = fmt.Errorf("it is larger than %d MiB", maxArticle>>20)
	}
	if err != nil {
		return protocols.LocalError("read the article", err)
	}
	err = p.withLogin(ctx, func() error {
		return app.RetryWithConsent(func() error {
			return st.Fetchers(app.Way{Use: app.Transfer}).Put(ctx, u, &protocols.Upload{Body: bytes.NewReader(article), Size: int64(len(article))})
		}, consents.allow)
	})
	if errors.Is(err, protocols.ErrQueued) {
		fmt.Fprintf(p.Err, "Not sent: %v.\n", err)
		return nil
	}
	return err
}
