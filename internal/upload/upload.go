// Package upload stores directories of this machine on servers, and removes directories there.
//
// The directories of the server are listed first; only a file of equal size whose listed date is
// coarse takes a question to the server. Files keep their modes and dates. A symbolic link to a file
// of the tree is stored as a copy of the file, because FTP has no command for links; other links are
// left out, and links out of the tree are never followed.
package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Server is a server that stores a directory.
type Server interface {
	protocols.Fetcher
	protocols.Putter
	protocols.Changer
}

// Tree stores a directory of this machine on a server. Its fields are set before [Tree.Plan].
type Tree struct {
	Server   Server
	Dir      string       // the directory of this machine
	URL      urlcore.FTP  // the directory of the server that gets the content of Dir
	Parallel int          // connections; 0: 1
	Retry    mirror.Retry // of errors of the network
	Filter   mirror.Filter
	Force    bool // replace files
	Continue bool // send the missing end of files
	Replace  bool // replace files that differ in size or date
	// KeepNewer leaves out files that differ and are newer on the server.
	KeepNewer bool
	Update    bool // like Replace, and set the modes and dates of what is there
	Delete    bool // remove items of the server that Dir does not have
	DryRun    bool // change nothing

	// Print is called with a line for each action, and Report with the progress; nil: nothing is
	// called. Calls do not overlap.
	Print  func(action string)
	Report func(p Progress)

	plan

	slots   mirror.Slots // bounds nothing until the server refuses a connection
	mu      sync.Mutex
	done    Progress
	leftOut []mirror.LeftOut

	noDates, noFolderDates, noModes bool // the server has not set one of them
}

// plan is the result of [Tree.Plan].
type plan struct {
	root    *os.Root // does not follow links that lead out of it
	parents []*item  // directories above URL that are made, the outermost first
	dirs    []*item  // parents first; the first is Dir itself
	files   []*item
	local   map[string]*item // by path; includes the items that are left out
	folded  map[string]*item // by path in lower case; those to store
	copies  int              // of files, instead of links
	unread  bool             // a part of Dir could not be read
	// unstored reports that the server refused an item of Dir, but not for its name, or the connection broke.
	unstored bool
	skips    bool // a pattern excludes an item
	// surplus holds the items of the server that Dir does not have, with Delete. Names of clashing
	// differ from names of Dir in case only, which a server may ignore, or the items are of another kind.
	clashing, surplus []*Removal
	removals          int                          // that were left out
	after             map[*item]map[string]*remote // the listings of directories after the files were sent
}

// item is a file or directory of this machine.
type item struct {
	path    string      // below Dir, with slashes; "" is Dir itself
	url     urlcore.FTP // at the server
	info    os.FileInfo
	place   string  // the path of a directory at the server, as the server reports it, or ""
	remote  *remote // nil if the server has none
	state   state
	touched bool // a directory that was made, or whose content was changed

	incomplete bool // the server lists a part of the directory
}

type state uint8

const (
	waiting  state = iota
	doubtful       // sent, but not listed with its size
	sent
	unchanged
	omitted
)

// remote is an item of the server.
type remote struct {
	url   urlcore.FTP
	dir   bool
	note  protocols.FileNote
	stays bool // a Removal leaves it, or an item in it
}

// Progress is the progress of a Tree.
type Progress struct {
	Files, Of  int   // files sent, and all files to send
	Done, Size int64 // in octets
	Made       int   // directories
	Unchanged  int   // files
	Removed    int   // files and directories
	Modes      int   // changed
	Waiting    string

	Newer         int // files to send that are newer on the server
	there, unsure int // files to send whose names the server has; of these, files that may be left as they are
	resumes       bool
}

// Extent names the files to send, and their size.
func (p *Progress) Extent(size string) string {
	text := english.Plural(p.Of, "file", "") + " (" + size
	if p.unsure > 0 {
		text = "up to " + text
	}
	switch {
	case p.there > 0 && p.resumes:
		text += fmt.Sprintf("; the server has %d of that name", p.there)
	case p.there > 0:
		text += "; replaces " + english.Plural(p.there, "file", "")
	}
	if p.Newer > 0 {
		text += fmt.Sprintf(", %d of them newer there", p.Newer)
	}
	return text + ")"
}

