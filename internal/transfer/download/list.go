package download

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// entry is an unfinished download in a list.
type entry struct {
	URL      string         `json:"url"`
	Path     string         `json:"path,omitempty"`
	Begun    bool           `json:"begun,omitempty"`  // Path is final
	Folder   string         `json:"folder,omitempty"` // Item.folder, if Path is ""
	Shown    string         `json:"shown,omitempty"`  // Request.Shown
	Tree     bool           `json:"tree,omitempty"`
	NoParent bool           `json:"no_parent,omitempty"`
	Force    bool           `json:"force,omitempty"` // replace an existing file
	Continue bool           `json:"continue,omitempty"`
	Mirror   *UpdateOptions `json:"mirror,omitempty"`
	Size     int64          `json:"size"`
	// Task is the description of a Task. URL is where it comes from.
	Task json.RawMessage `json:"task,omitempty"`

	Number   int       `json:"number,omitempty"`    // of the Item in its run
	State    string    `json:"state,omitempty"`     // of entryStates; "": unfinished
	ForQueue bool      `json:"for_queue,omitempty"` // the next run that takes the entry goes on with it
	Received int64     `json:"received,omitempty"`
	Files    int       `json:"files,omitempty"`
	AllFiles int       `json:"all_files,omitempty"`
	Started  time.Time `json:"started,omitzero"`
	Error    string    `json:"error,omitempty"`
}

// entryStates are the values of entry.State. The other states are written as "".
var entryStates = map[State]string{Queued: "queued", Running: "running", Paused: "paused", Failed: "failed", Saved: "saved"}

const (
	maxListSize = 8 << 20 // octets in a list
	maxEntries  = 10_000  // entries in a list
	maxLists    = 100     // lists that are read
	maxError    = 500     // octets of entry.Error
	listSuffix  = ".list"
	queueSuffix = "-queue" + listSuffix // of the list of the run without a screen
)

// entry returns the entry for the Item. The caller must have locked the Manager.
func (item *Item) entry() entry {
	s := &item.status
	e := entry{
		URL: urlcore.Redact(s.URL).String(), Path: s.Path, Begun: item.pathFinal, Tree: s.Tree, NoParent: s.NoParent, Force: s.Overwrite,
		Continue: s.Continue, Mirror: s.Mirror, Size: s.Size, Shown: s.Shown, Number: item.number, State: entryStates[s.State], ForQueue: item.forQueue,
		Received: s.Received, Files: s.Files, AllFiles: s.TotalFiles, Started: s.StartTime,
	}
	if e.Path == "" {
		e.Folder = item.folder
	}
	if s.Task != nil {
		e.Task = s.Task.Encode()
	}
	if e.Error = strings.ToValidUTF8(s.Failure(), "?"); len(e.Error) > maxError {
		e.Error = strings.ToValidUTF8(e.Error[:maxError], "")
	}
	if s.State == Failed && (s.isResumable() || protocols.QuestionOf(s.Err) != nil) {
		e.State = ""
	}
	return e
}

// set sets the Item from an entry. The State is Interrupted, unless the run that wrote e goes on or the Item is saved or
// failed. The caller must have locked the Manager.
func (item *Item) set(e *entry, goesOn bool) {
	u, _ := urlcore.Parse(e.URL) // checked by decodeList
	s := &item.status
	item.pathFinal, item.folder = e.Begun, e.Folder
	s.Request = Request{URL: u, Shown: e.Shown, Tree: e.Tree, NoParent: e.NoParent, Overwrite: e.Force, Continue: e.Continue, Mirror: e.Mirror}
	if !e.Begun {
		s.Request.Path = e.Path
	}
	if e.Task != nil && item.m.Restore != nil {
		s.Task = item.m.Restore(u, e.Task)
	}
	s.Path, s.Size, s.Received, s.Files, s.TotalFiles, s.StartTime = e.Path, max(e.Size, -1), max(e.Received, 0), max(e.Files, 0), max(e.AllFiles, 0), e.Started
	s.State, s.Err = Interrupted, nil
	if e.Error != "" {
		s.Err = errors.New(e.Error)
	}
	for state, name := range entryStates {
		if name == e.State && (goesOn || state == Failed || state == Saved) {
			s.State = state
		}
	}
	if !goesOn {
		item.keepsResult = s.State == Failed
	}
}

// list is the file with the unfinished downloads of one run of gofer, which keeps the file locked. Another run that
// gets the lock knows that the first run has ended.
type list struct {
	dir string

	waiting atomic.Bool // a call of updateOnce waits

	mu      sync.Mutex
	isQueue bool // the list is of the run without a screen
	file    *lockedFile
	content []byte
	closed  bool
	ended   []*lockedFile // locked lists of earlier runs; removed when file has the entries of these lists
}

// update writes the entries to the file. It does not create a file for an empty list. It reports whether the file has
// the entries; downloads work without a list too.
func (l *list) update(entries func() []entry) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dir == "" || l.closed || !l.write(encodeList(entries())) {
		return false
	}
	for _, f := range l.ended {
		_ = f.remove()
	}
	l.ended = nil
	return true
}

// updateOnce is like update. It does nothing if another call of updateOnce, which has not read the entries yet, waits.
func (l *list) updateOnce(entries func() []entry) {
	if !l.waiting.Swap(true) {
		l.update(func() []entry {
			l.waiting.Store(false)
			return entries()
		})
		l.waiting.Store(false) // if update has not called the function
	}
}

func encodeList(entries []entry) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i, x := range entries {
		if n := b.Len(); i >= maxEntries || e.Encode(x) != nil || b.Len() > maxListSize {
			b.Truncate(n)
			break
		}
	}
	return b.Bytes()
}

