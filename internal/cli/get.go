package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/pages/dump"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"
)

type getOptions struct {
	consents                      consentFlags
	out, dir                      string
	force, resume, recursive, yes bool
	rawNames                      bool // local names are the octets of the server
	noParent                      bool // save only menus and documents below the selector of the URL
	quiet                         bool // show no progress
	json                          bool // print the list of unsaved items in JSON
	background                    bool // let the process of gofer queue save the files
	rate, quota                   string
	parallel, depth, tries        int
	depthGiven                    bool
	perServer                     int                     // transfers from one server; 0 for the default
	mirror                        *download.UpdateOptions // set by gofer mirror
	wait                          time.Duration
	rateOctets, quotaOctets       config.Octets
}

func (p *Program) getCommand() *cobra.Command {
	var o getOptions
	var format listFormat
	cmd := &cobra.Command{
		Use:   "get [-c] [-f] [-r] [-o FILE] [-P DIR] URL...",
		Short: "save the exact octets of documents, or whole directories",
		Long: "get saves the exact octets of documents as files in this folder or in DIR. The names come\n" +
			"from the URLs, or from -o for one document. An interrupted download remains in FILE.part;\n" +
			"the same command resumes it if the server can. get does not change existing files, with\n" +
			"two exceptions: --continue completes a file that is the beginning of the document, and\n" +
			"--force replaces a file after a complete download. Files get the dates that the server\n" +
			"reports.\n\n" +
			"Only a file that your gofer has begun is resumed. With --continue, a file of another\n" +
			"program such as wget is first compared with the whole document.\n\n" +
			"With --recursive get saves a directory with its contents, or a Gopher menu and the menus\n" +
			"linked from it on the same server. It first shows the number of files and asks. --no-parent\n" +
			"(or --np) limits it to selectors below the selector of the URL. A menu becomes a\n" +
			"directory with its title as the name. A file gophermap in it links to the saved\n" +
			"files, so that a Gopher server can serve them. .gofer-mirror.json records the sources\n" +
			"and sizes of the files: with --continue a later get adds new files, and fetches a file\n" +
			"again if its size has changed here, or if a Gopher+ server tells another date or size\n" +
			"than when it was saved. Links to directories are not followed.\n" +
			"\n" +
			"Each item that is not saved is listed on standard error, and the exit code is\n" +
			"4, or 3 if the network failed for all of them, or 5 if this machine failed. --format json\n" +
			"prints the list on standard output, one JSON object a line:\n\n" +
			"  url      the URL of the item, without a password; omitted if the item has none\n" +
			"  path     its path below the directory\n" +
			"  reason   a fixed phrase: \"not found\", \"connection lost\"; \"left out\" for all others\n" +
			"  error    a sentence, with the text of the server\n" +
			"  exit     the exit code for this item alone\n\n" +
			"The exit code for several URLs is the code of the worst error.\n\n" +
			"With --background get ends at once, and the files are saved by a process without a terminal\n" +
			"(gofer queue). It goes on after a logout. The list of downloads on the screen\n" +
			"(" + downloadsPage() + ") shows it, and also what has failed. Exit code 0 means that this process\n" +
			"has taken all of the downloads.",
		Args:              checkArgs(cobra.MinimumNArgs(1)),
		ValidArgsFunction: p.completeURLs,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.json, err = format.asJSON(cmd); err != nil {
				return err
			}
			o.depthGiven = cmd.Flags().Changed("depth")
			if err := o.check(args); err != nil {
				return usageError(cmd, err)
			}
			o.tries = chosenTries(cmd, o.tries)
			st := p.openState(nil)
			defer st.Close()
			if o.background {
				return p.getInBackground(cmd, st, args, &o)
			}
			if o.out == "-" {
				return p.dump(cmd.Context(), st, args[0], dumpOptions{format: dump.Raw, consents: o.consents})
			}
			return p.get(cmd.Context(), st, args, &o)
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&o.background, "background", false, "let a process without a terminal save the files, and end at once")
	p.addTrustEnd(cmd)
	format.addAs(cmd, "", "with -r, the list of items that are not saved: text or json")
	return cmd
}

