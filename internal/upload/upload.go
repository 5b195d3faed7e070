// Package upload stores directories of this machine on servers, and removes directories there.
//
// The directories of the server are listed first, so that no file needs a question of its own
// about what is there. Modes and dates go with the files. A symbolic link to a file of the tree
// is stored as a copy of the file, because FTP has no command for links; any other link is left
// out, and none is followed out of the tree.
package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/mirror"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// Server is where a directory is stored.
type Server interface {
	protocols.Fetcher
	protocols.Putter
	protocols.Changer
}

// Tree stores a directory of this machine on a server. Its fields are set before [Tree.Plan].
type Tree struct {
	Server   Server
	Dir      string       // the directory of this machine
	URL      urlcore.FTP  // the directory of the server that gets its content
	Parallel int          // connections; 0: 1
	Retry    mirror.Retry // for whatever fails for want of a network
	Filter   mirror.Filter
	Force    bool // files that are there are replaced
	Continue bool // files that are there and the beginning of a file here get the rest
	Update   bool // files that are there are replaced if they differ in size or date
	Delete   bool // what is not here is removed from the server
	DryRun   bool // nothing is changed

	// Print gets a line for each action; nil: none. It is called by one goroutine at a time, as
	// Report is, which gets the progress and what is being waited for.
	Print  func(action string)
	Report func(p Progress)

	root    *os.Root // links in it that lead out of it are not followed
	dirs    []*item  // parents first; the first is Dir itself
	files   []*item
	here    map[string]*item // by path; nil for what is left out
	folded  map[string]bool  // the paths in lower case
	copies  int              // of files, in place of links
	unread  bool             // a part of Dir could not be read
	surplus []*Removal

	mu      sync.Mutex
	done    Progress
	leftOut []LeftOut
	noDates bool // the server has not set a date
	noModes bool // the server does not change modes
	// noFolderDates means that the server has not set the date of a directory.
	noFolderDates bool
}

// item is a file or directory of this machine.
type item struct {
	path    string      // below Dir, with slashes; "" is Dir itself
	url     urlcore.FTP // at the server
	info    os.FileInfo
	there   *there // at the server; nil if there is none
	state   state
	touched bool // a directory that got new items, or was made
}

type state uint8

const (
	waiting state = iota
	sent
	unchanged
	omitted
)

// there is an item of the server.
type there struct {
	url  urlcore.FTP
	dir  bool
	note protocols.FileNote
}

// Progress is how far a Tree is.
type Progress struct {
	Files, Of  int   // files that were sent, and to be sent
	Done, Size int64 // in octets
	Made       int   // directories
	Unchanged  int   // files
	Removed    int   // files and directories
	Modes      int   // that were changed
	Waiting    string
}

// LeftOut is an item that was not stored.
type LeftOut struct {
	Path string // below Dir
	Err  error
}

// String returns the path of the item and the reason.
func (l LeftOut) String() string { return l.Path + ": " + nav.Sentence(l.Err) }

// PartialError reports that some items were not stored.
type PartialError struct {
	LeftOut []LeftOut // at least one
	Cause   error     // the error that ended the transfers early, or nil
}

// Error returns the number of items, and the cause.
func (e *PartialError) Error() string {
	text := english.Plural(len(e.LeftOut), "item was", "items were") + " not sent"
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *PartialError) Unwrap() error { return e.Cause }

var (
	errNoDirectory = errors.New("it is not a directory")
	errThere       = errors.New("it is there already")
	errKind        = errors.New("the server has something else of that name: a directory, a file or a link")
	errSpecial     = errors.New("it is neither a file nor a directory")
	errLink        = errors.New("it is a symbolic link to a directory, or to nothing")
	errOutside     = errors.New("it is a symbolic link that leads out of the directory")
	errNoParent    = errors.New("its directory was left out")
	errChanged     = errors.New("it was changed while it was sent, and what is stored may be a mixture: send it again")
)

func (t *Tree) leave(i *item, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i.state = omitted
	t.leftOut = append(t.leftOut, LeftOut{i.path, err})
}

// act prints an action and reports whether it is to be done.
func (t *Tree) act(format string, args ...any) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Print != nil {
		t.Print(fmt.Sprintf(format, args...))
	}
	return !t.DryRun
}

// update changes the progress and reports it.
func (t *Tree) update(change func(p *Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.done)
	if t.Report != nil {
		t.Report(t.done)
	}
}

// try does something over the network until it succeeds or fails for good.
func (t *Tree) try(ctx context.Context, do func() (progress bool, err error)) error {
	return t.Retry.Do(ctx, func(w mirror.Wait) { t.update(func(p *Progress) { p.Waiting = w.String() }) }, do)
}

func (t *Tree) change(ctx context.Context, c *protocols.Change) error {
	return t.try(ctx, func() (bool, error) {
		_, err := t.Server.Change(ctx, c)
		return false, err
	})
}

// fatal reports whether err ends everything: the network, a question to the user, the end of ctx.
func fatal(ctx context.Context, err error) bool {
	if c, ok := protocols.QuestionOf(err).(*protocols.Confirm); ok && c.Consent == protocols.ConsentReplace {
		return false
	}
	return ctx.Err() != nil || protocols.QuestionOf(err) != nil || protocols.ReasonOf(err).Network()
}

// Run stores what Plan has found. After an error that is a question it can be called again. The
// error is a *[PartialError] if something was not stored.
func (t *Tree) Run(ctx context.Context) error {
	err := t.removeSurplus(ctx, true)
	if err == nil {
		err = t.makeDirectories(ctx)
	}
	if err == nil {
		err = t.sendFiles(ctx)
	}
	if err == nil {
		err = t.removeSurplus(ctx, false)
	}
	if err == nil {
		err = t.finish(ctx)
	}
	switch {
	case protocols.QuestionOf(err) != nil:
		return err
	case err != nil:
		for _, f := range t.files {
			if f.state == waiting {
				t.leave(f, err)
			}
		}
	}
	if len(t.leftOut) > 0 {
		return &PartialError{t.leftOut, err}
	}
	return err
}

