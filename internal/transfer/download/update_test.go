package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// ftpTree is an FTP server with one directory d. items maps paths below d to files and directories.
type ftpTree struct {
	t            *testing.T
	mu           sync.Mutex
	items        map[string]treeItem
	listErrs     map[string]error // errors of listing directories, by path
	listEnds     map[string]error // errors after the lines of directories, by path
	extraLine    protocols.Line   // one more line in the listing of d, such as a failure
	dateRequests int              // number of requests for a date
	fetched      []string         // files that were fetched
}

type treeItem struct {
	text       string
	dir        bool
	listed     protocols.FileNote // the note in the listing; fetcher sets its Size
	modified   time.Time          // the answer to MDTM; zero: none
	listedSize int64              // the size in the listing; 0: the length of text
	hidesSize  bool               // the server sends no size
	linksTo    string             // the target of a link: "" for a file, "directory" or "nothing"
}

func (f *ftpTree) path(u urlcore.FTP) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.Join(append(u.CWDs(), u.Name()), "/"), "d"), "/")
}

func (f *ftpTree) url(path string, typ byte) urlcore.URL {
	parts := append([]string{"d"}, strings.Split(path, "/")...)
	return ftpItem(f.t, parts[:len(parts)-1], parts[len(parts)-1], typ)
}

// fetcher returns a Fetcher of the tree.
func (f *ftpTree) fetcher() protocols.Fetcher {
	return fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		u := req.URL
		f.mu.Lock()
		defer f.mu.Unlock()
		at := f.path(u.(urlcore.FTP))
		item, ok := f.items[at]
		switch {
		case protocols.KindOf(u) == protocols.Directory || item.dir:
			if err := f.listErrs[at]; err != nil {
				return nil, err
			}
			var lines []protocols.Line
			for name, item := range f.items {
				i := strings.LastIndexByte(name, '/')
				if name[:max(i, 0)] != at {
					continue
				}
				note := item.listed
				note.Size = cmp.Or(item.listedSize, int64(len(item.text)))
				kind, typ := protocols.Binary, byte(0)
				if item.dir {
					kind, typ = protocols.Directory, 'd'
				}
				if item.dir || note.Target != "" {
					note.Size = -1
				}
				lines = append(lines, protocols.Line{Kind: kind, Text: name[i+1:], Link: f.url(name, typ), Note: &note})
			}
			if f.extraLine.Text != "" && at == "" {
				lines = append(lines, f.extraLine)
			}
			slices.SortFunc(lines, func(a, b protocols.Line) int { return strings.Compare(a.Text, b.Text) })
			res := listing(u, protocols.LayoutDirectory, lines...)
			if end := f.listEnds[at]; end != nil {
				complete := res.Lines
				res.Lines = func(yield func(protocols.Line, error) bool) {
					complete(yield)
					yield(protocols.Line{}, end)
				}
			}
			return res, nil
		case item.linksTo == "directory" && !req.Facts:
			return listing(u, protocols.LayoutDirectory), nil
		case !ok || item.linksTo == "nothing" && !req.Facts:
			return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch " + at, Code: 550}
		}
		res := document(u, item.text)
		known := protocols.FileFacts{Size: -1}
		if req.Known != nil {
			known = *req.Known
		}
		if known.Size >= 0 || item.hidesSize || item.linksTo != "" {
			res.Size = known.Size
		}
		if res.Modified = known.Modified; res.Modified.IsZero() && req.Modified {
			res.Modified = item.modified
		}
		if req.Facts {
			f.dateRequests++
			res.Body = strings.NewReader("")
		} else {
			f.fetched = append(f.fetched, at)
		}
		return res, nil
	})
}

// update updates the directory dir from f and returns the final Status.
func (f *ftpTree) update(dir string, m UpdateOptions) Status {
	f.dateRequests, f.fetched = 0, nil
	manager := &Manager{Fetcher: f.fetcher(), RecordFolder: recordsOf(dir)}
	defer manager.Close()
	it, _ := manager.Add(Request{URL: ftpItem(f.t, nil, "d", 'd'), Path: dir, Tree: true, Mirror: &m})
	s := it.Wait()
	slices.Sort(f.fetched)
	return s
}

// dirState returns the items below dir, as "path=content", "path/" or "path -> target".
func dirState(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || rel == ".":
			return err
		case d.IsDir():
			rel += "/"
		case d.Type()&fs.ModeSymlink != 0:
			rel += " -> " + fetchtest.Must(os.Readlink(path))(t)
		default:
			rel += "=" + string(fetchtest.Must(os.ReadFile(path))(t))
		}
		all = append(all, filepath.ToSlash(rel))
		return nil
	})
	fetchtest.NoError(t, err)
	return all
}

var (
	noon   = time.Date(2024, 2, 29, 12, 0, 7, 0, time.UTC)
	minute = noon.Truncate(time.Minute)
)

