package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/download"
	"gofer/internal/mirror"
	"gofer/internal/pages/dump"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

type getOptions struct {
	given                         consents
	out, folder                   string
	force, resume, recursive, yes bool
	noParent                      bool // save no items above the URL
	quiet                         bool // no progress is drawn
	json                          bool // print the items that -r leaves out as JSON
	rate, quota                   string
	parallel, depth, tries        int
	depthGiven                    bool
	oneServer                     int              // transfers of one server; 0: the default
	mirror                        *download.Mirror // of gofer mirror, or nil
	wait                          time.Duration
	rateOctets, quotaOctets       int64
}

func (p *Program) getCommand() *cobra.Command {
	var o getOptions
	var format listFormat
	cmd := &cobra.Command{
		Use:   "get [-c] [-f] [-r] [-o FILE] [-P DIR] URL...",
		Short: "save the exact octets of documents, or whole directories",
		Long: "get fetches documents and saves their exact octets as files in this folder, or in DIR,\n" +
			"named after the URLs unless -o names the one. What came of a transfer that breaks off\n" +
			"is kept in FILE.part, with FILE.part.info beside it; the same get goes on with it where\n" +
			"the server can. No file that is there is touched, but with --continue one that is the\n" +
			"beginning of the document gets the rest, and with --force it is replaced when all has\n" +
			"come. Files keep the dates that the server tells.\n\n" +
			"With --recursive get saves all that is in a directory, or what a Gopher menu lists and\n" +
			"the menus that it leads to on its server, after a question with their number. With\n" +
			"--no-parent (or --np) it keeps to the selectors below that of the URL. A menu becomes a\n" +
			"directory with its title as the name. A file gophermap in it links to what has been\n" +
			"saved, so that a Gopher server can serve it again. .gofer-mirror.json records the sources\n" +
			"and sizes of the files: with --continue a later get adds what is new, and fetches a file\n" +
			"again if its size has changed. Links to directories are not followed.\n" +
			"Each item that is not saved is listed on standard error, and the exit code is\n" +
			"4, or 3 if the network failed for all of them, or 5 if this machine failed. --format json\n" +
			"prints the list on standard output, one JSON object a line:\n\n" +
			"  url      the URL of the item, without a password; omitted if the item has none\n" +
			"  path     its path below the directory\n" +
			"  reason   a fixed phrase: \"not found\", \"connection lost\"; \"left out\" for all others\n" +
			"  error    a sentence, with the text of the server\n" +
			"  exit     the exit code for this item alone\n\n" +
			"The exit code is that of the worst error.",
		Args:              usage(cobra.MinimumNArgs(1)),
		ValidArgsFunction: p.completeURLs,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.json, err = format.asJSON(cmd); err != nil {
				return err
			}
			o.depthGiven = cmd.Flags().Changed("depth")
			if err := o.check(args); err != nil {
				return misuse(cmd, err)
			}
			st := p.open(nil)
			defer st.close()
			st.given = o.given
			if o.out == "-" {
				return p.dump(cmd.Context(), st, args[0], dump.Raw, charset.Auto)
			}
			return p.get(cmd.Context(), st, args, &o)
		},
	}
	o.add(cmd)
	format.addAs(cmd, "", "with -r, the list of items that are not saved: text or json")
	return cmd
}

func (o *getOptions) add(cmd *cobra.Command) {
	o.given.add(cmd)
	f := cmd.Flags()
	f.BoolVarP(&o.force, "force", "f", false, "overwrite files, and what an unfinished transfer has left")
	f.BoolVarP(&o.resume, "continue", "c", false, "go on with files that are there, and leave out those that are whole")
	f.BoolVarP(&o.recursive, "recursive", "r", false, "save all that is in a directory, or a menu and the menus that it leads to")
	f.BoolVar(&o.noParent, "no-parent", false, "with -r, only the menus and documents below that of the URL")
	f.BoolVar(&o.noParent, "np", false, "the same as --no-parent")
	f.BoolVarP(&o.yes, "yes", "y", false, "save all of a directory without a question")
	f.StringVarP(&o.out, "output", "o", "", "the `FILE` or directory to save it as; - is standard output")
	f.StringVarP(&o.folder, "directory-prefix", "P", "", "the `DIR` to save in")
	f.StringVar(&o.rate, "limit-rate", "", "at most so many octets a second, as `500k` or 2M")
	f.IntVarP(&o.parallel, "parallel", "n", download.DefaultParallel, "how many transfers at a time, of one server at most 2")
	f.IntVar(&o.depth, "depth", download.DefaultDepth, "with -r, how many levels of directories or menus; if it is given, deeper menus are only counted")
	f.IntVar(&o.tries, "tries", mirror.DefaultTries, "how often to try again while the network fails and nothing comes")
	f.StringVar(&o.quota, "quota", "", "with -r, how much of unknown size at most (default 4G)")
	f.DurationVar(&o.wait, "wait", download.DefaultDelay, "with -r, the time between requests to a Gopher server")
	_ = cmd.MarkFlagFilename("output")
	_ = cmd.MarkFlagDirname("directory-prefix")
}

