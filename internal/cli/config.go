package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/userfile/config"
	"gofer/ui"
)

func (p *Program) configCommand() *cobra.Command {
	example := false
	cmd := &cobra.Command{
		Use:   "config",
		Short: "show the settings and where they come from, or edit them",
		Long: "config prints the path of the settings file, and each setting with its value and its\n" +
			"source: a line of the file, the environment, or the default.",
		Args: checkArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if example {
				_, err := io.WriteString(p.Out, config.Example)
				return err
			}
			path := app.ConfigFile(p.Getenv)
			if path == "" {
				return app.ErrNoConfig
			}
			settings, loadErr := config.Settings(path, p.Getenv, app.CheckKeys)
			c, _ := config.Load(path, p.Getenv, app.CheckKeys)
			app.NoteTakenKeys(settings, &c.Keys)
			w := bufio.NewWriter(p.Out)
			missing := ""
			if _, err := os.Stat(path); err != nil {
				missing = " (does not exist)"
			}
			fmt.Fprintf(w, "# %s%s\n", clean.Text(path), missing)
			for _, s := range slices.DeleteFunc(settings, func(s config.Setting) bool { return s.Source == "" }) {
				source := s.Source
				if s.Note != "" {
					source += ", " + s.Note
				}
				fmt.Fprintf(w, "%-40s # %s\n", clean.Text(s.Key+" = "+cmp.Or(s.Value, "(not set)")), clean.Text(source))
			}
			return cmp.Or(w.Flush(), loadErr)
		},
	}
	cmd.Flags().BoolVar(&example, "print", false, "print an example file with all settings")
	cmd.AddCommand(&cobra.Command{
		Use:   "keys",
		Short: "list the keys of all actions, including the preset, as settings",
		Args:  checkArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			c, err := config.Load(app.ConfigFile(p.Getenv), p.Getenv, app.CheckKeys)
			return cmp.Or(printKeys(p.Out, ui.Keys(c.Keys.PresetBindings(), c.Keys.OwnBindings()), app.TakenKeys(&c.Keys)), err)
		},
	}, p.forbidRestricted(&cobra.Command{
		Use:   "edit",
		Short: "open the settings in $VISUAL or $EDITOR, and check them",
		Args:  checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := app.ConfigFile(p.Getenv)
			if path == "" {
				return app.ErrNoConfig
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := p.editFile(cmd.Context(), path, 0); err != nil {
				return err
			}
			_, err := config.Load(path, p.Getenv, app.CheckKeys)
			return err
		},
	}))
	return cmd
}

// printKeys prints the keys of the actions as settings, and to which actions they have lost the taken keys.
func printKeys(out io.Writer, keys []ui.KeyHelp, taken []ui.TakenKey) error {
	w := bufio.NewWriter(out)
	slices.SortStableFunc(keys, func(a, b ui.KeyHelp) int { return strings.Compare(a.Context, b.Context) })
	context := ""
	for _, k := range keys {
		if k.Context != context {
			context = k.Context
			fmt.Fprintf(w, "\n[keys.%s]\n", context)
		}
		help := k.Help
		for _, t := range taken {
			if t.FromContext == k.Context && t.From == k.Name {
				help += fmt.Sprintf(", %q is taken by %q", t.Key, t.Action)
			}
		}
		fmt.Fprintf(w, "%-50s # %s\n", strconv.Quote(k.Name)+" = ["+strings.Join(app.MapSlice(k.Keys, strconv.Quote), ", ")+"]", help)
	}
	return w.Flush()
}

// configErrorText returns the errors in the settings, each with its line of the file and a caret at the
// column, if they are known.
func configErrorText(err error) string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return errorLine(err) + "\n"
	}
	var text strings.Builder
	for _, err := range joined.Unwrap() {
		text.WriteString(errorLine(err) + "\n")
		var p *config.Problem
		if !errors.As(err, &p) || p.Row == 0 {
			continue
		}
		text.WriteString("  " + clean.Text(p.Line) + "\n")
		if p.Column > 0 && p.Column <= len(p.Line)+1 {
			upTo := clean.Text(p.Line[:p.Column-1] + "^")
			text.WriteString("  " + strings.Repeat(" ", displaywidth.String(upTo)-1) + "^\n")
		}
	}
	return text.String()
}