// TestUpdate updates a directory with new, changed, unchanged and removed files.
func TestUpdate(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{
		"a":        {text: "a", listed: protocols.FileNote{Modified: noon, Mode: "rwsr-xr--"}},
		"b":        {text: "b", listed: protocols.FileNote{Modified: noon}},
		"sub":      {dir: true, listed: protocols.FileNote{Modified: noon, Mode: "r-xr-xr-x"}},
		"sub/c":    {text: "c", listed: protocols.FileNote{Modified: noon}},
		"sub/old":  {dir: true},
		"sub/link": {text: "a", listed: protocols.FileNote{Target: "../a"}},
		"copy":     {text: "far", listed: protocols.FileNote{Target: "../far"}},
	}}
	dir := filepath.Join(t.TempDir(), "new", "m")
	s := f.update(dir, UpdateOptions{})
	fetchtest.NoError(t, s.Err)
	fetchtest.Equal(t, s.Changes, Changes{New: 5, Octets: 6}, "Changes")
	fetchtest.EqualSlices(t, s.Notes, []string{`saved as a copy: "copy": it is a link to ../far, which is not the relative path of an item in the directory`}, "notes")
	whole := []string{"a=a", "b=b", "copy=far", "sub/", "sub/c=c", "sub/link -> ../a", "sub/old/"}
	fetchtest.EqualSlices(t, dirState(t, dir), whole, "files and directories")
	info := fetchtest.Must(os.Stat(filepath.Join(dir, "a")))(t)
	fetchtest.Equal(t, info.Mode(), 0o754&^umask(), "mode")
	fetchtest.Equal(t, info.ModTime().UTC(), noon, "date")
	info = fetchtest.Must(os.Stat(filepath.Join(dir, "sub")))(t)
	fetchtest.Equal(t, info.Mode().Perm(), 0o755&^umask(), "mode of a directory")
	fetchtest.Equal(t, info.ModTime().UTC(), noon, "date")

	s = f.update(dir, UpdateOptions{})
	fetchtest.Equal(t, s.Changes, Changes{Unchanged: 5}, "Changes of an update without changes")
	fetchtest.Equal(t, len(f.fetched), 0, "number of the fetched files %q", f.fetched)

	f.items["a"] = treeItem{text: "aa", listed: protocols.FileNote{Modified: noon}}                         // another size
	f.items["b"] = treeItem{text: "B", listed: protocols.FileNote{Modified: noon.Add(time.Second)}}         // another date
	f.items["sub/c"] = treeItem{text: "c", listed: protocols.FileNote{Modified: noon, Mode: "rw-------"}}   // another mode
	f.items["sub/old"] = treeItem{text: "file", listed: protocols.FileNote{Modified: noon}}                 // a file instead of a directory
	f.items["copy"] = treeItem{dir: true}                                                                   // a directory instead of a file
	f.items["sub/link"] = treeItem{text: "x", listed: protocols.FileNote{Modified: noon, Target: "../sub"}} // another target
	for name := range map[string]int{"gone": 0, "sub/gone": 0, "mine.keep": 0} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("gone"), 0o600))
	}
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "lost/deep"), 0o700))
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "lost/deep/f"), nil, 0o600))
	filter := UpdateOptions{Delete: true}
	fetchtest.NoError(t, filter.Filter.Add("*.keep", false))

	before := dirState(t, dir)
	var plan []string
	dry := filter
	dry.Plan = func(action string) { plan = append(plan, action) }
	planned := f.update(dir, dry)
	slices.Sort(plan)
	fetchtest.EqualSlices(t, plan, []string{
		"chmod 600 sub/c", "get a (2 B)", "get b (1 B)", "get sub/old (4 B)", "link sub/link -> .", "make directory copy", "remove copy",
		"remove gone", "remove lost", "remove lost/deep", "remove lost/deep/f", "remove sub/gone", "remove sub/old",
	}, "plan")
	fetchtest.EqualSlices(t, dirState(t, dir), before, "files and directories after the dry run")

	s = f.update(dir, filter)
	fetchtest.EqualSlices(t, f.fetched, []string{"a", "b", "sub/old"}, "fetched files")
	fetchtest.EqualSlices(
		t, dirState(t, dir),
		[]string{"a=aa", "b=B", "copy/", "mine.keep=gone", "sub/", "sub/c=c", "sub/link -> .", "sub/old=file"},
		"files and directories",
	)
	fetchtest.EqualSlices(t, leftOutTexts(&s), nil, "items left out")
	fetchtest.Equal(t, s.Changes, Changes{New: 1, Changed: 3, Unchanged: 1, Removed: 7, Octets: 7}, "Changes")
	fetchtest.Equal(t, planned.Changes, s.Changes, "Changes in the plan")
	for _, want := range []string{`removed: "lost/deep/f"`, `removed: "copy"`} {
		if !slices.Contains(s.Notes, want) {
			t.Errorf("notes %q lack %q", s.Notes, want)
		}
	}
}

