package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/internal/upload"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) putCommand() *cobra.Command {
	var o putOptions
	cmd := &cobra.Command{
		Use:   "put [-c] [-f] [-r] [-y] FILE... URL",
		Short: "store files and directories on a server",
		Long: "put stores files on an FTP server: under the URL, or where that ends in a slash, in\n" +
			"that directory under their own names. FILE - is standard input. It asks before it\n" +
			"sends, and again before it replaces what is there; where there is no terminal to\n" +
			"ask on, --yes and --force agree. An upload that ends early leaves an incomplete file\n" +
			"on the server, to which --continue adds the rest. Files keep their dates where the\n" +
			"server can.\n\n" +
			"With --recursive put stores directories with all that is in them, with their modes, after\n" +
			"a question with the number of files. It tries again while the network fails. What is\n" +
			"there is left out: --continue adds to files that are the beginning, --force replaces\n" +
			"them, and gofer mirror DIR URL replaces what has changed. A symbolic link to a file in the\n" +
			"directory is stored as a copy, because FTP has no links; other links and devices are left\n" +
			"out. Each item that is left out is listed on standard error, and the exit code is not 0.",
		Args: usage(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.open(nil)
			defer st.close()
			files, trees, err := uploads(args[:len(args)-1], args[len(args)-1], o.recursive)
			if err != nil {
				return err
			}
			if err := p.putTrees(cmd.Context(), st, trees, o); err != nil || len(files) == 0 {
				return err
			}
			return p.put(cmd.Context(), st, files, o)
		},
	}
	o.given.add(cmd)
	cmd.Flags().BoolVarP(&o.resume, "continue", "c", false, "send only what is missing at the end of the file on the server")
	cmd.Flags().BoolVarP(&o.force, "force", "f", false, "replace what is there without asking")
	cmd.Flags().BoolVarP(&o.recursive, "recursive", "r", false, "store directories with all that is in them")
	cmd.Flags().IntVarP(&o.parallel, "parallel", "n", connections, "with -r, how many connections")
	cmd.Flags().IntVar(&o.tries, "tries", mirror.DefaultTries, "with -r, how often to try again while the network fails and nothing is sent")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "send without asking")
	return cmd
}

type putOptions struct {
	given                         consents
	resume, force, recursive, yes bool
	parallel, tries               int
}

type localFile struct {
	path string // "-" is standard input
	name string // for people
	size int64  // -1 if unknown
	url  urlcore.URL
}

