package download

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestHostileTitles checks that menus and documents with hostile titles are saved once each and below the
// directory, as are menus at the depth DefaultDepth.
func TestHostileTitles(t *testing.T) {
	titles := []string{
		"..", ".", "../../etc/passwd", "/etc/passwd", "..\\..\\x", "CON", "nul.txt", "News", "NEWS", "news", "News",
		"News.part", "gophermap", "gophermap.part",
		indexName, ".profile", "~root", "-rf", "a\x1b[31m", "x\u202egpj.exe", "a\x00b", "\xff\xfe", "", " ",
		strings.Repeat("n", 300), strings.Repeat("\u00fc", 300),
		"C:\\x", "a|b", "\u2024\u2024", "...",
	}
	at := func(typ byte, selector string) urlcore.Gopher {
		return urlcore.Gopher{Type: typ, HostPort: urlcore.HostPort{Host: "h"}, Selector: selector}
	}
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		g := u.(urlcore.Gopher)
		if g.Type != '1' {
			return document(u, g.Selector), nil
		}
		if depth := strings.Count(g.Selector, "/deep"); depth > 0 {
			deeper := protocols.Line{Text: strings.Repeat("d", 300), Link: at('1', g.Selector+"/deep")}
			return listing(u, protocols.LayoutMenu, deeper, protocols.Line{Text: strings.Repeat("e", 300), Link: at('0', g.Selector)}), nil
		}
		lines := []protocols.Line{{Text: "deep", Link: at('1', "/deep")}}
		for i, title := range titles {
			lines = append(lines, protocols.Line{Text: title, Link: at('0', fmt.Sprint("/d", i))})
			if g.Selector == "" {
				lines = append(lines, protocols.Line{Text: title, Link: at('1', fmt.Sprint("/m", i))})
			}
		}
		for i, selector := range []string{"/../../a", "..", "/", "CON", "/x/gophermap", "/x/.hidden"} {
			lines = append(lines, protocols.Line{Link: at('0', selector)}, protocols.Line{
				Text: "..", Link: at('1', fmt.Sprint(selector, "/../", i)),
			})
		}
		return listing(u, protocols.LayoutMenu, lines...), nil
	})
	dir := t.TempDir()
	s, paths := saveTree(t, &Manager{Fetcher: f, Delay: 1}, at('1', ""), filepath.Join(dir, "saved"))
	if len(s.LeftOut) != 1 || s.LeftOut[0].Err != errTooDeep {
		t.Errorf("got error %v, left out %v; want one item left out: %v", s.Err, s.LeftOut, errTooDeep)
	}
	documents := make(map[string]bool)
	for _, path := range paths {
		for name := range strings.SplitSeq(path, "/") {
			if len(name) > maxItemName+len("(99)") || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "\x00\x1b\\:|") {
				t.Errorf("the name %q of %q is not harmless", name, path)
			}
		}
		if filepath.Base(path) == gophermap {
			continue
		}
		b := string(fetchtest.Must(os.ReadFile(filepath.Join(dir, "saved", path)))(t))
		if documents[b] {
			t.Errorf("document %q is saved twice", b)
		}
		documents[b] = true
	}
	if want := len(titles) + 6 + DefaultDepth; len(documents) != want || len(paths) != want+1+len(titles)+6+DefaultDepth {
		t.Errorf("saved %d documents in %d files, want %d in %d: %q", len(documents), len(paths), want, want+1+len(titles)+6+DefaultDepth, paths)
	}
	entries := fetchtest.Must(os.ReadDir(dir))(t)
	fetchtest.Equal(t, len(entries), 2, "entries beside the mirror, with the folder of the records")
}

