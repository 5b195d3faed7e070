package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestBookmarksCommand(t *testing.T) {
	home := t.TempDir()
	want := func(wantCode int, wantOut, wantStderr, in string, args ...string) {
		t.Helper()
		code, out, stderr := run(t, home, in, append([]string{"bookmarks"}, args...)...)
		if code != wantCode || out != wantOut || !strings.Contains(stderr, wantStderr) {
			t.Errorf("bookmarks %q: exit %d, output\n%s\nstderr %q\nwant %d\n%s\n%q", args, code, out, stderr, wantCode, wantOut, wantStderr)
		}
	}
	want(0, "", "", "")
	want(0, "", "", "", "add", "a.example", "--title", "A hole", "--tag", "good,old")
	want(0, "", "", "", "add", "ftp://joe:secret@b.example/", "--folder", "files/public")
	want(0, "", "", "", "add", "gopher://a.example/", "--folder", "holes")
	const list = "## files/public\nftp://joe@b.example/\n\n## holes\ngopher://a.example/1 A hole #good #old\n"
	want(0, list, "", "")
	want(0, "## holes\ngopher://a.example/1 A hole #good #old\n", "", "", "HOLE", "#old")
	want(0, `{"url":"ftp://joe@b.example/","title":"","folder":"files/public","tags":[]}`+"\n"+
		`{"url":"gopher://a.example/1","title":"A hole","folder":"holes","tags":["good","old"]}`+"\n", "", "", "-f", "json")
	want(
		0, "", "added 1 bookmark, 1 already bookmarked, 1 without a valid URL",
		"gopher://a.example/\nnews:a.b B\nodd\n", "import", "-", "--folder", "in",
	)
	file := filepath.Join(home, "l.html")
	fetchtest.NoError(t, os.WriteFile(file, []byte("<ol>\n<LI><a href=\"news:c.d\">C &amp; D</a>\n</ol>"), 0o600))
	want(0, "", "added 1 bookmark\n", "", "import", file)
	want(
		0, "i\tfake\t(NULL)\t0\r\ni## holes\tfake\t(NULL)\t0\r\n1A hole #good #old\t\ta.example\t70\r\n", "", "",
		"export", "--to", "gophermap", "holes",
	)
	want(0, "", "added 1 bookmark\n", "<URL:http://h/#part>\n", "import", "-")
	want(0, "", "", "", "add", "<URL:http://i/#part>")
	want(0, `{"url":"http://h/#part","title":"","folder":"","tags":[]}`+"\n", "", "", "-f", "json", "http://h")
	want(0, `{"url":"http://i/#part","title":"","folder":"","tags":[]}`+"\n", "", "", "-f", "json", "http://i")
	want(0, "", "", "", "remove", "news:c.d")
	want(1, "", "news:c.d is not bookmarked", "", "remove", "news:c.d")
	want(2, "", `unknown format "x"`, "", "export", "--to", "x")
	want(2, "", `unknown format "x"`, "", "import", "-", "--from", "x")
	want(2, "", `unknown format "x"`, "", "-f", "x")
	want(1, "", "no bookmarks found in standard input", "odd", "import", "-")
	want(5, "", "no such file", "", "import", filepath.Join(home, "none"))
	want(1, "", "", "", "add", "gopher://")
	home = ""
	want(5, "", "set HOME", "")
}
