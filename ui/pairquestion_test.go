package ui

import (
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
)

// TestAnswerStaysInItsPane checks that an answer that is typed before its question opens is not a key of the pane or tab that
// a key before it would have shown.
func TestAnswerStaysInItsPane(t *testing.T) {
	for _, k := range []string{"tab", "]", "~"} {
		p := driveFolders(t, "a", "z")
		p.press("down")
		page := p.url()
		p.pressAtOnce("f5", k, "y")
		fetchtest.Equal(t, p.url(), page, "page after %s", k)
		p.wantShown(`Copy "a"`, "dropped: ", "typed before you could read this")
		p.wantFiles(p.right, "z")
	}
}

// TestQuestionOfTheOtherPane checks that a question that opens in the other pane on the screen is shown, and that a key that
// was meant for the page does not answer it.
func TestQuestionOfTheOtherPane(t *testing.T) {
	p := driveFolders(t, "a", "z")
	p.press("down")
	page := p.url()
	list := p.sendWithoutRun(keyPress("f5"))
	p.send(tea.MouseClickMsg{X: 70, Y: 20, Button: tea.MouseLeft}) // below the items of the other pane
	if p.url() == page {
		t.Fatal("the click has not moved the focus")
	}
	p.run(list).wantShown(`Copy "a"`)
	fetchtest.Equal(t, p.url(), page, "page of the question")
	p.pressAtOnce("y").wantShown(`Copy "a"`, "dropped: y (typed before you could read this)")
	p.wantFiles(p.right, "z")
}

// TestEditLink checks that a link of this machine is not opened in the editor, because the result could not be stored.
func TestEditLink(t *testing.T) {
	p := driveFolders(t, "b", "z")
	fetchtest.NoError(t, os.Symlink("b", filepath.Join(p.left, "a")))
	p.press("r", "home", "f4").wantShown("a link cannot be edited")
}

// TestRemoveStaleDirectory checks that the removal of a directory that has become a link since it was listed removes nothing
// that the link leads to.
func TestRemoveStaleDirectory(t *testing.T) {
	p := driveFolders(t, "d/x", "keep")
	fetchtest.NoError(t, os.RemoveAll(filepath.Join(p.left, "d")))
	fetchtest.NoError(t, os.Symlink(p.right, filepath.Join(p.left, "d")))
	p.press("home", "f8").wantShown("it is not the directory that was listed")
	p.press("y")
	p.wantFiles(p.right, "keep")
}