// TestReadIndex checks that unsafe paths in an index are ignored.
func TestReadIndex(t *testing.T) {
	dir := t.TempDir()
	const h = "gopher://h/"
	items := map[string]string{
		h + "0a": "../x", h + "0b": "/x", h + "0c": "d/../../x", h + "0d": ".hidden", h + "0e": "", h + "0f": "d/x",
		h + "0g": "./x", h + "1d": "d",
		h + "0h": "d/.x", h + "0i": "d/gophermap", h + "0j": "d/a\x1b[m", h + "0k": "d/a\u202eb", h + "0l": "d/x.part", h + "0m": "d/x.part.info",
		h + "0n": "d/x", h + "1n": "d/.n", h + "0o": "d/.n/x", h + "0p": "d/x/y", h + "0q": "no menu/x",
		h + "0r": "d//x", h + "1s": "d/s", h + "0t": "d/s/t (1).txt",
		"no URL": "u", "ftp://h/v": "v", h + "0w": "CON", h + "0x": "a\\b", h + "0y": "d/",
	}
	data := fetchtest.Must(json.Marshal(index{Root: h + "1", Items: items}))(t)
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, indexName), data, 0o600))
	n := newNames("linux")
	n.hasMenus = true
	x := fetchtest.Must(readIndex(t.Context(), dir, h+"1", n))(t)
	fetchtest.DeepEqual(t, x.Items, map[string]string{h + "1": "", h +
		"1d": "d", h + "0f": "d/x", h + "1s": "d/s", h + "0t": "d/s/t (1).txt"}, "items of the index")
	fetchtest.Equal(t, n.uniquePath("d", "x"), "d/x(1)", "path of the next item")
	if darwin := newNames("darwin"); len(safeItems(t.Context(), map[string]string{h +
		"0a": "README", h + "0b": "readme"}, h+"1", darwin)) != 2 {
		t.Error("safeItems kept two paths that differ only in case on darwin")
	}
	n.system = "windows"
	fetchtest.DeepEqual(t, safeItems(t.Context(), map[string]string{h +
		"0a": "GopherMap", h + "0b": "b"}, h+"1", n), map[string]string{h + "1": "", h + "0b": "b"}, "safe items on Windows")
	for _, damaged := range []string{"", "{", "[]", string(data[:len(data)-1])} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte(damaged), 0o600))
		if _, err := readIndex(t.Context(), dir, h+"1", newNames("linux")); err == nil ||
			!strings.Contains(err.Error(), "remove it to continue") {
			t.Errorf("readIndex of the damaged index %.10q: got the error %v, want one with \"remove it to continue\"", damaged, err)
		}
	}
}

