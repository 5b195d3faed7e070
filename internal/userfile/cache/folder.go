package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/internal/userfile"
)

const (
	temporaryPrefix = "." // begins the names of unfinished files; sweep removes the ones older than maxTemporary
	maxTemporary    = time.Hour
	blockSize       = 4 << 10   // smallest room that a file takes on a disk, in octets
	touchInterval   = time.Hour // smallest time between two changes of a copy's time of use
)

func roundToBlock(size int64) int64 { return (size + blockSize - 1) / blockSize * blockSize }

// folderName returns the name of a server's folder. The name is valid on every system.
func folderName(server string) string {
	name := url.QueryEscape(server)
	if len(name) > 200 {
		sum := sha256.Sum256([]byte(server))
		name = name[:120] + "-" + hex.EncodeToString(sum[:16])
	}
	return name
}

// isPrivate reports whether dir is missing, or belongs to the user and no other user may write to it.
func isPrivate(dir string) bool {
	info, err := os.Stat(dir)
	return err != nil || userfile.IsPrivate(info)
}

func isFolderOf(folder, host string) bool {
	server, _ := url.QueryUnescape(folder)
	_, addr, _ := strings.Cut(server, " ")
	addr, _, _ = strings.Cut(addr, " ")
	return isAt(addr, host)
}

// isAt reports whether the server addr, "host:port", is at host. The host "" matches every server.
func isAt(addr, host string) bool {
	name, _, err := net.SplitHostPort(addr)
	return host == "" || err == nil && strings.EqualFold(name, host)
}

// touch records the use of a copy in the time of its file. sweep removes the least recently used
// copies first.
func touch(path string) {
	now := time.Now()
	if fi, err := os.Stat(path); err == nil && now.Sub(fi.ModTime()) > touchInterval {
		_ = os.Chtimes(path, now, now)
	}
}

// countWritten counts the octets written. It starts a sweep after the first write, and then after each
// sixteenth of the limit.
func (s *Store) countWritten(size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.written < 0
	if s.written += size; !first && s.written < s.limit/16 {
		return
	}
	s.written = 0
	dir, limit := s.dir, s.limit
	s.sweeps.Go(func() { sweep(dir, limit) })
}

type file struct {
	path string
	size int64
	at   time.Time
}

// listFiles returns the copies in the folders of a host, or in all folders if host is "".
func listFiles(dir, host string) (all []file) {
	folders, _ := os.ReadDir(dir)
	for _, folder := range folders {
		if !folder.IsDir() || !isFolderOf(folder.Name(), host) {
			continue
		}
		entries, _ := os.ReadDir(filepath.Join(dir, folder.Name()))
		for _, e := range entries {
			if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() {
				all = append(all, file{filepath.Join(dir, folder.Name(), e.Name()), roundToBlock(fi.Size()), fi.ModTime()})
			}
		}
	}
	return all
}

// sweep removes old unfinished files. If dir then has more than limit octets, sweep removes copies until an eighth of limit
// is free: first the least recently used ones of a server that has more than [maxShare] allows, so that no server can push
// out the copies of all others, and then the least recently used ones. If another program sweeps at the same time, both
// remove the same copies.
func sweep(dir string, limit int64) {
	var total int64
	now := time.Now()
	byServer := make(map[string]int64)
	all := slices.DeleteFunc(listFiles(dir, ""), func(f file) bool {
		if strings.HasPrefix(filepath.Base(f.path), temporaryPrefix) && now.Sub(f.at) > maxTemporary {
			_ = os.Remove(f.path)
			return true
		}
		total += f.size
		byServer[filepath.Dir(f.path)] += f.size
		return false
	})
	if total <= limit {
		return
	}
	slices.SortFunc(all, func(a, b file) int { return a.at.Compare(b.at) })
	for _, onlyLarge := range []bool{true, false} {
		all = slices.DeleteFunc(all, func(f file) bool {
			server := filepath.Dir(f.path)
			if total <= limit-limit/8 || onlyLarge && byServer[server] <= maxShare(limit) {
				return false
			}
			if err := os.Remove(f.path); err == nil || errors.Is(err, fs.ErrNotExist) {
				total, byServer[server] = total-f.size, byServer[server]-f.size
			}
			return true
		})
	}
}

// maxShare returns how many octets the copies of one server may take while there is no room for those of others: three
// quarters of limit, as much as a fetch of news takes.
func maxShare(limit int64) int64 { return limit / 4 * 3 }

// ClearCopy removes the copy of k, also from dir. It returns the number of removed copies in dir.
func (s *Store) ClearCopy(dir string, k Key) (n int, err error) {
	s.mu.Lock()
	s.memory.drop(k)
	s.mu.Unlock()
	if dir == "" {
		return 0, nil
	}
	switch err = os.Remove(k.path(dir)); {
	case err == nil:
		n = 1
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	return n, err
}

// Clear removes the copies of the servers at host, or all copies if host is "". It also removes copies
// that other programs have stored in dir. It returns the number of removed copies in dir.
func (s *Store) Clear(dir, host string) (n int, err error) {
	s.mu.Lock()
	for k := range s.memory.copies {
		if isAt(k.Addr, host) {
			s.memory.drop(k)
		}
	}
	s.mu.Unlock()
	s.sweeps.Wait()
	if dir == "" {
		return 0, nil
	}
	for _, f := range listFiles(dir, host) {
		failed := os.Remove(f.path)
		if failed == nil {
			n++
		} else if !errors.Is(failed, fs.ErrNotExist) {
			err = failed
		}
		_ = os.Remove(filepath.Dir(f.path)) // fails unless the folder is empty
	}
	return n, err
}

// maxSearched bounds the files that ClearWhere reads, in octets.
const maxSearched = 256 << 10

// ClearWhere removes the small copies whose data the function names, also from dir. It returns the number of removed copies in dir.
func (s *Store) ClearWhere(dir string, names func(data []byte) bool) (n int, err error) {
	s.mu.Lock()
	for k, h := range s.memory.copies {
		if names(h.Data) {
			s.memory.drop(k)
		}
	}
	s.mu.Unlock()
	if dir == "" {
		return 0, nil
	}
	for _, f := range listFiles(dir, "") {
		content, readErr := readContent(f.path, maxSearched)
		if readErr != nil || len(content) < 8 {
			continue
		}
		if parts := bytes.SplitN(content[8:], []byte{0}, 3); len(parts) < 3 || !names(parts[2]) { // after the head of the key
			continue
		}
		if failed := os.Remove(f.path); failed == nil {
			n++
		} else if !errors.Is(failed, fs.ErrNotExist) {
			err = failed
		}
	}
	return n, err
}
