package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/history"
	"gofer/internal/text/clean"
	"gofer/urlcore"
)

func (p *Program) historyCommand() *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:   "history [WORD ...]",
		Short: "list the pages visited, or forget them",
		Long: "history lists the pages visited, the latest first, or those whose URL or title holds\n" +
			"all of the words: first those where words begin with them.\n\n" +
			"  text   the time of the latest visit, the URL and the title\n" +
			"  json   one JSON object a line: url, title, first, last and count",
		Example: "  gofer history phlog\n" +
			"  gofer history forget --host gopher.example.org",
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := format.asJSON(cmd)
			if err != nil {
				return err
			}
			st := p.open(nil)
			defer st.close()
			visits, err := st.Visits.Search(cmd.Context(), strings.Join(args, " "), math.MaxInt)
			if err != nil {
				return err
			}
			st.warn(st.damage())
			return writeVisits(p.Out, visits, asJSON)
		},
	}
	format.add(cmd)
	cmd.AddCommand(p.unrestricted(p.forgetCommand()))
	return cmd
}

func writeVisits(to io.Writer, visits []history.Visit, asJSON bool) error {
	if asJSON {
		return writeJSON(to, visits, func(v history.Visit) any {
			return struct {
				URL   string    `json:"url"`
				Title string    `json:"title"`
				First time.Time `json:"first"`
				Last  time.Time `json:"last"`
				Count int       `json:"count"`
			}{v.URL.String(), clean.Text(v.Title), v.First.UTC(), v.Last.UTC(), v.Count}
		})
	}
	w := bufio.NewWriter(to)
	for _, v := range visits {
		fmt.Fprintln(w, strings.TrimRight(v.Last.Format("2006-01-02 15:04")+"  "+v.URL.String()+"  "+clean.Text(v.Title), " "))
	}
	return w.Flush()
}

func (p *Program) forgetCommand() *cobra.Command {
	var host, day string
	var all, force bool
	cmd := &cobra.Command{
		Use:   "forget URL | --host HOST | --day DATE | --all",
		Short: "remove visits from the history",
		Long: "forget removes the visits to a URL or a host, those whose latest was on a day, or all.\n" +
			"Their text is overwritten in the file. The articles kept of the host go too, or of all\n" +
			"hosts where none is named.",
		Args: usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var u urlcore.URL
			if len(args) > 0 {
				var err error
				if u, err = urlcore.Guess(args[0]); err != nil {
					return err
				}
			}
			sel, err := selected(u, host, day, all)
			if err != nil {
				return misuse(cmd, err)
			}
			if sel.All && !force {
				if !isTerminal(p.In) {
					return misuse(cmd, errors.New("--all asks first; without a terminal to ask on it needs --force"))
				}
				if !confirm(p.In, p.Err, "Remove all visits from the history? (y/N) ") {
					return nil
				}
			}
			st := p.open(nil)
			defer st.close()
			message, err := st.forget(cmd.Context(), sel)
			if message != "" {
				fmt.Fprintf(p.Err, "gofer: %s\n", clean.Text(message))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&host, "host", "", "all URLs of this `HOST`")
	cmd.Flags().StringVar(&day, "day", "", "the visits of this `DATE`, written like 2026-11-21")
	cmd.Flags().BoolVar(&all, "all", false, "all visits")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask before --all")
	return cmd
}

// selected returns the selection of the flags. Without a URL exactly one flag must be given.
func selected(u urlcore.URL, host, day string, all bool) (history.Selection, error) {
	sel := history.Selection{URL: u, Host: host, All: all}
	if day != "" {
		var err error
		if sel.Day, err = time.ParseInLocation(time.DateOnly, day, time.Local); err != nil {
			return sel, fmt.Errorf("%q is no day: one is written like 2026-11-21", day)
		}
	}
	n := 0
	for _, given := range []bool{u != nil, host != "", day != "", all} {
		if given {
			n++
		}
	}
	if n != 1 {
		return sel, errors.New("what to forget is one of: a URL, --host, --day, --all")
	}
	return sel, nil
}

func (st *state) forget(ctx context.Context, sel history.Selection) (message string, err error) {
	n, err := st.Visits.Forget(ctx, sel)
	if n == 0 && err != nil {
		return "", err
	}
	copies, failed := st.forgetCopies(sel)
	err = errors.Join(err, failed)
	message = "nothing to forget: no such visit"
	if n > 0 || copies > 0 {
		message = "forgot " + english.Plural(n, "page", "")
	}
	if copies > 0 {
		message += " and what was kept of the news"
	}
	if kept := st.Visits.DamagedFiles(); len(kept) > 0 {
		message += "; damaged histories are kept: " + strings.Join(kept, ", ")
	}
	return message, err
}

// forgetCopies removes the copies of the selected host, for a day all, and counts them.
func (st *state) forgetCopies(sel history.Selection) (int, error) {
	host := sel.Host
	switch u := sel.URL.(type) {
	case nil:
	case urlcore.News, urlcore.NNTP:
		host = urlcore.Host(u)
	default:
		return 0, nil
	}
	return st.Copies.Clear(st.Dirs.Copies(), host)
}
