package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gofer/docs"
)

func (p *Program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [TOPIC | COMMAND]",
		Short: "print a page of the manual, or the help of a command",
		Long: "help prints a page of the manual, or the help of a command.\n\n" +
			"The pages are " + strings.Join(docs.Topics(), ", ") + ".",
		ValidArgs: docs.Topics(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(docs.Topics(), args[0]) {
				st := p.openState(nil)
				defer st.Close()
				return p.dump(cmd.Context(), st, "about:manual/"+args[0], dumpOptions{})
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageError(cmd, fmt.Errorf("no such page or command: %q", strings.Join(args, " ")))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
