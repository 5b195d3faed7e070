package newsrc

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/internal/userfile"
)

// maxReplaced is the maximal size of a file of replaced lines, in octets, unless the newest lines alone are larger.
const maxReplaced = 1 << 20

// Cut removes the numbers above the high marks of a server from the read articles of groups. The parameter highs has
// the high marks by group. If a server numbers a group anew, all new articles would otherwise count as read up to
// the highest number that was ever read. slrn also writes no numbers above the high mark. A high mark of 0 is ignored,
// because servers send it for an empty group. Cut first adds the old lines to the file [Store.ReplacedFile]. It
// returns the sorted names of the groups whose lines were cut. These lines are cut even if the error is a [*BusyError]:
// the change is pending.
func (s *Store) Cut(server string, highs map[string]uint64) (groups []string, err error) {
	f, err := s.File(server)
	if err != nil {
		return nil, err
	}
	var old []byte
	for _, name := range slices.Sorted(maps.Keys(highs)) {
		if line, ok := f.cut(name, highs[name]); ok {
			groups = append(groups, name)
			old = fmt.Appendf(old, "# %s: the high mark is %d\n%s\n", time.Now().UTC().Format(time.DateOnly), highs[name], line)
		}
	}
	if len(groups) == 0 {
		return nil, nil
	}
	if path := s.ReplacedFile(server); path != "" {
		if err := addReplaced(path, old); err != nil {
			return nil, fmt.Errorf("keep the old lines of groups that were numbered anew: %w", err)
		}
	}
	return groups, s.Change(server, func(f *File) {
		for _, name := range groups {
			f.cut(name, highs[name])
		}
	})
}

// ReplacedFile returns the path of the file with the lines that [Store.Cut] replaced. It returns "" if there is no such
// file.
func (s *Store) ReplacedFile(server string) string {
	path := s.Path(server)
	if path == "" || s.Replaced == "" {
		return ""
	}
	return filepath.Join(s.Replaced, strings.TrimPrefix(filepath.Base(path), "."))
}

// cut removes the numbers above high from the line of a group. It returns the old line without its end, and false if
// the line has no such numbers.
func (f *File) cut(name string, high uint64) (old string, ok bool) {
	g, ok := f.Group(name)
	if !ok || high == 0 || g.Read.Last() <= high {
		return "", false
	}
	old = strings.TrimRight(f.lines[f.byName[name]], "\r\n")
	g.Read = g.Read.Subtract(Numbers{{high + 1, math.MaxUint64}})
	f.Set(g)
	return old, true
}

// addReplaced adds lines to the file at path. If the file becomes too large, addReplaced removes its oldest lines.
func addReplaced(path string, lines []byte) error {
	return userfile.Change(path, maxFile, func(data []byte) ([]byte, error) {
		data = slices.Concat(data, lines)
		if excess := len(data) - max(maxReplaced, len(lines)); excess > 0 {
			start := bytes.IndexByte(data[excess-1:], '\n') + excess
			data = data[start:]
		}
		return data, nil
	})
}