func (o *getOptions) check(urls []string) (err error) {
	if o.rateOctets, err = octets(o.rate); err != nil {
		return err
	}
	if o.quotaOctets, err = octets(o.quota); err != nil {
		return err
	}
	switch {
	case o.out != "" && len(urls) > 1:
		return errors.New("-o names one file: -P names the folder of several")
	case o.json && !o.recursive:
		return errors.New("--format json needs --recursive")
	case o.out == "-" && o.recursive:
		return errors.New("a directory cannot be written to standard output")
	case o.parallel < 1 || o.depth < 1:
		return errors.New("--parallel and --depth are at least 1")
	case o.tries < 1:
		return errors.New("--tries is at least 1")
	case o.wait < 0:
		return errors.New("--wait is a time, like 500ms")
	}
	return nil
}

// octets reads a number like "500k" as curl and wget do; "" is 0.
func octets(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := humanize.ParseBytes(strings.TrimSuffix(strings.ToUpper(s), "B") + "iB")
	if strings.Trim(s, "0123456789.") == "" {
		n, err = humanize.ParseBytes(s)
	}
	if err != nil || n == 0 || n > 1<<62 {
		return 0, fmt.Errorf("%q is no number of octets: one is written like 500k or 2M", s)
	}
	return int64(n), nil
}

func (o *getOptions) request(u urlcore.URL) download.Request {
	r := download.Request{URL: u, Path: o.out, Overwrite: o.force, Continue: o.resume, Tree: o.recursive, NoParent: o.noParent}
	if r.Mirror = o.mirror; r.Mirror != nil {
		r.Continue = true // menus
	} else if r.Tree {
		switch kind := protocols.KindOf(u); kind {
		case protocols.Directory, protocols.Menu, protocols.Binary, protocols.Other:
		default:
			r.Tree = false // of a list of URLs some may be files
		}
	}
	r.Count = r.Tree && !o.yes
	r.Path = cmp.Or(r.Path, download.FileName(u))
	if !filepath.IsAbs(r.Path) {
		r.Path = filepath.Join(o.folder, r.Path)
	}
	return r
}

func (p *Program) get(ctx context.Context, st *state, args []string, o *getOptions) error {
	if o.folder != "" {
		if err := os.MkdirAll(o.folder, 0o777); err != nil {
			return protocols.LocalError("create "+o.folder, err)
		}
	}
	m := &download.Manager{Fetcher: st.fetcher(), Parallel: o.parallel, Rate: o.rateOctets, Depth: o.depth, DepthGiven: o.depthGiven, Quota: o.quotaOctets, Delay: max(o.wait, 1), Tries: o.tries, OneServer: o.oneServer}
	defer m.Close()
	items, requests, worst := p.queue(st, m, args, o)
	var written error
	defer context.AfterFunc(ctx, func() {
		for _, item := range items {
			item.Pause()
		}
	})()
	bar := p.watch(m, o.quiet)
	defer bar.end()
	for i, item := range items {
		var s download.Status
		err := p.withForm(ctx, requests[i].URL, st.readingOf, func(u urlcore.URL) (err error) {
			if r := requests[i]; u != r.URL {
				item.Cancel()
				item.Wait() // until its unfinished file is removed
				r.URL = u
				item, _ = m.Add(r)
				defer context.AfterFunc(ctx, item.Pause)()
			}
			s, err = p.await(ctx, item, bar)
			return err
		})
		name := clean.Text(s.Path)
		if errors.Is(err, download.ErrCancelled) {
			continue // the answer was no
		}
		bar.pause(func() {
			if err == nil || is[*mirror.PartialError](err) {
				written = errors.Join(written, p.tellSaved(name, &s, o.json))
			}
			if err != nil {
				worst = p.recordError(worst, name, len(args), withHint(err, &s, o))
			}
			if s.Tree && s.Last > 0 && ctx.Err() != nil {
				again := "the same command continues"
				if o.mirror == nil && !o.resume {
					again = "--continue saves the rest"
				}
				fmt.Fprintf(p.Err, "%s: %s of %s saved; %s\n", name, humanize.Comma(int64(s.Files)), english.Plural(s.Last, "file", ""), again)
			}
		})
	}
	return cmp.Or(worst, written)
}