// TestMirrorCutMenu checks that the menu of an earlier mirror is kept if the server sends nothing, or if
// a server that ends its menus with a dot sends fewer items and no dot. Without an earlier menu, the menu is
// left out only if a server with dots sends nothing.
func TestMirrorCutMenu(t *testing.T) {
	var dots, ended bool
	var items []string
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		switch u {
		case gopherAt('1', ""):
			res := listing(u, protocols.LayoutMenu, protocols.Line{Text: "Menu", Link: gopherAt('1', "m")}, protocols.Line{
				Text: "a", Link: gopherAt('0', "a"),
			})
			res.Ended = func() bool { return dots }
			return res, nil
		case gopherAt('1', "m"):
			var lines []protocols.Line
			for _, item := range items {
				lines = append(lines, protocols.Line{Text: item, Link: gopherAt('0', item)})
			}
			res := listing(u, protocols.LayoutMenu, lines...)
			res.Ended = func() bool { return ended }
			return res, nil
		}
		return document(u, "x"), nil
	})
	silent := []string{"Menu: Could not read the menu: connection lost (the server closed the connection without an answer)"}
	cut := []string{"Menu/gophermap: Could not read the menu: connection lost (the new menu is incomplete; the earlier menu is kept)"}
	const a, ab, abc = "0a\t/a\n", "0a\t/a\n0b\t/Menu/b\n", "0a\t/a\n0b\t/Menu/b\n0c\t/Menu/c\n"
	dirs := t.TempDir()
	for _, tt := range []struct {
		name, dir   string
		dots, ended bool
		items       string
		left        []string
		gophermap   string // "-": no gophermap
	}{
		{"at first nothing, with dots", "a", true, false, "", silent, "-"},
		{"at first nothing, without dots", "b", false, false, "", nil, ""},
		{"then items", "b", false, false, "a b", nil, ab},
		{"again nothing, without dots", "b", false, false, "", silent, ab},
		{"again nothing, with dots", "b", true, false, "", silent, ab},
		{"again without an item, without dots", "b", false, false, "a", nil, a},
		{"at first, with dots, cut", "c", true, false, "a b", nil, ab},
		{"again, cut after one", "c", true, false, "a", cut, ab},
		{"again, cut with more", "c", true, false, "a b c", nil, abc},
		{"again, cut with as many", "c", true, false, "b a c", nil, "0b\t/Menu/b\n0a\t/a\n0c\t/Menu/c\n"},
		{"again, with its end", "c", true, true, "a", nil, a},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dots, ended, items = tt.dots, tt.ended, strings.Fields(tt.items)
			dir := filepath.Join(dirs, tt.dir)
			s, _ := saveTree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), dir, withContinue)
			fetchtest.EqualSlices(t, leftOutTexts(&s), tt.left, "items left out")
			fetchtest.Equal(t, len(s.Notes), 0, "number of the notes %q", s.Notes)
			if len(tt.left) > 0 {
				fetchtest.Equal(t, protocols.ReasonOf(s.Err), protocols.Broken, "reason of the error")
				fetchtest.Contains(t, s.Err.Error(), fmt.Sprintf("1 of %d items", s.Files+1), "error")
			}
			data, err := os.ReadFile(filepath.Join(dir, "Menu", gophermap))
			if got := string(data); err != nil && tt.gophermap != "-" || err == nil && got != tt.gophermap {
				t.Errorf("gophermap: got %q (error %v), want %q", got, err, tt.gophermap)
			}
		})
	}
	ended, items = false, []string{"c"}
	fetchtest.NoError(t, os.RemoveAll(filepath.Join(dirs, "a")))
	s, _ := saveTree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), filepath.Join(dirs, "b"), withOverwrite)
	fetchtest.NoError(t, s.Err, "with Overwrite")
}

func withContinue(r *Request) { r.Continue = true }

// TestMirrorMenuNotWritten checks that a mirror updates its menus if an earlier run could not write one of them.
func TestMirrorMenuNotWritten(t *testing.T) {
	title := "a"
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		switch u {
		case gopherAt('1', ""):
			return listing(u, protocols.LayoutMenu, protocols.Line{Text: title, Link: gopherAt('0', "a")}, protocols.Line{
				Text: "m", Link: gopherAt('1', "m"),
			}), nil
		case gopherAt('1', "m"):
			return listing(u, protocols.LayoutMenu, protocols.Line{Text: "b", Link: gopherAt('0', "b")}), nil
		}
		return document(u, "x"), nil
	})
	dir := filepath.Join(t.TempDir(), "saved")
	obstacle := filepath.Join(dir, "m", temporaryName)
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(obstacle, "x"), 0o700))
	s, _ := saveTree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), dir, withContinue)
	if s.Err == nil {
		t.Error("mirror ended without an error, though a menu cannot be written")
	}
	title = "new"
	fetchtest.NoError(t, os.RemoveAll(obstacle))
	s, _ = saveTree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), dir, withContinue)
	if s.Err != nil || len(s.Notes) > 0 {
		t.Errorf("second mirror ended with error %v, notes %q; want none", s.Err, s.Notes)
	}
	fetchtest.ReturnsText(t, "0new\t/a\n1m\t/m\n", "gophermap")(os.ReadFile(filepath.Join(dir, gophermap)))
}

