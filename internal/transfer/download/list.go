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

	"gofer/internal/userfile"
	"gofer/urlcore"
)

// entry is an unfinished download in a list.
type entry struct {
	URL      string         `json:"url"`
	Path     string         `json:"path,omitempty"`
	Begun    bool           `json:"begun,omitempty"` // Path is final
	Tree     bool           `json:"tree,omitempty"`
	NoParent bool           `json:"no_parent,omitempty"`
	Force    bool           `json:"force,omitempty"` // replace an existing file
	Mirror   *UpdateOptions `json:"mirror,omitempty"`
	Size     int64          `json:"size"`
}

const (
	maxListSize = 1 << 20 // octets in a list
	maxEntries  = 1000    // entries in a list
	maxLists    = 100     // lists that are read
	listSuffix  = ".list"
)

// list is the file with the unfinished downloads of one run of gofer, which keeps the file locked. Another run that
// gets the lock knows that the first run has ended.
type list struct {
	dir string

	mu      sync.Mutex
	file    *lockedFile
	content []byte
	closed  bool
	ended   []*lockedFile // locked lists of earlier runs; removed when file has the entries of these lists
}

// update writes the entries to the file. It does not create a file for an empty list.
func (l *list) update(entries func() []entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dir == "" || l.closed {
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i, x := range entries() {
		if n := b.Len(); i >= maxEntries || e.Encode(x) != nil || b.Len() > maxListSize {
			b.Truncate(n)
			break
		}
	}
	if !l.write(b.Bytes()) {
		return // no error, because downloads work without a list
	}
	for _, f := range l.ended {
		_ = f.remove()
	}
	l.ended = nil
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

// takeEnded locks the lists of earlier runs, and returns them and their entries.
func (l *list) takeEnded() (files []*lockedFile, entries []entry) {
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
			continue // the run of gofer that has this list has not ended
		}
		if info, err := f.Stat(); err != nil || !userfile.IsPrivate(info) || userfile.Links(info) > 1 {
			_ = f.Close()
			continue // the list is of another user
		}
		files = append(files, f)
		data, err := f.read(maxListSize)
		if err == nil {
			entries = append(entries, decodeList(data)...)
		}
	}
	return files, entries
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

// decodeList decodes the entries of a list. It skips an entry with an invalid URL or a relative path. It stops at the
// first entry that cannot be decoded, and returns the entries before it.
func decodeList(data []byte) (entries []entry) {
	for d := json.NewDecoder(bytes.NewReader(data)); len(entries) < maxEntries; {
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

// Recover adds the unfinished downloads of earlier runs, and returns the number of Items in the state
// Interrupted. Unlike Add, it reads files.
func (m *Manager) Recover() int {
	m.init()
	if files, entries := m.list.takeEnded(); len(files) > 0 {
		m.mu.Lock()
		for _, e := range entries {
			u, _ := urlcore.Parse(e.URL) // checked by decodeList
			it := &Item{m: m, pathFinal: e.Begun, status: Status{
				Request: Request{URL: u, Tree: e.Tree, NoParent: e.NoParent, Overwrite: e.Force, Mirror: e.Mirror}, Path: e.Path, Size: max(e.Size, -1), State: Interrupted,
			}}
			if !e.Begun {
				it.status.Request.Path = e.Path
			} else if !e.Tree {
				it.status.readPartSize(&m.records)
			}
			m.append(it)
		}
		m.mu.Unlock()
		m.list.removeAfterUpdate(files)
		m.list.update(m.unfinishedEntries)
	}
	n := 0
	for _, it := range m.Items() {
		if s := it.Status(); s.State == Interrupted {
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
		s.Received, s.State = info.Size(), Saved
	}
}
