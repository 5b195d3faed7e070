//go:build unix

package endtoend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// goBack goes back, and waits for the words of each page on the way.
func (tm *terminal) goBack(pages ...string) {
	tm.t.Helper()
	for _, words := range pages {
		tm.keys("\x7f")
		tm.wait(words)
	}
}

// TestTour does the tasks of the tour with the keys that it names.
func TestTour(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := poster(t, home, "I have the drive", "demo")
	fetchtest.NoError(t, os.Remove(filepath.Join(home, ".config/gofer/config.toml"))) // a newcomer has none
	tm := openCommand(t, cmd)
	const hole = "gopher://demo.gofer.test"
	tm.wait("The tour: start here")
	tm.keys("\r")
	tm.wait(hole+"/1/tour", "To the front door")

	tm.keys("\r")
	tm.wait(hole+"/1/tour/gopher", "Search all texts")
	tm.keys("\r")
	tm.wait("Search for:")
	tm.keys("coffee\r")
	tm.wait(hole+"/7/search%09coffee", "a coffee stain")
	tm.keys("p")
	tm.wait("THE LINK THAT CAME BACK")
	tm.keys("p\r")
	tm.wait("books.", hole+"/0/phlog/2026-02-14.txt")
	tm.keys("a\r")
	tm.wait("bookmarked")
	tm.keys("B")
	tm.wait("2026-02-14.txt  (demo.gofer.test)")
	tm.goBack("books.", hole+"/7/search%09coffee", hole+"/1/tour/gopher")
	tm.to("\t", hole+"/1/tour/ftp")
	tm.keys("\r")

	tm.wait(hole+"/1/tour/ftp", "The tide tables")
	tm.keys("\r")
	tm.wait("ftp://demo.gofer.test/pub/tides;type=d", "west.txt")
	tm.keys("s")
	tm.wait("newest first")
	tm.keys("\x1b[B\x1b[B\r")
	tm.wait("sorted by modified, newest first")
	tm.keys("\x1b[H")
	tm.to("k", "/south.txt")
	tm.keys("p")
	tm.wait("High water, south coast")
	tm.keys("pd")
	tm.wait("saved", "south.txt (")
	tm.keys("u")
	tm.wait("ftp://demo.gofer.test/pub;type=d", "README")
	tm.keys("d")
	tm.wait(`Save "tides/" (4 files`)
	tm.keys("y")
	tm.wait("tides (", "saved")
	tm.keys("J")
	tm.wait("4 of 4 files", "south.txt")
	saved := fetchtest.Must(filepath.Glob(filepath.Join(home, "tides", "*.txt")))(t)
	fetchtest.Equal(t, len(saved), 4, "files saved")
	tm.goBack("ftp://demo.gofer.test/pub;type=d", "ftp://demo.gofer.test/pub/tides;type=d", hole+"/1/tour/ftp")
	tm.to("\t", hole+"/1/tour/news")
	tm.keys("\r")

	tm.wait(hole+"/1/tour/news", "The newsgroup local.tales")
	tm.keys("\r")
	tm.wait("news:local.tales", "How the gofer got")
	tm.keys("\r")
	tm.wait("My grandmother kept")
	tm.keys(".")
	tm.wait("There is always one.")
	tm.keys("f")
	tm.wait(`Post this to "local.tales"?`)
	tm.keys("y")
	tm.wait("Thread: 2 of 4", "sent")
	tm.keys("u")
	tm.wait("│ └ You")
	tm.keys("C")
	tm.wait("caught up with local.tales")
	if read := string(fetchtest.Must(os.ReadFile(filepath.Join(home, ".local/share/gofer-demo/.newsrc")))(t)); !strings.Contains(read, "local.tales! 1-8\n") {
		t.Errorf("read is %q", read)
	}
	tm.keys("z")
	tm.wait("undone")
	tm.bar(hole + "/1/tour/news")
	tm.wait("The newsgroup local.tales")
	tm.to("\t", hole+"/1/tour/try")
	tm.keys("\r")
	tm.wait("gopher://gopher.floodgap.com/1")
	tm.quit()
}