// TestMirrorLargeMenus checks that a menu that is too large is left out, and that no more menus are requested when the
// mirror is full.
func TestMirrorLargeMenus(t *testing.T) {
	at := func(typ byte, selector string) urlcore.Gopher {
		return urlcore.Gopher{Type: typ, HostPort: urlcore.HostPort{Host: "h"}, Selector: selector}
	}
	root := at('1', "")
	sizes := map[string]int{"large": 101, "a": 40, "b": 50, "c": 50, "d": 1}
	var asked []string
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		g := u.(urlcore.Gopher)
		var lines []protocols.Line
		switch {
		case g.Type != '1':
			return document(u, "x"), nil
		case g == root:
			for _, name := range slices.Sorted(maps.Keys(sizes)) {
				lines = append(lines, protocols.Line{Text: name, Link: at('1', name)})
			}
		default:
			asked = append(asked, g.Selector)
			for i := range sizes[g.Selector] {
				lines = append(lines, protocols.Line{Text: "x", Link: at('0', fmt.Sprint(g.Selector, "/", i))})
			}
		}
		return listing(u, protocols.LayoutMenu, lines...), nil
	})
	save := func() ([]string, int) {
		asked = nil
		s, paths := saveTree(t, &Manager{Fetcher: f, Delay: 1, maxFiles: 100}, root, filepath.Join(t.TempDir(), "saved"))
		fetchtest.Equal(t, protocols.ReasonOf(s.Err), protocols.TooBig, "reason of the error %v", s.Err)
		return leftOutTexts(&s), len(paths)
	}
	left, saved := save()
	fetchtest.EqualSlices(t, left, []string{
		"c: Could not save the menu: the mirror has reached its limit",
		"d: Could not save the menu: the mirror has reached its limit",
		"large: Could not save the menu: the mirror has reached its limit",
	}, "items left out")
	fetchtest.EqualSlices(t, asked, []string{"a", "b", "c"}, "requested menus")
	fetchtest.Equal(t, saved, 1+1+40+1+50, "saved files")
	delete(sizes, "c")
	left, _ = save()
	fetchtest.EqualSlices(
		t, left,
		[]string{
			"large: Could not save the menu: it has more than 100 items, or titles and URLs of more than 268435456 octets",
		},
		"items left out",
	)
}

// TestMirrorMenuLimits checks the limits of the items of a mirror and of the memory of its menus, which have two
// copies of each URL.
func TestMirrorMenuLimits(t *testing.T) {
	other := urlcore.Gopher{Type: '0', HostPort: urlcore.HostPort{Host: "other"}, Selector: strings.Repeat("x", 1000)}
	octets := len("a") + lineOctets + 2*len(other.String())
	for _, tt := range []struct {
		name       string
		items, max int
		memory     int // of the earlier menus, in octets
		link       urlcore.URL
		want       error
	}{
		{"as many items as there can be beside the root", 3, 3, 0, gopherAt('0', "a"), nil},
		{"one more", 4, 3, 0, gopherAt('0', "a"), errMirrorFull},
		{"as many octets as there can be", 1, 3, maxMenuOctets - octets, other, nil},
		{"one more octet", 1, 3, maxMenuOctets - octets + 1, other, errMirrorFull},
	} {
		w := walker{
			tree: &Tree{index: index{Items: make(map[string]string)}}, maxFiles: tt.max, memory: tt.memory,
			root: gopherAt('1', ""), names: newNames("linux"),
		}
		w.seenItems, w.outsideLinks, w.otherServers, w.otherSchemes = make(map[string]bool), make(map[string]bool), make(map[string]bool), make(map[string]bool)
		for i := range tt.items {
			w.seenItems[fmt.Sprint("earlier ", i)] = true
		}
		page := []protocols.Line{{Text: "a", Link: tt.link}}
		fetchtest.Equal(t, w.addMenu(t.Context(), queuedDir{}, protocols.Head{}, page), tt.want, "addMenu with %s", tt.name)
	}
}