// TestUpdateOtherKinds checks that a file or link of the server replaces a local directory only with Delete, and only
// if all of its content may be removed. A directory of the server replaces a local file or link under the same
// conditions. The plan must be equal to the run.
func TestUpdateOtherKinds(t *testing.T) {
	old := []string{"f/", "f/deep/", "f/deep/x=x", "f/y=y"}
	with := func(more ...string) []string { return slices.Concat([]string{"a=a"}, more) }
	file := treeItem{text: "file", listed: protocols.FileNote{Modified: noon}}
	for _, tt := range []struct {
		name    string
		local   []string // local items
		remote  treeItem // the item f of the server
		delete  bool
		exclude string
		want    []string
		plan    []string
		left    string
		removed int
	}{
		{"without delete", old, file, false, "", with(old...), nil, "it is a directory here; mirror --delete replaces it", 0},
		{
			"delete", old, file, true, "", with("f=file"),
			[]string{"get f (4 B)", "remove f", "remove f/deep", "remove f/deep/x", "remove f/y"},
			"", 4,
		},
		{"an item that is kept", old, file, true, "x", with(old...), nil, "it is a directory here, with items to keep", 0},
		{"kept itself", old, file, true, "f/", with(old...), nil, "it is a directory here, with items to keep", 0},
		{
			"a link", old,
			treeItem{listed: protocols.FileNote{Target: "a"}},
			true, "", with("f -> a"),
			[]string{"link f -> a", "remove f", "remove f/deep", "remove f/deep/x", "remove f/y"},
			"", 4,
		},
		{
			"a link elsewhere", old,
			treeItem{text: "x", listed: protocols.FileNote{Target: "../x"}},
			true, "",
			with(old...), nil, "it is a directory here, and may be a directory on the server", 0,
		},
		{
			"a file",
			[]string{"f=old"},
			treeItem{dir: true},
			false, "", with("f=old"), nil,
			"it is a file or link here; mirror --delete replaces it", 0,
		},
		{"a file, delete", []string{"f=old"}, treeItem{dir: true}, true, "", with("f/"), []string{"make directory f", "remove f"}, "", 1},
		{
			"a file that is not selected",
			[]string{"f=old"},
			treeItem{dir: true},
			true, "+*.c", with("f=old"), nil,
			"it is a file or link here, which a pattern excludes", 0,
		},
		{
			"a link here",
			[]string{"f -> a"},
			treeItem{dir: true},
			false, "", with("f -> a"), nil,
			"it is a file or link here; mirror --delete replaces it", 0,
		},
		{"a link here, delete", []string{"f -> a"}, treeItem{dir: true}, true, "", with("f/"), []string{"make directory f", "remove f"}, "", 1},
		{
			"a link for a file",
			[]string{"f=old"},
			treeItem{listed: protocols.FileNote{Target: "a"}},
			false, "",
			with("f -> a"),
			[]string{"link f -> a"},
			"", 0,
		},
		{
			"a dangling link",
			[]string{"f -> a"},
			treeItem{listed: protocols.FileNote{Target: "x"}, linksTo: "nothing"},
			false, "", with("f -> x"),
			[]string{"link f -> x"},
			"", 0,
		},
		{
			"a dangling link for a file",
			[]string{"f=old"},
			treeItem{listed: protocols.FileNote{Target: "x"}, linksTo: "nothing"},
			false, "", with("f=old"), nil,
			"it is a dangling link", 0,
		},
		{
			"a dangling link for a file, delete",
			[]string{"f=old"},
			treeItem{listed: protocols.FileNote{Target: "x"}, linksTo: "nothing"},
			true, "", with("f -> x"),
			[]string{"link f -> x"},
			"", 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}, "f": tt.remote}}
			dir := t.TempDir()
			for _, item := range tt.local {
				if name, ok := strings.CutSuffix(item, "/"); ok {
					fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
				} else if name, to, ok := strings.Cut(item, " -> "); ok {
					fetchtest.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
				} else {
					writeFiles(t, dir, item)
				}
			}
			fetchtest.NoError(t, f.update(dir, UpdateOptions{Filter: mirror.Filter{Patterns: []mirror.Pattern{{Glob: "f"}}}}).Err)
			m := UpdateOptions{Delete: tt.delete}
			if tt.exclude != "" {
				glob, include := strings.CutPrefix(tt.exclude, "+")
				fetchtest.NoError(t, m.Filter.Add(glob, include))
			}
			var plan []string
			dry := m
			dry.Plan = func(action string) { plan = append(plan, action) }
			planned := f.update(dir, dry)
			slices.Sort(plan)
			fetchtest.EqualSlices(t, plan, tt.plan, "plan")
			fetchtest.EqualSlices(t, dirState(t, dir), slices.Sorted(slices.Values(with(tt.local...))), "files and directories after the plan")
			s := f.update(dir, m)
			fetchtest.EqualSlices(t, dirState(t, dir), tt.want, "files and directories")
			if want := "f: " + tt.left; tt.left != "" && !slices.Equal(leftOutTexts(&s), []string{want}) || tt.left == "" && s.Err != nil {
				t.Errorf("items left out: got %q (error %v), want %q", leftOutTexts(&s), s.Err, tt.left)
			}
			fetchtest.EqualSlices(t, leftOutTexts(&planned), leftOutTexts(&s), "items left out by the plan")
			fetchtest.Equal(t, s.Changes.Removed, tt.removed, "removed items")
			fetchtest.Equal(t, planned.Changes, s.Changes, "Changes in the plan")
			if changed := strings.HasPrefix(tt.name, "a dangling link") && tt.left == "" || tt.name == "a link for a file"; changed {
				fetchtest.Equal(t, s.Changes.Changed, 1, "changed files")
			}
		})
	}
}

// TestUpdateKeepsPartFiles checks that an update keeps files of the user with the names of unfinished files, and
// still saves the files, and that it keeps a link whose file cannot be fetched.
func TestUpdateKeepsPartFiles(t *testing.T) {
	large := strings.Repeat("x", maxInMemory+1)
	noRead := treeItem{text: "f", linksTo: "nothing", listed: protocols.FileNote{Modified: noon}}
	for _, tt := range []struct {
		name   string
		local  []string // local items
		remote treeItem // the item f of the server
		want   []string
		left   bool
	}{
		{"a .part file", []string{"f.part=mine"}, treeItem{text: large}, []string{"f=" + large, "f.part=mine"}, false},
		{
			"a .part file beside an older version",
			[]string{"f=old", "f.part=mine"},
			treeItem{text: "newer"},
			[]string{"f=newer", "f.part=mine"},
			false,
		},
		{
			"of another download",
			[]string{"f.part=x", `f.part.info={"url":"ftp://other/f","size":9}`},
			treeItem{text: "f"},
			[]string{"f=f"},
			false,
		},
		{
			"a .part file beside a link",
			[]string{"f.part=mine"},
			treeItem{listed: protocols.FileNote{Target: "a"}},
			[]string{"f -> a", "f.part=mine"},
			false,
		},
		{
			"a link named .part beside a link",
			[]string{"f.part -> x"},
			treeItem{listed: protocols.FileNote{Target: "a"}},
			[]string{"f -> a", "f.part -> x"},
			false,
		},
		{"a .part file, and the file cannot be fetched", []string{"f.part=mine"}, noRead, []string{"f.part=mine"}, true},
		{"a link", []string{"f -> mine"}, noRead, []string{"f -> mine"}, true},
		{"a link to a local file", []string{"f -> mine"}, treeItem{text: "new"}, []string{"f=new"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}, "f": tt.remote}}
			dir := t.TempDir()
			for _, item := range tt.local {
				if name, to, ok := strings.Cut(item, " -> "); ok {
					fetchtest.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
				} else {
					writeFiles(t, dir, item)
				}
			}
			s := f.update(dir, UpdateOptions{})
			fetchtest.EqualSlices(t, dirState(t, dir), slices.Concat([]string{"a=a"}, tt.want), "files and directories")
			if left := leftOutTexts(&s); len(left) > 0 != tt.left || tt.left && s.Err == nil {
				t.Errorf("items left out: got %q (error %v), want any: %v", left, s.Err, tt.left)
			}
		})
	}
}