// addTrustEnd adds the flag --trust-end.
func (p *Program) addTrustEnd(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.TrustEnd, "trust-end", false, "accept answers by TLS whose end the server does not mark")
}

// chosenTries returns the value of the flag --tries, or 0 if the user has not chosen one.
func chosenTries(cmd *cobra.Command, tries int) int {
	if !cmd.Flags().Changed("tries") {
		return 0
	}
	return tries
}

func (o *getOptions) add(cmd *cobra.Command) {
	o.consents.add(cmd)
	f := cmd.Flags()
	f.BoolVarP(&o.force, "force", "f", false, "overwrite existing files and unfinished downloads")
	f.BoolVarP(&o.resume, "continue", "c", false, "continue unfinished files, skip complete files")
	f.BoolVarP(&o.recursive, "recursive", "r", false, "save a directory with its contents, or a menu and the menus linked from it")
	f.StringVarP(&o.out, "output", "o", "", "the name of the saved `FILE` or directory; - is standard output")
	f.StringVarP(&o.dir, "directory-prefix", "P", "", "save in `DIR`")
	f.IntVarP(&o.parallel, "parallel", "n", download.DefaultParallel, "number of parallel transfers, at most 2 from one server")
	f.StringVar(&o.quota, "quota", "", "with -r, limit in octets for a tree that has files of unknown size (default 4G)")
	o.addTree(cmd, "with -r, ")
	addRawNames(cmd, &o.rawNames)
	_ = cmd.MarkFlagFilename("output")
	_ = cmd.MarkFlagDirname("directory-prefix")
}

func (o *getOptions) check(urls []string) (err error) {
	if o.rateOctets, err = config.ParseOctets(o.rate); err != nil {
		return err
	}
	if o.quotaOctets, err = config.ParseOctets(o.quota); err != nil {
		return err
	}
	switch {
	case o.out != "" && len(urls) > 1:
		return errors.New("-o names one file: use -P for several URLs")
	case o.json && !o.recursive:
		return errors.New("--format json needs --recursive")
	case o.out == "-" && o.recursive:
		return errors.New("-o - takes only documents: leave out -r")
	case o.parallel < 1:
		return errors.New("--parallel must be at least 1")
	case o.depth < 1:
		return errors.New("--depth must be at least 1")
	case o.tries < 1:
		return errors.New("--tries must be at least 1")
	case o.wait < 0:
		return errors.New("--wait must be a duration such as 500ms")
	}
	return nil
}

// request returns the request to save u. The parameter name is the name of the file without -o.
func (o *getOptions) request(u urlcore.URL, name string) download.Request {
	r := download.Request{URL: u, Path: o.out, Overwrite: o.force, Continue: o.resume, Tree: o.recursive, NoParent: o.noParent}
	if r.Mirror = o.mirror; r.Mirror != nil {
		r.Continue = true // menus are updated with Continue, not with Mirror
	} else if r.Tree {
		switch kind := protocols.KindOf(u); kind {
		case protocols.Directory, protocols.Menu, protocols.Binary, protocols.Other:
		default:
			r.Tree = false // with -r, some of several URLs may be documents
		}
	}
	r.CountOnly = r.Tree && !o.yes
	r.Path = cmp.Or(r.Path, name)
	if !filepath.IsAbs(r.Path) {
		r.Path = filepath.Join(o.dir, r.Path)
	}
	return r
}

