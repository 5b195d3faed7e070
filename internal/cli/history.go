package cli

import (
	"errors"
	"fmt"
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
			if err := format.check(cmd); err != nil {
				return err
			}
			st := p.openState(nil)
			defer st.Close()
			visits, err := st.Visits.Search(cmd.Context(), strings.Join(args, " "), math.MaxInt)
			if err != nil {
				return err
			}
			st.Warn(st.DamageError())
			return writeList(p.Out, format.name, visits, func(v history.Visit) listItem { return visitItem(&v, nil) })
		},
	}
	format.add(cmd)
	cmd.AddCommand(p.forbidRestricted(p.forgetCommand()))
	return cmd
}

// visitItem returns a visit as an item of a list. The parameter line is the line that a search has found in the page, or nil.
func visitItem(v *history.Visit, line *string) listItem {
	link, title := v.URL.String(), clean.Text(v.Title)
	text := strings.TrimRight(v.Last.Format("2006-01-02 15:04")+"  "+link+"  "+title, " ")
	return listItem{link: link, text: text, object: struct {
		URL   string    `json:"url"`
		Title string    `json:"title"`
		Line  *string   `json:"line,omitempty"`
		First time.Time `json:"first"`
		Last  time.Time `json:"last"`
		Count int       `json:"count"`
	}{link, title, line, v.First.UTC(), v.Last.UTC(), v.Count}}
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
