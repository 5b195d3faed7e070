package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// mirrorOptions are the flags of gofer mirror, for both directions.
type mirrorOptions struct {
	getOptions
	remove, dryRun bool
	newer          string
	filter         mirror.Filter
}

func (p *Program) mirrorCommand() *cobra.Command {
	var o mirrorOptions
	cmd := &cobra.Command{
		Use:   "mirror [flags] URL [DIR] | DIR URL",
		Short: "update a copy of a directory with new and changed files",
		Long: "mirror makes DIR a copy of the directory at URL, or the directory at URL a copy of DIR.\n" +
			"The second argument is the copy; if it is a URL, it needs a scheme. Without DIR the copy\n" +
			"has the last name of URL. mirror fetches new files, and files with another size or date.\n" +
			"Dates are compared to the second: if a listing has only minutes, mirror asks the server.\n" +
			"A file is replaced after a complete download. Files get the dates and permissions of the\n" +
			"server, and links within the directory become links. After an interruption the same\n" +
			"command continues.\n\n" +
			"From a Gopher menu mirror saves new and changed documents, as get --recursive --continue\n" +
			"does.\n\n" +
			"mirror asks no questions. While the network fails, it retries after 1 to 30 s. Each item\n" +
			"that is not saved or not removed is listed on standard error, with a summary:\n\n" +
			"  mirror: 12 new, 3 changed, 1 removed, 20,000 unchanged; 3.4 MB in 5 s\n\n" +
			"The exit codes are the same as for gofer get.",
		Example: "  gofer mirror ftp://ftp.gnu.org/gnu/ed/\n" +
			"  gofer mirror --delete -x '*.iso' ftp://ftp.example.org/pub/ /srv/pub\n" +
			"  gofer mirror --newer-than 7d ftp://ftp.example.org/incoming/ new",
		Args: checkArgs(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := cmp.Or(o.checkMirror(), checkSides(args)); err != nil {
				return usageError(cmd, err)
			}
			o.depthGiven, o.tries = cmd.Flags().Changed("depth"), chosenTries(cmd, o.tries)
			st := p.openState(nil)
			defer st.Close()
			if len(args) == 2 && hasScheme(args[1]) {
				u, err := urlcore.Guess(args[1])
				if err != nil {
					return err
				}
				return p.mirrorUp(cmd.Context(), st, args[0], u, &o)
			}
			u, err := st.GuessArgument(pathToURL(args[0]))
			if err != nil {
				return err
			}
			o.out = p.proposeName(cmd.Context(), st, u, &o.getOptions)
			if len(args) == 2 {
				o.out = args[1]
			}
			return p.mirrorDown(cmd.Context(), st, u, args[0], &o)
		},
	}
	o.addMirror(cmd)
	p.addTrustEnd(cmd)
	return cmd
}

func hasScheme(arg string) bool { return strings.Contains(arg, "://") }

// checkSides checks that exactly one of two arguments is a URL with a scheme.
func checkSides(args []string) error {
	switch {
	case len(args) == 1 || hasScheme(args[0]) != hasScheme(args[1]):
		return nil
	case hasScheme(args[0]):
		return errors.New("both arguments are URLs: one must be a local directory")
	}
	if strings.ContainsAny(args[0]+args[1], ":~") || strings.HasPrefix(args[0], "/") || strings.HasPrefix(args[1], "/") {
		return errors.New("one argument must be an ftp:// or gopher:// URL, the other a directory")
	}
	return fmt.Errorf("one argument must be an ftp:// or gopher:// URL: gofer mirror ftp://%s %s fetches, gofer mirror %s ftp://%s stores", args[0], args[1], args[0], args[1])
}

// containsHome reports whether dir is the user's home directory or contains it.
func containsHome(dir string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	resolve := func(path string) string {
		abs, _ := filepath.Abs(path)
		real, _ := filepath.EvalSymlinks(abs)
		return cmp.Or(real, abs)
	}
	dst, err := filepath.Rel(resolve(dir), resolve(home))
	return err == nil && filepath.IsLocal(dst)
}

