package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
)

// ErrNoTree reports that a URL names a file and not a tree.
var ErrNoTree = errors.New("this is neither a directory nor a Gopher menu")

type treeSaver struct {
	it   *Item
	root string

	making  sync.Mutex // of directories
	held    sync.Map   // the paths of directories with moved items that stay
	mu      sync.Mutex
	settled []bool        // the files that are saved or recorded as left out
	lost    int           // consecutive lost connections
	done    int64         // octets of the complete files
	again   []int         // files whose connections were lost, to be tried again at the end
	broke   map[int]error // why
	last    bool          // they are being tried
	coming  map[int]int64
	made    map[string]bool // directories that are there; true: they have no files of earlier attempts
	umask   fs.FileMode
	down    map[string]error // other servers that cannot be reached
}

// save saves all files, several at a time, and then reports those that failed.
func (s *treeSaver) save(ctx context.Context) error {
	tree, workers := s.it.tree, s.it.m.slots.PerServer
	if tree.polite {
		workers = 1
	}
	s.coming, s.down, s.broke, s.made = make(map[int]int64), make(map[string]error), make(map[int]error), make(map[string]bool)
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if s.updates() != nil {
		s.umask = umask()
		s.findAside()
	}
	if err := s.writeIndex(ctx); err != nil {
		return err
	}
	for _, d := range tree.Dirs {
		if err := s.mkdir(d.Path); err != nil && !skippable(err) {
			return err
		} else if err != nil {
			s.leaveItem(&d, err)
		}
	}
	all := make([]int, len(tree.Files))
	for i := range all {
		all[i] = i
	}
	ended := s.files(ctx, all, workers)
	if ended == nil {
		s.last = true
		ended = s.files(ctx, s.again, workers)
	}
	if ended != nil && !endsTree(ended) {
		return ended
	}
	for _, i := range s.again {
		if !s.settled[i] {
			s.leave(i, s.broke[i])
		}
	}
	if err := s.menus(ctx); err != nil {
		return err
	}
	if m := s.updates(); m != nil && m.Delete && ended == nil {
		s.removeGone()
	}
	s.finishDirs()
	return s.partial(ended)
}

