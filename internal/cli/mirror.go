package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/download"
	"gofer/internal/mirror"
	"gofer/urlcore"
)

// mirrorOptions are the flags of gofer mirror, downwards and upwards.
type mirrorOptions struct {
	getOptions
	remove, dryRun bool
	filter         mirror.Filter
}

func (p *Program) mirrorCommand() *cobra.Command {
	var o mirrorOptions
	cmd := &cobra.Command{
		Use:   "mirror [flags] URL [DIR]\n  gofer mirror [flags] DIR URL",
		Short: "update a copy of a directory: what is new or changed",
		Args:  usage(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.open(nil)
			defer st.close()
			st.given = o.given
			if len(args) == 2 && isDirectory(args[0], args[1]) {
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
			dir := download.FileName(u)
			if len(args) == 2 {
				dir = args[1]
			}
			return p.mirrorDown(cmd.Context(), st, u, dir, &o)
		},
	}
	o.addMirror(cmd)
	return cmd
}

// isDirectory reports whether the first one of two arguments of gofer mirror is the directory, and
// the second one the URL.
func isDirectory(first, second string) bool {
	const mark = "://"
	if strings.Contains(first, mark) || strings.Contains(second, mark) {
		return !strings.Contains(first, mark)
	}
	info, err := os.Stat(first)
	return err == nil && info.IsDir()
}

func (o *mirrorOptions) addMirror(cmd *cobra.Command) {
	o.given.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.remove, "delete", false, "remove what is no longer at the other side")
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would be done, and do nothing")
	f.VarP(&globs{&o.filter, false}, "exclude", "x", "leave out what matches `GLOB`; of -x and -i the last one that matches decides")
	f.VarP(&globs{&o.filter, true}, "include", "i", "take only what matches `GLOB`, or in spite of an earlier -x")
}

// globs is the value of the flags -x and -i, which share a list: their order counts.
type globs struct {
	filter  *mirror.Filter
	include bool
}

func (g *globs) Set(glob string) error { return g.filter.Add(glob, g.include) }
func (*globs) String() string          { return "" }
func (*globs) Type() string            { return "GLOB" }

func (p *Program) mirrorDown(ctx context.Context, st *state, u urlcore.URL, dir string, o *mirrorOptions) error {
	o.recursive, o.resume, o.yes, o.out = true, true, true, dir
	return p.get(ctx, st, []string{u.String()}, &o.getOptions)
}
