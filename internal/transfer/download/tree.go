package download

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Default limits of a tree.
const (
	DefaultDepth  = 20      // levels of directories
	DefaultQuota  = 4 << 30 // octets of a tree with files of unknown size
	DefaultDelay  = 250 * time.Millisecond
	maxTreeFiles  = 100_000
	maxMenuOctets = 256 << 20 // memory of the menus and items of a mirror, and size of its index, in octets
)

// Tree is the listed content of a directory, or of the menus of a Gopher server.
type Tree struct {
	Files           []TreeFile
	Dirs            []TreeFile
	Size            int64            // sum of the known sizes
	UnknownSizes    int              // number of files of unknown size
	leftOut         []mirror.LeftOut // the items that cannot be saved
	menus           []*menu
	endsMenus       bool // the server ends menus with a dot
	index           index
	attributes      map[string]itemAttributes // attributes that a Gopher+ server has told, by path
	names           names                     // includes the items that the filter does not select
	byPath          map[string]indexed        // the items by their paths at the server; nil without symbolic links
	dirLinks        []TreeFile                // symbolic links to directories, until settleLinks
	skipped         []TreeFile                // items that the filter does not select
	octets          map[string]string         // names at the server that are not UTF-8 and differ from the local names, by path
	withUnnamed     map[string]bool           // directories that contain items with unknown names
	takenPaths      map[string]bool           // paths where an earlier run of gofer may have saved another item
	hasOutsideItems bool                      // a menu has an item outside the mirror
	polite          bool                      // use one connection, with a delay between requests
}

// TreeFile is a file or directory of a Tree.
type TreeFile struct {
	URL       urlcore.URL
	Path      string    // relative to the directory of the tree, with slashes; safe
	Size      int64     // -1 if unknown
	Modified  time.Time // zero if unknown
	exactDate bool      // Modified has a time of day, and Size is known
	dateOnly  bool      // Modified has no time of day
	localTime bool      // Modified is in the unknown time zone of the server
	mode      string    // permissions as ls prints them, or ""
	target    string    // the target of a symbolic link, which may be a directory; "" for other files
}

// queuedDir is a directory or menu that is queued to be listed.
type queuedDir struct {
	url      urlcore.URL
	path     string
	depth    int
	parents  []*parentDir
	modified time.Time
	mode     string
	listing  pendingListing // nil until the reading has begun
}

// walker lists a tree, directory by directory.
type walker struct {
	fetcher      protocols.Fetcher
	root         urlcore.URL
	earlierDir   string // local directory with an earlier mirror, or ""
	noParent     bool   // limit a mirror to the items below the selector of root
	depth        int
	depthGiven   bool // the user set depth: count deeper menus instead of leaving them out
	maxFiles     int  // limit of the number of files, directories and queued directories
	delay        time.Duration
	retry        mirror.Retry
	filter       *mirror.Filter // for directories of FTP; nil: all items
	waitRecorder func(key any) func(mirror.Wait)
	slots        *mirror.Slots
	reportFound  func(files int, size int64)
	addNote      func(text string)

	tree            *Tree
	queue           []queuedDir
	readers         sync.WaitGroup
	reached         atomic.Bool // a request has reached the server
	names           names
	serverNames     mirror.Names
	earlierLocal    map[string]string // local names in the index of an earlier mirror, by local directory and name at the server
	earlierOctets   map[string]string // names at the server in the index of an earlier mirror, by path
	seed            maphash.Seed
	lostConnections int             // consecutive lost connections
	memory          int             // memory of the menus and items of a mirror, in octets
	full            bool            // the mirror has reached a limit
	seenItems       map[string]bool // items of a mirror, by itemKey
	outsideLinks    map[string]bool // links to items outside the mirror, by URL
	onOtherServers  int             // number of items on other servers
	otherServers    map[string]bool // addresses of other servers that items are on
	withoutServer   int             // number of items whose URLs name no server, such as news:
	otherSchemes    map[string]bool // schemes of these URLs
	atGateways      int             // number of items of other hosts, at a gateway of the server
	outsideMenu     int             // number of items of the server that are not below root
	forms           int             // number of searches and forms
	renamedItems    []string        // names that were changed, as "a" -> "b"
	hasExcluded     bool            // a pattern excludes an item
	belowDepth      int             // number of menus below the depth that the user set
	untoldMenus     int             // number of menus whose attributes are not known
	withoutAnswer   bool            // the server did not answer a request for attributes
}

