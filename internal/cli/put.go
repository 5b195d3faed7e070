package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) putCommand() *cobra.Command {
	var o putOptions
	cmd := &cobra.Command{
		Use:   "put [-c] [-f] [-y] FILE... URL",
		Short: "store files on a server",
		Long: "put stores files on an FTP server: under the URL, or where that ends in a slash, in\n" +
			"that directory under their own names. FILE - is standard input. It asks before it\n" +
			"sends, and again before it replaces what is there; where there is no terminal to\n" +
			"ask on, --yes and --force agree. An upload that ends early leaves an incomplete file\n" +
			"on the server, to which --continue adds the rest.",
		Args: usage(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.open(nil)
			defer st.close()
			files, err := uploads(args[:len(args)-1], args[len(args)-1])
			if err != nil {
				return err
			}
			return p.put(cmd.Context(), st, files, o)
		},
	}
	o.given.add(cmd)
	cmd.Flags().BoolVarP(&o.resume, "continue", "c", false, "send only what is missing at the end of the file on the server")
	cmd.Flags().BoolVarP(&o.force, "force", "f", false, "replace what is there without asking")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "send without asking")
	return cmd
}

type putOptions struct {
	given              consents
	resume, force, yes bool
}

type upload struct {
	path string // "-" is standard input
	name string // for people
	size int64  // -1 if unknown
	url  urlcore.URL
}

// uploads looks at the files and works out their URLs.
func uploads(paths []string, arg string) ([]upload, error) {
	to, err := urlcore.Guess(arg)
	if err != nil {
		return nil, err
	}
	dir, hasChildren := to.(interface {
		Child(name string) (urlcore.URL, error)
	})
	inside := hasChildren && protocols.KindOf(to) == protocols.Directory
	if len(paths) > 1 && !inside {
		return nil, fmt.Errorf("%w\nseveral files go into a directory: end the URL with /", errUsage)
	}
	var list []upload
	for _, path := range paths {
		up := upload{path: path, name: clean.Text(path), size: -1, url: to}
		if path == "-" {
			if inside {
				return nil, fmt.Errorf("%w\nstandard input has no name: the URL must name a file", errUsage)
			}
		} else {
			info, err := userfile.Stat(path)
			if err != nil {
				return nil, protocols.LocalError("read "+up.name, err)
			}
			up.size = info.Size()
		}
		if inside {
			if up.url, err = dir.Child(filepath.Base(path)); err != nil {
				return nil, err
			}
		}
		list = append(list, up)
	}
	return list, nil
}

func (p *Program) put(ctx context.Context, st *state, files []upload, o putOptions) error {
	if st.Config.ReadOnly {
		return errReadOnly
	}
	if !o.yes {
		if !p.canAsk() {
			return fmt.Errorf("%w\nput asks before it sends, and there is no terminal to ask on: --yes agrees", errUsage)
		}
		if !confirm(p.In, p.Err, question(files)) {
			return nil
		}
	}
	for _, f := range files {
		if err := p.putOne(ctx, st, f, o); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// question lists what would be sent and asks for a yes.
func question(files []upload) string {
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

func (p *Program) putOne(ctx context.Context, st *state, f upload, o putOptions) error {
	up := &protocols.Upload{Body: p.In, Size: f.size, Replace: o.force, Resume: o.resume}
	bar := p.progressBar(f.name)
	send := func() error {
		if f.path == "-" {
			return st.put(ctx, f.url, up)
		}
		return st.upload(ctx, f.path, f.url, up, bar.show)
	}
	err := p.withLogin(ctx, func() error {
		return asked(send, func(c *protocols.Confirm) bool {
			return o.given.agree(c) || p.agrees(c)
		})
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
	return st.fetchers.Put(ctx, u, up)
}

func (st *state) change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	if st.Config.ReadOnly {
		return nil, errReadOnly
	}
	return st.fetchers.Change(ctx, c)
}

func (st *state) upload(ctx context.Context, path string, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
	file, err := os.Open(path)
	if err != nil {
		return protocols.LocalError("read the file", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return protocols.LocalError("read the file", err)
	}
	up.Body, up.Size, up.Modified = &meteredFile{File: file, size: info.Size(), report: report}, info.Size(), info.ModTime()
	if err := st.put(ctx, u, up); err != nil {
		return err
	}
	now, err := file.Stat()
	if err == nil && (now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())) {
		err = errors.New("it was changed while it was sent, and what is stored may be a mixture: send it again")
	}
	return protocols.LocalError("send the file", err)
}

// meteredFile tells how much of a file has been read.
type meteredFile struct {
	*os.File
	done, size int64
	report     func(done, size int64)
}

func (m *meteredFile) Read(p []byte) (int, error) {
	n, err := m.File.Read(p)
	m.done += int64(n)
	if n > 0 {
		m.report(m.done, m.size)
	}
	return n, err
}

func (m *meteredFile) Seek(offset int64, whence int) (int64, error) {
	at, err := m.File.Seek(offset, whence)
	m.done = at
	return at, err
}
