package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/internal/transfer/upload"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) putCommand() *cobra.Command {
	var o putOptions
	cmd := &cobra.Command{
		Use:   "put [-c] [-f] [-r] [-y] FILE... URL",
		Short: "store files and directories on a server",
		Long: "put stores a file at a URL on an FTP server. If the URL ends in a slash, put stores files\n" +
			"in that directory under their own names. FILE - is standard input. put asks before it sends\n" +
			"files, and before it replaces existing files; without a terminal use --yes and --force. After\n" +
			"an interruption an incomplete file remains on the server; --continue appends the rest.\n" +
			"Files keep their dates if the server supports it.\n\n" +
			"With --recursive put stores directories with their contents and modes. It first shows the\n" +
			"number of files and asks. It retries while the network fails. put leaves out existing\n" +
			"files, but --continue completes a file that is the beginning of the local file, and --force\n" +
			"replaces it; gofer mirror DIR URL replaces changed files. A symbolic link to a\n" +
			"file in the directory is stored as a copy, because FTP has no links; other links and\n" +
			"devices are left out. Each item that is left out is listed on standard error, and the\n" +
			"exit code is not 0.",
		Args: checkArgs(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.openState(nil)
			defer st.Close()
			files, trees, err := planUploads(args[:len(args)-1], args[len(args)-1], o.recursive)
			if err != nil {
				return err
			}
			o.tries = chosenTries(cmd, o.tries)
			if err := p.putTrees(cmd.Context(), st, trees, o); err != nil || len(files) == 0 {
				p.printNotSent(files)
				return err
			}
			return p.put(cmd.Context(), st, files, o)
		},
	}
	o.consents.add(cmd)
	cmd.Flags().BoolVarP(&o.resume, "continue", "c", false, "append the missing part to the file on the server")
	cmd.Flags().BoolVarP(&o.force, "force", "f", false, "replace existing files without asking")
	cmd.Flags().BoolVarP(&o.recursive, "recursive", "r", false, "store directories with their contents")
	cmd.Flags().IntVarP(&o.parallel, "parallel", "n", defaultConnections, "with -r, number of connections")
	cmd.Flags().IntVar(&o.tries, "tries", mirror.DefaultTries, "with -r, number of attempts while the network fails and no data is sent")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "send without asking")
	addRawNames(cmd, &o.rawNames)
	return cmd
}

type putOptions struct {
	consents                      consentFlags
	resume, force, recursive, yes bool
	parallel, tries               int
	rawNames                      bool
}

type localFile struct {
	path string // "-" for standard input
	name string // as displayed
	size int64  // in octets; -1 if unknown
	url  urlcore.URL
	dir  urlcore.URL // the directory for the file if the file keeps its name, or nil
}

// planUploads returns the files in paths and, if the parameter recursive is true, the directories, each with the URL
// for storing it. The parameter arg is the URL of the file, or of the directory for the files.
func planUploads(paths []string, arg string, recursive bool) (list []localFile, trees []*upload.Tree, err error) {
	dst, err := urlcore.Guess(arg)
	if err != nil {
		return nil, nil, err
	}
	if dst.Scheme() == "file" {
		return nil, nil, protocols.NewError(protocols.Unsupported, "store files", "put stores them on servers; "+useCopy)
	}
	dir, hasChildren := dst.(interface {
		Child(name string) (urlcore.URL, error)
	})
	intoDir := hasChildren && protocols.KindOf(dst) == protocols.Directory
	if len(paths) > 1 && !intoDir {
		return nil, nil, fmt.Errorf("%w\nseveral files need a directory: end the URL with /", app.ErrUsage)
	}
	for _, path := range paths {
		info, statErr := os.Stat(path)
		isDir := statErr == nil && info.IsDir()
		up := localFile{path: path, name: clean.Text(path), size: -1, url: dst}
		if intoDir {
			abs, err := filepath.Abs(path) // "." has a name only as an absolute path
			if err == nil {
				up.url, err = dir.Child(filepath.Base(abs))
				up.dir = dst
			}
			if err != nil {
				return nil, nil, err
			}
		}
		switch {
		case isDir && recursive:
			t, err := newTree(path, up.url)
			if err != nil {
				return nil, nil, err
			}
			trees = append(trees, t)
			continue
		case path == "-" && intoDir:
			return nil, nil, fmt.Errorf("%w\nstandard input has no name: the URL must name a file", app.ErrUsage)
		case path != "-":
			info, err := userfile.Stat(path)
			if isDir {
				err = errors.New("it is a directory, not a regular file; use --recursive")
			}
			if err != nil {
				return nil, nil, protocols.LocalError("read "+up.name, err)
			}
			up.size = info.Size()
		}
		list = append(list, up)
	}
	return list, trees, nil
}

