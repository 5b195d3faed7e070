package download

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gofer/urlcore"
)

// entry is a download in the list of a program.
type entry struct {
	URL      string  `json:"url"`
	Path     string  `json:"path,omitempty"`
	Begun    bool    `json:"begun,omitempty"` // the file at Path was begun
	Tree     bool    `json:"tree,omitempty"`
	NoParent bool    `json:"no_parent,omitempty"`
	Force    bool    `json:"force,omitempty"` // an existing file is replaced
	Mirror   *Mirror `json:"mirror,omitempty"`
	Size     int64   `json:"size"`
}

const (
	maxList    = 1 << 20 // octets of a list
	maxListed  = 1000    // entries of a list
	maxLists   = 100     // lists of programs that have ended
	listSuffix = ".list"
)

// list is the list of unfinished downloads of one program, in a file that is locked while
// the program runs. A program that gets the lock knows that the other one has ended.
type list struct {
	dir string

	mu      sync.Mutex
	file    *lockedFile
	written []byte
	closed  bool
	old     []*lockedFile // lists of programs that have ended, removed when file has their entries
}

// set writes the list that entries returns. It does not create a file for an empty list.
func (l *list) set(entries func() []entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dir == "" || l.closed {
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i, x := range entries() {
		if n := b.Len(); i >= maxListed || e.Encode(x) != nil || b.Len() > maxList {
			b.Truncate(n)
			break
		}
	}
	if !l.write(b.Bytes()) {
		return // downloads work without a list
	}
	for _, f := range l.old {
		_ = f.remove()
	}
	l.old = nil
}

// write writes data to the file if it has changed, and reports whether the file has it.
func (l *list) write(data []byte) bool {
	if bytes.Equal(data, l.written) {
		return true
	}
	if l.file == nil && l.open() != nil || l.file.replace(data) != nil {
		return false
	}
	l.written = data
	return true
}

func (l *list) open() error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	for range 3 { // another program may look whether it is left
		var err error
		l.file, err = openLocked(filepath.Join(l.dir, fmt.Sprintf("%d-%d%s", time.Now().UnixNano(), os.Getpid(), listSuffix)))
		if !errors.Is(err, errLocked) {
			return err
		}
	}
	return errLocked
}

// close closes the file, and removes it if it is empty.
func (l *list) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.release()
	switch {
	case l.file == nil:
	case len(l.written) == 0:
		_ = l.file.remove()
	default:
		_ = l.file.Close()
	}
	l.file = nil
}

// release leaves the old lists to the next program.
func (l *list) release() {
	for _, f := range l.old {
		_ = f.Close()
	}
	l.old = nil
}

// left returns the lists of programs that have ended, locked, and their entries.
func (l *list) left() (files []*lockedFile, entries []entry) {
	if l.dir == "" {
		return nil, nil
	}
	paths, _ := filepath.Glob(filepath.Join(l.dir, "*"+listSuffix))
	for _, path := range paths[:min(len(paths), maxLists)] {
		l.mu.Lock()
		skip := l.closed || l.file != nil && l.file.Name() == path
		l.mu.Unlock()
		if skip {
			continue
		}
		f, err := openLocked(path)
		if err != nil {
			continue // of a program that runs
		}
		files = append(files, f)
		data, err := f.read(maxList)
		if err == nil {
			entries = append(entries, decodeList(data)...)
		}
	}
	return files, entries
}

// replace makes set remove files when it has written their entries. They stay locked
// until then; if that never succeeds, the next program finds them.
func (l *list) replace(files []*lockedFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.old = append(l.old, files...); l.closed {
		l.release()
	}
}

// decodeList decodes a list up to the first error.
func decodeList(data []byte) (entries []entry) {
	for d := json.NewDecoder(bytes.NewReader(data)); len(entries) < maxListed; {
		var e entry
		if d.Decode(&e) != nil {
			break
		}
		if _, err := urlcore.Parse(e.URL); err == nil && (e.Path == "" || filepath.IsAbs(e.Path)) {
			entries = append(entries, e)
		}
	}
	return entries
}

// Recover adds the unfinished downloads of programs that have ended, and returns how many
// of them are resting. It reads files.
func (m *Manager) Recover() int {
	m.init()
	if files, entries := m.list.left(); len(files) > 0 {
		m.mu.Lock()
		for _, e := range entries {
			u, _ := urlcore.Parse(e.URL) // decodeList has checked it
			it := &Item{m: m, fixed: e.Begun, status: Status{
				Request: Request{URL: u, Tree: e.Tree, NoParent: e.NoParent, Overwrite: e.Force, Mirror: e.Mirror}, Path: e.Path, Size: max(e.Size, -1), State: Left,
			}}
			if !e.Begun {
				it.status.Request.Path = e.Path
			} else if !e.Tree {
				it.status.look()
			}
			m.append(it)
		}
		m.mu.Unlock()
		m.list.replace(files)
		m.list.set(m.unfinished)
	}
	n := 0
	for _, it := range m.Items() {
		if s := it.Status(); s.State == Left {
			n++
		}
	}
	return n
}

// look sets the size of the unfinished file. If the program was killed just before it
// updated its list, the file may be complete.
func (s *Status) look() {
	if info, err := os.Lstat(s.Path + partSuffix); err == nil {
		s.Done = info.Size()
	} else if info, err := os.Lstat(s.Path); err == nil && info.Mode().IsRegular() && !there(s.Path+recordSuffix) && (s.Size < 0 || s.Size == info.Size()) {
		s.Done, s.State = info.Size(), Saved
	}
}
