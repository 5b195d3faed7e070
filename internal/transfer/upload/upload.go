// Package upload stores local directories on FTP servers, and removes directories of servers.
//
// It lists the directories of the server first. It asks for the date of a single file only if the listed date
// is too coarse for the comparison. Files keep their modes and dates. A symbolic link to a file of the tree
// is stored as a copy of the file, because FTP has no command for links. Other links are left out, and links
// out of the tree are never followed.
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
	"sync/atomic"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Server is a server that directories can be stored on.
type Server interface {
	protocols.Fetcher
	protocols.Putter
	protocols.Changer
}

// Tree stores a local directory on a server. The exported fields must not change after [Tree.Plan].
type Tree struct {
	Server   Server
	Dir      string       // the local directory
	URL      urlcore.FTP  // the directory of the server for the content of Dir
	Parallel int          // number of connections; 0: 1
	Retry    mirror.Retry // for errors of the network
	Filter   mirror.Filter
	Force    bool // replace all files
	Continue bool // send the missing end of files
	Replace  bool // replace files that differ in size or date
	// KeepNewer leaves out files that differ and are newer on the server.
	KeepNewer bool
	Update    bool         // like Replace, and set the modes and dates of existing items
	Delete    bool         // remove items of the server that Dir does not have
	Names     mirror.Names // the charset of the names at the server; the listings show it if none is chosen
	DryRun    bool         // print the actions without changing anything

	// Print is called with the text of each action, and Report with the progress. Both may be nil. Their calls do
	// not overlap.
	Print  func(action string)
	Report func(p Progress)

	plan

	reached  atomic.Bool  // a request has reached the server
	slots    mirror.Slots // no limit until the server refuses a connection
	mu       sync.Mutex
	progress Progress
	leftOut  []mirror.LeftOut
	full     bool // the server has no space for more items

	noDates, noDirDates, noModes bool // the server did not set the date of a file, the date of a directory, or a mode
}

// plan is the result of [Tree.Plan].
type plan struct {
	root           *os.Root // the local directory; does not follow links that lead out of it
	parents        []*item  // missing directories above URL, with the outermost first
	dirs           []*item  // each directory comes before its subdirectories; the first is Dir
	files          []*item
	children       map[*item][]*item // the items to store, by directory
	octets         map[string]string // names at the server in the index of the mirror, by path
	localItems     map[string]*item  // by path; includes the items that are left out
	byFoldedPath   map[string]*item  // the items to store, by path in lower case
	linkCopies     int               // number of links that are stored as copies of files
	scanIncomplete bool              // a part of Dir could not be read
	// storeFailed is set if an item was not stored because of the network or the server. The refusal of a name
	// does not count.
	storeFailed bool
	hasExcluded bool // a pattern excludes an item
	// surplus has the items to remove because Dir does not have them. clashing has the items to remove
	// because an item of Dir needs their name: either the kind of the two items differs, or the names differ
	// only in case, which a server may ignore.
	clashing, surplus []*Removal
	removalsLeftOut   int                          // number of items that could not be removed
	listedAgain       map[*item]map[string]*remote // listings of directories after the files were sent
}

// item is a local file or directory.
type item struct {
	path           string      // relative to Dir, with slashes; "" is Dir
	url            urlcore.FTP // URL at the server
	info           os.FileInfo
	serverPath     string  // path of a directory as the server reports it, or ""
	remote         *remote // the item of the same name on the server, or nil
	state          state
	contentChanged bool // the directory was made, or items in it were changed

	upload   *protocols.Upload // of a file that was sent, until finish is called
	modeKept bool              // the server has set the mode of a file

	incomplete bool // the server does not list the whole directory
}

type state uint8

const (
	waiting  state = iota
	doubtful       // sent, but not listed, or listed with another size
	sent
	unchanged
	leftOut
)

// remote is an item of the server.
type remote struct {
	url  urlcore.FTP
	dir  bool
	note protocols.FileNote
	keep bool // a Removal keeps the item, or an item in it
}

// Progress is the progress of a Tree.
type Progress struct {
	Files, TotalFiles int   // files sent, and files to send
	Done, Size        int64 // octets sent, and octets to send
	MadeDirs          int
	Unchanged         int // files
	Removed           int // files and directories
	ChangedModes      int
	Waiting           string

	Newer               int // files to send that are newer on the server
	existing, uncertain int // numbers of files to send that exist on the server, and that may be unchanged
	resumes             bool
}

// Extent describes the files to send: their number, their size, and how many of them the server has. The parameter
// size is their size as a text.
func (p *Progress) Extent(size string) string {
	text := english.Plural(p.TotalFiles, "file", "") + " (" + size
	if p.uncertain > 0 {
		text = "up to " + text
	}
	switch {
	case p.existing > 0 && p.resumes:
		text += fmt.Sprintf("; the server has %d of that name", p.existing)
	case p.existing > 0:
		text += "; replaces " + english.Plural(p.existing, "file", "")
	}
	if p.Newer > 0 {
		text += fmt.Sprintf(", %d newer on the server", p.Newer)
	}
	return text + ")"
}

