package across_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/across"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestPairings copies and moves a tree in every pairing of this machine and two servers of each scheme: dates, modes, replaced
// files, links and refusals are the same in all.
func TestPairings(t *testing.T) {
	s, places := startPlaces(t)
	tree := map[string]string{"a.txt": "one", "empty": "", "run": "#!", "sub/b.bin": "\x00\r\n\xff", "sub/deep/c": strings.Repeat("long ", 50_000), "none/": "", ".hidden": "dot", "linked/x": "x", "was": "new", "kind": "a file"}
	want := maps.Clone(tree)
	want["sub/"], want["sub/deep/"] = "", ""
	delete(want, "linked/x")
	delete(want, "kind")
	want["kind/"] = ""
	for from := range places {
		for to := range places {
			t.Run(from+" to "+to, func(t *testing.T) {
				for _, move := range []bool{false, true} {
					dir := from + to + map[bool]string{true: "-move"}[move]
					a, b := places[from].newSide(t, dir+"-a"), places[to].newSide(t, dir+"-b")
					elsewhere := t.TempDir()
					write(t, a.path, tree)
					write(t, b.path, map[string]string{"was": "old and longer", "kind/": ""})
					fetchtest.NoError(t, os.Chmod(filepath.Join(a.path, "run"), 0o750))
					fetchtest.NoError(t, os.Symlink(elsewhere, filepath.Join(b.path, "linked")))

					c := &across.Copy{Existing: across.Replace, Move: move}
					_ = run(t, s, a, b, c)
					fetchtest.Equal(t, leftOutPaths(c), "kind linked", "left out")
					fetchtest.Equal(t, len(read(t, elsewhere)), 0, "files where a link of the target leads")
					fetchtest.NoError(t, os.Remove(filepath.Join(b.path, "linked")))
					wantFiles(t, b.path, want)
					if left := map[string]string{"kind": "a file", "linked/": "", "linked/x": "x"}; move {
						wantFiles(t, a.path, left)
					} else {
						fetchtest.Equal(t, len(read(t, a.path)), len(tree)+3, "files and directories of the source")
					}
					info := fetchtest.Must(os.Stat(filepath.Join(b.path, "sub/b.bin")))(t)
					fetchtest.Equal(t, info.ModTime().UTC(), longAgo, "date")
					if !strings.HasPrefix(from, "ftp") { // its listings have no modes
						info = fetchtest.Must(os.Stat(filepath.Join(b.path, "run")))(t)
						fetchtest.Equal(t, info.Mode().Perm(), os.FileMode(0o750), "mode")
					}
				}
			})
		}
	}
}

// cutter cuts the lines once an upload has read some octets, and counts the octets that all uploads read.
type cutter struct {
	protocols.Registry
	after int64
	cut   func()
	read  atomic.Int64
}

func (c *cutter) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	inner := *up
	inner.Body = &cutBody{up.Body.(io.ReadSeeker), c}
	err := c.Registry.Put(ctx, u, &inner)
	inner.Body = up.Body
	*up = inner
	return err
}

type cutBody struct {
	io.ReadSeeker
	c *cutter
}

func (b *cutBody) Read(p []byte) (int, error) {
	n, err := b.ReadSeeker.Read(p[:min(len(p), 32<<10)])
	if total := b.c.read.Add(int64(n)); total-int64(n) < b.c.after && total >= b.c.after {
		b.c.cut()
	}
	return n, err
}

// quickWork is a queue with short pauses.
func quickWork() *download.Work {
	return &download.Work{
		Retry: mirror.Retry{Tries: 5, Pause: time.Millisecond}, Wait: func(mirror.Wait) {}, Report: func(download.TaskProgress) {}, Record: func() {},
	}
}

// slack is the number of octets that may be read again: those of the samples that are compared, of a read and of the small files.
const slack = 1 << 20

// largest returns the size of the largest file in a directory.
func largest(t *testing.T, dir string) (size int64) {
	t.Helper()
	for _, e := range fetchtest.Must(os.ReadDir(dir))(t) {
		if info, err := e.Info(); err == nil {
			size = max(size, info.Size())
		}
	}
	return size
}

// noise returns n octets of which no part repeats.
func noise(n int) string {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		b.WriteString(string(rune('a'+i%26)) + strings.Repeat(string(rune('A'+i/26%26)), i%97))
	}
	return b.String()[:n]
}

// TestCutLines cuts the lines in the middle of a file, in every pairing of schemes: the file is continued, and not sent again.
func TestCutLines(t *testing.T) {
	s, places := startPlaces(t)
	const size = 4 << 20
	content := noise(size)
	for _, from := range []string{"file", "ftp", "sftp"} {
		for _, to := range []string{"file", "ftp2", "sftp2"} {
			source, target := places[from], places[to]
			if from == "file" && to == "file" {
				continue
			}
			for _, existing := range []across.Existing{across.Skip, across.Replace} {
				t.Run(from+" to "+to+map[across.Existing]string{across.Replace: ", replaced"}[existing], func(t *testing.T) {
					dir := from + to + map[across.Existing]string{across.Replace: "-replace"}[existing]
					a, b := source.newSide(t, dir+"-a"), target.newSide(t, dir+"-b")
					write(t, a.path, map[string]string{"big": content, "small": "x"})
					if existing == across.Replace {
						write(t, b.path, map[string]string{"big": "old"})
					}
					cut := &cutter{Registry: s, after: size * 3 / 4}
					stored := int64(0)
					cut.cut = func() {
						stored = largest(t, b.path)
						for _, p := range []place{source, target} {
							if p.lines != nil {
								p.cut()
							}
						}
					}
					c := &across.Copy{Server: cut, From: a.url, To: b.url, Items: linesOf(t, s, a.url), Existing: existing}
					fetchtest.NoError(t, c.Plan(t.Context()))
					fetchtest.NoError(t, c.Run(t.Context(), quickWork()))
					wantFiles(t, b.path, map[string]string{"big": content, "small": "x"})
					if n := cut.read.Load(); n > cut.after+size-stored+slack { // octets that were on their way are sent again
						t.Errorf("%d octets were sent for %d, of which the target had %d after %d", n, size, stored, cut.after)
					}
				})
			}
		}
	}
}

