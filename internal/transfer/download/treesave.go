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

	"gofer/internal/text/clean"
	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
)

// ErrNoTree reports that a URL does not lead to a directory or to a menu of a Gopher server.
var ErrNoTree = errors.New("this is neither a directory nor a menu of a Gopher server")

// treeSaver saves the files of a listed tree.
type treeSaver struct {
	item *Item
	root string

	mkdirMu         sync.Mutex // held while a directory is made
	keptAside       sync.Map   // paths of temporary directories with old items to keep
	mu              sync.Mutex
	hasResult       []bool          // by index in Tree.Files: the file was saved or left out
	lostConnections int             // consecutive lost connections
	doneOctets      int64           // octets of complete files
	retryFiles      []int           // files whose connections were lost, to try again at the end
	retryErrs       map[int]error   // errors of the files in retryFiles
	lastRound       bool            // the files in retryFiles are being tried again
	received        map[int]int64   // octets of incomplete files
	knownDirs       map[string]bool // existing directories; true: made by this treeSaver, without unfinished files
	umask           fs.FileMode
	downServers     map[string]error // errors of other servers that cannot be reached
}

// save saves the tree, several files at a time. It returns a *[mirror.PartialError] if items were left out.
func (s *treeSaver) save(ctx context.Context) error {
	tree, workers := s.item.tree, s.item.m.slots.PerServer
	switch {
	case tree.polite:
		workers = 1
	case workers > 1 && transfer.SharesConnection(s.item.status.URL):
		workers = transfer.SharedWorkers
	}
	s.received, s.downServers, s.retryErrs, s.knownDirs = make(map[int]int64), make(map[string]error), make(map[int]error), make(map[string]bool)
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if s.updateOptions() != nil {
		s.umask = umask()
		s.findInterrupted()
	}
	if err := errors.Join(s.writeIndex(ctx), s.writeNames()); err != nil {
		return err
	}
	for _, d := range tree.Dirs {
		if err := s.mkdir(d.Path); err != nil && !isSkippable(err) {
			return err
		} else if err != nil {
			s.leaveOut(&d, err)
		}
	}
	all := make([]int, len(tree.Files))
	for i := range all {
		all[i] = i
	}
	ended := s.saveFiles(ctx, all, workers)
	if ended == nil {
		s.lastRound = true
		ended = s.saveFiles(ctx, s.retryFiles, workers)
	}
	if ended != nil && !endsTree(ended) {
		_ = s.writeIndex(context.WithoutCancel(ctx)) // without it, a later update cannot compare the saved documents
		return ended
	}
	for _, i := range s.retryFiles {
		if !s.hasResult[i] {
			s.leaveOutFile(i, s.retryErrs[i])
		}
	}
	if err := s.writeMenus(ctx); err != nil {
		return err
	}
	if m := s.updateOptions(); m != nil && m.Delete && ended == nil {
		s.removeGone()
	}
	s.finishDirs()
	return s.partialError(ended)
}