func (p *Program) get(ctx context.Context, st *app.State, args []string, o *getOptions) error {
	if o.dir != "" {
		if err := os.MkdirAll(o.dir, 0o777); err != nil {
			return protocols.LocalError("create "+o.dir, err)
		}
	}
	server := st.Fetchers(app.Way{Use: app.Transfer, Retry: o.consents.retry})
	m := o.newManager()
	m.Fetcher, m.RecordFolder, m.ReadingOf = server, st.Dirs.DownloadRecords(), st.ReadingOf
	defer m.Close()
	items, requests, worst := p.queueDownloads(ctx, st, m, args, o)
	var outputErr error
	defer context.AfterFunc(ctx, func() {
		for _, item := range items {
			item.Pause()
		}
	})()
	bar := p.watchDownloads(m, o.quiet)
	defer bar.close()
	for i, item := range items {
		var s download.Status
		err := p.withForm(ctx, requests[i].URL, st.ReadingOf, func(u urlcore.URL) (err error) {
			if r := requests[i]; u != r.URL {
				item.Cancel()
				item.Wait() // waits until the unfinished file is removed
				r.URL = u
				item, _ = m.Add(r)
				defer context.AfterFunc(ctx, item.Pause)()
			}
			s, err = p.awaitDownload(ctx, item, bar)
			return err
		})
		name := clean.Text(s.Path)
		if errors.Is(err, download.ErrCanceled) {
			continue // the user answered no
		}
		bar.pause(func() {
			if err == nil || hasType[*mirror.PartialError](err) {
				outputErr = errors.Join(outputErr, p.printSaved(name, &s, o.json))
			}
			if err != nil {
				worst = p.recordError(worst, name, len(args), withHint(err, &s, o))
			}
			if s.Tree && s.TotalFiles > 0 && ctx.Err() != nil {
				advice := "repeat the command to continue"
				if o.mirror == nil && !o.resume {
					advice = "use --continue to save the rest"
				}
				fmt.Fprintf(p.Err, "%s: %s of %s saved; %s\n", name, humanize.Comma(int64(s.Files)), english.Plural(s.TotalFiles, "file", ""), advice)
			}
		})
	}
	return cmp.Or(worst, outputErr)
}

// queueDownloads adds a download to m for each URL in args. It returns the new downloads with their requests, and
// the worst of the errors in args.
func (p *Program) queueDownloads(ctx context.Context, st *app.State, m *download.Manager, args []string, o *getOptions) (items []*download.Item, requests []download.Request, worst error) {
	usedPaths := make(map[string]bool) // a second document with the same name gets a number
	for _, arg := range args {
		u, err := st.GuessArgument(pathToURL(arg))
		if err != nil {
			worst = p.recordError(worst, arg, len(args), err)
			continue
		}
		if protocols.IsOnlyPage(u) {
			worst = p.recordError(worst, arg, len(args), fmt.Errorf("%w; gofer dump prints it", protocols.ErrNoOctets))
			continue
		}
		r := o.request(u, p.proposeName(ctx, st, u, o))
		for i, name := 1, filepath.Base(r.Path); o.out == "" && usedPaths[r.Path]; i++ {
			r.Path = filepath.Join(filepath.Dir(r.Path), download.NumberedName(name, i))
		}
		usedPaths[r.Path] = true
		if o.background {
			if r, err = backgroundRequest(r); err != nil {
				worst = p.recordError(worst, arg, len(args), withHint(err, &download.Status{}, o))
				continue
			}
		}
		switch item, added := m.Add(r); {
		case added:
			items, requests = append(items, item), append(requests, r)
		case o.background:
			fmt.Fprintf(p.Err, "%s: another gofer is saving it already\n", clean.Text(r.Path))
		}
	}
	return items, requests, worst
}

func (p *Program) printSaved(name string, s *download.Status, asJSON bool) error {
	text := name + ": " + humanize.Bytes(uint64(s.Received))
	switch {
	case s.Mirror != nil && s.Mirror.Plan != nil:
		text = "dry run: " + updateSummary(s) + "; nothing was changed"
	case s.Mirror != nil:
		text = "mirror: " + updateSummary(s)
	case s.Tree && s.Continue:
		text = name + ": " + updateSummary(s)
	}
	fmt.Fprintf(p.Err, "%s%s\n", text, formatNotes(s))
	if asJSON {
		return writeLeftOut(p.Out, s)
	}
	verb := "not saved"
	if s.Mirror != nil {
		verb = "left out"
	}
	for _, left := range s.LeftOut {
		fmt.Fprintf(p.Err, "  %s: %s\n", verb, clean.Text(left.String()))
	}
	return nil
}

