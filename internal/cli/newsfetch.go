package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/usenet/compose"
	"gofer/urlcore"
)

func (p *Program) newsCommand() *cobra.Command {
	var flags browseFlags
	cmd := &cobra.Command{
		Use: "news", Short: "read the subscribed newsgroups, also offline", Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.browse(cmd.Context(), "about:news", nil, flags) },
	}
	flags.add(cmd)
	cmd.AddCommand(p.forbidRestricted(p.newsFetchCommand()), p.forbidRestricted(&cobra.Command{
		Use: "post", Short: "send articles that were posted offline", Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st := p.openState(nil)
			defer st.Close()
			if err := st.CheckPost(); err != nil {
				return err
			}
			report := func(d compose.SavedDraft, err error) {
				if err == nil && isTerminal(p.Out) {
					fmt.Fprintf(p.Out, "posted %s\n", clean.Text(d.Subject))
				}
			}
			return p.withLogin(cmd.Context(), func() error { return st.SendPosts(cmd.Context(), st.QueuedDrafts, report) })
		},
	}))
	return cmd
}

func (p *Program) newsFetchCommand() *cobra.Command {
	verbose := false
	cmd := &cobra.Command{
		Use:   "fetch [GROUP...]",
		Short: "fetch unread articles for reading offline",
		Long: "fetch stores the unread articles of your subscribed groups on all of your servers, or of\n" +
			"the GROUPs, for gofer --offline and for times when a server does not answer. Killed\n" +
			"articles are left out. An interrupted fetch continues the next time.\n\n" +
			"fetch fills at most three quarters of kept_copies (a setting, in MB). If a group does not\n" +
			"fit, its oldest articles are left out, and the exit code is 4. Without a terminal, as in\n" +
			"cron jobs, it prints errors only.",
		Args: checkArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.openState(nil)
			defer st.Close()
			st.KeepCopies(false)
			return p.fetchNews(cmd.Context(), st, args, verbose)
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print a summary even if standard output is not a terminal")
	return cmd
}

// fetchNews fetches the unread articles of the groups that the arguments name, or of all subscribed groups.
func (p *Program) fetchNews(ctx context.Context, st *app.State, args []string, verbose bool) error {
	var groups []urlcore.URL
	for _, arg := range args {
		if !strings.ContainsAny(arg, ":/ ") {
			arg = "news:" + arg
		}
		u, err := st.GuessArgument(arg)
		if err != nil {
			return err
		}
		groups = append(groups, u)
	}
	bar := p.progressBar("")
	f := app.NewsFetcher{State: st, Retry: p.withLogin, Report: bar.drawText}
	err := f.Fetch(ctx, groups...)
	bar.clear()
	for _, note := range f.Notes {
		fmt.Fprintf(p.Err, "gofer: note: %s\n", noteText(note))
	}
	if (err == nil || f.Groups > 0) && (verbose || isTerminal(p.Out)) {
		fmt.Fprintln(p.Out, f.Summary())
	}
	return err
}
