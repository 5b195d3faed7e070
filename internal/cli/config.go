package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"gofer/internal/clean"
	"gofer/internal/config"
)

// errNoConfig says that there is no home directory.
var errNoConfig = errors.New("there is no folder to keep settings in: set HOME or XDG_CONFIG_HOME")

// configFile is the path of the settings; "" if they have no place.
func configFile(dirs config.Dirs) string {
	if dirs.Config == "" {
		return ""
	}
	return filepath.Join(dirs.Config, "config.toml")
}

func (p *Program) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "show the settings and where they come from, or edit them",
		Long: "config prints the path of the settings file and each setting with its value and where\n" +
			"that comes from: a line of the file, the environment, or the default.",
		Args: usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			path := configFile(p.dirs())
			if path == "" {
				return errNoConfig
			}
			settings, err := config.Settings(path, p.Getenv)
			if err != nil {
				return err
			}
			w := bufio.NewWriter(p.Out)
			missing := ""
			if _, err := os.Stat(path); err != nil {
				missing = " (not there)"
			}
			fmt.Fprintf(w, "# %s%s\n", clean.Text(path), missing)
			for _, s := range settings {
				fmt.Fprintf(w, "%-40s # %s\n", clean.Text(s.Key+" = "+cmp.Or(s.Value, "(not set)")), clean.Text(s.Source))
			}
			return w.Flush()
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "edit",
		Short: "open the settings in $VISUAL or $EDITOR, and check them",
		Args:  usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			path := configFile(p.dirs())
			if path == "" {
				return errNoConfig
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			argv := p.editor(path)
			editor := exec.Command(argv[0], argv[1:]...)
			editor.Stdin, editor.Stdout, editor.Stderr = p.In, p.Out, p.Err
			if err := editor.Run(); err != nil {
				return fmt.Errorf("edit %s: %w", path, err)
			}
			_, err := config.Load(path, p.Getenv)
			return err
		},
	})
	return cmd
}
