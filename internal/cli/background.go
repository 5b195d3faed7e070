package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gofer/internal/app"
	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/urlcore"
)

// backgroundFlags returns the flags that get accepts with --background. The others are about the output of get, or are
// not in the list of downloads, and the process of gofer queue would lose them.
func backgroundFlags() map[string]bool {
	return map[string]bool{
		"background": true, "output": true, "directory-prefix": true, "force": true, "continue": true, "recursive": true, "yes": true, "no-parent": true,
		"np": true, "limit-rate": true, "trust-end": true, "restrict": true,
	}
}

// checkBackground returns an error if a flag of cmd cannot be used together with --background.
func checkBackground(cmd *cobra.Command, o *getOptions) error {
	var err error
	accepted := backgroundFlags()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !accepted[f.Name] {
			err = cmp.Or(err, fmt.Errorf("--%s cannot be used with --background", f.Name))
		}
	})
	switch {
	case err != nil:
		return err
	case o.out == "-":
		return errors.New("--background saves files: -o - cannot be used with it")
	case o.recursive && !o.yes:
		return errors.New("--background cannot ask whether to save the directory: use --yes")
	}
	return nil
}

// backgroundRequest returns r for a process that has another current folder. It returns an error if the URL has a
// password, which is not handed over, or if the file exists, as far as this is known now.
func backgroundRequest(r download.Request) (_ download.Request, err error) {
	if urlcore.Redact(r.URL) != r.URL {
		return r, errors.Join(app.ErrUsage, errors.New("--background keeps no passwords: leave the password out of the URL, and write it to ~/.netrc"))
	}
	if r.Path, err = filepath.Abs(r.Path); err != nil {
		return r, protocols.LocalError("save "+r.Path, err)
	}
	if _, err := os.Lstat(r.Path); err == nil && !r.Overwrite && !r.Continue {
		return r, protocols.LocalError("save "+r.Path, fmt.Errorf("it exists; %w", download.ErrExists))
	}
	if info, err := os.Stat(filepath.Dir(r.Path)); err != nil {
		return r, protocols.LocalError("save "+r.Path, err)
	} else if !info.IsDir() {
		return r, protocols.LocalError("save "+r.Path, fmt.Errorf("%s is not a directory", filepath.Dir(r.Path)))
	}
	return r, nil
}

// getInBackground hands the downloads of the URLs in args over to the process of gofer queue.
func (p *Program) getInBackground(cmd *cobra.Command, st *app.State, args []string, o *getOptions) error {
	if err := checkBackground(cmd, o); err != nil {
		return usageError(cmd, err)
	}
	if o.dir != "" {
		if err := os.MkdirAll(o.dir, 0o777); err != nil {
			return protocols.LocalError("create "+o.dir, err)
		}
	}
	m := &download.Manager{ListFolder: st.Dirs.DownloadLists(), RecordFolder: st.Dirs.DownloadRecords(), Rate: st.Config.Downloads.LimitRate.N, Holds: true}
	if o.rate != "" {
		m.SetRate(o.rateOctets.N)
	}
	m.Recover()
	items, _, worst := p.queueDownloads(cmd.Context(), st, m, args, o)
	taken := make(map[*download.Item]bool)
	for _, item := range items {
		taken[item] = true
	}
	for _, item := range m.Items() {
		if s := item.Status(); s.SavedBy != download.ThisRun && taken[item] {
			fmt.Fprintf(p.Err, "%s: resumed by the gofer that has it\n", clean.Text(cmp.Or(s.Path, s.Name())))
			delete(taken, item)
		}
	}
	by := ""
	if q := m.RunningQueue(); q != nil {
		by = " by " + q.Name() + ", which is running already and saves " + english.Plural(q.Downloads, "download", "")
	}
	n, err := st.HandOver(m)
	switch {
	case err != nil:
		return protocols.LocalError("start gofer queue", err)
	case n < len(taken):
		return errors.New("not all downloads were handed over")
	}
	for _, item := range items {
		if s := item.Status(); taken[item] {
			fmt.Fprintf(p.Err, "%s: is being saved in the background%s; %s shows it\n", clean.Text(s.Path), by, downloadsPage())
		}
	}
	return worst
}

// downloadsPage returns the URL of the page with the downloads.
func downloadsPage() string { return about.Page(about.ListOf(about.Downloads).Name).String() }