// files saves some of the files. It returns the error that ended the transfers, or nil.
func (s *treeSaver) files(ctx context.Context, list []int, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := int(next.Add(1)); n <= len(list) && ctx.Err() == nil; n = int(next.Add(1)) {
				if err := guarded(ctx, func(ctx context.Context) error { return s.file(ctx, list[n-1]) }); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (s *treeSaver) path(path string) string { return filepath.Join(s.root, filepath.FromSlash(path)) }

// file saves one file. It returns only errors that end the whole tree.
func (s *treeSaver) file(ctx context.Context, i int) error {
	f := &s.it.tree.Files[i]
	s.making.Lock()
	err := s.mkdir(parent(f.Path))
	s.making.Unlock()
	if err != nil {
		if !skippable(err) {
			return err
		}
		s.leave(i, err)
		return nil
	}
	gone, err := s.clashing(f)
	if err != nil {
		s.leave(i, err)
		return nil
	}
	if len(gone) > 0 && s.updates().Plan != nil {
		s.remove(gone, "", "")
	}
	return s.saveFile(ctx, i, len(gone) == 0 && !s.fresh(f.Path))
}

// saveFile saves file i as a link or a file. With compares set, it keeps a local file that is equal.
func (s *treeSaver) saveFile(ctx context.Context, i int, compares bool) error {
	f := &s.it.tree.Files[i]
	path := s.path(f.Path)
	was, info := missing, fs.FileInfo(nil)
	if compares {
		was, info = s.compare(path, f)
	}
	if to, ok := s.linked(f); ok {
		if ok, err := s.link(i, path, to, was); err != nil {
			s.leave(i, err)
			return nil
		} else if ok {
			return nil
		}
	}
	if was == equal {
		s.keep(i, path, info)
		return nil
	}
	return s.fetch(ctx, i, path, was, info)
}

// fetch fetches file i to path, unless the server answers that it is equal to the local file, which
// info describes.
func (s *treeSaver) fetch(ctx context.Context, i int, path string, was difference, info fs.FileInfo) error {
	it, f := s.it, &s.it.tree.Files[i]
	addr := server(f.URL)
	s.mu.Lock()
	down := s.down[addr]
	s.mu.Unlock()
	if down != nil {
		s.leave(i, down)
		return nil
	}
	if err := it.m.slots.Wait(ctx, it.m.slots.Ask(addr)); err != nil {
		return err
	}
	defer it.m.slots.Release(addr)
	var err error
	if was == doubtful {
		if was, err = s.asked(ctx, f, info); err == nil && was == equal {
			s.keep(i, path, info)
			return nil
		}
	}
	dry := it.status.Mirror != nil && it.status.Mirror.Plan != nil
	switch {
	case err != nil:
	case !dry:
		err = s.transfer(ctx, i, path, was, false)
	default:
		if err = s.plan(ctx, f); err == nil {
			s.fetched(i, was, f.Size)
		}
	}
	tolerable := s.tolerable(err)
	if !dry && !tolerable && !it.tree.polite && mirror.Reached(err) {
		err = s.transfer(ctx, i, path, was, true)
	}
	return s.settle(ctx, i, was, err, tolerable)
}

// settle records how the transfer of file i ended, and returns err if it ends the whole tree.
func (s *treeSaver) settle(ctx context.Context, i int, was difference, err error, tolerable bool) error {
	it, f := s.it, &s.it.tree.Files[i]
	s.mu.Lock()
	over := s.done > it.m.Quota && it.tree.Unknown > 0
	s.mu.Unlock()
	switch {
	case err == nil && over:
		return protocols.NewError(protocols.TooBig, "save all of it", "it is more than the quota")
	case it.tree.polite && !sleep(ctx, it.m.Delay): // after a failure too
		return context.Cause(ctx)
	case err == nil, ctx.Err() != nil:
		return err
	case errors.Is(err, nav.ErrNoOctets):
		s.leaveDirectory(i)
	case f.target != "" && protocols.ReasonOf(err) == protocols.NotThere:
		err := errDeadLink
		if to, ok := s.dangling(f); ok {
			if ok, err = s.link(i, s.path(f.Path), to, was); ok {
				return nil
			}
			err = cmp.Or(err, errDeadLink)
		}
		s.leave(i, err)
	case tolerable && !s.last:
		s.mu.Lock()
		s.again, s.broke[i] = append(s.again, i), err
		s.mu.Unlock()
	case skippable(err), tolerable, errors.Is(err, ErrExists), errors.Is(err, ErrUnfinished), errors.Is(err, errUnderWay), errors.Is(err, errNoFile):
		s.leave(i, correctDenial(err))
	case server(f.URL) != server(it.status.URL) && protocols.ReasonOf(err).Network():
		s.mu.Lock()
		s.down[server(f.URL)] = err
		s.mu.Unlock()
		s.leave(i, err)
	default:
		return err
	}
	return nil
}

// tolerable reports whether err is a lost connection, and not one of too many.
func (s *treeSaver) tolerable(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return broken(err, &s.lost)
}

// retry returns how often to try a file again.
func (s *treeSaver) retry(f *TreeFile, blamed bool) mirror.Retry {
	retry := patience(s.it.m.retry(server(f.URL)), s.it.tree.polite, blamed)
	if server(f.URL) != server(s.it.status.URL) {
		retry.Tries = 1
	}
	return retry
}

// newTransfer returns the transfer of file i.
func (s *treeSaver) newTransfer(i int, blamed bool) *transfer {
	it, f := s.it, &s.it.tree.Files[i]
	t := &transfer{
		fetcher: it.m.Fetcher, url: f.URL, limit: it.m.limit, known: protocols.Known{Size: f.Size}, retry: s.retry(f, blamed), tree: true,
		note: func(string) {}, report: func(done, _ int64) { s.report(i, done, true) }, waits: it.waits(f),
	}
	if f.Size >= 0 {
		t.listed = f.Modified
	}
	if f.exact && !f.local && f.Modified.Second() != 0 {
		t.known.Modified = f.Modified
	}
	return t
}

func (s *treeSaver) transfer(ctx context.Context, i int, path string, was difference, blamed bool) error {
	it, f := s.it, &s.it.tree.Files[i]
	at, aside, err := s.asideOf(path)
	if err != nil {
		return err
	}
	defer os.RemoveAll(aside)
	begun := there(at + recordSuffix)
	p, err := s.openPart(at, f, was)
	if err != nil {
		return err
	}
	s.report(i, p.have, false)
	whole := p.file == nil && !p.inMemory // and only its record was left
	err = s.newTransfer(i, blamed).save(ctx, p)
	if err == nil && at != path {
		if err := s.place(at, f); err != nil {
			s.report(i, 0, false)
			s.leave(i, err)
			return nil
		}
	}
	if err != nil {
		if s.setMade(parent(f.Path), false); !begun && at == path {
			it.m.change(func() { it.parts = append(it.parts, path) })
		}
		if ctx.Err() == nil { // else the received octets stay in the list
			s.report(i, 0, false)
		}
		return err
	}
	if was == missing {
		it.addCreated(path, true)
	}
	if s.updates() != nil && f.target != "" {
		it.note("saved as a copy: " + clean.Name(f.Path) + ": it is a link to " + clean.Text(f.target) + ", which is not in the directory")
	}
	s.chmod(f, path, 0o666&^s.umask)
	if said := p.rec.Size; said > p.have && !whole { // an answer to SIZE would have been an error
		if head, err := s.facts(ctx, f, -1); err != nil || head.Size != p.have {
			s.report(i, 0, false)
			s.leave(i, fmt.Errorf("the server said %d octets and sent %d, which are kept", said, p.have))
			return nil
		}
	}
	s.fetched(i, was, p.have)
	return nil
}

// openPart begins or continues a file. A small one that is not there is received in memory.
func (s *treeSaver) openPart(path string, f *TreeFile, was difference) (*part, error) {
	force := forceNothing
	if s.it.status.Overwrite {
		force = forceAll
	} else if _, saved := s.it.tree.index.Sizes[f.Path]; s.updates() != nil || was == differs && saved && notFile(path) == nil {
		force = forceUpdate
	}
	if small := f.Size >= 0 && f.Size <= maxInMemory; small && was == missing && (s.fresh(f.Path) || !there(path+recordSuffix) && !there(path+partSuffix)) {
		return partInMemory(path, f.URL, force), nil
	}
	return openPart(path, f.URL, force)
}

// fetched counts a file that was fetched.
func (s *treeSaver) fetched(i int, was difference, size int64) {
	size = max(size, 0)
	s.count(func(c *Changes) {
		if c.Octets += size; was == missing {
			c.New++
		} else {
			c.Changed++
		}
	})
	s.saved(i, size)
}

// report reports the octets of file i. The rate leaves them out unless they were received just now.
func (s *treeSaver) report(i int, done int64, received bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !received || done < s.coming[i] {
		s.it.kept += done - s.coming[i]
	}
	if s.coming[i] = done; done == 0 {
		delete(s.coming, i)
	}
	total := s.done
	for _, n := range s.coming {
		total += n
	}
	s.it.progress(total, s.it.tree.size())
}

// saved counts file i as saved.
func (s *treeSaver) saved(i int, size int64) {
	s.mu.Lock()
	delete(s.coming, i)
	s.settled[i] = true
	if sizes := s.it.tree.index.Sizes; sizes != nil {
		sizes[s.it.tree.Files[i].Path] = size
	}
	s.done += size
	s.lost = 0
	s.mu.Unlock()
	s.it.m.mu.Lock()
	s.it.status.Files++
	s.it.m.mu.Unlock()
	s.report(i, 0, true)
}

// size returns the size of the tree, or -1 if unknown.
func (t *Tree) size() int64 {
	if t.Unknown > 0 {
		return -1
	}
	return t.Size
}
