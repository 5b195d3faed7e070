package endtoend

import (
	"os"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// TestNewScheme wants a scheme to need a URL type, a Fetcher and a line in the
// scheme table, and nothing else to be told of it.
func TestNewScheme(t *testing.T) {
	home := t.TempDir()
	gofer := func(args ...string) string {
		cmd := goferCommand(t.Context(), "gofer-memo", args...)
		cmd.Dir = home
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GORACE=" + gorace}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("gofer-memo %q: %v", args, err)
		}
		return string(out)
	}
	for _, tt := range []struct {
		args, want string
	}{
		{"dump memo://h/", "to /desk/\n"},
		{"dump --format json memo://h/", `{"kind":"menu","text":"to /desk/","url":"memo://h/desk/"}`},
		{"dump --format links memo://h/desk/", "memo://h/desk/door\nmemo://h/desk/lamp\n"},
		{"dump --format raw memo://h/desk/lamp", "Switch it off.\n"},
		{"get memo://h/desk/lamp", "lamp: 15 B"},
		{"url explain memo://h:4004/desk/lamp", "memo /desk/lamp"},
		{"url canon MEMO://H/desk", "memo://h/desk"},
	} {
		if got := gofer(strings.Fields(tt.args)...); !strings.Contains(got, tt.want) {
			t.Errorf("gofer-memo %s: got\n%s\nwant\n%s", tt.args, got, tt.want)
		}
	}

	world := fetchtest.Started(loopback.StartWorld())(t)
	tm := openCommand(t, command(home, world, "gofer-memo", "memo://h:4004/"))
	tm.here("memo://h:4004/", "Memos at h")
	tm.keys("\r")
	tm.here("memo://h:4004/desk/", "to /desk/")
	tm.to("j", "memo://h:4004/desk/lamp")
	tm.keys("d")
	tm.wait("saved ", "lamp.memo")
	tm.keys("A")
	tm.wait("Title: ")
	tm.keys("\r")
	tm.wait("bookmarked memo://h:4004/desk/lamp")
	tm.keys("\r")
	tm.wait("Switch it off.")
	tm.keys("a")
	tm.wait("Edit bookmark")
	tm.keys("\r")
	tm.wait("bookmark changed: memo://h:4004/desk/lamp")
	tm.keys("u")
	tm.wait("to /desk/door")
	if at := link(tm.whole()); at != "memo://h:4004/desk/lamp" {
		t.Errorf("going up leads to the line of %s", at)
	}
	tm.to("k", "memo://h:4004/desk/door")
	tm.keys("\r")
	tm.wait("One level up", "The board of all memos", "The same at the usual port")
	tm.keys("=")
	tm.wait("memo /desk/door")
	tm.bar("about:bookmarks")
	tm.wait("to /desk/lamp  (memo)")
	tm.to("j", "memo://h:4004/desk/lamp")
	tm.keys("\r")
	tm.wait("Switch it off.")
	tm.keys("u")
	tm.wait("to /desk/door")
	tm.quit()
	if got, want := gofer("dump", "--format", "links", "about:bookmarks"), "memo://h:4004/desk/lamp\nabout:new\n"; got != want {
		t.Errorf("the bookmarks are %q, want %q", got, want)
	}
	if got := gofer("history"); !strings.Contains(got, "memo://h:4004/desk/lamp") {
		t.Errorf("the history is\n%s", got)
	}
}
