package cli

import (
	"fmt"

	"gofer/internal/app"

	"github.com/spf13/cobra"
)

func (p *Program) demoCommand() *cobra.Command {
	var serve bool
	var flags browseFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "browse demo servers for Gopher, FTP, news and the web inside this program",
		Long: "demo starts servers of Gopher, FTP, news and most other schemes inside this program, reachable from\n" +
			"this machine only, and opens the first page, gopher://" + app.DemoHost + "/1. The servers end with the program.\n" +
			"History, bookmarks and tabs of the demo are kept apart from yours.",
		Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			host := app.DemoHost
			if serve { // other programs need real addresses
				host = ""
			}
			world, err := p.StartWorld(host)
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
			return p.browse(cmd.Context(), world.StartURL(), world, flags)
		},
	}
	cmd.Flags().BoolVar(&serve, "serve", false, "only serve, and print one start URL a line, until interrupted")
	flags.add(cmd)
	return cmd
}
