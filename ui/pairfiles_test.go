package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	disk "gofer/protocols/file"
	"gofer/urlcore"
)

// pairOfFolders is two directories of this machine in a pair.
type pairOfFolders struct {
	*driver
	left, right string // their paths
}

// driveFolders shows two new directories with the files, whose content is the name of their side, in a pair.
func driveFolders(t *testing.T, left, right string) *pairOfFolders {
	t.Helper()
	p := &pairOfFolders{left: t.TempDir(), right: t.TempDir()}
	client, w := new(disk.Client), pairWeb()
	var urls []urlcore.URL
	for dir, names := range map[string]string{p.left: left, p.right: right} {
		for name := range strings.FieldsSeq(names) {
			path := filepath.Join(dir, name)
			fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			fetchtest.NoError(t, os.WriteFile(path, []byte(dir), 0o644))
			fetchtest.NoError(t, os.Chtimes(path, day, day))
		}
	}
	for _, dir := range []string{p.left, p.right} {
		u := fetchtest.Must(urlcore.Parse("file://" + dir + "/"))(t)
		urls = append(urls, u)
		w[u] = client.Fetch
	}
	reg := protocols.Registry{"file": client}
	upload := func(context.Context, string, urlcore.URL, *protocols.Upload, func(sent, size int64)) error {
		return nil
	}
	p.driver = drive(t, w, Options{Start: urls[0].String(), Beside: urls[1].String(), Server: reg, Change: reg.Change, Upload: upload}, 120, 24)
	return p
}

// wantFiles checks the names of the files and directories in a directory.
func (p *pairOfFolders) wantFiles(dir, want string) {
	p.t.Helper()
	var names []string
	for _, e := range fetchtest.Must(os.ReadDir(dir))(p.t) {
		names = append(names, e.Name())
	}
	fetchtest.Equal(p.t, strings.Join(names, " "), want, "names")
}

// content returns the side that a file comes from.
func (p *pairOfFolders) content(path ...string) string {
	return string(fetchtest.Must(os.ReadFile(filepath.Join(path...)))(p.t))
}

// TestCopyBetweenDirectories checks the keys of two directories: what they ask, do, and show.
func TestCopyBetweenDirectories(t *testing.T) {
	p := driveFolders(t, "a b dir/x", "z")
	p.wantShown("F5 copy", "F6 move", "F8 remove")
	p.press("down", "f5").wantShown(`Copy "a"`).press("y").wantShown("copied 1 file")
	p.wantFiles(p.right, "a z")
	p.wantFiles(p.left, "a b dir")

	p.press("z").wantShown(`undone: copied "a"`)
	p.wantFiles(p.right, "z")
	p.press("f5", "y")
	p.wantFiles(p.right, "a z")

	p.press("alt+a", "f6").wantShown("Move 3 tagged items", "1 file exists there").press("enter").wantShown("moved 2 items, 1 skipped", "1 tagged")
	p.wantFiles(p.left, "a")
	p.wantFiles(p.right, "a b dir z")
	p.press("z").wantShown("undone: moved 2 items")
	p.wantFiles(p.left, "a b dir")
	p.wantFiles(p.right, "a z")

	p.press("f5").wantShown(`Copy "a"`, "(s/n/r)").press("y", "q").wantShown("(s/n/r)").press("r").wantShown("copied 1 file")
	fetchtest.Equal(t, p.content(p.right, "a"), p.left, "the replaced file")

	p.press("tab", "home", "f8").wantShown(`Remove "a" from this machine?`).press("y").wantShown("removed a")
	p.wantFiles(p.right, "z")
	p.press("f7").wantShown("Make a directory at this machine").typeText("new").press("enter").wantShown("made new")
	p.wantFiles(p.right, "new z")
	p.press("f5", "y").wantShown("copied 1 directory")
	p.press("tab", "home", "f8").wantShown(`Remove "dir" with 1 file inside`).press("y")
	p.wantFiles(p.left, "a b new")
}

// TestFolderIsChangedOnlyInAPair checks that the keys have their usual meaning without a second directory, and that nothing of
// this machine is changed then.
func TestFolderIsChangedOnlyInAPair(t *testing.T) {
	p := driveFolders(t, "a", "z")
	p.press("ctrl+o", "x").wantShown("files of this machine are changed beside another page only")
	p.press("f7").wantShown("files of this machine are changed beside another page only")
	p.press("alt+C").wantShown("no directory beside this page").press("alt+=").wantShown("no directory beside this page")
	p.press("f5").wantNotShown("Copy") // reloads
	p.wantFiles(p.left, "a")
}

// TestReadOnlySides checks that a menu is a source and no target, and that a question about a list of another scheme is named.
func TestReadOnlySides(t *testing.T) {
	p := driveFolders(t, "a", "z")
	p.run(p.visit(item('1', "/left"))).press("f6").wantShown("nothing can be removed from this page")
	p.press("tab", "f5").wantShown("the page beside this one is not a directory that can be changed")
	p.wantFiles(p.right, "z")
	p.press("tab", "down", "f5").wantShown("it is neither a file nor a directory")
}