// TestLaterRun stops a copy in the middle of a file, and goes on in another run of the program: with the part, and with all that was
// not copied yet.
func TestLaterRun(t *testing.T) {
	s, places := startPlaces(t)
	const size = 4 << 20
	content := noise(size)
	for to, target := range places {
		t.Run("to "+to, func(t *testing.T) {
			a, b := places["ftp"].newSide(t, to+"-a"), target.newSide(t, to+"-b")
			write(t, a.path, map[string]string{"a": "first", "big": content, "z": "last"})
			ctx, stop := context.WithCancelCause(t.Context())
			stopping := &cutter{Registry: s, after: size / 2, cut: func() { stop(download.ErrClosed) }}
			c := &across.Copy{Server: stopping, From: a.url, To: b.url, Items: linesOf(t, s, a.url)}
			fetchtest.NoError(t, c.Plan(ctx))
			if err := c.Run(ctx, nil); !errors.Is(err, download.ErrClosed) {
				t.Fatalf("got %v, want the cause of the stop", err)
			}
			if target.lines != nil {
				target.cut() // the connections of the earlier run end with it
			}
			stored, encoded := largest(t, b.path), c.Encode()
			if strings.Contains(string(encoded), "gofer:gofer") {
				t.Errorf("the description has a password: %s", encoded)
			}
			later := &cutter{Registry: s}
			again := across.Restore(later, c.From, encoded)
			if err := again.Run(t.Context(), nil); err != nil {
				t.Errorf("%v: left out %v", err, again.LeftOut())
			}
			wantFiles(t, b.path, map[string]string{"a": "first", "big": content, "z": "last"})
			if n := later.read.Load(); n > size-stored+slack {
				t.Errorf("%d octets were sent for the rest of %d, of which the target has %d", n, size, stored)
			}
			if skipped, copied := again.Progress().Skipped, c.Progress().Files; skipped < copied { // the server may have one more
				t.Errorf("%d of %d files that were copied before were skipped", skipped, copied)
			}
		})
	}
}

// TestForeignPart checks that a later run neither continues nor removes a file that is not the part that an earlier run has left.
func TestForeignPart(t *testing.T) {
	s, places := startPlaces(t)
	content := noise(1 << 20)
	for _, to := range []string{"file", "ftp", "sftp"} {
		a, b := places["ftp2"].newSide(t, to+"-a"), places[to].newSide(t, to+"-b")
		write(t, a.path, map[string]string{"big": content})
		ctx, stop := context.WithCancelCause(t.Context())
		stopping := &cutter{Registry: s, after: 1 << 19, cut: func() { stop(download.ErrClosed) }}
		c := &across.Copy{Server: stopping, From: a.url, To: b.url, Items: linesOf(t, s, a.url)}
		fetchtest.NoError(t, c.Plan(ctx))
		_ = c.Run(ctx, nil)
		for name := range read(t, b.path) {
			fetchtest.NoError(t, os.Remove(filepath.Join(b.path, name)))
		}
		write(t, b.path, map[string]string{"big": "of the user"})
		again := across.Restore(s, c.From, c.Encode())
		err := again.Run(t.Context(), nil)
		wantFiles(t, b.path, map[string]string{"big": "of the user"})
		if left := again.LeftOut(); err == nil && again.Progress().Skipped == 0 || len(left) > 0 && !strings.Contains(left[0].Err.Error(), "exists") {
			t.Errorf("%s: got %v, left out %v", to, err, left)
		}
		_ = across.Restore(s, c.From, c.Encode()).Discard(t.Context())
		wantFiles(t, b.path, map[string]string{"big": "of the user"})
	}
}

// TestUnfinishedElsewhere checks that the file of an unfinished copy is not copied again, and that what there is of it is not copied
// back over the whole file, though it is newer.
func TestUnfinishedElsewhere(t *testing.T) {
	s, places := startPlaces(t)
	content := noise(1 << 20)
	for to, target := range places {
		a, b := places["ftp2"].newSide(t, to+"-from"), target.newSide(t, to+"-to")
		write(t, a.path, map[string]string{"big": content})
		ctx, stop := context.WithCancelCause(t.Context())
		stopping := &cutter{Registry: s, after: 1 << 19, cut: func() { stop(download.ErrClosed) }}
		c := &across.Copy{Server: stopping, From: a.url, To: b.url, Items: linesOf(t, s, a.url)}
		fetchtest.NoError(t, c.Plan(ctx))
		_ = c.Run(ctx, nil)
		others := []*across.Copy{across.Restore(s, c.From, c.Encode())}
		for _, again := range []*across.Copy{
			{Server: s, From: a.url, To: b.url, Items: linesOf(t, s, a.url), Existing: across.Replace, Others: others},
			{Server: s, From: b.url, To: a.url, Items: linesOf(t, s, b.url), Existing: across.Replace, Others: others},
		} {
			fetchtest.NoError(t, again.Plan(t.Context()))
			if !again.IsEmpty() {
				t.Errorf("to %s: a copy of %d items from %s is planned", to, len(again.Items), again.From)
			}
		}
	}
}
