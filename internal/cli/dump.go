package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"gofer/internal/dump"
	"gofer/nav"
)

func (p *Program) dumpCommand() *cobra.Command {
	format := "text"
	var given consents
	cmd := &cobra.Command{
		Use:   "dump URL",
		Short: "print a page without the screen",
		Long: "dump fetches a page and prints it as it comes.\n\n" +
			"  text   the page as a person reads it\n" +
			"  json   one JSON object a line: the head, then each line with its URL\n" +
			"  links  the canonical URL of each item, one a line\n" +
			"  raw    the exact octets of a document\n\n" +
			"Text is UTF-8, but ASCII on a terminal whose locale (LC_ALL, LC_CTYPE or LANG) is\n" +
			"not UTF-8.",
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := dump.ParseFormat(format)
			if err != nil {
				return errors.Join(errUsage, err)
			}
			st := p.open(nil)
			defer st.close()
			st.given = given
			return p.dump(cmd.Context(), st, args[0], f)
		},
	}
	given.add(cmd)
	cmd.Flags().StringVarP(&format, "format", "f", format, "text, json, links or raw")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(
		[]string{"text", "json", "links", "raw"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *Program) dump(ctx context.Context, st *state, arg string, f dump.Format) error {
	u, err := st.guess(arg)
	if err != nil {
		return err
	}
	err = dump.Write(ctx, st.fetcher(), u, p.Out, f, isTerminal(p.Out))
	if errors.Is(err, nav.ErrNoOctets) {
		return errors.Join(errUsage, err)
	}
	return err
}
