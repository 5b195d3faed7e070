package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/urlcore"
)

// defaultConnections is the default number of connections for storing a directory.
const defaultConnections = 2

// mirrorUp makes the directory u on a server a copy of the local directory dir.
func (p *Program) mirrorUp(ctx context.Context, st *app.State, dir string, u urlcore.URL, o *mirrorOptions) error {
	t, err := newTree(dir, u)
	if err != nil {
		return err
	}
	t.Names = serverNames(st, u, o.rawNames)
	t.Update, t.Delete, t.DryRun, t.Filter = true, o.remove, o.dryRun, o.filter
	t.Parallel, t.Retry.Tries = cmp.Or(o.parallel, defaultConnections), o.tries
	if t.DryRun {
		t.Print = func(action string) { fmt.Fprintln(p.Out, clean.Text(action)) }
	}
	return p.storeTree(ctx, st, t, o.consents, o.quiet, nil)
}

// useCopy says what to do in place of an upload to a directory of this machine.
const useCopy = "to copy to a directory of this machine, use cp, or F5 with two pages side by side (gofer LEFT RIGHT --panes)"

// newTree returns an [upload.Tree] that stores the local directory dir as the directory u.
func newTree(dir string, u urlcore.URL) (*upload.Tree, error) {
	dst, ok := u.(urlcore.FTP)
	if !ok {
		return nil, protocols.NewError(protocols.Unsupported, "store "+clean.Text(dir), "only FTP and SFTP servers can; "+useCopy)
	}
	dst.Type, dst.Path = 'd', strings.TrimRight(dst.Path, "/")
	return &upload.Tree{Dir: dir, URL: dst, Parallel: defaultConnections}, nil
}

// storeTree stores a directory. If ask is not nil, storeTree calls it with a question and stores the directory
// only if ask returns true.
func (p *Program) storeTree(ctx context.Context, st *app.State, t *upload.Tree, consents consentFlags, quiet bool, ask func(question string) (bool, error)) error {
	if st.Config.ReadOnly && !t.DryRun {
		return app.ErrReadOnly
	}
	name, start := clean.Text(t.Dir), time.Now()
	bar := p.progressBar(name)
	if !quiet {
		t.Report = func(p upload.Progress) {
			if now := time.Now(); p.Waiting != "" || bar.out != io.Discard && now.Sub(bar.lastDrawn) >= drawInterval {
				bar.showFiles(p.Done, p.Size, float64(p.Done)/max(now.Sub(start).Seconds(), 0.001), p.Waiting, fileCount(p.Files, p.TotalFiles))
			}
		}
	}
	t.Server = st.Fetchers(app.Way{Use: app.Transfer, Retry: p.answer(consents, true)})
	defer t.Close()
	if err := p.withLogin(ctx, func() error { return t.Plan(ctx) }); err != nil {
		bar.clear()
		return err
	}
	bar.clear()
	if ask != nil {
		if ok, err := ask(treeQuestion(t)); !ok || err != nil {
			return err
		}
	}
	err := p.withLogin(ctx, func() error { return t.Run(ctx) })
	bar.clear()
	result := "nothing was changed; the server may still refuse changes"
	if !t.DryRun {
		result = treeSummary(t, time.Since(start))
	}
	fmt.Fprintf(p.Err, "%s: %s\n", name, result)
	for _, note := range t.Remarks() {
		fmt.Fprintln(p.Err, "  "+note)
	}
	for _, left := range mirror.WithoutCause(t.LeftOut(), err) {
		fmt.Fprintf(p.Err, "  left out: %s\n", clean.Text(left.String()))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// treeQuestion returns the question before a directory is stored.
func treeQuestion(t *upload.Tree) string {
	extent := t.Progress()
	text := fmt.Sprintf("%s -> %s\n", clean.Name(t.Dir), clean.Text(urlcore.Redact(t.URL).String()))
	for _, left := range t.LeftOut() {
		text += "  left out: " + clean.Text(left.String()) + "\n"
	}
	return text + "Upload " + extent.Extent(humanize.Bytes(uint64(extent.Size))) + " and create " +
		english.Plural(t.MissingDirs(), "directory", "directories") + "? (y/N) "
}

func treeSummary(t *upload.Tree, took time.Duration) string {
	done := t.Progress()
	parts := []string{english.Plural(done.Files, "file", "") + " sent (" + humanize.Bytes(uint64(done.Done)) + ")"}
	for _, part := range []struct {
		n               int
		one, many, verb string
	}{
		{done.Unchanged, "file", "", "unchanged"},
		{done.MadeDirs, "directory", "directories", "created"},
		{done.Removed, "item", "", "removed"},
		{done.ChangedModes, "mode", "", "changed"},
	} {
		if part.n > 0 {
			parts = append(parts, english.Plural(part.n, part.one, part.many)+" "+part.verb)
		}
	}
	if n := len(t.LeftOut()); n > 0 {
		parts = append(parts, english.Plural(n, "item", "")+" left out")
	}
	return strings.Join(parts, ", ") + fmt.Sprintf(" in %.1f s", took.Seconds())
}
