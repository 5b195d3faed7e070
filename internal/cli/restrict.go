package cli

import (
	"errors"

	"gofer/internal/app"

	"github.com/spf13/cobra"
)

var errRestricted = errors.New("this command is disabled in restricted mode")

// forbidRestricted makes cmd fail in restricted mode, and returns it.
func (p *Program) forbidRestricted(cmd *cobra.Command) *cobra.Command {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if c, _ := p.LoadSettings(); c.Restrict.Enabled { // the commands that use more settings report the errors
			return errors.Join(app.ErrUsage, errRestricted)
		}
		return nil
	}
	return cmd
}