// TestDirectoryKeptWithoutFile checks that a local directory is kept if the file that replaces it cannot be fetched.
func TestDirectoryKeptWithoutFile(t *testing.T) {
	unreadable := treeItem{text: "file", listed: protocols.FileNote{Modified: noon}, linksTo: "nothing"}
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}, "f": unreadable}}
	dir := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(dir, "f", "deep"), 0o700))
	writeFiles(t, dir, "f/deep/x=x")
	s := f.update(dir, UpdateOptions{Delete: true})
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"a=a", "f/", "f/deep/", "f/deep/x=x"}, "files and directories")
	fetchtest.Equal(t, len(leftOutTexts(&s)), 1, "items left out")
	fetchtest.Equal(t, s.Changes.Removed, 0, "removed items")
}

// TestFileBlocksDirectory checks that a directory is left out if a local file has its name, and that the
// other directory is saved.
func TestFileBlocksDirectory(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"a": {dir: true}, "a/x": {text: "x"}, "b": {dir: true}, "b/y": {text: "y"}}}
	dir := t.TempDir()
	writeFiles(t, dir, "a=mine")
	s, _ := saveTree(t, &Manager{Fetcher: f.fetcher()}, ftpItem(t, nil, "d", 'd'), dir, withContinue)
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"a=mine", "b/", "b/y=y"}, "files and directories")
	fetchtest.Equal(t, len(s.LeftOut), 2, "items left out (error %v)", s.Err)
}

// TestUpdateRenamed checks the note about changed names: their number, and the first three.
func TestUpdateRenamed(t *testing.T) {
	f := &ftpTree{
		t: t,
		items: map[string]treeItem{
			"plain": {text: "a"}, "a\tb": {text: "a"}, "c\t": {dir: true}, "c\t/d": {text: "d"}, "x\ay": {text: "a"},
			"z\u202e": {text: "z"},
		},
	}
	s := f.update(t.TempDir(), UpdateOptions{})
	fetchtest.NoError(t, s.Err)
	if len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], "names changed for this system: 4 (") || strings.Count(s.Notes[0], " -> ") != 3 {
		t.Errorf("got the notes %q, want one note about 4 names with 3 of them", s.Notes)
	}
	fetchtest.Equal(t, len(f.update(t.TempDir(), UpdateOptions{
		Filter: mirror.Filter{Patterns: []mirror.Pattern{{Glob: "[^p]*"}}},
	}).Notes), 0, "notes about names that are not selected")
}

// TestUpdateSizes checks that a file counts as left out, but is kept, if the server sends fewer octets than it
// listed. If the answer to SIZE is the number of octets sent, the file counts as saved.
func TestUpdateSizes(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{
		"lie":   {text: "octet", listedSize: 1e18, hidesSize: true},
		"large": {text: "octet", listedSize: 1e6, hidesSize: true}, "shrunk": {text: "octet", listedSize: 6},
		"grown": {text: "octet", listedSize: 4, hidesSize: true},
	}}
	dir := filepath.Join(t.TempDir(), "m")
	s := f.update(dir, UpdateOptions{})
	left := leftOutTexts(&s)
	slices.Sort(left)
	fetchtest.EqualSlices(t, left, []string{
		"large: the listing says 1000000 octets, but the server sent 5; they are kept",
		"lie: the listing says 1000000000000000000 octets, but the server sent 5; they are kept",
	}, "items left out")
	fetchtest.As[*mirror.PartialError](t, s.Err)
	fetchtest.Equal(t, s.Changes, Changes{New: 2, Octets: 10}, "Changes")
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"grown=octet", "large=octet", "lie=octet", "shrunk=octet"}, "files and directories")
}

// TestPlanLinks checks the plan for links to targets in the directory and outside it.
func TestPlanLinks(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{
		"far":    {listed: protocols.FileNote{Target: "/far"}, text: "far"},
		"mute":   {listed: protocols.FileNote{Target: "/mute"}, text: "f", hidesSize: true},
		"folder": {listed: protocols.FileNote{Target: "../x"}, linksTo: "directory"},
		"lost":   {listed: protocols.FileNote{Target: "x"}, linksTo: "nothing"},
		"out":    {listed: protocols.FileNote{Target: "../x"}, linksTo: "nothing"},
		"root":   {listed: protocols.FileNote{Target: "/x"}, linksTo: "nothing"},
		"back":   {listed: protocols.FileNote{Target: "folder/../../x"}, linksTo: "nothing"}, "sub": {dir: true},
		"sub/up":  {listed: protocols.FileNote{Target: "../x"}, linksTo: "nothing"},
		"sub/odd": {listed: protocols.FileNote{Target: "a\tb"}, linksTo: "nothing"},
	}}
	dir := filepath.Join(t.TempDir(), "m")
	var plan []string
	dry := f.update(dir, UpdateOptions{Plan: func(action string) { plan = append(plan, action) }})
	slices.Sort(plan)
	fetchtest.EqualSlices(
		t, plan, []string{"get far (3 B)", "get mute", "link lost -> x", "link sub/up -> ../x", "make directory sub"},
		"plan",
	)
	run := f.update(dir, UpdateOptions{})
	planned, left := leftOutTexts(&dry), leftOutTexts(&run)
	slices.Sort(planned)
	slices.Sort(left)
	fetchtest.EqualSlices(t, planned, []string{
		"back: it is a dangling link", "folder: it is a link to a directory, which is not followed",
		"out: it is a dangling link", "root: it is a dangling link", "sub/odd: it is a dangling link",
	}, "items left out by the plan")
	fetchtest.EqualSlices(t, left, planned, "items left out")
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"far=far", "lost -> x", "mute=f", "sub/", "sub/up -> ../x"}, "files and directories")
	fetchtest.Equal(t, dry.Changes.New, run.Changes.New, "new files in the plan")
	again := f.update(dir, UpdateOptions{Delete: true})
	fetchtest.Equal(t, again.Changes.Unchanged, 3, "unchanged files")
	fetchtest.Equal(t, again.Changes.Removed, 0, "removed items (notes %q)", again.Notes)
}

