package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (p *Program) demoCommand() *cobra.Command {
	var serve bool
	var flags browseFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "visit a small world of Gopher, FTP, news and the web inside this program",
		Long: "demo starts Gopher, FTP, news, telnet, web and Gemini servers inside this program, reachable from\n" +
			"this machine only, and opens their first page. They end with the program.",
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			world, err := p.StartWorld()
			if err != nil {
				return fmt.Errorf("start the demo: %w", err)
			}
			defer func() { _ = world.Close() }()
			if serve {
				for u := range world.URLs() {
					fmt.Fprintln(p.Out, u)
				}
				<-cmd.Context().Done()
				return nil
			}
			return p.browse(cmd.Context(), world.Start(), world, flags)
		},
	}
	cmd.Flags().BoolVar(&serve, "serve", false, "only serve, and print one start URL a line, until interrupted")
	flags.add(cmd)
	return cmd
}
