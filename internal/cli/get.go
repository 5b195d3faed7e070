package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"gofer/internal/clean"
	"gofer/internal/download"
	"gofer/internal/dump"
	"gofer/urlcore"
)

func (p *Program) getCommand() *cobra.Command {
	var out string
	var force bool
	var given consents
	cmd := &cobra.Command{
		Use:   "get [-f] [-o FILE] URL",
		Short: "save the exact octets of a document",
		Long: "get fetches a document and saves its exact octets as a file in this folder, named\n" +
			"after the URL unless -o names it. What came of a transfer that breaks off is kept in\n" +
			"FILE.part. Neither FILE nor FILE.part is touched when it is there already, but with\n" +
			"--force FILE.part is begun again, and FILE replaced when all has come.",
		Args:              usage(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.open(nil)
			defer st.close()
			st.given = given
			if out == "-" {
				return p.dump(cmd.Context(), st, args[0], dump.Raw, clean.Auto)
			}
			return p.get(cmd.Context(), st, args[0], out, force)
		},
	}
	given.add(cmd)
	cmd.Flags().BoolVarP(&force, "force", "f", false, "overwrite the file, and what an unfinished transfer has left")
	cmd.Flags().StringVarP(&out, "output", "o", "", "the `FILE` to save it as; - is standard output")
	_ = cmd.MarkFlagFilename("output")
	return cmd
}

func (p *Program) get(ctx context.Context, st *state, arg, out string, force bool) error {
	u, err := st.guess(arg)
	if err != nil {
		return err
	}
	if out == "" {
		out = download.FileName(u)
	}
	bar := p.progressBar(clean.Text(out))
	save := download.Save
	if force {
		save = download.Overwrite
	}
	var n int64
	err = p.withLogin(ctx, func() (err error) {
		n, err = save(ctx, st.fetcher(), u, out, bar.show)
		return err
	})
	bar.end()
	if errors.Is(err, download.ErrExists) || errors.Is(err, download.ErrUnfinished) {
		return fmt.Errorf("%w; --force overwrites it", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Err, "%s: %s\n", clean.Text(out), humanize.Bytes(uint64(n)))
	return nil
}

// download saves u in the folder for downloads under a name that is free.
func (st *state) download(ctx context.Context, u urlcore.URL, report func(name string, done, size int64)) (string, int64, error) {
	path := download.Unique(filepath.Join(st.config.Downloads, download.FileName(u)))
	n, err := download.Save(ctx, st.fetchers, u, path, func(done, size int64) {
		report(filepath.Base(path), done, size)
	})
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path, n, err
}