// saveFiles saves the files of the tree whose indexes are in the parameter list. It returns the error that ended the
// transfers early, or nil.
func (s *treeSaver) saveFiles(ctx context.Context, list []int, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := int(next.Add(1)); n <= len(list) && ctx.Err() == nil; n = int(next.Add(1)) {
				if err := transfer.Catch("save", func() error { return s.saveItem(ctx, list[n-1]) }); err != nil {
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

// saveItem saves file i and makes its directory. It returns only errors that end the whole tree.
func (s *treeSaver) saveItem(ctx context.Context, i int) error {
	f := &s.item.tree.Files[i]
	s.mkdirMu.Lock()
	err := s.mkdir(parent(f.Path))
	s.mkdirMu.Unlock()
	if err != nil {
		if !isSkippable(err) {
			return err
		}
		s.leaveOutFile(i, err)
		return nil
	}
	clashing, err := s.clashingPaths(f)
	if err != nil {
		s.leaveOutFile(i, err)
		return nil
	}
	if len(clashing) > 0 && s.updateOptions().Plan != nil {
		s.remove(clashing, "", "")
	}
	return s.saveFile(ctx, i, len(clashing) == 0 && !s.isFresh(f.Path))
}

// saveFile saves file i as a link or a file. If the parameter compare is true, it keeps an equal
// local file.
func (s *treeSaver) saveFile(ctx context.Context, i int, compare bool) error {
	f := &s.item.tree.Files[i]
	path := s.path(f.Path)
	diff, info := missing, fs.FileInfo(nil)
	if compare {
		diff, info = s.compare(path, f)
	}
	if target, ok := s.linkTarget(f); ok {
		if ok, err := s.saveLink(i, path, target, diff); err != nil {
			s.leaveOutFile(i, err)
			return nil
		} else if ok {
			return nil
		}
	}
	if diff == equal {
		s.keepFile(i, info)
		return nil
	}
	return s.fetch(ctx, i, path, diff, info)
}

// fetch fetches file i to path, or only plans the action if there is a Plan. If diff is doubtful, it first asks the
// server, and keeps a local file that is equal. info describes the local file.
func (s *treeSaver) fetch(ctx context.Context, i int, path string, diff difference, info fs.FileInfo) error {
	it, f := s.item, &s.item.tree.Files[i]
	addr := serverKey(f.URL)
	s.mu.Lock()
	downErr := s.downServers[addr]
	s.mu.Unlock()
	if downErr != nil {
		s.leaveOutFile(i, downErr)
		return nil
	}
	if !transfer.SharesConnection(f.URL) {
		if err := it.m.slots.Wait(ctx, it.m.slots.Enqueue(addr)); err != nil {
			return err
		}
		defer it.m.slots.Release(addr)
	}
	var err error
	if diff == doubtful {
		if diff, err = s.compareOnServer(ctx, f, info); err == nil && diff == equal {
			s.keepFile(i, info)
			return nil
		}
	}
	planning := it.status.Mirror != nil && it.status.Mirror.Plan != nil
	switch {
	case err != nil:
	case !planning:
		err = s.transferFile(ctx, i, path, diff, false)
	default:
		if err = s.planFetch(ctx, f); err == nil {
			s.countFetched(i, diff, f.Size)
		}
	}
	isTolerable := s.isTolerable(err)
	if !planning && !isTolerable && !it.tree.polite && mirror.IsLostConnection(err) {
		err = s.transferFile(ctx, i, path, diff, true)
	}
	return s.recordResult(ctx, i, diff, err, isTolerable)
}

// recordResult records how the transfer of file i ended, and returns err if it ends the whole tree.
func (s *treeSaver) recordResult(ctx context.Context, i int, diff difference, err error, isTolerable bool) error {
	it, f := s.item, &s.item.tree.Files[i]
	s.mu.Lock()
	overQuota := s.doneOctets > it.m.Quota && it.tree.UnknownSizes > 0
	s.mu.Unlock()
	switch {
	case err == nil && overQuota:
		return protocols.NewError(protocols.TooBig, "save the tree", "the quota is reached: save fewer items, or raise the quota")
	case it.tree.polite && !mirror.Sleep(ctx, it.m.Delay): // the delay applies after a failure too
		return context.Cause(ctx)
	case err == nil, ctx.Err() != nil:
		return err
	case errors.Is(err, protocols.ErrNoOctets):
		s.leaveOutDirectory(i)
	case f.target != "" && protocols.ReasonOf(err) == protocols.NotFound:
		err := errDeadLink
		if target, ok := s.danglingTarget(f); ok {
			if ok, err = s.saveLink(i, s.path(f.Path), target, diff); ok {
				return nil
			}
			err = cmp.Or(err, errDeadLink)
		}
		s.leaveOutFile(i, err)
	case isTolerable && !s.lastRound:
		s.mu.Lock()
		s.retryFiles, s.retryErrs[i] = append(s.retryFiles, i), err
		s.mu.Unlock()
	case isSkippable(err), isTolerable, errors.Is(err, ErrExists), errors.Is(err, ErrUnfinished), errors.Is(err, errUnderWay), errors.Is(err, errNoFile):
		s.leaveOutFile(i, correctDenial(err))
	case serverKey(f.URL) != serverKey(it.status.URL) && protocols.ReasonOf(err).IsNetworkFailure():
		s.mu.Lock()
		s.downServers[serverKey(f.URL)] = err
		s.mu.Unlock()
		s.leaveOutFile(i, err)
	default:
		return err
	}
	return nil
}

// isTolerable calls isTolerableLoss with s.mu locked.
func (s *treeSaver) isTolerable(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return isTolerableLoss(err, &s.lostConnections)
}

// fileRetry returns the retry policy for a file.
func (s *treeSaver) fileRetry(f *TreeFile, serverBlamed bool) mirror.Retry {
	retry := itemRetry(s.item.m.newRetry(serverKey(f.URL)), s.item.tree.polite, serverBlamed)
	if serverKey(f.URL) != serverKey(s.item.status.URL) {
		retry.Tries = 1
	}
	if transfer.SharesConnection(f.URL) { // the file has no slot to give away
		retry.Yield = nil
	}
	return retry
}

// newSaver returns the saver of file i.
func (s *treeSaver) newSaver(i int, serverBlamed bool) *saver {
	it, f := s.item, &s.item.tree.Files[i]
	t := &saver{
		fetcher: it.m.Fetcher, url: f.URL, limit: &it.m.limit, bounds: it.m.newBounds(), known: protocols.FileFacts{Size: f.Size}, retry: s.fileRetry(f, serverBlamed), ofTree: true,
		addNote: func(string) {}, report: func(done, _ int64) { s.reportOctets(i, done, true) }, waitRecorder: it.waitRecorder(f),
	}
	if f.Size >= 0 {
		t.listedDate = f.Modified
	}
	if f.exactDate && !f.localTime && f.Modified.Second() != 0 {
		t.known.Modified = f.Modified
	}
	return t
}

func (s *treeSaver) transferFile(ctx context.Context, i int, path string, diff difference, serverBlamed bool) error {
	it, f := s.item, &s.item.tree.Files[i]
	savedAt, aside, err := s.pathToSave(path)
	if err != nil {
		return err
	}
	defer os.RemoveAll(aside)
	p, err := s.openPart(savedAt, f, diff)
	if err != nil {
		return err
	}
	s.reportOctets(i, p.size, false)
	err = s.newSaver(i, serverBlamed).save(ctx, p)
	if err == nil && savedAt != path {
		if err := s.moveIntoPlace(savedAt, f); err != nil {
			s.reportOctets(i, 0, false)
			s.leaveOutFile(i, err)
			return nil
		}
	}
	if err != nil {
		if s.recordDir(parent(f.Path), false); p.isNew && savedAt == path {
			it.m.update(func() { it.startedParts = append(it.startedParts, filepath.Join(filepath.Dir(path), p.record.Part)) })
		}
		if ctx.Err() == nil { // after a pause, the received octets stay in the status
			s.reportOctets(i, 0, false)
		}
		return err
	}
	if diff == missing {
		it.addCreated(path, true)
	}
	if s.updateOptions() != nil && f.target != "" {
		it.addNote("saved as a copy: " + clean.Name(f.Path) + ": it is a link to " + clean.Text(f.target) + s.whyCopied(f))
	}
	s.chmod(f, 0o666&^s.umask)
	// A size that is too large is from the listing. If the server had sent it, the transfer would have failed.
	if announced := p.record.Size; announced > p.size {
		if head, err := s.fetchFacts(ctx, f, -1); err != nil || head.Size != p.size {
			s.reportOctets(i, 0, false)
			s.leaveOutFile(i, fmt.Errorf("the listing says %d octets, but the server sent %d; they are kept", announced, p.size))
			return nil
		}
	}
	s.countFetched(i, diff, p.size)
	return nil
}

// openPart begins or continues a file. Small new files are received in memory.
func (s *treeSaver) openPart(path string, f *TreeFile, diff difference) (*part, error) {
	force := forceNothing
	if s.item.status.Overwrite {
		force = forceAll
	} else if _, savedBefore := s.item.tree.index.Sizes[f.Path]; s.updateOptions() != nil || diff == differs && savedBefore && checkRegular(path) == nil {
		force = forceUpdate
	}
	pl := place{path: path, force: force, records: &s.item.m.records, hasDir: func() bool { return s.hasDir(parent(f.Path)) }}
	if small := f.Size >= 0 && f.Size <= maxInMemory; small && diff == missing && (s.isFresh(f.Path) || !exists(path+partSuffix)) {
		return newMemoryPart(pl, f.URL), nil
	}
	return openPart(pl, f.URL)
}

// countFetched counts file i as new or changed, and as saved.
func (s *treeSaver) countFetched(i int, diff difference, size int64) {
	size = max(size, 0)
	s.updateChanges(func(c *Changes) {
		if c.Octets += size; diff == missing {
			c.New++
		} else {
			c.Changed++
		}
	})
	s.rememberAttributes(s.item.tree.Files[i].Path, false)
	s.markSaved(i, size)
}

// reportOctets sets the progress of file i. The octets count for the rate only if the parameter received is true.
func (s *treeSaver) reportOctets(i int, octets int64, received bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !received || octets < s.received[i] {
		s.item.keptOctets += octets - s.received[i]
	}
	if s.received[i] = octets; octets == 0 {
		delete(s.received, i)
	}
	total := s.doneOctets
	for _, n := range s.received {
		total += n
	}
	s.item.setProgress(total, s.item.tree.size())
}

// markSaved counts file i as saved.
func (s *treeSaver) markSaved(i int, size int64) {
	s.mu.Lock()
	delete(s.received, i)
	s.hasResult[i] = true
	if sizes := s.item.tree.index.Sizes; sizes != nil {
		sizes[s.item.tree.Files[i].Path] = size
	}
	s.doneOctets += size
	s.lostConnections = 0
	s.mu.Unlock()
	s.item.m.mu.Lock()
	s.item.status.Files++
	s.item.m.mu.Unlock()
	s.reportOctets(i, 0, true)
}

// size returns the size of the tree, or -1 if it has files of unknown size.
func (t *Tree) size() int64 {
	if t.UnknownSizes > 0 {
		return -1
	}
	return t.Size
}
