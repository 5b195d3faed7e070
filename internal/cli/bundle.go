package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/collect"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// bundleOptions are the flags of gofer bundle.
type bundleOptions struct {
	getOptions
	all, thread, login bool
	items              int
	time               time.Duration
}

func (p *Program) bundleCommand() *cobra.Command {
	var o bundleOptions
	cmd := &cobra.Command{
		Use:   "bundle [-f] -o FILE.zip URL...",
		Short: "save pages and what is below them in one zip archive, to read without a network",
		Long: "bundle saves pages in one zip archive, a bundle. The command gofer FILE.zip opens it: links\n" +
			"between the saved pages work, and other links lead to the network after a question.\n" +
			"Other programs find the exact octets of the servers in it, and an index.html. The format\n" +
			"is in gofer help bundle.\n\n" +
			"  a menu or a directory   with all that is below it, as get -r saves it\n" +
			"  a newsgroup             its unread articles; with --all all that the server lists\n" +
			"  an article              alone; with --thread the articles of its thread in its group\n" +
			"  about:bookmarks/FOLDER  the bookmarked pages, without what is below them\n" +
			"  any other URL           the document\n\n" +
			"bundle asks before it fetches what is below a menu or directory. Pages that need a login are\n" +
			"left out without --login. Passwords are never in a bundle; what a server sends after a login\n" +
			"is.\n\n" +
			"Each item that is left out, also at a limit (--depth, --quota, --max-items, --time), is listed\n" +
			"on standard error, in the index and in the map. The exit codes are the same as for gofer get:\n" +
			"4 if an item was left out. After an interruption there is no bundle.",
		Example: "  gofer bundle gopher://gopher.floodgap.com/1/gopher -o floodgap.zip --depth 2\n" +
			"  gofer bundle news:comp.lang.go about:bookmarks/train -o train.zip",
		Args:              checkArgs(cobra.MinimumNArgs(1)),
		ValidArgsFunction: p.completeURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.parallel, o.depthGiven = download.DefaultParallel, cmd.Flags().Changed("depth")
			if err := o.checkBundle(args); err != nil {
				return usageError(cmd, err)
			}
			o.tries = chosenTries(cmd, o.tries)
			st := p.openState(nil)
			defer st.Close()
			return p.bundle(cmd.Context(), st, args, &o)
		},
	}
	o.addBundle(cmd)
	return cmd
}

func (o *bundleOptions) addBundle(cmd *cobra.Command) {
	o.consents.add(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "the name of the `FILE`")
	f.BoolVarP(&o.force, "force", "f", false, "replace an existing file")
	f.BoolVar(&o.all, "all", false, "of a newsgroup also the read articles")
	f.BoolVar(&o.thread, "thread", false, "of an article also the other articles of its thread")
	f.BoolVar(&o.login, "login", false, "also save pages that need a login, with the passwords of URLs, ~/.netrc and the settings")
	f.StringVar(&o.quota, "quota", "", "limit of the octets (default 4G)")
	f.IntVar(&o.items, "max-items", 0, "limit of the number of items (default 100,000)")
	f.DurationVar(&o.time, "time", 0, "leave out what is not fetched after this time, such as `10m`")
	o.addTree(cmd, "")
	_ = cmd.MarkFlagFilename("output", "zip")
}

func (o *bundleOptions) checkBundle(args []string) error {
	switch {
	case o.out == "":
		return errors.New("bundle needs the name of the file: -o FILE.zip")
	case o.out == "-":
		return errors.New("a bundle is a file: -o FILE.zip")
	case o.items < 0:
		return errors.New("--max-items must be at least 1")
	case o.time < 0:
		return errors.New("--time must be a duration such as 10m")
	}
	out := o.out
	defer func() { o.out = out }()
	o.out = "" // several URLs may be in one bundle
	return o.check(args)
}

func (p *Program) bundle(ctx context.Context, st *app.State, args []string, o *bundleOptions) error {
	urls, err := guessArguments(st, args)
	if err != nil {
		return err
	}
	m, r := o.newManager(), o.request(urls)
	bar := p.watchDownloads(m, o.quiet)
	if !o.yes {
		r.Agree = func(s *download.Status) (agreed bool, err error) {
			bar.pause(func() {
				agreed, err = p.confirmTree("Fetch " + s.Extent() + ", for " + clean.Name(o.out) + formatNotes(s))
			})
			return agreed, err
		}
	}
	result, err := st.SaveBundle(ctx, m, o.retry(st), r)
	bar.close()
	if errors.Is(err, collect.ErrRefused) {
		return nil // the user answered no
	}
	if err != nil {
		return bundleHint(err)
	}
	p.printBundle(&result)
	return result.Err
}

// guessArguments returns the URLs that the arguments name.
func guessArguments(st *app.State, args []string) (urls []urlcore.URL, err error) {
	for _, arg := range args {
		u, err := st.GuessArgument(pathToURL(arg))
		if err != nil {
			return nil, err
		}
		urls = append(urls, u)
	}
	return urls, nil
}

func (o *bundleOptions) request(urls []urlcore.URL) collect.Request {
	r := collect.Request{
		URLs: urls, Path: o.out, Overwrite: o.force,
		Options: collect.Options{NoParent: o.noParent, All: o.all, Thread: o.thread, Login: o.login, Quota: o.quotaOctets.N, MaxItems: o.items},
	}
	if o.time > 0 {
		r.Until = time.Now().Add(o.time)
	}
	return r
}

// retry returns the function that answers questions of servers: by flags, and with --login also by stored logins.
func (o *bundleOptions) retry(st *app.State) app.Retry {
	if !o.login {
		return o.consents.retry
	}
	stored := app.StoredLogins{State: st}.Retry
	return func(ctx context.Context, attempt func() error) error {
		return stored(ctx, func() error { return o.consents.retry(ctx, attempt) })
	}
}

// printBundle prints what was saved, and each item that was left out.
func (p *Program) printBundle(r *collect.Result) {
	fmt.Fprintf(p.Err, "%s: %s, %s\n", clean.Text(r.Path), english.Plural(r.Saved, "page", ""), humanize.Bytes(uint64(r.Octets)))
	partial, _ := errors.AsType[*mirror.PartialError](r.Err)
	if partial == nil {
		return
	}
	for _, left := range partial.LeftOut {
		fmt.Fprintf(p.Err, "  left out: %s\n", clean.Text(left.String()))
	}
	if partial.Unnamed > 0 {
		fmt.Fprintf(p.Err, "  left out: %s more\n", humanize.Comma(int64(partial.Unnamed)))
	}
}

func bundleHint(err error) error {
	switch {
	case errors.Is(err, download.ErrExists):
		return fmt.Errorf("%w; --force replaces it", err)
	case protocols.ReasonOf(err) == protocols.TooBig:
		return fmt.Errorf("%w; --depth, --no-parent and --quota set the limits", err)
	}
	return err
}
