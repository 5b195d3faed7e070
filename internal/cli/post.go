package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gofer/internal/pages/about"
	"gofer/internal/usenet/newsrc"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) postCommand() *cobra.Command {
	var given consents
	cmd := &cobra.Command{
		Use:   "post URL",
		Short: "post a news article",
		Long: "post posts an article to a group: news:comp.lang.go, nntp://host/comp.lang.go. On a\n" +
			"terminal it is written in $VISUAL or $EDITOR, shown whole, and posted after a yes. Else\n" +
			"standard input is the article, header and body in UTF-8, and is posted at once:\n\n" +
			"  (echo 'Subject: Test'; echo; date) | gofer post news:misc.test\n\n" +
			"From and Newsgroups may be missing: they are the settings' and the URL's. The same\n" +
			"text is not posted twice within a day, so that a failed attempt can be repeated.",
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.open(nil)
			defer st.close()
			st.given = given
			of, err := st.guessArgument(args[0])
			if err != nil {
				return err
			}
			return p.post(cmd.Context(), st, about.ComposeURL("post", of))
		},
	}
	given.add(cmd)
	return cmd
}

const maxArticle = 4 << 20 // bounds an article that is read from standard input, in octets

// post has the user write the article of u, or reads it from standard input.
func (p *Program) post(ctx context.Context, st *state, u urlcore.URL) error {
	if p.canAsk() {
		_, err := st.fetcher().Fetch(ctx, u)
		if message, ok := errors.AsType[*protocols.Compose](err); ok {
			return p.writeMessage(ctx, message)
		}
		return err
	}
	var article []byte
	err := untilSignal(ctx, func() (err error) {
		article, err = io.ReadAll(io.LimitReader(p.In, maxArticle+1))
		return err
	})
	if err == nil && len(article) > maxArticle {
		err = fmt.Errorf("it is larger than %d MiB", maxArticle>>20)
	}
	if err != nil {
		return protocols.LocalError("read the article", err)
	}
	return p.withLogin(ctx, func() error {
		return asked(func() error {
			return st.put(ctx, u, &protocols.Upload{Body: bytes.NewReader(article), Size: int64(len(article))})
		}, st.given.agree)
	})
}

// checkPost returns why no article is posted, or nil.
func (st *state) checkPost() error {
	if !st.Config.ReadOnly {
		return nil
	}
	return &protocols.Error{Op: "post", Err: errReadOnly.Err}
}

func (f *newsFiles) markRead(of urlcore.URL, numbers []protocols.Crosspost) error {
	return f.Change(of, func(file *newsrc.File) {
		for _, n := range numbers {
			g, _ := file.Group(n.Group)
			g.Read = g.Read.With(newsrc.Numbers{{First: n.Number, Last: n.Number}})
			file.Set(g)
		}
	})
}
