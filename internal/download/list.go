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
	URL   string `json:"url"`
	Path  string `json:"path,omitempty"`
	Begun bool   `json:"begun,omitempty"` // Path is where it is saved, not only where it is to be
	Tree  bool   `json:"tree,omitempty"`
	Force bool   `json:"force,omitempty"` // a file that is there is to be overwritten
	Size  int64  `json:"size"`
}

const (
	// maxList bounds a list, in octets, and maxListed how many are in it.
	maxList   = 1 << 20
	maxListed = 1000
	// maxLists bounds how many lists of programs that have ended are read.
	maxLists   = 100
	listSuffix = ".list"
)

// list is what one program has to save, in a file that it has locked for as long
// as it runs: whoever gets the lock knows that the program has ended, however
// it did.
type list struct {
	dir string

	mu      sync.Mutex
	file    *lockedFile
	written []byte
	closed  bool
}

// set writes the list that entries returns; an empty one is not begun.
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
	if bytes.Equal(b.Bytes(), l.written) || l.file == nil && b.Len() == 0 {
		return
	}
	if l.file == nil && l.open() != nil {
		return // what is saved is not worth less without a list
	}
	if l.file.replace(b.Bytes()) == nil {
		l.written = b.Bytes()
	}
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

// close lets go of the file, which goes if it is empty.
func (l *list) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	switch {
	case l.file == nil:
	case len(l.written) == 0:
		_ = l.file.remove()
	default:
		_ = l.file.Close()
	}
	l.file = nil
}

// left takes over the lists of programs that have ended: their files go when
// keep has returned.
func (l *list) left(keep func([]entry)) {
	if l.dir == "" {
		return
	}
	paths, _ := filepath.Glob(filepath.Join(l.dir, "*"+listSuffix))
	var files []*lockedFile
	var entries []entry
	for _, path := range paths[:min(len(paths), maxLists)] {
		l.mu.Lock()
		own := l.file != nil && l.file.Name() == path
		l.mu.Unlock()
		if own {
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
	if len(files) == 0 {
		return
	}
	keep(entries)
	for _, f := range files {
		_ = f.remove()
	}
}

// decodeList reads a list up to what cannot be understood.
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

// Recover adds what programs that have ended have left unfinished, and returns
// how many of those there are that rest. It reads files.
func (m *Manager) Recover() int {
	m.init()
	m.list.left(func(entries []entry) {
		m.change(func() {
			for _, e := range entries {
				u, err := urlcore.Parse(e.URL)
				if err != nil {
					continue
				}
				it := &Item{m: m, fixed: e.Begun, status: Status{
					Request: Request{URL: u, Tree: e.Tree, Overwrite: e.Force}, Path: e.Path, Size: max(e.Size, -1), State: Left,
				}}
				if !e.Begun {
					it.status.Request.Path = e.Path
				} else if !e.Tree {
					it.status.look()
				}
				m.items = append(m.items, it)
			}
		})
	})
	n := 0
	for _, it := range m.Items() {
		if s := it.Status(); s.State == Left {
			n++
		}
	}
	return n
}

// look finds how much there is of a file that was begun. The program may have been
// killed when all of it was done but this.
func (s *Status) look() {
	if info, err := os.Lstat(s.Path + partSuffix); err == nil {
		s.Done = info.Size()
	} else if info, err := os.Lstat(s.Path); err == nil && info.Mode().IsRegular() && !there(s.Path+recordSuffix) && (s.Size < 0 || s.Size == info.Size()) {
		s.Done, s.State = info.Size(), Saved
	}
}
