// Package across copies items of a directory to another directory, of any scheme, and compares two directories.
//
// The octets go through this machine as they arrive: from a Fetcher straight to a [protocols.Putter], without a temporary file
// and without transfers between two servers (FXP). The names are the octets of the source, and a name that is a path is left
// out. Both directories are listed before anything is written, so that the question about existing files comes first and knows
// their number. A file that comes to exist later is not replaced.
//
// A Copy is a [download.Task] of the queue of downloads. After a lost connection, a pause or the end of the program, the file that
// was under way is continued in the part that the target has of it, if the source can send the rest of a file and the end of the
// part has the octets of the file. The part is known to be of the Copy by its URL, which the list of downloads keeps. A later run
// lists both directories again; with the answer to replace files, it leaves those that have the size and the date of the source.
//
// A link stays a link if it leads to another item of the same copy and the target can have links. Otherwise a link to a file is copied
// as the file, and a link to a directory is left out, because it may lead to a directory above it.
package across

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Server fetches, stores and changes items of all schemes.
type Server interface {
	protocols.Fetcher
	protocols.Putter
	protocols.Changer
	protocols.Identifier
}

// Directory is the URL of a directory that can have new items.
type Directory interface {
	urlcore.URL
	Child(name string) (urlcore.URL, error)
}

// Existing says what happens to files that the target has already.
type Existing uint8

// The choices for existing files.
const (
	Skip    Existing = iota // they stay as they are
	Replace                 // they are replaced
	Newer                   // they are replaced by newer files, as far as the listings show
)

// Copy copies or moves items. The exported fields must not change after [Copy.Plan].
type Copy struct {
	Server   Server
	Items    []protocols.Line // lines of a list, with links
	From     urlcore.URL      // the list
	To       Directory
	Move     bool     // the items are removed where they were
	Existing Existing // may be set after Plan
	Others   []*Copy  // the unfinished copies of the queue, whose files are left out

	planned  bool                                       // entries are those of Items
	again    bool                                       // the plan is of what an earlier Run has left to do
	entries  []*entry                                   // a directory comes before what is below it
	next     int                                        // index of the next entry
	leaving  []*entry                                   // directories that a move empties
	replaced bool                                       // a file of the target was replaced
	octets   int64                                      // of the files that were copied
	relisted map[urlcore.URL]map[string]*protocols.Line // directories of the target, see isNew
	work     *download.Work
	invalid  error           // why the Copy cannot be read from the list of downloads, or nil
	encoded  json.RawMessage // what cannot be read, or nil

	mu       sync.Mutex
	begun    *part // of the file that is under way, or nil
	progress Progress
	leftOut  []mirror.LeftOut
	renamed  []Renamed

	discarded string // see Discarded
}

// entry is a file or a directory to copy.
type entry struct {
	path   string // relative to the list, for messages
	name   string
	line   protocols.Line
	parent *entry          // nil: the target
	there  *protocols.Line // the item of the same name at the target, or nil
	dir    Directory       // the directory at the target, once it exists
	unsure bool            // there may be the item itself, by another server or name
	whole  bool            // the item is moved by renaming it, and not walked
	failed bool            // it was left out
	begun  *part           // what an attempt has left at the target, or nil
	made   urlcore.URL     // the new item at the target, or nil
	asLink bool            // the item is a link, and stays one
	leads  *entry          // where a link leads, if that is copied too, or nil
	stays  bool            // a move does not remove the item, nor what is below it: a link that stays leads to it
	isNew  bool            // a second list of the target has shown no such item
	copied bool            // the target has the whole file
	got    facts           // of the file that was copied

	finished bool // the new directory has its date
	keeps    bool // it, or an item below it, was left out or skipped
}

// facts are the size and the date of a file, -1 and zero if they are unknown.
type facts struct {
	size     int64
	modified time.Time
	kept     bool // the target has the date
}

// part is an incomplete file that a Copy has left at the target.
type part struct {
	path     string      // of the entry
	url      urlcore.URL // of the incomplete file
	sent     int64       // octets that were sent in this run, or 0 if it is not known
	before   int64       // size of the file that is replaced, or 0
	replaces bool        // the target has had the file
	size     int64       // of the document, -1 if unknown
	modified time.Time   // of the document, zero if unknown
	ours     bool        // this run has written it
	fresh    bool        // the file must be sent from its beginning
}

// Renamed is an item that was moved by renaming it.
type Renamed struct {
	Old protocols.Line // as it was listed before
	New urlcore.URL
}