// TestUpdateDates checks when a file is fetched because its date differs from a local file of the same size.
func TestUpdateDates(t *testing.T) {
	type note = protocols.FileNote
	for i, tt := range []struct {
		local    time.Time // date of the local file
		listed   note
		modified time.Time // the answer to MDTM; zero: none
		requests int       // number of requests for a date
		fetched  bool
	}{
		{noon, note{Modified: noon}, time.Time{}, 0, false},
		{noon, note{Modified: noon.Add(time.Second)}, time.Time{}, 0, true},
		{noon, note{Modified: minute}, noon, 1, false},
		{noon, note{Modified: minute}, noon.Add(time.Second), 1, true},
		{noon, note{Modified: minute}, time.Time{}, 1, false},
		{noon, note{Modified: minute.Add(time.Minute)}, noon.Add(time.Minute), 0, true},
		{noon, note{Modified: minute.Add(2 * time.Hour), Local: true}, noon, 1, false},
		{noon, note{Modified: minute.Add(2 * time.Hour), Local: true}, noon.Add(time.Second), 1, true},
		{noon, note{Modified: minute.Add(2 * time.Hour), Local: true}, time.Time{}, 1, true},
		{noon, note{Modified: minute, Local: true}, time.Time{}, 1, false},
		{noon, note{Modified: minute.Add(2*time.Hour + time.Minute), Local: true}, noon.Add(time.Minute), 0, true},
		{noon, note{Modified: noon.Truncate(24 * time.Hour), DateOnly: true}, noon, 1, false},
		{noon, note{Modified: noon.Truncate(24 * time.Hour), DateOnly: true}, time.Time{}, 1, false},
		{noon, note{Modified: noon.Truncate(24 * time.Hour), DateOnly: true}, noon.Add(-time.Minute), 1, true},
		{noon, note{Modified: noon.Add(-72 * time.Hour).Truncate(24 * time.Hour), DateOnly: true}, noon.Add(-72 * time.Hour), 0, true},
		{noon, note{Modified: noon.Add(-72 * time.Hour).Truncate(24 * time.Hour), DateOnly: true}, time.Time{}, 0, true},
		{noon, note{}, noon, 1, false},
		{noon, note{}, noon.Add(time.Second), 1, true},
		{noon, note{}, time.Time{}, 1, false},
	} {
		f := &ftpTree{t: t, items: map[string]treeItem{"f": {text: "new", listed: tt.listed, modified: tt.modified}}}
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		fetchtest.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
		fetchtest.NoError(t, os.Chtimes(path, time.Time{}, tt.local))
		s := f.update(dir, UpdateOptions{})
		if s.Err != nil || f.dateRequests != tt.requests || len(f.fetched) > 0 != tt.fetched {
			t.Errorf(
				"row %d: %d requests for a date, fetched %q, error %v; want %d requests, fetched: %v", i,
				f.dateRequests, f.fetched, s.Err, tt.requests, tt.fetched,
			)
		}
		if tt.fetched {
			want := tt.modified
			if want.IsZero() || tt.listed.Modified.Second() != 0 {
				want = tt.listed.Modified
			}
			fetchtest.Equal(t, fetchtest.Must(os.Stat(path))(t).ModTime().UTC(), want, "row %d: date of the file", i)
		}
		s = f.update(dir, UpdateOptions{})
		fetchtest.Equal(t, len(f.fetched), 0, "row %d: files fetched again (error %v)", i, s.Err)
	}
}

// TestUpdateIncompleteFile checks that a file with a record of an unfinished file is fetched again.
func TestUpdateIncompleteFile(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"f": {text: "new", listed: protocols.FileNote{Modified: noon}}}}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	writeFiles(t, dir, "f=old", "f.part=ne", fmt.Sprintf("f.part.info={\"url\":%q,\"size\":3}", f.url("f", 0)))
	fetchtest.NoError(t, os.Chtimes(path, time.Time{}, noon))
	fetchtest.Equal(t, f.update(dir, UpdateOptions{}).Changes, Changes{Changed: 1, Octets: 3}, "Changes")
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"f=new"}, "files and directories")
}

// TestUpdateLinkReplaced checks that a file replaces a local link, and does not get the mode of the server's link.
func TestUpdateLinkReplaced(t *testing.T) {
	f := &ftpTree{t: t, items: map[string]treeItem{"f": {text: "f", listed: protocols.FileNote{Target: "../far", Mode: "rwxrwxrwx"}}}}
	dir := t.TempDir()
	path, far := filepath.Join(dir, "f"), filepath.Join(t.TempDir(), "far")
	fetchtest.NoError(t, os.Symlink(far, path))
	fetchtest.Equal(t, f.update(dir, UpdateOptions{}).Changes, Changes{Changed: 1, Octets: 1}, "Changes")
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"f=f"}, "files and directories")
	fetchtest.Equal(t, fetchtest.Must(os.Stat(path))(t).Mode(), 0o666&^umask(), "mode")
	fetchtest.Equal(t, exists(far), false, "target of the old link exists")
}