// TestMirrorCanceledMenu checks that a canceled mirror does not read a menu or an index, and writes neither.
func TestMirrorCanceledMenu(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrPaused)
	page := []protocols.Line{{Text: "a", Link: urlcore.Gopher{Type: '0', HostPort: urlcore.HostPort{Host: "h"}, Selector: "a"}}}
	w := walker{tree: new(Tree), maxFiles: 1}
	fetchtest.Equal(t, w.addMenu(ctx, queuedDir{}, protocols.Head{}, page), ErrPaused, "addMenu")
	dir := t.TempDir()
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte(`{"items":{"gopher://h/0a":"a"}}`), 0o600))
	_, err := readIndex(ctx, dir, "gopher://h/1", newNames("linux"))
	fetchtest.Equal(t, err, ErrPaused, "readIndex")
	it := &Item{m: new(Manager), tree: &Tree{menus: []*menu{{}}, index: index{Root: "gopher://h/1"}}}
	s := treeSaver{item: it, root: dir, knownDirs: make(map[string]bool)}
	fetchtest.Equal(t, s.writeMenus(ctx), ErrPaused, "writeMenus")
	fetchtest.Equal(t, s.writeIndex(ctx), ErrPaused, "writeIndex")
	if exists(filepath.Join(dir, gophermap)) {
		t.Error("writeMenus wrote a menu after the end of the context")
	}
}

// countdownContext is a context that ends at a later call of Err.
type countdownContext struct {
	context.Context
	stop      context.CancelCauseFunc
	remaining int // number of calls of Err until the end
}

func (s *countdownContext) Err() error {
	if s.remaining--; s.remaining == 0 {
		s.stop(ErrPaused)
	}
	return s.Context.Err()
}

// TestIndexCanceled checks that decoding, encoding and sorting a large index stop soon after the end of the context.
func TestIndexCanceled(t *testing.T) {
	const many, early = 50_000, 100
	x := index{Root: "gopher://h/1", Items: make(map[string]string), Menus: map[string]string{"\"<é\x01": ""}, Sizes: map[string]int64{}}
	for i := range many {
		x.Items[fmt.Sprint("gopher://h/0", i)] = fmt.Sprint("d/", i)
	}
	data := x.encode(t.Context())
	var back index
	fetchtest.NoError(t, json.Unmarshal(data, &back))
	fetchtest.Equal(t, fmt.Sprint(back), fmt.Sprint(x), "decoded index")
	newCountdown := func() context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		return &countdownContext{ctx, cancel, early}
	}
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("interrupted"))
	if got, _ := decodeIndex(ended, data); len(got.Items) == many {
		t.Error("decodeIndex returned the whole index after the end of the context")
	}
	if n := len(x.encode(newCountdown())); n > len(data)/10 {
		t.Errorf("encode returned %d octets of %d, want at most a tenth after the end of the context", n, len(data))
	}
	compared := 0
	sortedKeys(newCountdown(), x.Items, func(a, b string) int { compared++; return strings.Compare(a, b) })
	if compared > early {
		t.Errorf("sortedKeys compared %d keys, want at most %d after the end of the context", compared, early)
	}
}

// gopherAt returns the URL of an item of the server h.
func gopherAt(typ byte, selector string) urlcore.Gopher {
	return urlcore.Gopher{Type: typ, HostPort: urlcore.HostPort{Host: "h"}, Selector: selector}
}

// endlessMenus returns a Fetcher whose menus each have two deeper menus and a document. It counts the requested menus
// in *menus.
func endlessMenus(menus *int) fetchFunc {
	return func(u urlcore.URL) (*protocols.Resource, error) {
		g := u.(urlcore.Gopher)
		if g.Type != '1' {
			return document(u, g.Selector), nil
		}
		*menus++
		return listing(u, protocols.LayoutMenu,
			protocols.Line{Text: "a", Link: gopherAt('1', g.Selector+"a")}, protocols.Line{Text: "b", Link: gopherAt('1', g.Selector+"b")},
			protocols.Line{Link: gopherAt('0', g.Selector)}), nil
	}
}

// TestMirrorEndless checks that a mirror of endless menus ends at the limit maxFiles.
func TestMirrorEndless(t *testing.T) {
	menus := 0
	s, paths := saveTree(t, &Manager{
		Fetcher: endlessMenus(&menus), Delay: 1, maxFiles: 1000,
	}, gopherAt('1', ""), filepath.Join(t.TempDir(), "saved"))
	fetchtest.Equal(t, protocols.ReasonOf(s.Err), protocols.TooBig, "reason of the error %v", s.Err)
	if menus > 1000/3+2 || len(paths) < 600 || len(paths) > 1001 || len(s.LeftOut) > 1000 {
		t.Errorf("mirror ended after %d menus, %d files, %d items left out; want at most %d, 600 to 1001, at most 1000", menus, len(paths), len(s.LeftOut), 1000/3+
			2)
	}
}