func (t *Tree) makeDirectories(ctx context.Context) error {
	for _, d := range t.dirs {
		if d.there != nil || d.state != waiting || t.orphan(d) || !t.act("make directory %s", cmp.Or(d.path, ".")) {
			continue
		}
		parent, _ := d.url.Up()
		err := t.change(ctx, &protocols.Change{Kind: protocols.MakeDirectory, URL: parent, Name: d.url.FileName()})
		if err != nil && !fatal(ctx, err) { // an attempt before may have made it
			if items, failed := t.list(ctx, d.url); failed == nil && len(items) == 0 {
				err = nil
			}
		} else if name := d.url.FileName(); err == nil && strings.Trim(name, " ") != name { // pure-ftpd replaces these blanks
			_, err = t.list(ctx, d.url)
		}
		switch {
		case err == nil:
			d.state, d.touched = sent, true
			t.update(func(p *Progress) { p.Made++ })
		case fatal(ctx, err) || d.path == "":
			return err
		default:
			t.leave(d, err)
		}
	}
	return nil
}

// orphan leaves out an item whose directory was left out.
func (t *Tree) orphan(i *item) bool {
	if i.path == "" || t.parent(i).state != omitted {
		return false
	}
	t.leave(i, errNoParent)
	return true
}

func (t *Tree) parent(i *item) *item {
	if dir := path.Dir(i.path); dir != "." {
		return t.here[dir]
	}
	return t.dirs[0]
}

// sendFiles sends the files over several connections.
func (t *Tree) sendFiles(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan *item)
	var workers sync.WaitGroup
	for range max(t.Parallel, 1) {
		workers.Go(func() {
			for f := range next {
				err := t.send(ctx, f)
				switch confirm, _ := errors.AsType[*protocols.Confirm](err); {
				case err == nil:
				case fatal(ctx, err):
					stop(err)
				case confirm != nil:
					t.leave(f, errors.New(confirm.Reason))
				default:
					t.leave(f, err)
				}
			}
		})
	}
	for _, f := range t.files {
		if f.state != waiting || t.orphan(f) {
			continue
		}
		select {
		case next <- f:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// keep records that the server has a file already.
func (t *Tree) keep(f *item) {
	f.state = unchanged
	t.done.Unchanged++
	t.done.Of--
	t.done.Size -= f.info.Size()
}

// finish sets the modes of what was there, and the modes and dates of directories: what is
// stored in a directory changes its date.
func (t *Tree) finish(ctx context.Context) error {
	for _, i := range slices.Concat(t.files, t.dirs) {
		if !t.wantsMode(i) || !t.act("chmod %s %s", mode(i.info), cmp.Or(i.path, ".")) {
			continue
		}
		err := t.change(ctx, &protocols.Change{Kind: protocols.Chmod, URL: i.url, Mode: mode(i.info)})
		if err != nil && fatal(ctx, err) {
			return err
		}
		t.update(func(p *Progress) {
			p.Modes++
			t.noModes = t.noModes || err != nil
		})
	}
	for _, d := range slices.Backward(t.dirs) {
		if !d.touched || d.state != sent && !t.Update || t.DryRun || t.noDates {
			continue
		}
		err := t.change(ctx, &protocols.Change{Kind: protocols.SetDate, URL: d.url, Modified: d.info.ModTime()})
		if err != nil && fatal(ctx, err) {
			return err
		}
		t.noFolderDates = t.noFolderDates || err != nil
	}
	return nil
}

// wantsMode reports whether i has another mode than here: a directory that was made, or, with
// Update, what was there.
func (t *Tree) wantsMode(i *item) bool {
	switch {
	case t.noModes || mode(i.info) == "":
		return false
	case i.there == nil:
		return i.info.IsDir() && i.state == sent
	case !t.Update || i.state == sent || i.state == omitted:
		return false
	}
	old, err := protocols.ParseMode("u+", i.there.note.Mode, false)
	return err == nil && old != bits(i.info)
}

// mode returns the permissions of a file as octal digits, or "" where there are none.
func mode(info os.FileInfo) string {
	if runtime.GOOS == "windows" {
		return ""
	}
	return fmt.Sprintf("%03o", bits(info))
}

func bits(info os.FileInfo) uint32 {
	m := uint32(info.Mode().Perm())
	for i, special := range []os.FileMode{os.ModeSticky, os.ModeSetgid, os.ModeSetuid} {
		if info.Mode()&special != 0 {
			m |= 0o1000 << i
		}
	}
	return m
}

// Remarks returns what was done in another way than here, in sentences without a full stop.
func (t *Tree) Remarks() (remarks []string) {
	if t.copies > 0 {
		remarks = append(remarks, "stored as a copy, because FTP has no symbolic links: "+english.Plural(t.copies, "link to a file", "links to files"))
	}
	if t.noDates {
		remarks = append(remarks, "the server does not keep the dates of files")
	}
	if t.noFolderDates {
		remarks = append(remarks, "the server does not keep the dates of directories")
	}
	if t.noModes {
		remarks = append(remarks, "the server does not keep the modes of files")
	}
	if t.Delete && t.unread {
		remarks = append(remarks, "nothing is removed from the server, because a part of the directory here could not be read")
	} else if len(t.surplus) > 0 && t.empty() {
		remarks = append(remarks, "nothing is removed from the server, because the directory here is empty")
	}
	return remarks
}