// TestUpdateLinks checks that only links to targets in the directory are saved as links.
func TestUpdateLinks(t *testing.T) {
	links := map[string]string{ // local targets or "", by target at the server
		"a": "a", "sub/b": "sub/b", "sub/": "sub", ".": ".", "chain": "chain",
		"..": "", "/d/a": "", "../d/a": "a", "sub/../a": "", "chain/../../x": "", "sub/deep/../../../x": "",
		"nothing": "", "": "", "chain/b": "", "self-self": "",
	}
	f := &ftpTree{
		t: t,
		items: map[string]treeItem{
			"a": {text: "a"}, "sub": {dir: true}, "sub/b": {text: "b"}, "sub/deep": {dir: true},
			"chain": {listed: protocols.FileNote{Target: "sub"}},
		},
	}
	n := 0
	names := make(map[string]string)
	for target := range links {
		name := fmt.Sprint("l", n)
		if target == "self-self" {
			name = target
		}
		n++
		names[target] = name
		f.items[name] = treeItem{text: "copy", listed: protocols.FileNote{Target: target}}
	}
	dir := filepath.Join(t.TempDir(), "m")
	s := f.update(dir, UpdateOptions{})
	fetchtest.NoError(t, s.Err)
	for target, want := range links {
		if got, _ := os.Readlink(filepath.Join(dir, names[target])); filepath.ToSlash(got) != want {
			t.Errorf("link to %q: got the local target %q, want %q", target, got, want)
		}
	}
	root := fetchtest.Must(filepath.EvalSymlinks(dir))(t)
	for _, item := range dirState(t, dir) {
		if name, _, ok := strings.Cut(item, " -> "); ok {
			if to := fetchtest.Must(filepath.EvalSymlinks(filepath.Join(dir, name)))(t); to != root && !strings.HasPrefix(to, root+"/") {
				t.Errorf("link %s leads to %s, outside the directory", name, to)
			}
		}
	}
}

// TestUpdateAfterUnmarkedEnd checks that the listed items of a directory are saved and nothing is removed if the server did
// not mark the end of the listing.
func TestUpdateAfterUnmarkedEnd(t *testing.T) {
	for _, at := range []string{"", "sub"} {
		dir := t.TempDir()
		for _, sub := range []string{"goneDir", "sub"} {
			fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
		}
		writeFiles(t, dir, "gone=", "sub/gone=")
		end := &protocols.Error{Reason: protocols.EndUnmarked, Op: "receive the directory"}
		f := &ftpTree{
			t: t, items: map[string]treeItem{"a": {text: "a"}, "sub": {dir: true}, "sub/c": {text: "c"}},
			listEnds: map[string]error{at: end},
		}
		s := f.update(dir, UpdateOptions{Delete: true})
		fetchtest.EqualSlices(t, dirState(t, dir), []string{"a=a", "gone=", "goneDir/", "sub/", "sub/c=c", "sub/gone="}, "files and directories")
		fetchtest.EqualSlices(t, s.Notes, []string{"nothing was removed: the listing is incomplete"}, "notes")
		fetchtest.EqualSlices(t, leftOutTexts(&s), []string{cmp.Or(at, ".") +
			": Could not receive the directory: the server did not mark the end"}, "items left out")
		fetchtest.ErrorIs(t, s.Err, end)
	}
}

// TestUpdateKeepsDirectoryLink checks that a local link to a directory stays, and that its directory is left out.
func TestUpdateKeepsDirectoryLink(t *testing.T) {
	elsewhere, dir := t.TempDir(), t.TempDir()
	writeFiles(t, elsewhere, "mine=x")
	deep := filepath.Join(elsewhere, "deep")
	fetchtest.NoError(t, errors.Join(os.Mkdir(deep, 0o700), os.Chtimes(deep, noon, noon), os.Symlink(elsewhere, filepath.Join(dir, "sub"))))
	listed := protocols.FileNote{Mode: "rwxrwxrwx", Modified: noon.Add(-time.Hour)}
	f := &ftpTree{
		t:     t,
		items: map[string]treeItem{"a": {text: "a"}, "sub": {dir: true}, "sub/c": {text: "c"}, "sub/deep": {dir: true, listed: listed}},
	}
	s := f.update(dir, UpdateOptions{Delete: true})
	fetchtest.EqualSlices(t, dirState(t, dir), []string{"a=a", "sub -> " + elsewhere}, "files and directories")
	fetchtest.EqualSlices(t, dirState(t, elsewhere), []string{"deep/", "mine=x"}, "the target of the link")
	info := fetchtest.Must(os.Stat(deep))(t)
	fetchtest.Equal(t, info.Mode().Perm(), 0o700, "mode of a directory in the target")
	fetchtest.Equal(t, info.ModTime().UTC(), noon, "date of a directory in the target")
	fetchtest.ErrorIs(t, s.Err, errDirLinkHere)
}

