package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// listFormat is the flag --format of commands that print a list: text, JSON, or perhaps another one.
type listFormat struct {
	name string
	more string // a format besides text and JSON, or ""
}

func (f *listFormat) add(cmd *cobra.Command) { f.addAs(cmd, "f", f.usage()) }

// formats returns the names of the formats.
func (f *listFormat) formats() []string {
	if f.more != "" {
		return []string{"text", "json", f.more}
	}
	return []string{"text", "json"}
}

func (f *listFormat) usage() string {
	all := f.formats()
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// addAs adds the flag --format. The parameter letter is its short form, which may be "", and usage is its
// description.
func (f *listFormat) addAs(cmd *cobra.Command, letter, usage string) {
	cmd.Flags().StringVarP(&f.name, "format", letter, "text", usage)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(f.formats(), cobra.ShellCompDirectiveNoFileComp))
}

// writeJSON writes a JSON object for each element of list, one per line.
func writeJSON[T any](out io.Writer, list []T, object func(T) any) error {
	return writeList(out, "json", list, func(v T) listItem { return listItem{object: object(v)} })
}

// listItem is an item of a list in each of the formats.
type listItem struct {
	object any    // for JSON
	text   string // one line or more, without the last line end
	link   string
}

// writeList writes each element of list in a format: text, json or links.
func writeList[T any](out io.Writer, format string, list []T, item func(T) listItem) error {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, v := range list {
		var err error
		switch it := item(v); format {
		case "json":
			err = enc.Encode(it.object)
		case "links":
			_, err = fmt.Fprintln(w, it.link)
		default:
			_, err = fmt.Fprintln(w, it.text)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// check returns an error if the format is unknown.
func (f *listFormat) check(cmd *cobra.Command) error {
	if !slices.Contains(f.formats(), f.name) {
		return usageError(cmd, fmt.Errorf("unknown format %q: use %s", f.name, f.usage()))
	}
	return nil
}

func (f *listFormat) asJSON(cmd *cobra.Command) (bool, error) {
	return f.name == "json", f.check(cmd)
}
