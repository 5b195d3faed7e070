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

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/internal/upload"
	"gofer/protocols"
	"gofer/urlcore"
)

// connections is the default number of connections that store a directory.
const connections = 2

// mirrorUp updates the copy of a local directory on a server.
func (p *Program) mirrorUp(ctx context.Context, st *state, dir string, u urlcore.URL, o *mirrorOptions) error {
	t, err := newTree(dir, u)
	if err != nil {
		return err
	}
	t.Update, t.Delete, t.DryRun, t.Filter = true, o.remove, o.dryRun, o.filter
	t.Parallel, t.Retry.Tries = cmp.Or(o.parallel, connections), o.tries
	if t.DryRun {
		t.Print = func(action string) { fmt.Fprintln(p.Out, clean.Text(action)) }
	}
	return p.storeTree(ctx, st, t, o.given, o.quiet, nil)
}

// newTree returns the storing of a directory under u.
func newTree(dir string, u urlcore.URL) (*upload.Tree, error) {
	to, ok := u.(urlcore.FTP)
	if !ok {
		return nil, protocols.NewError(protocols.Unsupported, "store "+clean.Text(dir), "directories are stored on FTP servers only")
	}
	to.Type, to.Path = 'd', strings.TrimRight(to.Path, "/")
	return &upload.Tree{Dir: dir, URL: to, Parallel: connections}, nil
}

// storeTree stores a directory if agreed, which may be nil, returns true for the question.
func (p *Program) storeTree(ctx context.Context, st *state, t *upload.Tree, given consents, quiet bool, agreed func(question string) (bool, error)) error {
	if st.Config.ReadOnly && !t.DryRun {
		return errReadOnly
	}
	name, begun := clean.Text(t.Dir), time.Now()
	bar := p.progressBar(name)
	if !quiet {
		t.Report = func(p upload.Progress) {
			if now := time.Now(); p.Waiting != "" || bar.w != io.Discard && now.Sub(bar.drawn) >= barPause {
				bar.showFiles(p.Done, p.Size, float64(p.Done)/max(now.Sub(begun).Seconds(), 0.001), p.Waiting, fileCount(p.Files, p.Of))
			}
		}
	}
	t.Server = p.server(st, given, true)
	defer t.Close()
	if err := p.withLogin(ctx, func() error { return t.Plan(ctx) }); err != nil {
		bar.end()
		return err
	}
	bar.end()
	if agreed != nil {
		if ok, err := agreed(treeQuestion(t)); !ok || err != nil {
			return err
		}
	}
	err := p.withLogin(ctx, func() error { return t.Run(ctx) })
	bar.end()
	result := "nothing was changed; the server may still refuse some of it"
	if !t.DryRun {
		result = treeSummary(t, time.Since(begun))
	}
	fmt.Fprintf(p.Err, "%s: %s\n", name, result)
	for _, remark := range t.Remarks() {
		fmt.Fprintln(p.Err, "  "+remark)
	}
	for _, left := range mirror.Named(t.LeftOut(), err) {
		fmt.Fprintf(p.Err, "  left out: %s\n", clean.Text(left.String()))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// treeQuestion says what would be stored.
func treeQuestion(t *upload.Tree) string {
	extent := t.Progress()
	text := fmt.Sprintf("%s -> %s\n", clean.Name(t.Dir), clean.Text(urlcore.Redact(t.URL).String()))
	for _, left := range t.LeftOut() {
		text += "  left out: " + clean.Text(left.String()) + "\n"
	}
	return text + "Send " + extent.Extent(humanize.Bytes(uint64(extent.Size))) + " and make " +
		english.Plural(t.Missing(), "directory", "directories") + "? (y/N) "
}

func treeSummary(t *upload.Tree, took time.Duration) string {
	done := t.Progress()
	parts := []string{english.Plural(done.Files, "file", "") + " sent (" + humanize.Bytes(uint64(done.Done)) + ")"}
	for _, part := range []struct {
		n                int
		one, many, after string
	}{
		{done.Unchanged, "file", "", "unchanged"},
		{done.Made, "directory", "directories", "made"},
		{done.Removed, "item", "", "removed"},
		{done.Modes, "mode", "", "changed"},
	} {
		if part.n > 0 {
			parts = append(parts, english.Plural(part.n, part.one, part.many)+" "+part.after)
		}
	}
	if n := len(t.LeftOut()); n > 0 {
		parts = append(parts, english.Plural(n, "item", "")+" left out")
	}
	return strings.Join(parts, ", ") + fmt.Sprintf(" in %.1f s", took.Seconds())
}
