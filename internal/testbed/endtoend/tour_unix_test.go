//go:build unix

package endtoend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// goBack goes back once for each element of pages. Each time it waits until the screen contains the
// element.
func (tm *terminal) goBack(pages ...string) {
	tm.t.Helper()
	for _, words := range pages {
		tm.typeKeys("\x7f")
		tm.wait(words)
	}
}

// TestTour does the tasks of the tour with the keys that the tour names.
func TestTour(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := newPostCommand(t, home, "I have the drive", "demo")
	fetchtest.NoError(t, os.Remove(filepath.Join(home, ".config/gofer/config.toml"))) // as for a new user
	tm := startCommand(t, cmd)
	const hole = "gopher://demo.gofer.test"
	tm.wait("The tour: start here")
	tm.typeKeys("\r")
	tm.wait(hole+"/1/tour", "To the front door")

	tm.typeKeys("\r")
	tm.wait(hole+"/1/tour/gopher", "Search all texts")
	tm.typeKeys("\r")
	tm.wait("Search for:")
	tm.typeKeys("coffee\r")
	tm.wait(hole+"/7/search%09coffee", "a coffee stain")
	tm.typeKeys("p")
	tm.wait("THE LINK THAT CAME BACK")
	tm.typeKeys("p\r")
	tm.wait("books.", hole+"/0/phlog/2026-02-14.txt")
	tm.typeKeys("a\r")
	tm.wait("bookmarked")
	tm.typeKeys("B")
	tm.wait("2026-02-14.txt  (demo.gofer.test)")
	tm.goBack("books.", hole+"/7/search%09coffee", hole+"/1/tour/gopher")
	tm.moveTo("\t", hole+"/1/tour/ftp")
	tm.typeKeys("\r")

	tm.wait(hole+"/1/tour/ftp", "The tide tables")
	tm.typeKeys("\r")
	tm.wait("ftp://demo.gofer.test/pub/tides;type=d", "west.txt")
	tm.typeKeys("s")
	tm.wait("newest first")
	tm.typeKeys("\x1b[B\x1b[B\r")
	tm.wait("sorted by modified, newest first")
	tm.typeKeys("\x1b[H")
	tm.moveTo("k", "/south.txt")
	tm.typeKeys("p")
	tm.wait("High water, south coast")
	tm.typeKeys("pd")
	tm.wait("saved", "south.txt (")
	tm.typeKeys("u")
	tm.wait("ftp://demo.gofer.test/pub;type=d", "README")
	tm.typeKeys("d")
	tm.wait(`Save "tides/" (4 files`)
	tm.answer("y")
	tm.wait("tides (", "saved")
	tm.typeKeys("J")
	tm.wait("4 of 4 files", "south.txt")
	saved := fetchtest.Must(filepath.Glob(filepath.Join(home, "Downloads", "tides", "*.txt")))(t)
	fetchtest.Equal(t, len(saved), 4, "files saved")
	tm.goBack("ftp://demo.gofer.test/pub;type=d", "ftp://demo.gofer.test/pub/tides;type=d", hole+"/1/tour/ftp")
	tm.moveTo("\t", hole+"/1/tour/news")
	tm.typeKeys("\r")

	tm.wait(hole+"/1/tour/news", "The newsgroup local.tales")
	tm.typeKeys("\r")
	tm.wait("news:local.tales", "How the gofer got")
	tm.typeKeys("\r")
	tm.wait("My grandmother kept")
	tm.typeKeys(".")
	tm.wait("There is always one.")
	tm.typeKeys("f")
	tm.wait(`Post this to "local.tales"?`)
	tm.answer("y")
	tm.wait("Thread: 2 of 4", "sent")
	tm.typeKeys("u")
	tm.wait("│ └ Re: ", "You")
	tm.typeKeys("C")
	tm.wait("caught up with local.tales")
	if read := string(fetchtest.Must(os.ReadFile(filepath.Join(home, ".local/share/gofer-demo/.newsrc")))(t)); !strings.Contains(read, "local.tales! 1-8\n") {
		t.Errorf("read is %q", read)
	}
	tm.typeKeys("z")
	tm.wait("undone")
	tm.openURL(hole + "/1/tour/news")
	tm.wait("The newsgroup local.tales")
	tm.moveTo("\t", hole+"/1/tour/try")
	tm.typeKeys("\r")
	tm.wait("gopher://gopher.floodgap.com/1")
	tm.quit()
}
