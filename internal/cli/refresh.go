package cli

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/pages/followed"
	"gofer/internal/text/clean"
)

// refreshFlags are the flags of gofer refresh.
type refreshFlags struct{ verbose, due bool }

func (p *Program) refreshCommand() *cobra.Command {
	var f refreshFlags
	cmd := &cobra.Command{
		Use:   "refresh [URL...]",
		Short: "look for new entries of the followed pages",
		Long: "refresh reads the followed pages, or the ones with the URLs, and keeps their new entries for\n" +
			"gofer new and about:new. At most two servers are asked at a time, each for at most 100 pages.\n" +
			"A document that has not changed is not sent again.\n\n" +
			"A page that cannot be read is printed with its reason, and does not keep others from being\n" +
			"read. The exit code is then 3 if the network failed, or 4 if a server did, or 5. Questions\n" +
			"are not asked; logins come from netrc or password_command. While another gofer reads the\n" +
			"followed pages, refresh waits.",
		Example: "  gofer refresh\n" +
			"  0 * * * *  gofer refresh --due   # in a crontab",
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.openState(nil)
			defer st.Close()
			st.KeepCopies(false) // they know where pages that were read have moved from
			return p.refresh(cmd.Context(), st, args, f)
		},
	}
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print what was found even if standard output is not a terminal")
	cmd.Flags().BoolVar(&f.due, "due", false, "leave out servers that were asked in the last 15 minutes, and pages that failed for longer")
	return cmd
}

// refresh reads the followed pages that the arguments name, or all.
func (p *Program) refresh(ctx context.Context, st *app.State, args []string, f refreshFlags) error {
	only, err := p.followedArguments(ctx, st, args)
	if err != nil {
		return err
	}
	verbose, code := f.verbose || isTerminal(p.Out), exitOK
	o := followed.Options{Asked: !f.due, Only: only, Report: func(r followed.Result) {
		if r.Err != nil {
			code = max(code, leftOutExitCode(r.Err))
		}
		p.reportRefresh(&r, verbose)
	}}
	summary, err := st.Refresh(ctx, o, func() { fmt.Fprintln(p.Err, "gofer: waiting for another gofer that reads the followed pages") })
	if err != nil {
		return err
	}
	if verbose {
		fmt.Fprintln(p.Out, refreshText(summary))
	}
	if code != exitOK {
		return codeError(code)
	}
	return nil
}

// reportRefresh prints the failure of a page, and if verbose is set, what is new.
func (p *Program) reportRefresh(r *followed.Result, verbose bool) {
	u := clean.Text(r.Source.URL.String())
	switch {
	case r.Err != nil:
		fmt.Fprintf(p.Err, "gofer: %s: %s\n", u, clean.Text(r.Source.Failure))
	case verbose && r.Fresh > 0:
		fmt.Fprintf(p.Out, "%5d new  %s\n", r.Fresh, u)
	}
	if verbose && r.Note != "" {
		fmt.Fprintf(p.Err, "gofer: note: %s: %s\n", u, clean.Text(r.Note))
	}
}

// refreshText describes the result of a refresh.
func refreshText(s followed.Summary) string {
	text := english.Plural(s.Read, "page", "") + " read, " + english.Plural(s.Fresh, "new entry", "new entries")
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	if s.Later > 0 {
		text += fmt.Sprintf(", %d left for later", s.Later)
	}
	return text
}