func (p *Program) put(ctx context.Context, st *app.State, files []localFile, o putOptions) error {
	if st.Config.ReadOnly {
		return app.ErrReadOnly
	}
	if ok, err := p.confirmUpload(uploadQuestion(files), o.yes); !ok {
		return err
	}
	for i, f := range files {
		err := p.nameUpload(ctx, st, &f, o)
		if err == nil {
			err = p.putFile(ctx, st, f, o)
		}
		if protocols.ReasonOf(err) == protocols.NotFound {
			err = fmt.Errorf("%w; create the directory first, or use put -r, which creates missing directories", err)
		}
		if err != nil {
			p.printNotSent(files[i+1:])
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// printNotSent names the files that are not sent because of an earlier error.
func (p *Program) printNotSent(files []localFile) {
	for _, f := range files {
		fmt.Fprintf(p.Err, "  not sent: %s\n", f.name)
	}
}

// putTrees stores directories and returns the worst error.
func (p *Program) putTrees(ctx context.Context, st *app.State, trees []*upload.Tree, o putOptions) error {
	var worst error
	for _, t := range trees {
		t.Names = serverNames(st, t.URL, o.rawNames)
		t.Force, t.Continue, t.Parallel, t.Retry.Tries = o.force, o.resume, o.parallel, o.tries
		err := p.storeTree(ctx, st, t, o.consents, false, func(question string) (bool, error) { return p.confirmUpload(question, o.yes) })
		if err != nil {
			worst = p.recordError(worst, t.Dir, len(trees), err)
		}
	}
	return worst
}

func (p *Program) confirmUpload(question string, yes bool) (bool, error) {
	if !yes && !p.canAsk() {
		return false, fmt.Errorf("%w\nput asks before it sends, but there is no terminal: use --yes", app.ErrUsage)
	}
	return yes || confirm(p.In, p.Err, question), nil
}

// uploadQuestion returns the list of files, followed by the question whether to send them.
func uploadQuestion(files []localFile) string {
	var b strings.Builder
	for _, f := range files {
		size := ""
		if f.size >= 0 {
			size = " (" + humanize.Bytes(uint64(f.size)) + ")"
		}
		fmt.Fprintf(&b, "%s%s -> %s\n", clean.Name(f.name), size, clean.Text(urlcore.Redact(f.url).String()))
	}
	return b.String() + "Upload " + english.Plural(len(files), "file", "") + "? (y/N) "
}

func (p *Program) putFile(ctx context.Context, st *app.State, f localFile, o putOptions) error {
	input := &keptInput{in: p.In}
	up := &protocols.Upload{Body: input, Size: f.size, Replace: o.force, Resume: o.resume}
	if isFile(p.In) {
		up.Body = p.In
	}
	bar, server := p.progressBar(f.name), st.Fetchers(app.Way{Use: app.Transfer, Retry: p.answer(o.consents, false)})
	err := p.withLogin(ctx, func() error {
		if f.path == "-" {
			return server.Put(ctx, f.url, up)
		}
		return app.UploadFile(ctx, server, f.path, f.url, up, bar.show)
	})
	bar.clear()
	if err != nil && f.path == "-" && up.Body == io.Reader(input) {
		return input.keep(ctx, st.Dirs.Drafts(), err)
	}
	if err != nil {
		return err
	}
	size := ""
	if f.size >= 0 {
		size = ": " + humanize.Bytes(uint64(f.size))
	}
	fmt.Fprintf(p.Err, "%s%s\n", f.name, size)
	return nil
}

// answer returns the Retry of put and mirror. The flags or the user answer the questions.
// If the parameter tree is true, questions about replacing files are answered with no.
func (p *Program) answer(consents consentFlags, tree bool) app.Retry {
	var mu sync.Mutex
	return func(_ context.Context, do func() error) error {
		return app.RetryWithConsent(do, func(c *protocols.Confirm) bool {
			if consents.allow(c) || tree && c.Consent == protocols.ConsentReplace {
				return c.Consent != protocols.ConsentReplace
			}
			mu.Lock()
			defer mu.Unlock()
			return p.askConsent(c)
		})
	}
}
