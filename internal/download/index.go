package download

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/mirror"
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
	Menus map[string]string `json:"menus"` // sums of the gophermaps that were or may have been written, by path
	Sizes map[string]int64  `json:"sizes"` // of the documents as they were saved, by path
	sum   string            // of the file as it was read or written, "" without one
}

// readIndex reads the index of an earlier mirror of root in dir, and takes the names in it. It is
// empty if there is none or dir is "".
func readIndex(ctx context.Context, dir, root string, n names) (index, error) {
	x := index{}
	if name := filepath.Join(dir, indexName); dir != "" && there(name) {
		data, err := readFile(name)
		if err != nil {
			return x, protocols.LocalError("read "+name, err)
		}
		if x, err = decodeIndex(ctx, data); ctx.Err() != nil {
			return x, context.Cause(ctx)
		} else if err != nil {
			return x, protocols.LocalError("read "+name, fmt.Errorf("it is damaged: remove it to go on with the files that are there (%w)", err))
		}
		x.sum = sum(data)
	}
	if x.Root != root && x.Root != "" {
		return x, protocols.LocalError("save "+dir, errors.New("there is the mirror of "+x.Root+"; choose another name"))
	}
	if x.Menus == nil {
		x.Menus = make(map[string]string)
	}
	if x.Sizes == nil {
		x.Sizes = make(map[string]int64)
	}
	x.Root, x.Items = root, safeItems(ctx, x.Items, root, n)
	return x, context.Cause(ctx)
}

// decodeIndex reads the JSON of an index. If ctx ends it returns at once: a large index takes a second.
func decodeIndex(ctx context.Context, data []byte) (index, error) {
	var x index
	decoded := make(chan error, 1)
	go func() { decoded <- json.Unmarshal(data, &x) }()
	select {
	case err := <-decoded:
		return x, err
	case <-ctx.Done():
		return index{}, context.Cause(ctx)
	}
}

// safeItems returns the items with paths that this program can have written: each in the
// directory of a menu, under a name that no other item has. A mirror may come from elsewhere. If ctx
// ends, some are missing.
func safeItems(ctx context.Context, items map[string]string, root string, n names) map[string]string {
	safe, dirs := map[string]string{root: ""}, map[string]bool{"": true}
	keys := sortedKeys(ctx, items, func(a, b string) int { // directories before their content
		return cmp.Or(strings.Compare(items[a], items[b]), strings.Compare(a, b))
	})
	for _, key := range keys {
		if ctx.Err() != nil {
			break
		}
		path := items[key]
		i := strings.LastIndexByte(path, '/')
		name := path[i+1:]
		u, err := urlcore.Parse(key)
		item, ok := u.(urlcore.Gopher)
		switch {
		case err != nil, !ok, key == root, !dirs[path[:max(i, 0)]], i == 0, name == "", harmless(name, "") != name,
			strings.HasSuffix(name, partSuffix), strings.HasSuffix(name, recordSuffix), !n.take(path):
			continue
		}
		safe[key] = path
		dirs[path] = item.Type == '1'
	}
	return safe
}

// earlier returns the directory of the tree if an earlier download may have saved a part of it.
func (it *Item) earlier() string {
	if it.status.Overwrite {
		return ""
	}
	return it.status.Path
}

// errSavedMeanwhile reports that a mirror was listed before another download changed its index.
var errSavedMeanwhile = errors.New("another download has saved a mirror there meanwhile: repeat this one")

// lock keeps other programs from saving to a mirror until unlock. It returns an error if one does,
// or has done so since the mirror was listed.
func (s *treeSaver) lock() (unlock func(), err error) {
	x := &s.it.tree.index
	if x.Root == "" {
		return func() {}, nil
	}
	f, err := openLocked(s.path(indexName + ".lock"))
	if errors.Is(err, errLocked) {
		err = errors.New("another download is saving a mirror there: wait for its end")
	} else if data, readErr := readFile(s.path(indexName)); err == nil && readErr == nil && sum(data) != x.sum && !s.it.status.Overwrite {
		_ = f.remove()
		err = errSavedMeanwhile
	}
	return func() { _ = f.remove() }, protocols.LocalError("save "+s.root, err)
}

