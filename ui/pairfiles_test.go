package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

	p.press("f5").wantShown(`Copy "a"`).press("down", "down", "enter").wantShown("copied 1 file")
	fetchtest.Equal(t, p.content(p.right, "a"), p.left, "the replaced file")

	p.press("tab", "home", "f8").wantShown(`Remove "a" from this machine?`).press("y").wantShown("removed a")
	p.wantFiles(p.right, "z")
	p.press("f7").typeText("new").press("enter", "y").wantShown("made new")
	p.wantFiles(p.right, "new z")
	p.press("tab", "home", "f8").wantShown(`Remove "dir" with 1 file inside`).press("y")
	p.wantFiles(p.left, "a b")
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
	p.press("f5").wantShown("Copy 2 tagged items", "1 file exists there").press("down", "enter").wantShown("copied 2 files")
	fetchtest.Equal(t, p.content(p.right, "later"), p.left, "the newer file")
	p.press("=").wantShown("here nothing else; beside 1 new")

	p.press("alt++").wantShown("here 1 different; beside 1 new, 1 different") // "equal" has the same size and date, and other content
	p.wantShown("≠")
}
