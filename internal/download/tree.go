package download

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// The default limits of a tree.
const (
	DefaultDepth  = 20      // levels of directories
	DefaultQuota  = 4 << 30 // octets of documents whose sizes are not known beforehand
	DefaultDelay  = 250 * time.Millisecond
	maxTreeFiles  = 100_000
	maxMenuOctets = 256 << 20 // of the menus and the items of a mirror, in memory; of its index
)

// Tree is the content of a directory, or of the menus of a Gopher server.
type Tree struct {
	Files   []TreeFile
	Dirs    []TreeFile
	Size    int64            // of the files of known size
	Unknown int              // the number of files of unknown size
	left    []mirror.LeftOut // the items that are not listed
	menus   []*menu
	dots    bool // the server ends menus
	index   index
	names   names             // with those that are not selected
	byPath  map[string]string // the paths of the items, by those at an FTP server
	skipped []TreeFile        // the items that the filter does not select
	unnamed map[string]bool   // the directories with items whose names are not known
	taken   map[string]bool   // paths where an earlier program may have saved another item
	foreign bool              // a menu has an item outside the mirror
	polite  bool              // one connection, and a delay
}

// TreeFile is a file or directory of a Tree.
type TreeFile struct {
	URL      urlcore.URL
	Path     string    // below the tree's directory, with slashes; harmless
	Size     int64     // -1 if unknown
	Modified time.Time // zero if unknown
	exact    bool      // Modified has a time of day, and Size is known
	dateOnly bool      // Modified has no time of day
	local    bool      // Modified is in the zone of the server, which is unknown
	mode     string    // as ls writes it, or ""
	target   string    // of a symbolic link: perhaps a directory
}

// folder is a directory or menu to be listed.
type folder struct {
	url      urlcore.URL
	path     string
	depth    int
	above    []*listed
	modified time.Time
	mode     string
	reading  reading // nil: not begun
}

// walker lists a tree, one directory after the other.
type walker struct {
	fetcher  protocols.Fetcher
	root     urlcore.URL
	dir      string // with an earlier mirror, or ""
	noParent bool   // a mirror is limited to the selectors below the selector of root
	depth    int
	given    bool // the user gave depth: deeper menus are not left out, but counted
	max      int  // files
	delay    time.Duration
	retry    mirror.Retry
	filter   *mirror.Filter // of directories; nil: none
	waits    func(key any) func(mirror.Wait)
	slots    *mirror.Slots
	found    func(files int, size int64)
	note     func(text string)

	tree      *Tree
	queue     []folder
	readers   sync.WaitGroup
	names     names
	seed      maphash.Seed
	lost      int             // consecutive lost connections
	kept      int             // octets of menus and items
	full      bool            // a mirror has as many items as it can have
	items     map[string]bool // of a mirror, by localKey
	links     map[string]bool // the URLs of the other items of the menus
	elsewhere int             // items on other servers
	servers   map[string]bool // their addresses
	above     int             // items of the server that are not below root
	forms     int             // searches and forms
	renamed   []string        // the names that were changed, as "a" -> "b"
	skips     bool            // a pattern excludes an item
	deeper    int             // menus below a depth that was given
}