// write writes data to the file unless the file has the same content already. It reports whether the file now
// has this content.
func (l *list) write(data []byte) bool {
	if bytes.Equal(data, l.content) {
		return true
	}
	if l.file == nil && l.open() != nil || l.file.replace(data) != nil {
		return false
	}
	l.content = data
	return true
}

func (l *list) open() error {
	if err := userfile.MakePrivate(l.dir); err != nil {
		return err
	}
	for range 3 { // another run of gofer may have locked the new file for a moment in takeEnded
		var err error
		l.file, err = openLocked(newListPath(l.dir, l.isQueue))
		if !errors.Is(err, errLocked) {
			return err
		}
	}
	return errLocked
}

// listCount is the number of lists that this process has named.
var listCount atomic.Int64

// newListPath returns a path for a new list, which no other list has. Paths are in the order of their age.
func newListPath(dir string, isQueue bool) string {
	suffix := listSuffix
	if isQueue {
		suffix = queueSuffix
	}
	return filepath.Join(dir, fmt.Sprintf("%d-%d-%d%s", time.Now().UnixNano(), os.Getpid(), listCount.Add(1), suffix))
}

// path returns the path of the file, or "" if there is none.
func (l *list) path() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return ""
	}
	return l.file.Name()
}

// close closes the file, and removes it if it is empty.
func (l *list) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.closeEnded()
	switch {
	case l.file == nil:
	case len(l.content) == 0:
		_ = l.file.remove()
	default:
		_ = l.file.Close()
	}
	l.file = nil
}

// closeEnded unlocks the lists of earlier runs, so that another run can take them over.
func (l *list) closeEnded() {
	for _, f := range l.ended {
		_ = f.Close()
	}
	l.ended = nil
}

// otherLists are the lists of other runs.
type otherLists struct {
	ended   []*lockedFile      // locked lists of runs that have ended
	entries []entry            // their entries
	running map[string][]entry // the entries of the lists of runs that go on, by the path of the list
	waiting map[string][]entry // the entries of the lists that the run without a screen is to take, by the path of the list
}

// readOthers reads the lists of other runs. It locks the lists of runs that have ended, if the function takes returns
// true for their entries. The caller must have called lockFolder.
func (l *list) readOthers(takes func([]entry) bool) (o otherLists) {
	o.running, o.waiting = make(map[string][]entry), make(map[string][]entry)
	for _, path := range l.paths() {
		f, err := openLocked(path)
		if err != nil { // the run of gofer that has this list has not ended
			if data, err := userfile.ReadNoFollow(path, maxListSize, true); err == nil {
				o.running[path] = decodeList(data)
			}
			continue
		}
		if info, err := f.Stat(); err != nil || !userfile.IsPrivate(info) || userfile.Links(info) > 1 {
			_ = f.Close()
			continue // the list is of another user
		}
		data, _ := f.read(maxListSize)
		entries := decodeList(data)
		if !takes(entries) {
			if areForQueue(entries) {
				o.waiting[path] = entries
			}
			_ = f.Close()
			continue
		}
		o.ended, o.entries = append(o.ended, f), append(o.entries, entries...)
	}
	return o
}

// paths returns the paths of the lists of other runs, at most maxLists. Lists that this run has taken over and cannot remove
// yet are not among them.
func (l *list) paths() []string {
	if l.dir == "" {
		return nil
	}
	paths, _ := filepath.Glob(filepath.Join(l.dir, "*"+listSuffix))
	own := l.path()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	paths = slices.DeleteFunc(paths, func(path string) bool {
		return path == own || slices.ContainsFunc(l.ended, func(f *lockedFile) bool { return f.Name() == path })
	})
	return paths[:min(len(paths), maxLists)]
}

// removeAfterUpdate makes update remove the given files after update has written the entries of these files. The
// files stay locked until then. If update never succeeds, the next run of gofer takes over the files.
func (l *list) removeAfterUpdate(files []*lockedFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended = append(l.ended, files...); l.closed {
		l.closeEnded()
	}
}

// isAbsoluteIfGiven reports whether path is "" or absolute.
func isAbsoluteIfGiven(path string) bool { return path == "" || filepath.IsAbs(path) }

// decodeList decodes the entries of a list. It skips an entry with an invalid URL, or a relative path or folder. It stops at the
// first entry that cannot be decoded, and returns the entries before it.
func decodeList(data []byte) (entries []entry) {
	for d := json.NewDecoder(bytes.NewReader(data)); len(entries) < maxEntries; {
		var e entry
		if d.Decode(&e) != nil {
			break
		}
		if _, err := urlcore.Parse(e.URL); err == nil && isAbsoluteIfGiven(e.Path) && isAbsoluteIfGiven(e.Folder) {
			entries = append(entries, e)
		}
	}
	return entries
}

// Recover adds the unfinished downloads of earlier runs, and the downloads of other runs that go on. It returns the
// number of Items in the state Interrupted. Unlike Add, it reads files.
func (m *Manager) Recover() int {
	m.init()
	m.refresh()
	n := 0
	for _, it := range m.Items() {
		if s := it.Status(); s.State == Interrupted && s.SavedBy == ThisRun {
			n++
		}
	}
	return n
}

// readPartSize sets Received to the size of the unfinished file. If there is a complete file instead, because the
// earlier run was killed before it updated its list, readPartSize also sets State to Saved.
func (s *Status) readPartSize(rs *records) {
	if part, _, ok := rs.findPart(s.Path); ok {
		if info, err := os.Lstat(part); err == nil {
			s.Received, s.Part = info.Size(), part
		}
	} else if info, err := os.Lstat(s.Path); err == nil && info.Mode().IsRegular() && (s.Size < 0 || s.Size == info.Size()) {
		s.Received, s.State, s.Err = info.Size(), Saved, nil
	}
}
