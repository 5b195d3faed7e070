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

	"gofer/internal/download"
	"gofer/internal/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// mirrorOptions are the flags of gofer mirror, downwards and upwards.
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
		Short: "update a copy of a directory with what is new or changed",
		Long: "mirror makes DIR a copy of the directory at URL, or the directory at URL a copy of DIR,\n" +
			"whichever comes last; URL then has its scheme. DIR is the last name of URL if left out.\n" +
			"A file is fetched if it is new, or if its size or its date differ, the date to the second:\n" +
			"where a listing has minutes only, the server is asked. A file is replaced when all of the\n" +
			"new one has come. Files get the dates and the permissions of the server, and links within\n" +
			"the directory become links. After an interruption the same command goes on.\n\n" +
			"Of a Gopher menu mirror saves what is new, as get --recursive --continue does.\n\n" +
			"mirror asks no question. While the network fails, it tries again, after 1 to 30 s. Each\n" +
			"item that is not saved or not removed is listed on standard error, with a summary:\n\n" +
			"  mirror: 12 new, 3 changed, 1 removed, 20,000 same; 3.4 MB in 5 s\n\n" +
			"The exit code is that of gofer get.",
		Example: "  gofer mirror ftp://ftp.gnu.org/gnu/ed/\n" +
			"  gofer mirror --delete -x '*.iso' ftp://ftp.example.org/pub/ /srv/pub\n" +
			"  gofer mirror --newer-than 7d ftp://ftp.example.org/incoming/ new",
		Args: usage(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := cmp.Or(o.checkMirror(), checkSides(args)); err != nil {
				return misuse(cmd, err)
			}
			o.depthGiven = cmd.Flags().Changed("depth")
			st := p.open(nil)
			defer st.close()
			st.given = o.given
			if len(args) == 2 && hasScheme(args[1]) {
				u, err := urlcore.Guess(args[1])
				if err != nil {
					return err
				}
				return p.mirrorUp(cmd.Context(), st, args[0], u, &o)
			}
			u, err := st.guessArgument(argument(args[0]))
			if err != nil {
				return err
			}
			o.out = download.FileName(u)
			if len(args) == 2 {
				o.out = args[1]
			}
			return p.mirrorDown(cmd.Context(), st, u, args[0], &o)
		},
	}
	o.addMirror(cmd)
	return cmd
}

func hasScheme(arg string) bool { return strings.Contains(arg, "://") }

// checkSides returns an error unless exactly one of two arguments is a URL with a scheme. Without a
// scheme it could be either.
func checkSides(args []string) error {
	switch {
	case len(args) == 1 || hasScheme(args[0]) != hasScheme(args[1]):
		return nil
	case hasScheme(args[0]):
		return errors.New("both are URLs: mirror has one, and a directory of this machine")
	}
	return fmt.Errorf("write the URL with its scheme: gofer mirror ftp://%s %s fetches, gofer mirror %s ftp://%s stores", args[0], args[1], args[0], args[1])
}

// holdsHome reports whether the home directory of the user is dir, or in it.
func holdsHome(dir string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	in := func(path string) string {
		whole, _ := filepath.Abs(path)
		at, _ := filepath.EvalSymlinks(whole)
		return cmp.Or(at, whole)
	}
	to, err := filepath.Rel(in(dir), in(home))
	return err == nil && filepath.IsLocal(to)
}

func (o *mirrorOptions) addMirror(cmd *cobra.Command) {
	o.given.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.remove, "delete", false, "remove what is no longer at the other side")
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would be done, and do nothing")
	add := func(include bool) func(string) error {
		return func(glob string) error { return o.filter.Add(glob, include) }
	}
	f.FuncP("exclude", "x", "leave out what matches `GLOB`; of -x and -i the last one that matches decides", add(false))
	f.FuncP("include", "i", "take only files that match `GLOB`, or those in spite of an earlier -x", add(true))
	f.StringVar(&o.newer, "newer-than", "", "take only files that were modified since `DATE`, as 2024-05-31, or within a time, as 12h or 7d")
	f.IntVar(&o.parallel, "parallel", 2, "how many transfers at a time")
	f.IntVar(&o.tries, "tries", mirror.DefaultTries, "how often to try again while the network fails and nothing comes; fewer times at one file that breaks each connection")
	f.StringVar(&o.rate, "limit-rate", "", "at most so many octets a second, as `500k` or 2M")
	f.IntVar(&o.depth, "depth", download.DefaultDepth, "how many levels of directories or menus")
	f.BoolVar(&o.noParent, "no-parent", false, "only the menus and documents below that of the URL")
	f.BoolVar(&o.noParent, "np", false, "the same as --no-parent")
	f.DurationVar(&o.wait, "wait", download.DefaultDelay, "the time between requests to a Gopher server")
}

func (o *mirrorOptions) checkMirror() (err error) {
	if o.newer != "" {
		if o.filter.Newer, err = since(o.newer, time.Now()); err != nil {
			return err
		}
	}
	o.oneServer, o.recursive, o.yes = o.parallel, true, true
	return o.check(nil)
}

// since reads a date, or a time before now.
func since(s string, now time.Time) (time.Time, error) {
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
	return time.Time{}, fmt.Errorf("%q is no date like 2024-05-31, and no time like 12h or 7d", s)
}

// mirrorDown updates the local copy of a directory.
func (p *Program) mirrorDown(ctx context.Context, st *state, u urlcore.URL, arg string, o *mirrorOptions) error {
	if protocols.KindOf(u) == protocols.Menu && (o.remove || o.dryRun || len(o.filter.Patterns) > 0 || o.newer != "") {
		return fmt.Errorf("%w\n%w", errUsage, errors.New("menus are mirrored whole: --delete, --dry-run, -x, -i and --newer-than are for directories"))
	}
	if o.remove && holdsHome(o.out) {
		return fmt.Errorf("%w\n%w", errUsage, fmt.Errorf("%s has your home directory: --delete would remove what is in it", o.out))
	}
	o.mirror = &download.Mirror{Filter: o.filter, Delete: o.remove}
	if o.dryRun {
		o.mirror.Plan = func(action string) { fmt.Fprintln(p.Out, action) }
	}
	return p.get(ctx, st, []string{arg}, &o.getOptions)
}

// summary returns the results of an update in a line.
func summary(s *download.Status) string {
	c, removed := &s.Changes, ""
	if s.Mirror != nil {
		removed = humanize.Comma(int64(c.Removed)) + " removed, "
	}
	return fmt.Sprintf("%s new, %s changed, %s%s same; %s in %s", humanize.Comma(int64(c.New)), humanize.Comma(int64(c.Changed)),
		removed, humanize.Comma(int64(c.Same)), humanize.Bytes(uint64(c.Octets)), time.Since(s.Begun).Round(time.Second))
}
