package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/cli/urlbatch"
	"gofer/urlcore"
)

// errRefused reports that a URL was refused and that the reason has been printed.
var errRefused = errors.New("a URL was refused")

// urlFlags are the flags that all subcommands of gofer url share.
type urlFlags struct {
	json, strict bool
	dialect      dialectFlag
	newsHost     string
}

type dialectFlag urlcore.Dialect

// dialects are the values of a dialectFlag, oldest first.
var dialects = [...]urlcore.Dialect{urlcore.Draft199307, urlcore.Draft199310, urlcore.Draft199403, urlcore.RFC1738}

func dialectNames() []string { return app.MapSlice(dialects[:], urlcore.Dialect.String) }

func (d *dialectFlag) String() string { return urlcore.Dialect(*d).String() }
func (*dialectFlag) Type() string     { return "DIALECT" }

func (d *dialectFlag) Set(name string) error {
	found, ok := urlcore.ParseDialect(name)
	if !ok || name == "" {
		return errors.New("the dialects are " + strings.Join(dialectNames(), ", "))
	}
	*d = dialectFlag(found)
	return nil
}

func (p *Program) urlCommand() *cobra.Command {
	var flags urlFlags
	cmd := &cobra.Command{
		Use:   "url COMMAND",
		Short: "parse, canonicalize, resolve, find and explain URLs",
		Long: "url has tools for URLs by RFC 1738 (December 1994) and its drafts. They use no network\n" +
			"and read the URLs on the command line or, without any, one from each line of standard\n" +
			"input. Empty lines are skipped.\n\n" +
			"A refused URL is reported on standard error, with a caret below the error; with --json\n" +
			"it is an object with ok false on standard output instead. The other URLs are still\n" +
			"processed, and the exit code is 1.",
		Example: "  gofer url explain 'gopher://gopher.floodgap.com/7/v2/vs%09rare%20birds'\n" +
			"  gofer url canon <urls.txt\n" +
			"  gofer url extract --json article.txt\n" +
			"  gofer url parse --strict --dialect 1994-03 URL:ftp://ftp.example.org/pub/",
		Args: checkArgs(checkCommand),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			// A read of standard input cannot be canceled, so an interrupt ends the program at once.
			signal.Reset(endSignals()...)
			if host := flags.newsHost; host != "" {
				if _, err := urlcore.Parse("nntp://" + host + "/a"); err != nil {
					return errors.Join(app.ErrUsage, fmt.Errorf("invalid --news-host %q: %w", host, err))
				}
			}
			return context.Cause(cmd.Context())
		},
	}
	f := cmd.PersistentFlags()
	f.BoolVar(&flags.json, "json", false, "write one JSON object a line")
	f.BoolVar(&flags.strict, "strict", false, "follow the grammar strictly, without repairs")
	f.Var(&flags.dialect, "dialect", "the specification: "+strings.Join(dialectNames(), ", "))
	f.StringVar(&flags.newsHost, "news-host", "", "the `HOST` for nntp:group/number, a form of the drafts without a host")
	_ = cmd.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions(dialectNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.AddCommand(p.parseCommand(&flags), p.canonCommand(&flags), p.resolveCommand(&flags),
		p.extractCommand(&flags), p.explainCommand(&flags), p.batchCommand())
	return cmd
}

func checkCommand(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unknown command %q: use parse, canon, resolve, extract, explain or batch", args[0])
}

func (p *Program) batchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "batch",
		Short: "answer questions about URLs, one JSON object a line",
		Long: "batch reads a JSON object from each line of standard input and answers with one on\n" +
			"standard output, as soon as the line is read. A question has the keys input,\n" +
			"context (full, text, partial, native), mode (lenient, strict), dialect, base,\n" +
			"default_news_host and native. A refused URL is answered with ok false; the exit code\n" +
			"reports only errors of reading and writing.",
		Example: `  echo '{"input":"HTTP://Example.ORG:80/%7ejoe"}' | gofer url batch`,
		Args:    checkArgs(cobra.NoArgs),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"strict", "dialect", "news-host"} {
				if cmd.Flags().Changed(name) {
					return errors.Join(app.ErrUsage, fmt.Errorf("batch has no --%s: set it in each question", name))
				}
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return urlbatch.Run(p.In, p.Out) },
	}
}
