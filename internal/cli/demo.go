package cli

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gofer/internal/userfile/config"
	"gofer/urlcore"
)

// demoHost is the host of the demo's servers. Only a gofer that runs the demo knows them:
// elsewhere the name does not exist (RFC 6761, section 6.2).
const demoHost = "demo.gofer.test"

func (p *Program) demoCommand() *cobra.Command {
	var serve bool
	var flags browseFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "visit a small world of Gopher, FTP, news and the web inside this program",
		Long: "demo starts Gopher, FTP, news, telnet, web and Gemini servers inside this program, reachable from\n" +
			"this machine only, and opens their first page, gopher://" + demoHost + "/1. They end with the program.\n" +
			"History, bookmarks and tabs of the demo are kept apart from yours.",
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			host := demoHost
			if serve { // to other programs
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
			return p.browse(cmd.Context(), world.Start(), world, flags)
		},
	}
	cmd.Flags().BoolVar(&serve, "serve", false, "only serve, and print one start URL a line, until interrupted")
	flags.add(cmd)
	return cmd
}

// demoServers are the servers of a demo that runs in this program.
type demoServers struct {
	World
	guest bool // visits and tabs are not kept: the next run does not know the host
}

// useDemoSettings replaces the settings that lead out of the demo.
func useDemoSettings(c *config.Config, world World) {
	c.NewsServer, c.ScoreFile, c.Post.Sent = world.NewsServer(), "", ""
	c.Post.From = cmp.Or(c.Post.From, c.Mail.From, "You <you@"+demoHost+">")
}

// includes reports whether u leads to the demo.
func (d *demoServers) includes(u urlcore.URL) bool {
	if d == nil {
		return false
	}
	addr, ok := urlcore.Addr(u)
	_, ours := d.Listening(addr)
	return ours || ok && addr == "" && !d.guest // or the server of the settings
}

// passes reports whether u leads to a demo that nothing is kept of.
func (d *demoServers) passes(u urlcore.URL) bool { return d != nil && d.guest && d.includes(u) }

// isWritable reports whether files can be made in a folder, which it makes if necessary:
// a demo works without.
func isWritable(folder string) bool {
	if os.MkdirAll(folder, 0o700) != nil {
		return false
	}
	f, err := os.CreateTemp(folder, ".*")
	if err == nil {
		_ = f.Close()
		err = os.Remove(f.Name())
	}
	return err == nil
}