// Progress counts the files of a Copy.
type Progress struct {
	Files, TotalFiles int // copied, and to copy
	Octets, Size      int64
	Existing, Newer   int // files that the target has, and how many of them are newer there
	Unsized           int // files of unknown size
	Skipped           int
	Undated           int // files that did not keep their date
	Exposed           int // files that more users may read than the file that was copied, because the target has refused its permissions
	Dirs              int // directories that are new at the target
	Whole             int // items that are moved by renaming them, whose content is not counted
}

// Progress returns the progress.
func (c *Copy) Progress() Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.progress
}

// LeftOut returns the items that were left out, and why.
func (c *Copy) LeftOut() []mirror.LeftOut {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.leftOut)
}

// IsEmpty reports whether there is nothing to copy: all items were left out.
func (c *Copy) IsEmpty() bool {
	return !slices.ContainsFunc(c.entries, func(e *entry) bool { return !e.failed })
}

// Renamed returns the items that were moved by renaming them.
func (c *Copy) Renamed() []Renamed { return c.renamed }

// Done returns the links of the items that are now at the target, with all that is below them.
func (c *Copy) Done() (links []urlcore.URL) {
	waits := make(map[*entry]bool)
	for _, e := range c.entries[c.next:] {
		for ; e != nil && !waits[e]; e = e.parent {
			waits[e] = true
		}
	}
	for _, e := range c.entries[:c.next] {
		if e.parent == nil && !e.keeps && !waits[e] {
			links = append(links, e.line.Link)
		}
	}
	return links
}

// keep records that e stays where it was, and so do the directories above it.
func (e *entry) keep() {
	for ; e != nil && !e.keeps; e = e.parent {
		e.keeps = true
	}
}

// update changes the progress and reports it to the queue.
func (c *Copy) update(change func(p *Progress)) {
	c.mu.Lock()
	change(&c.progress)
	p := c.progress
	c.mu.Unlock()
	if c.work != nil {
		size := p.Size
		if p.Unsized > 0 {
			size = -1
		}
		c.work.Report(download.TaskProgress{Files: p.Files, TotalFiles: p.TotalFiles, Received: p.Octets, Size: size})
	}
}

// leaveOut records why e is left out.
func (c *Copy) leaveOut(e *entry, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.failed = true
	e.keep()
	c.leftOut = append(c.leftOut, mirror.LeftOut{URL: e.line.Link, Path: e.path, Err: err})
}

// isFatal reports whether err ends the whole transfer: a question to the user, an error of the network, a full target, or the end of ctx. The
// question whether to replace a file does not end it.
func isFatal(ctx context.Context, err error) bool {
	if isExisting(err) {
		return false
	}
	return ctx.Err() != nil || protocols.QuestionOf(err) != nil || protocols.ReasonOf(err).IsNetworkFailure() ||
		mirror.IsFull(err) || download.IsDiskFull(err)
}

// isExisting reports whether err asks whether to replace an item.
func isExisting(err error) bool {
	c, ok := protocols.QuestionOf(err).(*protocols.Confirm)
	return ok && c.Consent == protocols.ConsentReplace
}

// retry calls attempt again while the network fails.
func (c *Copy) retry(ctx context.Context, attempt func() (progress bool, err error)) error {
	r, wait := mirror.Retry{Tries: mirror.RefusedTries}, func(mirror.Wait) {}
	if c.work != nil {
		r, wait = c.work.Retry, c.work.Wait
	}
	return r.Do(ctx, wait, attempt)
}

// The reasons for leaving items out.
var (
	errName      = errors.New("its name is a path, or empty")
	errLinkedDir = errors.New("it is a link to a directory, which cannot be copied as a link")
	errNotFile   = errors.New("it is neither a file nor a directory")
	errSame      = errors.New("it is the same item")
	errMaybeSame = errors.New("the target may be this file itself: both have the same size and date")
	errInside    = errors.New("a directory cannot be copied into itself")
	errGone      = errors.New("it is not there any more")
	errLinked    = errors.New("the target has a link of this name, which is not followed")
	errDeep      = errors.New("there are too many items, or too many levels of directories")
	errSource    = errors.New("it has changed while it was copied")
	errNoAside   = errors.New("the target keeps its file: it cannot take the new one under another name first")
	errKind      = errors.New("the target has an item of another kind with this name")
	errTwice     = errors.New("another item has the same name")
	errExists    = errors.New("it exists at the target since")
	errParent    = errors.New("its directory was left out")
	errPart      = errors.New("the file at the target is incomplete: remove it, or copy again")
	errChanged   = errors.New("it has changed, or cannot be continued")
	errUnderWay  = errors.New("its copy is not finished: continue it in the list of downloads, or remove it there")
)
