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

	"gofer/internal/text/clean"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

const indexName = mirror.IndexName

// index maps the items of a mirrored server to files, so that an update replaces the same files even if titles
// or menus have changed.
type index struct {
	Root  string            `json:"root"`  // itemKey of the mirrored menu
	Items map[string]string `json:"items"` // paths of documents and menus, by itemKey
	Menus map[string]string `json:"menus"` // checksums of the gophermaps that may have been written, by path
	Sizes map[string]int64  `json:"sizes"` // sizes of the saved documents, by path
	// Attributes has the Gopher+ attributes of the documents when they were saved, by path.
	Attributes map[string]itemAttributes `json:"attributes"`
	checksum   string                    // checksum of the index file when it was read or written, or ""
}

// readIndex reads the index of an earlier mirror of root in dir, and reserves the names of the index in n. It
// returns an empty index if there is none or dir is "".
func readIndex(ctx context.Context, dir, root string, n names) (index, error) {
	x := index{}
	if name := filepath.Join(dir, indexName); dir != "" && exists(name) {
		data, err := mirror.ReadIndex(dir)
		if errors.Is(err, userfile.ErrNotOnlyYours) {
			err = fmt.Errorf("%w; remove it to continue with the existing files", err)
		}
		if err != nil {
			return x, protocols.LocalError("read "+name, err)
		}
		if x, err = decodeIndex(ctx, data); ctx.Err() != nil {
			return x, context.Cause(ctx)
		} else if err != nil {
			return x, protocols.LocalError("read "+name, fmt.Errorf("it is damaged; remove it to continue with the existing files (%w)", err))
		}
		x.checksum = checksum(data)
	}
	if x.Root != root && x.Root != "" {
		return x, protocols.LocalError("save "+dir, errors.New("it is the mirror of "+x.Root+"; choose another name"))
	}
	if x.Menus == nil {
		x.Menus = make(map[string]string)
	}
	if x.Sizes == nil {
		x.Sizes = make(map[string]int64)
	}
	if x.Attributes == nil {
		x.Attributes = make(map[string]itemAttributes)
	}
	x.Root, x.Items = root, safeItems(ctx, x.Items, root, n)
	return x, context.Cause(ctx)
}

// decodeIndex decodes the JSON of an index. If ctx ends, it returns at once, because decoding a large index takes a
// second.
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

// safeItems returns the items whose paths gofer could have chosen: in the directory of a menu, with a safe and
// unique name. The index is checked because somebody else may have made the mirror. If ctx ends, some items are
// missing.
func safeItems(ctx context.Context, items map[string]string, root string, n names) map[string]string {
	safe, dirs := map[string]string{root: ""}, map[string]bool{"": true}
	keys := sortedKeys(ctx, items, func(a, b string) int { // sorts each directory before its content
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
		case err != nil, !ok, key == root, !dirs[path[:max(i, 0)]], i == 0, name == "", harmlessName(name, "") != name, !n.reserve(path):
			continue
		}
		safe[key] = path
		dirs[path] = item.Type == '1'
	}
	return safe
}

// earlierDir returns the directory of the tree, or "" if files of an earlier download must not be used.
func (item *Item) earlierDir() string {
	if item.status.Overwrite {
		return ""
	}
	return item.status.Path
}

// errMirrorChanged reports that another download changed the index after this download had read it.
var errMirrorChanged = errors.New("another download has changed the mirror; run this one again")

// lock keeps other downloads from saving to a mirror until unlock is called. It returns an error if another
// download is saving to the mirror, or has saved to it since this download read the index.
func (s *treeSaver) lock() (unlock func(), err error) {
	x := &s.item.tree.index
	if x.Root == "" {
		return func() {}, nil
	}
	f, err := openLocked(s.path(indexName + ".lock"))
	if errors.Is(err, errLocked) {
		err = errors.New("another download is updating the mirror; wait until it has ended")
	} else if data, readErr := mirror.ReadIndex(s.root); err == nil && !errors.Is(readErr, fs.ErrNotExist) && checksum(data) != x.checksum && !s.item.status.Overwrite {
		_ = f.remove()
		err = errMirrorChanged
	}
	return func() { _ = f.remove() }, protocols.LocalError("save "+s.root, err)
}