// walk lists the tree below root, within limits, because a server can list endless directories.
func (w *walker) walk(ctx context.Context) (*Tree, error) {
	w.tree, w.names, w.seed = &Tree{octets: make(map[string]string), withUnnamed: make(map[string]bool), takenPaths: make(map[string]bool)}, newNames(runtime.GOOS), maphash.MakeSeed()
	if u, ok := w.root.(urlcore.Gopher); ok {
		key := itemKey(u)
		w.tree.polite, w.names.hasMenus, w.tree.attributes = true, true, make(map[string]itemAttributes)
		w.seenItems, w.outsideLinks = map[string]bool{key: true}, make(map[string]bool)
		w.otherServers, w.otherSchemes = make(map[string]bool), make(map[string]bool)
		var err error
		if w.tree.index, err = readIndex(ctx, w.earlierDir, key, w.names); err != nil {
			return nil, err
		}
	}
	if _, ok := w.root.(urlcore.FileURL); ok && w.earlierDir != "" {
		w.readEarlierNames()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer w.readers.Wait()
	defer cancel()
	w.queue = []queuedDir{{url: w.root}}
	for len(w.queue) > 0 {
		w.readAhead(ctx)
		f := w.queue[0]
		w.queue = w.queue[1:]
		if w.full {
			w.leaveOut(f.url, f.path, errMirrorFull)
			continue
		}
		err := w.listDir(ctx, f)
		isTolerable := isTolerableLoss(err, &w.lostConnections)
		if err != nil && !isTolerable && w.lostConnections >= maxBreaks && !w.tree.polite {
			f.listing = w.startReading(ctx, protocols.Request{URL: f.url})
			err = w.listDir(ctx, f)
		}
		switch {
		case err == nil:
			w.lostConnections = 0
		case f.depth == 0 || ctx.Err() != nil || !isSkippable(err) && !isTolerable:
			return nil, err
		default:
			w.leaveOut(f.url, f.path, err)
		}
		if n := len(w.tree.Files) + len(w.tree.Dirs) + len(w.tree.dirLinks) + len(w.queue); n > w.maxFiles {
			return nil, &protocols.Error{
				Reason: protocols.TooBig, Op: "count the files",
				Err: fmt.Errorf("there are more than %d; save a part of it", w.maxFiles),
			}
		}
		w.reportFound(len(w.tree.Files), w.tree.Size)
		if w.tree.polite && !mirror.Sleep(ctx, w.delay) {
			return nil, context.Cause(ctx)
		}
	}
	w.tree.names = w.names
	w.noteOutside()
	w.noteUntold()
	if w.hasExcluded && len(w.tree.Files) == 0 {
		w.addNote(mirror.NoteNothingSelected)
	}
	if n := len(w.renamedItems); n > 0 {
		w.addNote(fmt.Sprintf("names changed for this system: %d (%s)", n, strings.Join(w.renamedItems[:min(n, 3)], ", ")))
	}
	return w.tree, w.checkEmpty()
}

// readEarlierNames reads the names in the index of an earlier mirror. It ignores local names that differ from the names
// in a charset that the user has chosen.
func (w *walker) readEarlierNames() {
	w.earlierOctets, w.earlierLocal = mirror.ReadNames(w.earlierDir), make(map[string]string)
	for path, name := range w.earlierOctets {
		dir, local := parent(path), path[strings.LastIndexByte(path, '/')+1:]
		if w.serverNames.Chosen == charset.Auto || treeName(w.serverNames.Shown(name)) == local {
			w.earlierLocal[joinPath(dir, name)] = local
		}
	}
}

// checkEmpty returns an error if a mirror would have no documents. It is not an error if the menus only consist of
// text, or if there are menus below the depth that the user set.
func (w *walker) checkEmpty() error {
	if !w.tree.polite || len(w.tree.Files) > 0 || w.belowDepth > 0 {
		return nil
	}
	lines := 0
	for _, m := range w.tree.menus {
		lines += len(m.lines)
	}
	reason := "the menu items are on other servers, outside this menu, or cannot be saved"
	switch {
	case lines == 0:
		reason = "the menu is empty"
	case len(w.tree.leftOut) > 0:
		reason = w.tree.leftOut[0].String()
	case !w.tree.hasOutsideItems:
		return nil
	}
	return protocols.NewError(protocols.NotFound, "save the tree", "there is nothing to save: "+reason)
}

func (w *walker) listDir(ctx context.Context, f queuedDir) error {
	head, page, err := f.listing()
	isCut := protocols.ReasonOf(err) == protocols.EndUnmarked && page != nil && head.Layout == protocols.LayoutDirectory
	if err != nil && !isCut {
		return err
	}
	switch {
	case head.Layout == protocols.LayoutDirectory:
		if isCut {
			w.leaveOut(f.url, cmp.Or(f.path, "."), err)
			w.tree.withUnnamed[cmp.Or(f.path, ".")] = true
		}
		return w.addDirectory(ctx, f, page)
	case head.Layout == protocols.LayoutMenu && w.names.hasMenus:
		return w.addMenu(ctx, f, head, page)
	}
	return &protocols.Error{Reason: protocols.Unsupported, Op: "save the tree", Err: ErrNoTree}
}

func (w *walker) addDirectory(ctx context.Context, f queuedDir, page []protocols.Line) error {
	switch w.findLoop(ctx, &f, page) {
	case isLoop:
		w.addNote("not saved twice: " + clean.Name(f.path) + ": it is a link to a parent directory")
		return nil
	case maybeLoop:
		w.leaveOut(f.url, f.path, errMayLoop)
		return nil
	}
	if f.depth > 0 {
		w.tree.Dirs = append(w.tree.Dirs, TreeFile{URL: f.url, Path: f.path, Modified: f.modified, mode: f.mode})
	}
	var lines []protocols.Line
	var serverNames []string
	for _, line := range page {
		if line.Kind == protocols.Menu { // another view of an entry
			continue
		}
		named, ok := line.Link.(interface{ FileName() string })
		elsewhere := line.Link != nil && (!isInTree(f.url, line.Link) || line.Kind == protocols.Directory && serverKey(line.Link) != serverKey(f.url))
		if elsewhere {
			w.leaveOut(line.Link, joinPath(f.path, clean.Text(line.Text)), errOtherServer)
			line.Link = nil
		}
		switch {
		case ok: // the name is reserved even if the item is on another server
			lines, serverNames = append(lines, line), append(serverNames, named.FileName())
			continue
		case elsewhere:
		case line.Kind == protocols.Problem:
			w.leaveOut(nil, joinPath(f.path, clean.Text(line.Text)), errNoName)
		case line.Kind == protocols.Failure: // a part of the directory is not listed
			w.leaveOut(f.url, cmp.Or(f.path, "."), fmt.Errorf("%w: %s", errIncomplete, clean.Text(line.Text)))
		default:
			continue
		}
		w.tree.withUnnamed[cmp.Or(f.path, ".")] = true
	}
	w.serverNames.Learn(slices.All(page))
	for i, path := range w.names.uniquePaths(f.path, serverNames, w.shownName(f.path)) {
		if !utf8.ValidString(serverNames[i]) && path != joinPath(f.path, serverNames[i]) {
			w.tree.octets[path] = serverNames[i]
		}
		if name := w.serverNames.Shown(serverNames[i]); path != joinPath(f.path, name) && !exists(filepath.Join(w.earlierDir, filepath.FromSlash(path))) {
			w.tree.takenPaths[joinPath(f.path, treeName(name))] = true
		}
		if lines[i].Link != nil {
			w.addItem(&f, &lines[i], serverNames[i], path)
		}
	}
	return nil
}

// shownName returns a function that returns the text of a name in the local directory dir. A name in the index of an
// earlier mirror keeps its local name.
func (w *walker) shownName(dir string) func(name string) string {
	return func(name string) string {
		if local, ok := w.earlierLocal[joinPath(dir, name)]; ok && !w.serverNames.Raw {
			return local
		}
		return w.serverNames.Shown(name)
	}
}

// addItem adds the item of a line of directory f. The parameter name is the item's name at the server, and path its
// path in the tree.
func (w *walker) addItem(f *queuedDir, line *protocols.Line, name, path string) {
	isDir := line.IsRealDirectory()
	note, _ := line.Note.(*protocols.FileNote)
	if note == nil {
		note = &protocols.FileNote{Size: -1}
	}
	modified := storableDate(note.Modified)
	if w.filter != nil && !w.filter.Selects(path, isDir, modified) {
		w.hasExcluded = w.hasExcluded || !w.filter.Selects(path, isDir, time.Time{})
		w.tree.skipped = append(w.tree.skipped, TreeFile{URL: line.Link, Path: path})
		return
	}
	if name = w.serverNames.Shown(name); path != joinPath(f.path, name) && w.earlierOctets[path] == "" {
		from, to := clean.Name(name), clean.Name(path[strings.LastIndexByte(path, '/')+1:])
		if from == to { // the characters that differ are not shown
			from = clean.Name(clean.Octets(name))
		}
		w.renamedItems = append(w.renamedItems, from+" -> "+to)
	}
	if isDir {
		dir := queuedDir{url: line.Link, path: path, depth: f.depth + 1, parents: f.parents, mode: note.Mode}
		if !note.DateOnly {
			dir.modified = modified
		}
		w.queueDir(dir)
		return
	}
	file := TreeFile{
		URL: line.Link, Path: path, Size: note.ExactSize(), Modified: modified, exactDate: !note.DateOnly && note.ExactSize() >= 0,
		dateOnly: note.DateOnly, localTime: note.Local, mode: note.Mode, target: note.Target,
	}
	if line.Kind == protocols.Directory {
		w.tree.dirLinks = append(w.tree.dirLinks, file)
		return
	}
	w.tree.addFile(file)
}

// isInTree reports whether u can belong to the tree of root. The documents of a Prospero directory are on
// other servers and are fetched by FTP (RFC 1738, section 3.11).
func isInTree(root, u urlcore.URL) bool {
	if root.Scheme() == "prospero" && u.Scheme() == "ftp" {
		return true
	}
	return u.Scheme() == root.Scheme() && serverKey(u) == serverKey(root)
}

// queueDir queues a directory unless its level is too deep.
func (w *walker) queueDir(f queuedDir) {
	switch {
	case f.depth <= w.depth:
		w.queue = append(w.queue, f)
	case w.depthGiven && w.tree.polite:
		w.belowDepth++
	default:
		w.leaveOut(f.url, f.path, errTooDeep)
	}
}

func (t *Tree) addFile(f TreeFile) {
	t.Files = append(t.Files, f)
	if f.Size >= 0 {
		t.Size += f.Size
	} else {
		t.UnknownSizes++
	}
}

func joinPath(dir, name string) string { return strings.TrimPrefix(dir+"/"+name, "/") }

// pendingListing waits until a directory or menu has been read, and returns it.
type pendingListing func() (protocols.Head, []protocols.Line, error)

// readAhead begins to read the next directories of the queue, one for each allowed connection. The method walk adds
// them to the tree in the order of the queue.
func (w *walker) readAhead(ctx context.Context) {
	limit := w.slots.PerServer
	if w.tree.polite {
		limit = 1
	}
	for i := range min(limit, len(w.queue)) {
		if f := &w.queue[i]; f.listing == nil && !w.full {
			f.listing = w.startReading(ctx, protocols.Request{URL: f.url})
		}
	}
}

// startReading begins to read a whole directory or menu in a goroutine, which waits for a slot of the server and
// tries again after errors of the network.
func (w *walker) startReading(ctx context.Context, req protocols.Request) pendingListing {
	var head protocols.Head
	var page []protocols.Line
	done, readErr := make(chan struct{}), error(nil)
	retry := itemRetry(w.retry, w.tree.polite, req.URL == w.root || w.lostConnections >= maxBreaks)
	if w.retry.Tries == 0 {
		retry.Reached = &w.reached
	}
	req.Hidden = true
	w.readers.Go(func() {
		defer close(done)
		readErr = transfer.Catch("save", func() error {
			if err := w.slots.Wait(ctx, w.slots.Enqueue(serverKey(req.URL))); err != nil {
				return err
			}
			defer w.slots.Release(serverKey(req.URL))
			return retry.Do(ctx, w.waitRecorder(done), func() (_ bool, err error) {
				head, page, err = transfer.ReadAll(ctx, w.fetcher, req)
				return false, err
			})
		})
	})
	return func() (protocols.Head, []protocols.Line, error) {
		<-done
		return head, page, readErr
	}
}

// itemRetry returns the retry policy for an item of a tree. In a polite tree, an item that lost its connection is
// not tried again, because Gopher servers never answer some requests. In other trees, ItemTries does not apply if
// serverBlamed is true, because the server is then the cause of lost connections. If the user has chosen the number of
// tries, it applies to refused connections too.
func itemRetry(r mirror.Retry, polite, serverBlamed bool) mirror.Retry {
	switch {
	case polite:
		r.ItemTries = 1
	case serverBlamed:
		r.ItemTries = 0
	}
	if r.Tries == 0 {
		r.RefusedTries = mirror.RefusedTries
	}
	return r
}
