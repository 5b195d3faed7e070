package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"gofer/internal/config"
)

// errRestricted is why a command does nothing.
var errRestricted = errors.New("files and other programs are not used in restricted mode")

// unrestricted makes cmd refuse to run in restricted mode.
func (p *Program) unrestricted(cmd *cobra.Command) *cobra.Command {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		c, _ := config.Load(configFile(p.dirs()), p.Getenv, checkKeys)
		if p.restrict || c.Restrict.Enabled {
			return errors.Join(errUsage, errRestricted)
		}
		return nil
	}
	return cmd
}