func withHint(err error, s *download.Status, o *getOptions) error {
	exists := errors.Is(err, download.ErrExists) || errors.Is(err, download.ErrUnfinished)
	if protocols.ReasonOf(err) == protocols.EndUnmarked {
		err = fmt.Errorf("%w; --trust-end accepts it", err)
	}
	switch {
	case exists && s.Mirror != nil: // gofer mirror does not have the flag --force
		return err
	case errors.Is(err, download.ErrExists) && s.Tree && o.resume:
		return fmt.Errorf("%w; use gofer mirror to replace changed files", err)
	case errors.Is(err, download.ErrExists) && s.Tree:
		return fmt.Errorf("%w; --continue completes it, --force overwrites its files, gofer mirror updates it", err)
	case exists:
		return fmt.Errorf("%w; --force overwrites it", err)
	case s.Tree && protocols.ReasonOf(err) == protocols.TooBig:
		return fmt.Errorf("%w; --depth, --no-parent and --quota set the limits", err)
	case s.Tree && errors.Is(err, download.ErrNoTree):
		return fmt.Errorf("%w; use gofer get without --recursive for a file", err)
	case !s.Tree && errors.Is(err, protocols.ErrNoOctets):
		return fmt.Errorf("%w; get -r saves it with its contents, gofer dump prints it", err)
	case s.Received > 0 && !s.Tree && s.Part != "" && !o.resume:
		return fmt.Errorf("%w; the first %d octets are kept in %s", err, s.Received, s.Part)
	}
	return err
}

// recordError returns the worse of the errors worst and err, for the exit code. It prints err if total, the number
// of arguments, is not 1.
func (p *Program) recordError(worst error, name string, total int, err error) error {
	if total == 1 {
		return err
	}
	fmt.Fprintf(p.Err, "gofer: %s: %s\n", clean.Text(name), errorLine(err))
	if worst == nil || exitCode(err) > exitCode(worst) {
		return reportedError{err}
	}
	return worst
}

// reportedError wraps an error that has been printed.
type reportedError struct{ error }

func (e reportedError) Unwrap() error { return e.error }

// awaitDownload waits for a download. It asks for a login and, before a directory is saved, for consent.
func (p *Program) awaitDownload(ctx context.Context, item *download.Item, bar *progressWatcher) (s download.Status, err error) {
	first := true
	err = p.withLogin(ctx, func() error {
		if !first {
			item.Resume()
		}
		first = false
		s = item.Wait()
		if s.State == download.Counted {
			agreed := false
			bar.pause(func() { agreed, err = p.confirmTree(saveQuestion(&s)) })
			if err != nil {
				return err
			}
			if !agreed {
				item.Cancel()
				s = item.Wait()
				return download.ErrCanceled
			}
			item.Resume()
			s = item.Wait()
		}
		if ctx.Err() != nil && s.State != download.Saved {
			return context.Cause(ctx)
		}
		if s.State == download.Paused && s.Err == nil { // because another download has filled the disk
			return download.ErrPaused
		}
		return s.Err
	})
	return s, err
}

func saveQuestion(s *download.Status) string {
	question := "Save " + s.Extent() + ", to " + clean.Name(s.Path) + formatNotes(s)
	if n := len(s.LeftOut); n > 0 {
		question += "\n  " + english.Plural(n, "item", "") + " cannot be saved"
	}
	return question
}

// confirmTree asks whether to fetch a tree.
func (p *Program) confirmTree(question string) (bool, error) {
	if !p.canAsk() {
		return false, fmt.Errorf("%w\n%s? There is no terminal: use --yes", app.ErrUsage, question)
	}
	return confirm(p.In, p.Err, question+"? (y/N) "), nil
}