// menus writes the menus, with links to the saved items. A menu that was there stays if it is not
// as an earlier download wrote it. The index has the sums of all of them beforehand, because this
// program may be killed meanwhile.
func (s *treeSaver) menus(ctx context.Context) error {
	tree := s.it.tree
	sums := tree.index.Menus
	earlier := maps.Clone(sums)
	leave := func(name string, err error) {
		s.it.m.change(func() { s.it.status.LeftOut = append(s.it.status.LeftOut, mirror.LeftOut{Path: name, Err: err}) })
	}
	for _, menu := range tree.menus {
		if err := s.mkdir(menu.path); err != nil && !skippable(err) {
			return err
		}
	}
	for _, menu := range tree.menus {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		sums[join(menu.path, gophermap)] += " " + sum(s.content(menu))
	}
	if err := s.writeIndex(ctx); err != nil {
		return err
	}
	for _, menu := range tree.menus {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name, data := join(menu.path, gophermap), s.content(menu)
		old, err := readFile(s.path(name))
		edited := !errors.Is(err, fs.ErrNotExist) && (err != nil || !strings.Contains(earlier[name], sum(old)))
		switch {
		case err == nil && bytes.Equal(old, data):
		case edited && s.it.status.Continue && !s.it.status.Overwrite:
			s.it.note("kept as it was: " + clean.Name(name) + ": it differs from the menu that came; remove it to get the new one")
			sums[name] = earlier[name]
			continue
		case menu.cut && tree.dots && !s.it.status.Overwrite && bytes.Count(old, []byte{'\n'}) > len(menu.lines):
			leave(name, protocols.NewError(protocols.Broken, "read the menu", "it came with fewer lines and without its end: the earlier one is kept"))
			sums[name] = earlier[name]
			continue
		default:
			if err := s.write(name, data); skippable(err) {
				leave(name, err)
			} else if err != nil {
				return err
			}
		}
		sums[name] = sum(data)
	}
	return s.writeIndex(ctx)
}

// content returns a menu with links to the saved items.
func (s *treeSaver) content(m *menu) []byte {
	return m.write(s.it.status.URL, func(u urlcore.Gopher) string {
		if to, ok := s.it.tree.index.Items[localKey(u)]; ok && there(s.path(to)) {
			return "/" + to
		}
		return ""
	})
}

// write writes or replaces a file of the mirror.
func (s *treeSaver) write(name string, data []byte) error {
	path := s.path(name)
	was := there(path)
	if err := replaceFile(path, data); err != nil {
		return protocols.LocalError("write "+path, err)
	}
	if !was {
		s.it.addCreated(path, true)
	}
	return nil
}

// temporaryName is the file that replaceFile writes first. Like indexName, it is the name of
// no item, and of no file of the user.
const temporaryName = ".gofer-mirror.part"

// replaceFile writes data to path by a temporary file in the same directory, which is new: a link or
// a FIFO of its name is removed. An error leaves the file at path as it was.
func replaceFile(path string, data []byte) error {
	temporary := filepath.Join(filepath.Dir(path), temporaryName)
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
func (s *treeSaver) writeIndex(ctx context.Context) error {
	if s.it.tree.index.Root == "" {
		return nil
	}
	data := s.it.tree.index.encode(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.write(indexName, data); err != nil {
		return err
	}
	s.it.tree.index.sum = sum(data)
	return nil
}

// readFile returns the content of a regular file of a size that gofer writes. It does not follow links.
func readFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNoFile
	case info.Size() > maxMenuOctets:
		return nil, errors.New("it is too large")
	}
	return os.ReadFile(path)
}

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// encode returns the JSON of an index, or a part of it if ctx ends.
func (x *index) encode(ctx context.Context) []byte {
	root, _ := json.Marshal(x.Root)
	b := bytes.NewBufferString("{\n\t\"root\": " + string(root))
	encodeMap(ctx, b, "items", x.Items)
	encodeMap(ctx, b, "menus", x.Menus)
	encodeMap(ctx, b, "sizes", x.Sizes)
	b.WriteString("\n}\n")
	return b.Bytes()
}

func encodeMap[V any](ctx context.Context, b *bytes.Buffer, name string, m map[string]V) {
	separator := ",\n\t\"" + name + "\": {\n\t\t"
	for _, key := range sortedKeys(ctx, m, strings.Compare) {
		if ctx.Err() != nil {
			return
		}
		k, _ := json.Marshal(key)
		v, _ := json.Marshal(m[key])
		b.WriteString(separator + string(k) + ": " + string(v))
		separator = ",\n\t\t"
	}
	if len(m) > 0 {
		b.WriteString("\n\t}")
	}
}

// sortedKeys returns the keys of m in the order of compare, or in any order if ctx ends.
func sortedKeys[V any](ctx context.Context, m map[string]V, compare func(a, b string) int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if ctx.Err() != nil {
			return 0
		}
		return compare(a, b)
	})
}