// writeMenus writes the menus, with links to the saved items. If the download has the option Continue, it keeps a
// menu whose checksum is not in the index, because the user has changed the menu. The new checksums are added to
// the index before the menus are written, because gofer may be killed between the two steps.
func (s *treeSaver) writeMenus(ctx context.Context) error {
	tree := s.item.tree
	sums := tree.index.Menus
	earlier := maps.Clone(sums)
	leaveOut := func(name string, err error) {
		s.item.m.update(func() { s.item.status.LeftOut = append(s.item.status.LeftOut, mirror.LeftOut{Path: name, Err: err}) })
	}
	var menus []*menu
	for _, menu := range tree.menus {
		if err := s.mkdir(menu.path); isSkippable(err) {
			leaveOut(joinPath(menu.path, gophermap), err)
		} else if err != nil {
			return err
		} else {
			menus = append(menus, menu)
		}
	}
	for _, menu := range menus {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		sums[joinPath(menu.path, gophermap)] += " " + checksum(s.menuContent(menu))
	}
	if err := s.writeIndex(ctx); err != nil {
		return err
	}
	for _, menu := range menus {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name, data := joinPath(menu.path, gophermap), s.menuContent(menu)
		old, err := readFile(s.path(name))
		edited := !errors.Is(err, fs.ErrNotExist) && (err != nil || !strings.Contains(earlier[name], checksum(old)))
		switch {
		case err == nil && bytes.Equal(old, data):
		case edited && s.item.status.Continue && !s.item.status.Overwrite:
			s.item.addNote("not replaced: " + clean.Name(name) + ": it was changed here; remove it to get the new menu")
			sums[name] = earlier[name]
			continue
		case menu.incomplete && tree.endsMenus && !s.item.status.Overwrite && bytes.Count(old, []byte{'\n'}) > len(menu.lines):
			leaveOut(name, protocols.NewError(protocols.Broken, "read the menu", "the new menu is incomplete; the earlier menu is kept"))
			sums[name] = earlier[name]
			continue
		default:
			if err := s.writeFile(name, data); isSkippable(err) {
				leaveOut(name, err)
			} else if err != nil {
				return err
			}
		}
		sums[name] = checksum(data)
	}
	return s.writeIndex(ctx)
}

// menuContent returns a menu with links to the saved items.
func (s *treeSaver) menuContent(m *menu) []byte {
	return m.encode(s.item.status.URL, func(u urlcore.Gopher) string {
		if path, ok := s.item.tree.index.Items[itemKey(u)]; ok && exists(s.path(path)) {
			return "/" + path
		}
		return ""
	})
}

// inTree calls the function do with the directory of the tree, through which do reaches no file outside of it: another
// user may replace a directory of the tree by a link.
func (s *treeSaver) inTree(do func(dir *os.Root) error) error { return inDir(s.root, do) }

// inDir calls the function do with the directory at path.
func inDir(path string, do func(dir *os.Root) error) error {
	dir, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return do(dir)
}

// writeFile writes a file of the mirror, or replaces it.
func (s *treeSaver) writeFile(name string, data []byte) error {
	path := s.path(name)
	existed := exists(path)
	if err := s.inTree(func(dir *os.Root) error { return replaceFile(dir, filepath.FromSlash(name), data) }); err != nil {
		return protocols.LocalError("write "+path, err)
	}
	if !existed {
		s.item.addCreated(path, true)
	}
	return nil
}

// temporaryName is the name of the temporary file of replaceFile. Like indexName, it is not the name of an item.
const temporaryName = ".gofer-mirror.part"

// replaceFile writes data to a new temporary file beside the file at path below root, and renames the temporary file to
// path. It removes anything else with the temporary name, such as a link or FIFO. After an error, the file at path is
// unchanged.
func replaceFile(root *os.Root, path string, data []byte) error {
	temporary := filepath.Join(filepath.Dir(path), temporaryName)
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mode := fs.FileMode(0o666)
	if filepath.Base(path) == indexName {
		mode = 0o644 // see mirror.ReadIndex
	}
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}

// writeIndex writes the index of a mirror.
func (s *treeSaver) writeIndex(ctx context.Context) error {
	if s.item.tree.index.Root == "" {
		return nil
	}
	data := s.item.tree.index.encode(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.writeFile(indexName, data); err != nil {
		return err
	}
	s.item.tree.index.checksum = checksum(data)
	return nil
}

// readFile returns the content of a regular file of at most maxMenuOctets. It does not follow links.
func readFile(path string) ([]byte, error) { return userfile.ReadNoFollow(path, maxMenuOctets, false) }

func checksum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// encode returns the index as JSON, or a part of it if ctx ends.
func (x *index) encode(ctx context.Context) []byte {
	root, _ := json.Marshal(x.Root)
	b := bytes.NewBufferString("{\n\t\"root\": " + string(root))
	encodeMap(ctx, b, "items", x.Items)
	encodeMap(ctx, b, "menus", x.Menus)
	encodeMap(ctx, b, "sizes", x.Sizes)
	encodeMap(ctx, b, "attributes", x.Attributes)
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

// sortedKeys returns the keys of m in the order that compare defines, or in any order if ctx ends.
func sortedKeys[V any](ctx context.Context, m map[string]V, compare func(a, b string) int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if ctx.Err() != nil {
			return 0
		}
		return compare(a, b)
	})
}
