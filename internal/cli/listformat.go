package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// listFormat is the flag --format of commands that print a list: text or JSON.
type listFormat struct{ name string }

func (f *listFormat) add(cmd *cobra.Command) { f.addAs(cmd, "f", "text or json") }

// addAs adds the flag --format. The parameter letter is its short form, which may be "", and usage is its
// description.
func (f *listFormat) addAs(cmd *cobra.Command, letter, usage string) {
	cmd.Flags().StringVarP(&f.name, "format", letter, "text", usage)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

// writeJSON writes a JSON object for each element of list, one per line.
func writeJSON[T any](out io.Writer, list []T, object func(T) any) error {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, v := range list {
		if err := enc.Encode(object(v)); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (f *listFormat) asJSON(cmd *cobra.Command) (bool, error) {
	if f.name != "text" && f.name != "json" {
		return false, usageError(cmd, fmt.Errorf("unknown format %q: use text or json", f.name))
	}
	return f.name == "json", nil
}