var (
	errNoDirectory = errors.New("it is not a directory")
	errIncomplete  = errors.New("the server does not list all of it")
	errNewer       = errors.New("it is newer on the server")
	errExists      = errors.New("it is there already")
	errKind        = errors.New("the server has something else of that name: a directory, a file or a link")
	errKindKept    = errors.New("the server has something else of that name: a directory or a file; mirror --delete replaces it")
	errSpecial     = errors.New("it is neither a file nor a directory")
	errLink        = errors.New("it is a symbolic link to a directory, or to nothing")
	errOutside     = errors.New("it is a symbolic link that leads out of the directory")
	errRenamed     = errors.New("it was sent, but is not there under this name: the server may have stored it under another one")
	errMayBeStored = errors.New("it is not removed, because the server may have stored an item of the directory here under this name")
	errReplacing   = errors.New("mirror has renamed an item of the directory to this name, to replace it: rename it back, or remove it")
	errNoParent    = errors.New("its directory was left out")
	errChanged     = errors.New("it was changed while it was sent, and what is stored may be a mixture: send it again")
)

// Close releases the resources of Plan.
func (t *Tree) Close() {
	if t.root != nil {
		_ = t.root.Close()
	}
}

// Missing returns the number of directories that Run makes.
func (t *Tree) Missing() (n int) {
	for _, d := range slices.Concat(t.parents, t.dirs) {
		if d.remote == nil && d.state == waiting {
			n++
		}
	}
	return n
}

// Progress returns the progress.
func (t *Tree) Progress() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done
}

// LeftOut returns the items that were left out until now.
func (t *Tree) LeftOut() []mirror.LeftOut {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.leftOut)
}

// leave records why an item is left out.
func (t *Tree) leave(i *item, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i.state = omitted
	if t.local[i.path] != i {
		t.removals++
	} else if e, ok := errors.AsType[*protocols.Error](err); ok && (e.Reason.Server() && e.Reason != protocols.Rejected || e.Reason.Network()) {
		t.unstored = t.unstored || !strings.HasPrefix(e.Text, "Prohibited file name") // pure-ftpd refuses backslashes
	}
	t.leftOut = append(t.leftOut, mirror.LeftOut{Path: i.path, Err: err})
}

// act prints an action, and reports whether Run performs it.
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

// itemTries bounds the attempts at an item that breaks the connection each time: the
// item may be the reason. They take 91 s, with their pauses.
const itemTries = 8

// try repeats do while the network fails.
func (t *Tree) try(ctx context.Context, do func() (progress bool, err error)) error {
	retry := t.Retry
	retry.ItemTries = cmp.Or(retry.ItemTries, itemTries)
	const server = "" // there is one only
	if err := t.slots.Wait(ctx, t.slots.Ask(server)); err != nil {
		return err
	}
	defer t.slots.Release(server)
	retry.Yield = func(ctx context.Context) bool { return t.slots.Yield(ctx, server) }
	return retry.Do(ctx, func(w mirror.Wait) { t.update(func(p *Progress) { p.Waiting = w.String() }) }, do)
}

func (t *Tree) change(ctx context.Context, c *protocols.Change) error {
	return t.try(ctx, func() (bool, error) {
		_, err := t.Server.Change(ctx, c)
		return false, err
	})
}

// fatal reports whether err ends the transfers: an error of the network, a question to the user,
// the end of ctx.
func fatal(ctx context.Context, err error) bool {
	if c, ok := protocols.QuestionOf(err).(*protocols.Confirm); ok && c.Consent == protocols.ConsentReplace {
		return false
	}
	return ctx.Err() != nil || protocols.QuestionOf(err) != nil || protocols.ReasonOf(err).Network()
}

// parent returns the directory of an item other than Dir.
func (t *Tree) parent(i *item) *item {
	if dir := path.Dir(i.path); dir != "." {
		return t.local[dir]
	}
	return t.dirs[0]
}

// Remarks returns the differences between the stored tree and this one, as sentences without a full
// stop.
func (t *Tree) Remarks() (remarks []string) {
	for _, r := range []struct {
		is   bool
		text string
	}{
		{t.copies > 0, "stored as a copy, because FTP has no symbolic links: " + english.Plural(t.copies, "link to a file", "links to files")},
		{t.skips && len(t.files) == 0, mirror.NothingSelected},
		{t.noDates, "the server does not keep the dates of files"},
		{t.noFolderDates, "the server does not keep the dates of directories"},
		{t.noModes, "the server does not keep the modes of files"},
		{t.Delete && t.unread, "nothing is removed from the server, because a part of the directory here could not be read"},
		{len(t.clashing)+len(t.surplus) > 0 && t.empty(), "nothing is removed from the server, because the directory here is empty"},
		{t.unstored && len(t.surplus) > 0, "nothing was removed: not everything was stored"},
	} {
		if r.is {
			remarks = append(remarks, r.text)
		}
	}
	return remarks
}