// walk lists the tree below root, within limits: a server can show endless directories.
func (w *walker) walk(ctx context.Context) (*Tree, error) {
	w.tree, w.names, w.seed = &Tree{unnamed: make(map[string]bool), taken: make(map[string]bool)}, newNames(runtime.GOOS), maphash.MakeSeed()
	if u, ok := w.root.(urlcore.Gopher); ok {
		key := localKey(u)
		w.tree.polite, w.names.menus = true, true
		w.items, w.links, w.servers = map[string]bool{key: true}, make(map[string]bool), make(map[string]bool)
		var err error
		if w.tree.index, err = readIndex(ctx, w.dir, key, w.names); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer w.readers.Wait()
	defer cancel()
	w.queue = []folder{{url: w.root}}
	for len(w.queue) > 0 {
		w.readAhead(ctx)
		f := w.queue[0]
		w.queue = w.queue[1:]
		if w.full {
			w.leave(f.url, f.path, errFull)
			continue
		}
		err := w.list(ctx, f)
		tolerable := broken(err, &w.lost)
		if err != nil && !tolerable && w.lost >= maxBreaks && !w.tree.polite {
			f.reading = w.read(ctx, f.url)
			err = w.list(ctx, f)
		}
		switch {
		case err == nil:
			w.lost = 0
		case f.depth == 0 || ctx.Err() != nil || !skippable(err) && !tolerable:
			return nil, err
		default:
			w.leave(f.url, f.path, err)
		}
		if n := len(w.tree.Files) + len(w.tree.Dirs) + len(w.queue); n > w.max {
			return nil, &protocols.Error{
				Reason: protocols.TooBig, Op: "count the files",
				Err: fmt.Errorf("there are more than %d: save a part of it", w.max),
			}
		}
		w.found(len(w.tree.Files), w.tree.Size)
		if w.tree.polite && !sleep(ctx, w.delay) {
			return nil, context.Cause(ctx)
		}
	}
	w.tree.names = w.names
	w.noteOutside()
	if w.skips && len(w.tree.Files) == 0 {
		w.note(mirror.NothingSelected)
	}
	if n := len(w.renamed); n > 0 {
		w.note(fmt.Sprintf("names changed to fit here: %d (%s)", n, strings.Join(w.renamed[:min(n, 3)], ", ")))
	}
	return w.tree, w.empty()
}

// empty returns an error if a mirror would hold nothing, or only menus whose items
// are not saved.
func (w *walker) empty() error {
	if !w.tree.polite || len(w.tree.Files) > 0 || w.deeper > 0 {
		return nil
	}
	lines := 0
	for _, m := range w.tree.menus {
		lines += len(m.lines)
	}
	why := "the menu items are on other servers, outside this menu, or cannot be saved"
	switch {
	case lines == 0:
		why = "the menu is empty"
	case len(w.tree.left) > 0:
		why = w.tree.left[0].String()
	case !w.tree.foreign:
		return nil
	}
	return protocols.NewError(protocols.NotThere, "save all of it", "there is nothing to save: "+why)
}

func (w *walker) list(ctx context.Context, f folder) error {
	head, page, err := f.reading()
	if err != nil {
		return err
	}
	switch head.Layout {
	case protocols.LayoutDirectory:
		return w.directory(ctx, f, page)
	case protocols.LayoutMenu:
		return w.menu(ctx, f, head, page)
	}
	return &protocols.Error{Reason: protocols.Unsupported, Op: "save all of it", Err: ErrNoTree}
}

func (w *walker) directory(ctx context.Context, f folder, page *nav.Lines) error {
	switch w.compare(ctx, &f, page) {
	case looped:
		w.note("not saved twice: " + clean.Name(f.path) + ": it is a link to a parent directory")
		return nil
	case unclear:
		w.leave(f.url, f.path, errMayLoop)
		return nil
	}
	if f.depth > 0 {
		w.tree.Dirs = append(w.tree.Dirs, TreeFile{URL: f.url, Path: f.path, Modified: f.modified, mode: f.mode})
	}
	var lines []protocols.Line
	var serverNames []string
	for i := range page.Len() {
		line := page.At(i)
		named, ok := line.Link.(interface{ FileName() string })
		elsewhere := line.Link != nil && (!belongs(f.url, line.Link) || line.Kind == protocols.Directory && server(line.Link) != server(f.url))
		if elsewhere {
			w.leave(line.Link, join(f.path, clean.Text(line.Text)), errElsewhere)
			line.Link = nil
		}
		switch {
		case ok: // reserves the name, even if the item is elsewhere
			lines, serverNames = append(lines, line), append(serverNames, named.FileName())
			continue
		case elsewhere:
		case line.Kind == protocols.Problem:
			w.leave(nil, join(f.path, clean.Text(line.Text)), errNoName)
		case line.Kind == protocols.Failure: // of a part of the directory
			w.leave(f.url, cmp.Or(f.path, "."), fmt.Errorf("%w: %s", errIncomplete, clean.Text(line.Text)))
		default:
			continue
		}
		w.tree.unnamed[cmp.Or(f.path, ".")] = true
	}
	for i, path := range w.names.inDirectory(f.path, serverNames) {
		if name := serverNames[i]; path != join(f.path, name) && !there(filepath.Join(w.dir, filepath.FromSlash(path))) {
			w.tree.taken[join(f.path, treeName(name))] = true
		}
		if lines[i].Link != nil {
			w.item(&f, &lines[i], serverNames[i], path)
		}
	}
	return nil
}

// item adds the item of a line of directory f, which has a name at the server and a path in the tree.
func (w *walker) item(f *folder, line *protocols.Line, name, path string) {
	isDir := line.Kind == protocols.Directory
	note, _ := line.Note.(*protocols.FileNote)
	if note == nil {
		note = &protocols.FileNote{Size: -1}
	}
	modified := storable(note.Modified)
	if w.filter != nil && !w.filter.Selects(path, isDir, modified) {
		w.skips = w.skips || !w.filter.Selects(path, isDir, time.Time{})
		w.tree.skipped = append(w.tree.skipped, TreeFile{URL: line.Link, Path: path})
		return
	}
	if path != join(f.path, name) {
		w.renamed = append(w.renamed, clean.Name(name)+" -> "+clean.Name(path))
	}
	if isDir {
		dir := folder{url: line.Link, path: path, depth: f.depth + 1, above: f.above, mode: note.Mode}
		if !note.DateOnly {
			dir.modified = modified
		}
		w.enter(dir)
		return
	}
	w.add(TreeFile{
		URL: line.Link, Path: path, Size: note.Size, Modified: modified, exact: !note.DateOnly && note.Size >= 0,
		dateOnly: note.DateOnly, local: note.Local, mode: note.Mode, target: note.Target,
	})
}

// belongs reports whether a tree of root holds the documents at u. The documents of a
// Prospero directory are on other servers, where FTP fetches them (RFC 1738, section 3.11).
func belongs(root, u urlcore.URL) bool {
	if root.Scheme() == "prospero" && u.Scheme() == "ftp" {
		return true
	}
	return u.Scheme() == root.Scheme() && server(u) == server(root)
}

// enter queues a directory unless it is too deep.
func (w *walker) enter(f folder) {
	switch {
	case f.depth <= w.depth:
		w.queue = append(w.queue, f)
	case w.given && w.tree.polite:
		w.deeper++
	default:
		w.leave(f.url, f.path, errTooDeep)
	}
}

func (w *walker) add(f TreeFile) {
	w.tree.Files = append(w.tree.Files, f)
	if f.Size >= 0 {
		w.tree.Size += f.Size
	} else {
		w.tree.Unknown++
	}
}

func join(dir, name string) string { return strings.TrimPrefix(dir+"/"+name, "/") }

// reading waits for the end of the reading of a directory or menu, and returns it.
type reading func() (protocols.Head, *nav.Lines, error)

// readAhead begins to read the first directories of the queue, over as many connections as there may
// be. They are processed in their order.
func (w *walker) readAhead(ctx context.Context) {
	most := w.slots.PerServer
	if w.tree.polite {
		most = 1
	}
	for i := range min(most, len(w.queue)) {
		if f := &w.queue[i]; f.reading == nil && !w.full {
			f.reading = w.read(ctx, f.url)
		}
	}
}

// read begins to read a whole directory or menu. It waits for a slot of the server, and tries again
// while the network fails.
func (w *walker) read(ctx context.Context, u urlcore.URL) reading {
	var head protocols.Head
	var page *nav.Lines
	done, failure := make(chan struct{}), error(nil)
	retry := patience(w.retry, w.tree.polite, u == w.root || w.lost >= maxBreaks)
	w.readers.Go(func() {
		defer close(done)
		failure = guarded(ctx, func(ctx context.Context) error {
			if err := w.slots.Wait(ctx, w.slots.Ask(server(u))); err != nil {
				return err
			}
			defer w.slots.Release(server(u))
			return retry.Do(ctx, w.waits(done), func() (_ bool, err error) {
				head, page, err = nav.ReadAll(protocols.WithHidden(ctx), w.fetcher, u)
				return false, err
			})
		})
	})
	return func() (protocols.Head, *nav.Lines, error) {
		<-done
		return head, page, failure
	}
}

// patience returns how often to try an item of a tree again. An item of a polite tree is not tried
// again after the server has got the request, because many items are never answered. If the server
// is to blame, an item is tried as often as if the server could not be reached.
func patience(r mirror.Retry, polite, server bool) mirror.Retry {
	switch {
	case polite:
		r.ItemTries = 1
	case server:
		r.ItemTries = 0
	}
	return r
}
