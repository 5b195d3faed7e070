package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/cell"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// uploads are several files that are uploaded one after the other.
type uploads struct {
	files  []uploadedFile
	size   int64 // of all files
	index  int   // of the current file
	failed []string

	done atomic.Int64 // number of files that were stored
	sent atomic.Int64 // octets of these files
}

// uploadedFile is one of the uploads.
type uploadedFile struct {
	path, name string
	size       int64
	target     urlcore.URL
	options    protocols.Upload
}

// isPattern reports whether the path is a pattern for the names of files, and not the name of a file.
func isPattern(path string) bool {
	_, err := os.Lstat(path)
	return err != nil && strings.ContainsAny(path, "*?[")
}

// findUploads returns the files that a pattern matches, for the directory dir. The function octetsOf returns the name of a file
// at the server. Folders are left out.
func findUploads(pattern string, dir parentDir, octetsOf func(path string) string) (*uploads, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, errors.New("a bracket of the pattern has no end")
	}
	u := new(uploads)
	for _, path := range paths {
		info, err := userfile.Stat(path)
		if err != nil {
			if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
				continue
			}
			return nil, fmt.Errorf("%s: %s", clean.Name(path), ask.FileError(err))
		}
		target, err := dir.Child(octetsOf(path))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", clean.Name(path), err)
		}
		u.files = append(u.files, uploadedFile{path: path, name: filepath.Base(path), size: info.Size(), target: target})
		u.size += info.Size()
	}
	if len(u.files) == 0 {
		return nil, errors.New("no file matches")
	}
	return u, nil
}

// text returns the number of files.
func (u *uploads) text() string { return english.Plural(len(u.files), "file", "") }

// askUploads asks whether to upload files, which it names, to the directory dir.
func (cs *Changes) askUploads(t *viewer.Viewer, dir urlcore.URL, u *uploads) tea.Cmd {
	c := &change{tab: t, dir: dir, verb: "upload", name: u.text(), shortText: "uploading " + u.text(), skip: u.skip}
	c.do = func(ctx context.Context, _ *change) (urlcore.URL, error) { return cs.runUploads(ctx, u, c) }
	c.describe = func() string {
		return fmt.Sprintf("uploading %s: %d done, %s", u.text(), u.done.Load(), cell.Amount(u.sent.Load()+c.sent.Load(), u.size))
	}
	c.resultText = func(error) string {
		return taggedSummary("uploaded", "file", int(u.done.Load()), len(u.files), "", u.failed)
	}
	var names []string
	for _, f := range u.files {
		names = append(names, clean.Name(f.name))
	}
	q := cs.uploadQuestion(c, u.text()+" ("+cell.Size(u.size)+"), "+english.WordSeries(names, "and")+",")
	q.Expected = true
	return cs.askAbout(c, q)
}

// runUploads uploads the files from u.index on. It stops at a question, and at an error that the next file would also get.
func (cs *Changes) runUploads(ctx context.Context, u *uploads, c *change) (last urlcore.URL, err error) {
	for ; u.index < len(u.files); u.index++ {
		f := &u.files[u.index]
		err := cs.Upload(ctx, f.path, f.target, &f.options, func(sent, _ int64) { c.sent.Store(sent) })
		c.sent.Store(0)
		switch {
		case err == nil:
			u.done.Add(1)
			u.sent.Add(f.size)
			continue
		case ctx.Err() != nil, protocols.QuestionOf(err) != nil, u.index == 0 && errors.Is(err, protocols.ErrNoTarget):
			return nil, err
		}
		u.failed = append(u.failed, failureText(f.name, err))
		if protocols.ReasonOf(err).IsNetworkFailure() {
			return nil, err
		}
	}
	return u.files[len(u.files)-1].target, nil
}

// skip leaves the current file out after the user answered no to the server's question.
func (u *uploads) skip() {
	u.failed = append(u.failed, failureText(u.files[u.index].name, errors.New("skipped")))
	u.index++
}