func (o *mirrorOptions) addMirror(cmd *cobra.Command) {
	o.consents.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.remove, "delete", false, "remove items that no longer exist on the other side")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the actions without doing them")
	add := func(include bool) func(string) error {
		return func(glob string) error { return o.filter.Add(glob, include) }
	}
	f.FuncP("exclude", "x", "leave out items that match `GLOB`; the last matching -x or -i decides", add(false))
	f.FuncP("include", "i", "only files that match `GLOB`, or exceptions to an earlier -x", add(true))
	f.StringVar(&o.newer, "newer-than", "", "only files modified since `DATE`, such as 2024-05-31, or within a duration, such as 12h or 7d")
	f.IntVar(&o.parallel, "parallel", 2, "number of parallel transfers")
	f.IntVar(&o.tries, "tries", mirror.DefaultTries, "number of attempts while the network fails and no data arrives; fewer for a file that breaks each connection")
	f.StringVar(&o.rate, "limit-rate", "", "limit the octets per second, such as `500k` or 2M")
	f.IntVar(&o.depth, "depth", download.DefaultDepth, "number of levels of directories or menus")
	f.BoolVar(&o.noParent, "no-parent", false, "only menus and documents below the selector of the URL")
	f.BoolVar(&o.noParent, "np", false, "the same as --no-parent")
	addRawNames(cmd, &o.rawNames)
	f.DurationVar(&o.wait, "wait", download.DefaultDelay, "the time between requests to a Gopher server")
}

func (o *mirrorOptions) checkMirror() (err error) {
	if o.newer != "" {
		if o.filter.ModifiedSince, err = parseSince(o.newer, time.Now()); err != nil {
			return err
		}
	}
	o.perServer, o.recursive, o.yes = o.parallel, true, true
	return o.check(nil)
}

// parseSince parses a date or a duration. For a duration it returns now minus the duration.
func parseSince(s string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	if days, err := strconv.Atoi(strings.TrimRight(s, "dw")); err == nil && days >= 0 && len(s) > 1 {
		switch s[len(s)-1] {
		case 'd':
			return now.AddDate(0, 0, -days), nil
		case 'w':
			return now.AddDate(0, 0, -7*days), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%q is neither a date such as 2024-05-31 nor a duration such as 12h or 7d", s)
}

// mirrorDown updates a local copy of a directory on a server.
func (p *Program) mirrorDown(ctx context.Context, st *app.State, u urlcore.URL, arg string, o *mirrorOptions) error {
	if protocols.KindOf(u) == protocols.Menu && (o.remove || o.dryRun || len(o.filter.Patterns) > 0 || o.newer != "") {
		return fmt.Errorf("%w\n%w", app.ErrUsage, errors.New("--delete, --dry-run, -x, -i and --newer-than work for directories, not for menus"))
	}
	if o.remove && containsHome(o.out) {
		return fmt.Errorf("%w\n%w", app.ErrUsage, fmt.Errorf("%s contains your home directory: --delete would remove its files", o.out))
	}
	o.mirror = &download.UpdateOptions{Filter: o.filter, Delete: o.remove}
	if o.dryRun {
		o.mirror.Plan = func(action string) { fmt.Fprintln(p.Out, action) }
	}
	return p.get(ctx, st, []string{arg}, &o.getOptions)
}

// updateSummary returns one line about the results of an update.
func updateSummary(s *download.Status) string {
	c, removed := &s.Changes, ""
	if s.Mirror != nil {
		removed = humanize.Comma(int64(c.Removed)) + " removed, "
	}
	return fmt.Sprintf("%s new, %s changed, %s%s unchanged; %s in %s", humanize.Comma(int64(c.New)), humanize.Comma(int64(c.Changed)),
		removed, humanize.Comma(int64(c.Unchanged)), humanize.Bytes(uint64(c.Octets)), time.Since(s.StartTime).Round(time.Second))
}
