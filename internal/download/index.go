package download

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// indexName is the file in a mirror that records the source of each file. No item has a
// name with a dot at its beginning.
const indexName = ".gofer-mirror.json"

// index maps the items of a mirrored server to files, so that a later download updates
// the same files when titles and menus have changed.
type index struct {
	Root  string            `json:"root"`  // the mirrored menu, a localKey
	Items map[string]string `json:"items"` // paths of documents and menus, by localKey
	Menus map[string]string `json:"menus"` // sums of the gophermaps that were written, by path
}

// readIndex reads the index of an earlier mirror of root in dir. It is empty if there
// is none or dir is "".
func readIndex(dir, root string) (index, error) {
	x := index{}
	if dir != "" {
		if data, ok := readFile(filepath.Join(dir, indexName)); ok {
			_ = json.Unmarshal(data, &x)
		}
	}
	if x.Root != root && x.Root != "" {
		return x, protocols.LocalError("save "+dir, errors.New("there is the mirror of "+x.Root+"; choose another name"))
	}
	items := map[string]string{root: ""}
	for key, path := range x.Items {
		if local := filepath.FromSlash(path); filepath.IsLocal(local) && filepath.ToSlash(filepath.Clean(local)) == path && !strings.HasPrefix(path, ".") {
			items[key] = path
		}
	}
	menus := x.Menus
	if menus == nil {
		menus = make(map[string]string)
	}
	return index{root, items, menus}, nil
}

// earlier returns the directory of the tree if an earlier download may have saved a part of it.
func (it *Item) earlier() string {
	if it.status.Overwrite {
		return ""
	}
	return it.status.Path
}

// menus writes the menus, with links to the saved items. A menu that was there stays
// if it is not as an earlier download wrote it.
func (s *treeSaver) menus() error {
	tree := s.it.tree
	for _, menu := range tree.menus {
		if err := s.mkdir(menu.path); err != nil {
			return err
		}
	}
	for _, menu := range tree.menus {
		name := join(menu.path, gophermap)
		data := menu.write(s.it.status.URL, func(u urlcore.Gopher) string {
			if to, ok := tree.index.Items[localKey(u)]; ok && there(s.path(to)) {
				return "/" + to
			}
			return ""
		})
		old, exists := readFile(s.path(name))
		if exists && s.it.status.Continue && !s.it.status.Overwrite && sum(old) != tree.index.Menus[name] {
			if !bytes.Equal(old, data) {
				s.it.note("kept as it was: " + clean.Name(name) + ": it differs from the menu that came")
			}
			continue
		}
		if err := s.write(name, data); err != nil {
			return err
		}
		tree.index.Menus[name] = sum(data)
	}
	return s.writeIndex()
}

// write writes or replaces a file of the mirror.
func (s *treeSaver) write(name string, data []byte) error {
	path := s.path(name)
	was := there(path)
	if err := replaceFile(path, data); err != nil {
		return protocols.LocalError("write "+path, err)
	}
	if !was {
		s.it.m.change(func() { s.it.created = append(s.it.created, path) })
	}
	return nil
}

// replaceFile writes data to path by a temporary file beside it, which is new: a link or a FIFO
// of its name is removed. An error leaves the file at path as it was.
func replaceFile(path string, data []byte) error {
	temporary := path + partSuffix
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// writeIndex writes the index of a mirror.
func (s *treeSaver) writeIndex() error {
	if s.it.tree.index.Root == "" {
		return nil
	}
	data, err := json.MarshalIndent(s.it.tree.index, "", "\t")
	if err != nil {
		return protocols.LocalError("write "+indexName, err)
	}
	return s.write(indexName, append(data, '\n'))
}

// readFile returns the content of a regular file of a size that gofer writes, or nil for
// anything else at path. It does not follow links.
func readFile(path string) (data []byte, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMenuOctets {
		return nil, err == nil
	}
	data, err = os.ReadFile(path)
	return data, err == nil
}

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
