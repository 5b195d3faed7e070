package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/keep"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile/config"
	"gofer/urlcore"
)

// fetchFlags are the flags of gofer fetch.
type fetchFlags struct {
	depth, pages    int
	maxPage         string
	wait            time.Duration
	others, verbose bool
}

func (p *Program) fetchCommand() *cobra.Command {
	o := fetchFlags{depth: 1, pages: keep.DefaultPages, maxPage: "2M", wait: keep.DefaultDelay}
	cmd := &cobra.Command{
		Use:   "fetch URL",
		Short: "keep a page and the pages around it for reading offline",
		Long: "fetch keeps copies of a page and of the pages that its links lead to, for gofer --offline and\n" +
			"for times when no network answers. It asks one page at a time, and only the server of the\n" +
			"URL. Searches, forms, logins, sessions, mail and news are left out (gofer news fetch\n" +
			"fetches news).\n\n" +
			"fetch fills at most three quarters of kept_copies (a setting, in MB). What fails, is too\n" +
			"large or beyond the limits is named or counted on standard error. The exit code is 3 if\n" +
			"the network failed, 4 if the server refused, a document was too large or a limit was\n" +
			"reached, and 4 if both are true. Without a terminal it prints errors only.",
		Example: "  gofer fetch gopher://gopher.floodgap.com/1/gopher\n" +
			"  gofer fetch --depth 2 --pages 500 gemini://geminiprotocol.net/",
		Args:              checkArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			size, err := o.check()
			if err != nil {
				return usageError(cmd, err)
			}
			st := p.openState(nil)
			defer st.Close()
			st.KeepCopies(false)
			u, err := st.GuessArgument(args[0])
			if err != nil {
				return err
			}
			c := st.Crawl()
			c.Depth, c.Pages, c.MaxPage, c.Delay, c.OtherServers = o.depth, o.pages, size, o.wait, o.others
			return p.crawl(cmd.Context(), st, c, u, o.verbose)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.depth, "depth", o.depth, "number of levels of links to follow")
	f.IntVar(&o.pages, "pages", o.pages, "the most pages to ask for")
	f.StringVar(&o.maxPage, "max-size", o.maxPage, "leave out documents with more octets, such as `500k` or 2M")
	f.DurationVar(&o.wait, "wait", o.wait, "the time between two requests")
	f.BoolVar(&o.others, "other-servers", false, "also follow links to other servers")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print a summary even if standard output is not a terminal")
	p.addTrustEnd(cmd)
	return cmd
}

// check checks the flags. It returns the limit of octets for a document.
func (o *fetchFlags) check() (size int64, err error) {
	limit, err := config.ParseOctets(o.maxPage)
	if err == nil && (o.depth < 0 || o.pages < 1 || o.wait < 0 || limit.N < 1) {
		err = errors.New("--depth and --wait must not be negative, --pages and --max-size not 0")
	}
	return limit.N, err
}

func (p *Program) crawl(ctx context.Context, st *app.State, c *keep.Crawl, u urlcore.URL, verbose bool) error {
	bar := p.progressBar("")
	c.Report = func(c *keep.Crawl, u urlcore.URL) {
		bar.drawText(fmt.Sprintf("%d pages  %s  %s", c.Kept, humanize.Bytes(uint64(c.Received)), clean.Short(u.String())))
	}
	err := st.RunCrawl(ctx, c, u)
	bar.clear()
	p.printLeftOut(err)
	if c.Kept > 0 && (verbose || isTerminal(p.Out)) {
		fmt.Fprintln(p.Out, c.Summary(""))
	}
	return err
}

// printLeftOut names the pages that were left out.
func (p *Program) printLeftOut(err error) {
	partial, _ := errors.AsType[*mirror.PartialError](err)
	if partial == nil {
		return
	}
	for _, l := range mirror.WithoutCause(partial.LeftOut, partial) {
		fmt.Fprintf(p.Err, "gofer: left out: %s\n", clean.Text(l.String()))
	}
}

func (p *Program) fetchQueueCommand() *cobra.Command {
	verbose := false
	cmd := &cobra.Command{
		Use:   "fetch-queue",
		Short: "fetch the pages to read later",
		Long: "fetch-queue keeps copies of the pages on the list about:later that are not fetched yet, also\n" +
			"of those that failed before. It asks two servers at a time. A page that is not fetched is\n" +
			"named on standard error. The exit code is 3 if a server did not answer, 4 if a page cannot be\n" +
			"kept, and the highest of these if both are true. It is 5 if another gofer is fetching them.\n" +
			"Without a terminal, as in cron jobs, it prints errors only.",
		Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st := p.openState(nil)
			defer st.Close()
			st.KeepCopies(false)
			bar := p.progressBar("")
			f := app.LaterFetch{State: st, Always: true, Report: func(u urlcore.URL, _ int64, _ error) { bar.drawText(clean.Short(u.String())) }}
			err := f.Run(cmd.Context())
			bar.clear()
			p.printLeftOut(err)
			if verbose || isTerminal(p.Out) {
				fmt.Fprintln(p.Out, f.Summary())
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print a summary even if standard output is not a terminal")
	p.addTrustEnd(cmd)
	return cmd
}
