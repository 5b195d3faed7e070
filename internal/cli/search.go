package cli

import (
	"errors"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"gofer/history"
	"gofer/internal/text/clean"
)

func (p *Program) searchCommand() *cobra.Command {
	format := listFormat{more: "links"}
	cmd := &cobra.Command{
		Use:   "search WORD ...",
		Short: "search in the text of the pages that were read",
		Long: "search lists the pages whose text has all of the words, the best match first. The last word\n" +
			"may be the beginning of a longer one. Words in \"double quotes\" follow each other, and -word\n" +
			"leaves out the pages with it. The text of pages is remembered if the setting remember_text\n" +
			"is true. If no page is found, the exit status is 1.\n\n" +
			"  text   the time of the latest visit, the URL and the title; then the line with the words\n" +
			"  json   one JSON object a line: url, title, line, first, last and count\n" +
			"  links  one URL a line",
		Example: "  gofer search gopher holes\n" +
			"  gofer search -- '\"gopher holes\"' -windows",
		Args: checkArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := format.check(cmd); err != nil {
				return err
			}
			st := p.openState(nil)
			defer st.Close()
			found, err := st.Visits.SearchText(cmd.Context(), strings.Join(args, " "), math.MaxInt32)
			if err != nil {
				return err
			}
			st.Warn(st.DamageError())
			if len(found) == 0 {
				if on := st.Config.RememberText; on == nil || !*on {
					st.Warn(errors.New("the text of pages is not remembered: the setting remember_text turns it on"))
				}
				return errNothingFound
			}
			return writeList(p.Out, format.name, found, foundItem)
		},
	}
	format.add(cmd)
	return cmd
}

// foundItem returns a found page as an item of a list, with the line that has the words.
func foundItem(f history.FoundText) listItem {
	line := clean.Text(f.Line)
	it := visitItem(&f.Visit, &line)
	if line != "" {
		it.text += "\n    " + line
	}
	return it
}
