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
	"gofer/urlcore"
)

func (p *Program) historyCommand() *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:   "history [WORD ...]",
		Short: "list visited pages, or forget them",
		Long: "history lists the visited pages, the latest first, or the ones whose URL or title contains\n" +
			"all of the words. Matches at the beginning of a word are listed first.\n\n" +
			"  text   the time of the latest visit, the URL and the title\n" +
			"  json   one JSON object a line: url, title, first, last and count",
		Example: "  gofer history phlog\n" +
			"  gofer history forget --host gopher.example.org",
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := format.asJSON(cmd)
			if err != nil {
				return err
			}
			st := p.openState(nil)
			defer st.Close()
			visits, err := st.Visits.Search(cmd.Context(), strings.Join(args, " "), math.MaxInt)
			if err != nil {
				return err
			}
			st.Warn(st.DamageError())
			return writeVisits(p.Out, visits, asJSON)
		},
	}
	format.add(cmd)
	cmd.AddCommand(p.forbidRestricted(p.forgetCommand()))
	return cmd
}

func writeVisits(out io.Writer, visits []history.Visit, asJSON bool) error {
	if asJSON {
		return writeJSON(out, visits, func(v history.Visit) any {
			return struct {
				URL   string    `json:"url"`
				Title string    `json:"title"`
				First time.Time `json:"first"`
				Last  time.Time `json:"last"`
				Count int       `json:"count"`
			}{v.URL.String(), clean.Text(v.Title), v.First.UTC(), v.Last.UTC(), v.Count}
		})
	}
	w := bufio.NewWriter(out)
	for _, v := range visits {
		fmt.Fprintln(w, visitText(&v))
	}
	return w.Flush()
}

// visitText returns the line about a visit.
func visitText(v *history.Visit) string {
	return strings.TrimRight(v.Last.Format("2006-01-02 15:04")+"  "+v.URL.String()+"  "+clean.Text(v.Title), " ")
}

func (p *Program) forgetCommand() *cobra.Command {
	var host, day string
	var all, force bool
	cmd := &cobra.Command{
		Use:   "forget URL | --host HOST | --day DATE | --all",
		Short: "remove visits from the history",
		Long: "forget removes the visits to a URL or a host, to pages last visited on a day, or all.\n" +
			"The text is overwritten in the file. Kept copies of the page or host are removed too, or\n" +
			"of all hosts if none is named. --host also unfollows the pages of the host.",
		Args: checkArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var u urlcore.URL
			if len(args) > 0 {
				var err error
				if u, err = urlcore.Guess(args[0]); err != nil {
					return err
				}
			}
			sel, err := parseSelection(u, host, day, all)
			if err != nil {
				return usageError(cmd, err)
			}
			if sel.All && !force {
				if !isTerminal(p.In) {
					return usageError(cmd, errors.New("--all asks first, but there is no terminal: use --force"))
				}
				if !confirm(p.In, p.Err, "Remove all visits from the history? (y/N) ") {
					return nil
				}
			}
			st := p.openState(nil)
			defer st.Close()
			message, err := st.Forget(cmd.Context(), sel)
			if message != "" {
				fmt.Fprintf(p.Err, "gofer: %s\n", clean.Text(message))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&host, "host", "", "all URLs of this `HOST`")
	cmd.Flags().StringVar(&day, "day", "", "pages last visited on `DATE`, such as 2026-11-21")
	cmd.Flags().BoolVar(&all, "all", false, "all visits")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask before --all")
	return cmd
}

// parseSelection returns the selection of visits that its arguments describe. Exactly one argument must be
// given.
func parseSelection(u urlcore.URL, host, day string, all bool) (history.Selection, error) {
	sel := history.Selection{URL: u, Host: host, All: all}
	if day != "" {
		var err error
		if sel.Day, err = time.ParseInLocation(time.DateOnly, day, time.Local); err != nil {
			return sel, fmt.Errorf("%q is not a date such as 2026-11-21", day)
		}
	}
	n := 0
	for _, isSet := range []bool{u != nil, host != "", day != "", all} {
		if isSet {
			n++
		}
	}
	if n != 1 {
		return sel, errors.New("forget needs exactly one of: a URL, --host, --day, --all")
	}
	return sel, nil
}