// uploads looks at the files and directories and works out their URLs.
func uploads(paths []string, arg string, recursive bool) (list []localFile, trees []*upload.Tree, err error) {
	to, err := urlcore.Guess(arg)
	if err != nil {
		return nil, nil, err
	}
	dir, hasChildren := to.(interface {
		Child(name string) (urlcore.URL, error)
	})
	inside := hasChildren && protocols.KindOf(to) == protocols.Directory
	if len(paths) > 1 && !inside {
		return nil, nil, fmt.Errorf("%w\nseveral files go into a directory: end the URL with /", errUsage)
	}
	for _, path := range paths {
		info, failed := os.Stat(path)
		isDir := failed == nil && info.IsDir()
		up := localFile{path: path, name: clean.Text(path), size: -1, url: to}
		if inside {
			whole, err := filepath.Abs(path) // the name of "."
			if err == nil {
				up.url, err = dir.Child(filepath.Base(whole))
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
		case path == "-" && inside:
			return nil, nil, fmt.Errorf("%w\nstandard input has no name: the URL must name a file", errUsage)
		case path != "-":
			info, err := userfile.Stat(path)
			if isDir {
				err = errors.New("it is a directory, not a regular file; --recursive stores it with all that is in it")
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

func (p *Program) put(ctx context.Context, st *state, files []localFile, o putOptions) error {
	if st.Config.ReadOnly {
		return errReadOnly
	}
	if ok, err := p.agreesToSend(question(files), o.yes); !ok {
		return err
	}
	for _, f := range files {
		err := p.putOne(ctx, st, f, o)
		if protocols.ReasonOf(err) == protocols.NotThere {
			err = fmt.Errorf("%w; make the directory first, or store a directory with put -r, which makes those that are missing", err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// putTrees stores directories.
func (p *Program) putTrees(ctx context.Context, st *state, trees []*upload.Tree, o putOptions) error {
	var worst error
	for _, t := range trees {
		t.Force, t.Continue, t.Parallel, t.Retry.Tries = o.force, o.resume, o.parallel, o.tries
		err := p.storeTree(ctx, st, t, o.given, false, func(question string) (bool, error) { return p.agreesToSend(question, o.yes) })
		if err != nil {
			worst = p.recordError(worst, t.Dir, len(trees), err)
		}
	}
	return worst
}

func (p *Program) agreesToSend(question string, yes bool) (bool, error) {
	if !yes && !p.canAsk() {
		return false, fmt.Errorf("%w\nput asks before it sends, and there is no terminal to ask on: --yes agrees", errUsage)
	}
	return yes || confirm(p.In, p.Err, question), nil
}

// question lists what would be sent and asks for a yes.
func question(files []localFile) string {
	var b strings.Builder
	for _, f := range files {
		size := ""
		if f.size >= 0 {
			size = " (" + humanize.Bytes(uint64(f.size)) + ")"
		}
		fmt.Fprintf(&b, "%s%s -> %s\n", clean.Name(f.name), size, clean.Text(urlcore.Redact(f.url).String()))
	}
	return b.String() + "Send " + english.Plural(len(files), "file", "") + "? (y/N) "
}

func (p *Program) putOne(ctx context.Context, st *state, f localFile, o putOptions) error {
	up := &protocols.Upload{Body: p.In, Size: f.size, Replace: o.force, Resume: o.resume}
	bar, server := p.progressBar(f.name), p.server(st, o.given, false)
	err := p.withLogin(ctx, func() error {
		if f.path == "-" {
			return server.Put(ctx, f.url, up)
		}
		return server.upload(ctx, f.path, f.url, up, bar.show)
	})
	bar.end()
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

var errReadOnly = &protocols.Error{Reason: protocols.Unsupported, Op: "change a server", Err: errors.New("it is read-only (the setting read_only, or --read-only)")}

// put stores a document, unless read_only is set. Every upload passes here.
func (st *state) put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if st.Config.ReadOnly {
		return errReadOnly
	}
	return st.latest.Load().fetchers.Put(ctx, u, up)
}

// treeServer implements [upload.Server] by the fetchers of the latest settings. It passes each request
// to repeat, which may call it several times.
type treeServer struct {
	*state
	repeat func(ctx context.Context, do func() error) error
}

func (s treeServer) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return repeater{s.latest.Load().fetchers, s.repeat}.Fetch(ctx, u)
}

func (s treeServer) Resume(ctx context.Context, u urlcore.URL, offset int64) (*protocols.Resource, error) {
	return repeater{s.latest.Load().fetchers, s.repeat}.Resume(ctx, u, offset)
}

func (s treeServer) Resumes(u urlcore.URL) bool { return s.latest.Load().fetchers.CanResume(u) }

func (s treeServer) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	return s.repeat(ctx, func() error { return s.put(ctx, u, up) })
}

func (s treeServer) Change(ctx context.Context, c *protocols.Change) (u urlcore.URL, err error) {
	if s.Config.ReadOnly {
		return nil, errReadOnly
	}
	err = s.repeat(ctx, func() error {
		u, err = s.latest.Load().fetchers.Change(ctx, c)
		return err
	})
	return u, err
}

// upload stores the file at path.
func (s treeServer) upload(ctx context.Context, path string, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
	file, err := os.Open(path)
	if err != nil {
		return protocols.LocalError("read the file", err)
	}
	return upload.Send(ctx, s, file, u, up, report)
}

// server returns the server for put and mirror: the flags or the user answer its questions. Those
// whether to replace a file of a tree are answered with no.
func (p *Program) server(st *state, given consents, tree bool) treeServer {
	var asking sync.Mutex
	return treeServer{st, func(_ context.Context, do func() error) error {
		return asked(do, func(c *protocols.Confirm) bool {
			if given.agree(c) || tree && c.Consent == protocols.ConsentReplace {
				return c.Consent != protocols.ConsentReplace
			}
			asking.Lock()
			defer asking.Unlock()
			return p.agrees(c)
		})
	}}
}