var (
	errNoDirectory   = errors.New("it is not a directory")
	errIncomplete    = errors.New("the listing is incomplete")
	errNewer         = errors.New("it is newer on the server")
	errExists        = errors.New("it already exists on the server")
	errOtherKind     = errors.New("the server has an item of another kind with this name")
	errOtherKindKept = errors.New("the server has an item of another kind with this name; mirror --delete replaces it")
	errSpecial       = errors.New("it is neither a file nor a directory")
	errLink          = errors.New("it is a dangling link, or a link to a directory")
	errOutside       = errors.New("it is a symbolic link that leads out of the directory")
	errRenamed       = errors.New("it was sent, but the server may have stored it under another name")
	errMayBeStored   = errors.New("not removed: the server may have stored a local item under this name")
	errTemporaryName = errors.New("an interrupted mirror renamed an item to this name; rename it back, or remove it")
	errFull          = errors.New("not stored: the server is full")
	errParentLeftOut = errors.New("its directory was left out")
	errChanged       = errors.New("it changed while it was being sent; send it again")
)

// Close releases the resources of Plan.
func (t *Tree) Close() {
	if t.root != nil {
		_ = t.root.Close()
	}
}

// MissingDirs returns the number of directories that Run makes.
func (t *Tree) MissingDirs() (n int) {
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
	return t.progress
}

// LeftOut returns the items that have been left out.
func (t *Tree) LeftOut() []mirror.LeftOut {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.leftOut)
}

// leaveOut records why an item is left out.
func (t *Tree) leaveOut(i *item, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i.state = leftOut
	t.full = t.full || mirror.IsFull(err)
	if t.localItems[i.path] != i {
		t.removalsLeftOut++
	} else if e, ok := errors.AsType[*protocols.Error](err); ok && (e.Reason.IsServerFailure() && e.Reason != protocols.Rejected || e.Reason.IsNetworkFailure()) {
		t.storeFailed = t.storeFailed || !strings.HasPrefix(e.Text, "Prohibited file name") // pure-ftpd refuses backslashes
	}
	t.leftOut = append(t.leftOut, mirror.LeftOut{Path: i.path, Err: err})
}

// isFull reports whether the server has no space for more items.
func (t *Tree) isFull() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.full
}

// printAction prints an action, and reports whether Run performs it.
func (t *Tree) printAction(format string, args ...any) bool {
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
	change(&t.progress)
	if t.Report != nil {
		t.Report(t.progress)
	}
}

// itemTries limits the attempts to store an item if each attempt loses the connection, because the item may
// be the reason.
const itemTries = mirror.RefusedTries

// retry calls attempt until attempt succeeds or returns a permanent error, or all tries are used. If the user has chosen
// the number of tries, it applies to refused connections too.
func (t *Tree) retry(ctx context.Context, attempt func() (progress bool, err error)) error {
	retry := t.Retry
	retry.ItemTries = cmp.Or(retry.ItemTries, itemTries)
	if retry.Tries == 0 {
		retry.RefusedTries, retry.Reached = mirror.RefusedTries, &t.reached
	}
	const server = "" // all slots are for one server
	if err := t.slots.Wait(ctx, t.slots.Enqueue(server)); err != nil {
		return err
	}
	defer t.slots.Release(server)
	retry.Yield = func(ctx context.Context) bool { return t.slots.Yield(ctx, server) }
	return retry.Do(ctx, func(w mirror.Wait) { t.update(func(p *Progress) { p.Waiting = w.String() }) }, attempt)
}

func (t *Tree) makeChange(ctx context.Context, c *protocols.Change) error {
	return t.retry(ctx, func() (bool, error) {
		_, err := t.Server.Change(ctx, c)
		return false, err
	})
}

// isFatal reports whether err ends the transfers: an error of the network, a question to the user, or
// the end of ctx. The question whether to replace a file does not end them.
func isFatal(ctx context.Context, err error) bool {
	if c, ok := protocols.QuestionOf(err).(*protocols.Confirm); ok && c.Consent == protocols.ConsentReplace {
		return false
	}
	return ctx.Err() != nil || protocols.QuestionOf(err) != nil || protocols.ReasonOf(err).IsNetworkFailure()
}

// parent returns the directory of the item i. The item must not be Dir.
func (t *Tree) parent(i *item) *item {
	if dir := path.Dir(i.path); dir != "." {
		return t.localItems[dir]
	}
	return t.dirs[0]
}

// Remarks returns notes for the user about differences between the local and the stored tree, without full stops.
func (t *Tree) Remarks() (remarks []string) {
	for _, r := range []struct {
		applies bool
		text    string
	}{
		{t.linkCopies > 0, "stored as a copy, because FTP has no symbolic links: " + english.Plural(t.linkCopies, "link to a file", "links to files")},
		{t.hasExcluded && len(t.files) == 0, mirror.NoteNothingSelected},
		{t.noDates, "the server does not keep the dates of files"},
		{t.noDirDates, "the server does not keep the dates of directories"},
		{t.noModes, "the server does not keep the modes of files"},
		{t.Delete && t.scanIncomplete, "nothing was removed: a part of the local directory could not be read"},
		{len(t.clashing)+len(t.surplus) > 0 && t.isEmpty(), "nothing was removed: the local directory is empty"},
		{t.storeFailed && len(t.surplus) > 0, "nothing was removed: not everything was stored"},
	} {
		if r.applies {
			remarks = append(remarks, r.text)
		}
	}
	return remarks
}
