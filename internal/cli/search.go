package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

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
			return writeFoundTexts(p.Out, found, format.name)
		},
	}
	format.add(cmd)
	return cmd
}

func writeFoundTexts(out io.Writer, found []history.FoundText, format string) error {
	if format == "json" {
		return writeJSON(out, found, func(f history.FoundText) any {
			return struct {
				URL   string    `json:"url"`
				Title string    `json:"title"`
				Line  string    `json:"line"`
				First time.Time `json:"first"`
				Last  time.Time `json:"last"`
				Count int       `json:"count"`
			}{f.URL.String(), clean.Text(f.Title), clean.Text(f.Line), f.First.UTC(), f.Last.UTC(), f.Count}
		})
	}
	w := bufio.NewWriter(out)
	for _, f := range found {
		if format == "links" {
			fmt.Fprintln(w, f.URL)
			continue
		}
		fmt.Fprintln(w, visitText(&f.Visit))
		if f.Line != "" {
			fmt.Fprintln(w, "    "+clean.Text(f.Line))
		}
	}
	return w.Flush()
}