// TestMirrorLongPaths checks that menus with long titles are saved to the depth that the user set, and that items
// are left out if their paths are too long for the system.
func TestMirrorLongPaths(t *testing.T) {
	long := strings.Repeat("n", 300)
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		g := u.(urlcore.Gopher)
		if g.Type != '1' {
			return document(u, g.Selector), nil
		}
		return listing(u, protocols.LayoutMenu, protocols.Line{Text: long, Link: gopherAt('1', g.Selector+"a")}, protocols.Line{
			Text: long + ".", Link: gopherAt('0', g.Selector),
		}), nil
	})
	for _, depth := range []int{50, 500} {
		s, paths := saveTree(t, &Manager{
			Fetcher: f, Delay: 1, Depth: depth, DepthGiven: true,
		}, gopherAt('1', ""), filepath.Join(t.TempDir(), "saved"))
		if len(s.LeftOut)+len(paths) != 2*(depth+1) || depth == 50 && runtime.GOOS == "linux" && s.Err != nil || len(paths) < 60 {
			t.Errorf("depth %d: %d files, %d items left out, error %v; want at least 60 files, %d items in all", depth, len(paths), len(s.LeftOut), s.Err, 2*(depth+
				1))
		}
	}
}

// TestMirrorExists checks that no document is requested if the directory exists before or after the listing.
func TestMirrorExists(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved")
	asked := 0
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		asked++
		fetchtest.NoError(t, os.MkdirAll(dir, 0o700)) // as another program may do
		return listing(u, protocols.LayoutMenu, protocols.Line{Text: "a", Link: gopherAt('0', "a")}), nil
	})
	for range 2 {
		s, paths := saveTree(t, &Manager{Fetcher: f, Delay: 1}, gopherAt('1', ""), dir)
		if !errors.Is(s.Err, ErrExists) || asked != 1 || len(paths) > 0 {
			t.Errorf("mirror ended with error %v after %d requests, saved %q; want ErrExists after 1 request, nothing saved", s.Err, asked, paths)
		}
	}
}

// TestMirrorConcurrent checks that a mirror is not saved if another download is saving to the directory, or has
// saved to it since the mirror read the index.
func TestMirrorConcurrent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved")
	var during func(u urlcore.URL)
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		if then := during; then != nil {
			then(u)
		}
		if u == gopherAt('1', "") {
			return listing(u, protocols.LayoutMenu, protocols.Line{Text: "a", Link: gopherAt('0', "a")}), nil
		}
		return document(u, "x"), nil
	})
	save := func() error {
		m := &Manager{Fetcher: f, Delay: 1}
		defer m.Close()
		it, _ := m.Add(Request{URL: gopherAt('1', ""), Path: dir, Tree: true, Continue: true})
		err := it.Wait().Err
		if errors.Is(err, errMirrorChanged) {
			it.Resume()
			fetchtest.NoError(t, it.Wait().Err)
		}
		return err
	}
	for typ, want := range map[byte]string{'0': "wait until it has ended", '1': "run this one again"} {
		fetchtest.NoError(t, os.RemoveAll(dir))
		var other error
		during = func(u urlcore.URL) {
			if u.(urlcore.Gopher).Type == typ {
				during = nil
				other = save()
			}
		}
		first := save()
		if typ == '1' { // the inner download ended while the outer one was listing
			first, other = other, first
		}
		fetchtest.NoError(t, first)
		if other == nil || !strings.Contains(other.Error(), want) {
			t.Errorf("download at the same time: got the error %v, want %q", other, want)
		}
		var names []string
		for _, e := range fetchtest.Must(os.ReadDir(dir))(t) {
			names = append(names, e.Name())
		}
		fetchtest.EqualSlices(t, names, []string{indexName, "a", gophermap}, "files in the directory")
	}
}