// TestUpdateRemovesNothing checks that nothing is removed if the listing is empty, or if the network or a busy
// server ended it early. If one directory is denied or has a line that is not understood, only its own items are kept.
func TestUpdateRemovesNothing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		items map[string]treeItem
		fails map[string]error
		line  protocols.Line // one more line in the listing
		kept  []string
		note  string
	}{
		{"empty", nil, nil, protocols.Line{}, []string{"gone=", "sub/", "sub/gone="}, "nothing was removed: the listing is empty"},
		{
			"the network",
			map[string]treeItem{"sub": {dir: true}, "a": {text: "a"}},
			map[string]error{"sub": &protocols.Error{Reason: protocols.Broken}},
			protocols.Line{},
			[]string{"a=a", "gone=", "sub/", "sub/gone="},
			"nothing was removed: the listing is incomplete",
		},
		{
			"a busy server",
			map[string]treeItem{"sub": {dir: true}, "a": {text: "a"}},
			map[string]error{"sub": &protocols.Error{Reason: protocols.ServerFailed, Code: 425}},
			protocols.Line{},
			[]string{"a=a", "gone=", "sub/", "sub/gone="},
			"nothing was removed: the listing is incomplete",
		},
		{
			"a directory",
			map[string]treeItem{"sub": {dir: true}, "a": {text: "a"}},
			map[string]error{"sub": &protocols.Error{Reason: protocols.Denied}},
			protocols.Line{},
			[]string{"a=a", "sub/", "sub/gone="},
			`removed: "gone"`,
		},
		{
			"a line",
			map[string]treeItem{"sub": {dir: true}, "a": {text: "a"}},
			nil,
			protocols.Line{Kind: protocols.Problem, Text: "12/05 gone"},
			[]string{"a=a", "gone=", "sub/"},
			`removed: "sub/gone"`,
		},
		{
			"the rest",
			map[string]treeItem{"sub": {dir: true}, "a": {text: "a"}},
			nil,
			protocols.Line{Kind: protocols.Failure, Text: "Output truncated to 2 matches"},
			[]string{"a=a", "gone=", "sub/"},
			`removed: "sub/gone"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
				for _, name := range []string{"gone", "sub/gone"} {
					fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
				}
				f := &ftpTree{t: t, items: tt.items, listErrs: tt.fails, extraLine: tt.line}
				s := f.update(dir, UpdateOptions{Delete: true})
				fetchtest.EqualSlices(t, dirState(t, dir), tt.kept, "files and directories")
				fetchtest.EqualSlices(t, s.Notes, []string{tt.note}, "notes")
				fetchtest.Equal(t, len(s.LeftOut) == 0, tt.items == nil, "LeftOut %v is empty", s.LeftOut)
			})
		})
	}
}

// TestRecoverMirror interrupts a mirror, and checks that the next program continues it with the same options, or
// with the options of a new request. Dry runs are not in the list of downloads.
func TestRecoverMirror(t *testing.T) {
	root := ftpItem(t, nil, "d", 'd')
	server := &ftpTree{t: t, items: map[string]treeItem{
		"a":     {text: "new", listed: protocols.FileNote{Modified: noon}},
		"b":     {text: "same", listed: protocols.FileNote{Modified: noon}},
		"c.iso": {text: "large", listed: protocols.FileNote{Modified: noon}},
	}}
	var filter mirror.Filter
	fetchtest.NoError(t, filter.Add("*.iso", false))
	filter.ModifiedSince = noon.Add(-time.Hour)
	for _, tt := range []struct {
		name   string
		mirror *UpdateOptions // of the interrupted program
		left   int
		again  *UpdateOptions // of a new request; nil: none
		want   []string
	}{
		{"a mirror", new(UpdateOptions), 1, nil, []string{"a=new", "b=same", "c.iso=large", "gone=gone"}},
		{"with options", &UpdateOptions{Filter: filter, Delete: true}, 1, nil, []string{"a=new", "b=same", "c.iso=old"}},
		{
			"other options", &UpdateOptions{Filter: filter, Delete: true}, 1, new(UpdateOptions),
			[]string{"a=new", "b=same", "c.iso=large", "gone=gone"},
		},
		{"a dry run", &UpdateOptions{Plan: func(string) {}}, 0, nil, []string{"a=old", "b=same", "c.iso=old", "gone=gone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, lists := t.TempDir(), t.TempDir()
			writeFiles(t, dir, "a=old", "b=same", "c.iso=old", "gone=gone")
			fetchtest.NoError(t, os.Chtimes(filepath.Join(dir, "b"), time.Time{}, noon))
			asked := make(chan bool)
			first := &Manager{
				ListFolder: lists,
				Fetcher: fetchtest.FetcherFunc(func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
					asked <- true
					<-ctx.Done()
					return nil, context.Cause(ctx)
				}),
			}
			first.Add(Request{URL: root, Path: dir, Tree: true, Mirror: tt.mirror})
			<-asked
			first.Close()
			second := &Manager{ListFolder: lists, Fetcher: server.fetcher()}
			defer second.Close()
			fetchtest.Equal(t, second.Recover(), tt.left, "Recover")
			if tt.left > 0 {
				it := second.Items()[0]
				if tt.again == nil {
					it.Resume()
				} else if same, ok := second.Add(Request{URL: root, Path: dir, Tree: true, Mirror: tt.again}); same != it || !ok {
					t.Error("Add did not resume the recovered download")
				}
				s := it.Wait()
				fetchtest.NoError(t, s.Err)
				fetchtest.Equal(t, s.Changes.Unchanged, 1, "unchanged files")
			}
			fetchtest.EqualSlices(t, dirState(t, dir), tt.want, "files and directories")
		})
	}
}

// TestUpdateRemoves checks that items that the server does not list are removed, and that unfinished files of
// listed files, items that the filter does not select, and their directories are kept. The plan must be equal
// to the run.
func TestUpdateRemoves(t *testing.T) {
	early := protocols.FileNote{Modified: noon.Add(-time.Hour)}
	f := &ftpTree{t: t}
	cut := fmt.Sprintf(".part.info={\"url\":%q,\"size\":9}\n", f.url("cut", 0))
	for _, tt := range []struct {
		name   string
		local  []string            // local items
		remote map[string]treeItem // more items of the server
		newer  time.Time
		want   []string
		plan   []string
	}{
		{
			"names with suffixes",
			[]string{"a.info=", "a.part=", "a~1.part="},
			nil,
			time.Time{},
			nil,
			[]string{"remove a.info", "remove a.part", "remove a~1.part"},
		},
		{
			"unfinished files",
			[]string{"c.part=", "c" + cut, "cut.part=some", "cut" + cut},
			map[string]treeItem{"cut": {text: "something", linksTo: "nothing"}},
			time.Time{},
			[]string{"cut.part=some"},
			[]string{"remove c.part"},
		},
		{
			"directories with items that stay",
			[]string{"d/", "d/e/", "d/e/x=", "d/e/y.keep=", "d/f/", "d/f/z=", "g/", "g/h.keep="},
			nil,
			time.Time{},
			[]string{"d/", "d/e/", "d/e/y.keep=", "g/", "g/h.keep="},
			[]string{"remove d/e/x", "remove d/f", "remove d/f/z"},
		},
		{
			"older than the limit",
			[]string{"gone=", "old=mine", "dir/", "dir/old=mine", "dir/gone="},
			map[string]treeItem{"old": {text: "old", listed: early}, "dir": {dir: true, listed: early}, "dir/old": {text: "old", listed: early}},
			noon,
			[]string{"dir/", "dir/old=mine", "old=mine"},
			[]string{"remove dir/gone", "remove gone"},
		},
		{
			"items on their way, of which one is not replaced",
			[]string{
				"d/", "d/.gofer-mirror-1/", "d/.gofer-mirror-1/b/", "d/.gofer-mirror-1/b/x=mine", "d/.gofer-mirror-2/",
				"d/.gofer-mirror-2/c=old", "d/c=",
			},
			map[string]treeItem{"d": {dir: true}, "d/c": {}},
			time.Time{},
			[]string{"d/", "d/.gofer-mirror-1/", "d/.gofer-mirror-1/b/", "d/.gofer-mirror-1/b/x=mine", "d/c="},
			[]string{"remove d/.gofer-mirror-2", "remove d/.gofer-mirror-2/c"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, item := range append(tt.local, "a=a") {
				if name, ok := strings.CutSuffix(item, "/"); ok {
					fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
				} else {
					writeFiles(t, dir, item)
				}
			}
			f.items = map[string]treeItem{"a": {text: "a"}}
			maps.Copy(f.items, tt.remote)
			m := UpdateOptions{Delete: true, Filter: mirror.Filter{ModifiedSince: tt.newer}}
			fetchtest.NoError(t, m.Filter.Add("*.keep", false))
			var plan []string
			dry := m
			dry.Plan = func(action string) {
				if strings.HasPrefix(action, "remove") {
					plan = append(plan, action)
				}
			}
			planned := f.update(dir, dry)
			slices.Sort(plan)
			fetchtest.EqualSlices(t, plan, tt.plan, "plan")
			s := f.update(dir, m)
			fetchtest.EqualSlices(t, dirState(t, dir), slices.Concat([]string{"a=a"}, tt.want), "files and directories")
			fetchtest.Equal(t, s.Changes.Removed, len(tt.plan), "removed items (notes %q)", s.Notes)
			fetchtest.Equal(t, planned.Changes.Removed, len(tt.plan), "items removed by the plan")
		})
	}
}

// TestUpdateSymlinkedDirectory checks the error if the directory to update is a symbolic link.
func TestUpdateSymlinkedDirectory(t *testing.T) {
	dir := t.TempDir()
	fetchtest.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "m")))
	s := (&ftpTree{t: t, items: map[string]treeItem{"a": {text: "a"}}}).update(filepath.Join(dir, "m"), UpdateOptions{})
	fetchtest.ErrorIs(t, s.Err, errLinkHere)
}

// TestCorrectDenial checks that a listed file counts as denied if the reply does not say that it is missing.
func TestCorrectDenial(t *testing.T) {
	for _, tt := range []struct {
		text string
		want protocols.Reason
	}{{"Failed to open file.", protocols.Denied}, {"a: No such file or directory", protocols.NotFound}} {
		m := &Manager{Fetcher: fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
			if protocols.KindOf(u) == protocols.Directory {
				return listing(u, protocols.LayoutDirectory, protocols.Line{
					Kind: protocols.Binary, Text: "a", Link: ftpItem(t, []string{"d"}, "a", 0),
				}), nil
			}
			return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch a", Code: 550, Text: tt.text}
		})}
		s, _ := saveTree(t, m, ftpItem(t, nil, "d", 'd'), filepath.Join(t.TempDir(), "m"))
		fetchtest.Equal(t, protocols.ReasonOf(s.LeftOut[0].Err), tt.want, "reason of the reply %q", tt.text)
	}
}

// TestTreePauseKeepsOctets pauses a tree in its third file. It checks that the Status keeps the received octets, and
// that the rate after Resume counts only new octets.
func TestTreePauseKeepsOctets(t *testing.T) {
	dir, whole := t.TempDir(), strings.Repeat("x", 4<<20)
	f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		u := req.URL
		switch {
		case protocols.KindOf(u) == protocols.Directory:
			var lines []protocols.Line
			for _, name := range []string{"a", "aa", "b"} {
				lines = append(lines, protocols.Line{
					Kind: protocols.Binary, Text: name, Link: ftpItem(t, []string{"d"}, name, 0),
					Note: &protocols.FileNote{Size: 4 << 20, Modified: noon},
				})
			}
			return listing(u, protocols.LayoutDirectory, lines...), nil
		case u.(urlcore.FTP).Name() != "b":
			return document(u, whole), nil
		}
		return fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, whole[:3<<20]).Fetch(ctx, req)
	})
	synctest.Test(t, func(t *testing.T) {
		m := &Manager{Fetcher: f, Folder: dir, Rate: 1 << 20}
		defer m.Close()
		it, _ := m.Add(Request{URL: ftpItem(t, nil, "d", 'd'), Tree: true, Path: filepath.Join(dir, "m")})
		time.Sleep(12 * time.Second)
		fetchtest.Equal(t, it.Status().Received, 11<<20, "Received before the pause")
		it.Pause()
		s := it.Wait()
		fetchtest.Equal(t, s.Received, 11<<20, "Done after the pause")
		it.Resume()
		time.Sleep(2 * time.Second)
		if rate := it.Status().Rate; rate < 9<<20/10 || rate > 11<<20/10 {
			t.Errorf("rate after Resume: got %d octets per second, want about %d", rate, 1<<20)
		}
	})
}