// TestCompareDirectories checks the marks, the tags and the filter of a comparison, and the comparison of contents.
func TestCompareDirectories(t *testing.T) {
	p := driveFolders(t, "equal left later", "equal right later")
	fetchtest.NoError(t, os.Chtimes(filepath.Join(p.left, "later"), day, day.Add(time.Hour)))
	p.press("r", "=").wantShown("here 1 new, 1 newer; beside 1 new, 1 older", "2 tagged")
	left, right := p.column(0, 59), p.column(60, 60)
	for rows, want := range map[string][]string{left: {"+• left", "»• later", " • equal"}, right: {"+• right", "≠• later", " • equal"}} {
		for _, row := range want {
			if !strings.Contains(strings.NewReplacer("█", " ", "■", "•").Replace(rows), row) {
				t.Errorf("no row %q:\n%s", row, rows)
			}
		}
	}
	p.press("=").wantNotShown("equal").wantShown("differences")
	p.press("=").wantShown("equal")
	p.press("f5").wantShown("Copy 2 tagged items", "1 file exists there").press("enter").wantShown("copied 2 files")
	fetchtest.Equal(t, p.content(p.right, "later"), p.left, "the newer file")
	p.press("=").wantShown("here nothing else; beside 1 new")

	p.press("alt++").wantShown("here 1 different; beside 1 new, 1 different") // "equal" has the same size and date, and other content
	p.wantShown("≠")
}

// TestCompareBelow checks that directories are compared with what is below them, that the marks and the filter stay after a copy,
// and that both filters are set and removed together, also if only one page is on the screen.
func TestCompareBelow(t *testing.T) {
	p := driveFolders(t, "a/b/only same/x later", "a/c same/x later")
	p.press("=").wantShown("here 1 different; beside 1 different", "≠", "1 tagged")
	p.press("=").wantNotShown("same").press("f5").wantShown("Copy").press("enter")
	p.wantShown("?▸ a", "differences").wantNotShown("same") // nobody has looked below since
	p.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	p.press("esc").wantShown("same").press("tab").wantShown("same")
	p.press("=").wantShown("1 different | 1 different; = filters")
	p.press("=").wantNotShown("same").press("tab").wantNotShown("same").press("esc").wantShown("same").press("tab").wantShown("same")
}

// TestKeysBeforeQuestions checks that the keys behind F5 and F6 answer their questions, and that one meaning of the keys holds
// while the page beside is no directory.
func TestKeysBeforeQuestions(t *testing.T) {
	p := driveFolders(t, "a b", "b z")
	p.pressAtOnce("f5", "enter").wantShown("copied 1 file").wantNotShown("dropped")
	p.pressAtOnce("down", "f5", "r").wantShown("copied 1 file")
	fetchtest.Equal(t, p.content(p.right, "b"), p.left, "the replaced file")
	p.press("home").pressAtOnce("f8", "y").wantShown("removed a")
	p.press("tab", "home", "f6").wantShown("Move", "(Y/n)").press("enter").wantShown("moved 1 item")
	p.wantFiles(p.left, "a b")

	p.run(p.visit(item('1', "/left")))
	p.press("f6").wantShown("nothing can be removed").press("tab", "f6").wantShown("the page beside this one is not a directory")
	p.run(p.visit(item('1', "/right")))
	for key, want := range map[string]string{"f5": "is not a directory", "f6": "is not a directory", "f8": "no visit", "=": "only two directories"} {
		p.press(key).wantShown(want)
	}
}

// TestSmallPair checks that a question and the keys of a pair can be read on small screens.
func TestSmallPair(t *testing.T) {
	p := driveFolders(t, "a", "a z")
	for _, tt := range []struct {
		width, height int
		keys          string
	}{{80, 24, "Tab pane  F3 view  F4 edit  F7 mkdir  F8 remove  F6 move  F5 copy  ? help"}, {40, 12, "F8 remove  F6 move  F5 copy  ? help"}} {
		p.send(tea.WindowSizeMsg{Width: tt.width, Height: tt.height})
		p.press("home").wantShown(tt.keys)
		p.press("f5").wantShown("1 file exists", "there", "Skip", "Newer", "Replace", "(s/n/r)").wantNotShown("PgDn").press("esc")
	}
}

// TestSwapPanes checks the keys that swap the two pages and that show one of them in both panes.
func TestSwapPanes(t *testing.T) {
	d := drivePair(t, pairWeb(), 120, 24)
	d.press("ctrl+u").wantURL(item('1', "/left"))
	if left := d.column(0, 59); !strings.Contains(left, "right two") {
		t.Errorf("the left side:\n%s", left)
	}
	d.press("alt+S").wantURL(item('1', "/left")).wantNotShown("right two").press("tab").wantURL(item('1', "/left"))
	d.press("left").wantURL(item('1', "/right"))
}

// TestRelativePath checks that a typed path is relative to the directory on the page, unless it may be a host.
func TestRelativePath(t *testing.T) {
	p := driveFolders(t, "sub/deep/x", "z")
	at := func(path string) urlcore.URL { return fetchtest.Must(urlcore.Parse("file://" + path))(t) }
	for typed, want := range map[string]string{"./sub/": p.left + "/sub/", "sub/deep": p.left + "/sub/deep", "..": filepath.Dir(p.left) + "/", "../x": filepath.Dir(p.left) + "/x"} {
		fetchtest.Equal(t, fetchtest.Must(p.guess(typed))(t), at(want), "%s", typed)
	}
	fetchtest.Equal(t, fetchtest.Must(p.guess("other/deep"))(t), fetchtest.Must(urlcore.Parse("gopher://other/1/deep"))(t), "a host")
}

// TestCopyTexts checks that a question counts no files in items that are renamed as a whole, and that a copy that copies nothing says
// why.
func TestCopyTexts(t *testing.T) {
	p := driveFolders(t, "a b dir/x", "z")
	p.press("alt+a", "f6").wantShown("Move 3 tagged items to").press("y").wantShown("moved 3 items")
	p.press("z").wantShown("undone: moved 3 items")
	p.wantFiles(p.left, "a b dir")

	p = driveFolders(t, "dir/x", "dir")
	p.press("home", "f5").wantShown("nothing copied; 1 left out", "another kind")
	p.wantFiles(p.right, "dir")
}