// queue adds what args name to m. The error is the worst one of an argument.
func (p *Program) queue(st *state, m *download.Manager, args []string, o *getOptions) (items []*download.Item, requests []download.Request, worst error) {
	taken := make(map[string]bool) // of two documents of one name the second gets a number
	for _, arg := range args {
		u, err := st.guessArgument(argument(arg))
		if err != nil {
			worst = p.recordError(worst, arg, len(args), err)
			continue
		}
		r := o.request(u)
		for i, name := 1, filepath.Base(r.Path); o.out == "" && taken[r.Path]; i++ {
			r.Path = filepath.Join(filepath.Dir(r.Path), download.Numbered(name, i))
		}
		taken[r.Path] = true
		if item, added := m.Add(r); added {
			items, requests = append(items, item), append(requests, r)
		}
	}
	return items, requests, worst
}

func (p *Program) tellSaved(name string, s *download.Status, asJSON bool) error {
	text := name + ": " + humanize.Bytes(uint64(s.Done))
	switch {
	case s.Mirror != nil && s.Mirror.Plan != nil:
		text = "dry run: " + summary(s) + "; nothing was changed"
	case s.Mirror != nil:
		text = "mirror: " + summary(s)
	case s.Tree && s.Continue:
		text = name + ": " + summary(s)
	}
	fmt.Fprintf(p.Err, "%s%s\n", text, notes(s))
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
	taken := errors.Is(err, download.ErrExists) || errors.Is(err, download.ErrUnfinished)
	switch {
	case taken && s.Mirror != nil: // mirror has no --force
		return err
	case errors.Is(err, download.ErrExists) && s.Tree && o.resume:
		return fmt.Errorf("%w; gofer mirror replaces what has changed", err)
	case errors.Is(err, download.ErrExists) && s.Tree:
		return fmt.Errorf("%w; --continue goes on with it, --force overwrites what is in it, gofer mirror updates it", err)
	case taken:
		return fmt.Errorf("%w; --force overwrites it", err)
	case s.Tree && protocols.ReasonOf(err) == protocols.TooBig:
		return fmt.Errorf("%w; --depth, --no-parent and --quota set the limits", err)
	case s.Tree && errors.Is(err, download.ErrNoTree):
		return fmt.Errorf("%w; gofer get saves a file", err)
	case s.Done > 0 && !s.Tree && !o.resume:
		return fmt.Errorf("%w; the first %d octets are kept in %s.part", err, s.Done, s.Path)
	}
	return err
}

// recordError prints an error of several URLs and returns the one for the exit code.
func (p *Program) recordError(worst error, name string, of int, err error) error {
	if of == 1 {
		return err
	}
	fmt.Fprintf(p.Err, "gofer: %s: %s\n", clean.Text(name), line(err))
	if worst == nil || exitCode(err) > exitCode(worst) {
		return reportedError{err}
	}
	return worst
}

// reportedError is an error that was printed.
type reportedError struct{ error }

func (e reportedError) Unwrap() error { return e.error }

// await waits for a download and asks its questions.
func (p *Program) await(ctx context.Context, item *download.Item, bar *watcher) (s download.Status, err error) {
	first := true
	err = p.withLogin(ctx, func() error {
		if !first {
			item.Resume()
		}
		first = false
		s = item.Wait()
		if s.State == download.Counted {
			agreed := false
			bar.pause(func() { agreed, err = p.agreesTree(&s) })
			if err != nil {
				return err
			}
			if !agreed {
				item.Cancel()
				s = item.Wait()
				return download.ErrCancelled
			}
			item.Resume()
			s = item.Wait()
		}
		if ctx.Err() != nil && s.State != download.Saved {
			return context.Cause(ctx)
		}
		if s.State == download.Paused && s.Err == nil { // for the disk, which another one has filled
			return download.ErrPaused
		}
		return s.Err
	})
	return s, err
}

func (p *Program) agreesTree(s *download.Status) (bool, error) {
	question := "Save " + s.Extent() + ", to " + clean.Name(s.Path) + notes(s)
	if n := len(s.LeftOut); n > 0 {
		question += "\n  " + english.Plural(n, "item", "") + " cannot be saved"
	}
	if !p.canAsk() {
		return false, fmt.Errorf("%w\n%s? There is no terminal to ask on: --yes agrees", errUsage, question)
	}
	return confirm(p.In, p.Err, question+"? (y/N) "), nil
}
