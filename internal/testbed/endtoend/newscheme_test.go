package endtoend

import (
	"os"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// TestNewScheme runs gofer-memo, which adds the scheme memo: a URL type, a Fetcher and a row of the
// table of schemes. It checks that everything else works with the new scheme.
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

	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	tm := startCommand(t, newCommand(home, world, "gofer-memo", "memo://h:4004/"))
	tm.waitPage("memo://h:4004/", "Memos at h")
	tm.typeKeys("\r")
	tm.waitPage("memo://h:4004/desk/", "to /desk/")
	tm.moveTo("j", "memo://h:4004/desk/lamp")
	tm.typeKeys("d")
	tm.wait("saved ", "lamp.memo")
	tm.typeKeys("A")
	tm.wait("Title   [")
	tm.typeKeys("\r")
	tm.wait("bookmarked memo://h:4004/desk/lamp")
	tm.typeKeys("\r")
	tm.wait("Switch it off.")
	tm.typeKeys("a")
	tm.wait("Edit bookmark")
	tm.typeKeys("\r")
	tm.wait("bookmark changed: memo://h:4004/desk/lamp")
	tm.typeKeys("u")
	tm.wait("to /desk/door")
	if at := statusURL(tm.waitForFrame()); at != "memo://h:4004/desk/lamp" {
		t.Errorf("after going up the cursor is on %s, want memo://h:4004/desk/lamp", at)
	}
	tm.moveTo("k", "memo://h:4004/desk/door")
	tm.typeKeys("\r")
	tm.wait("One level up", "The board of all memos", "Try the default port")
	tm.typeKeys("=")
	tm.wait("memo /desk/door")
	tm.openURL("about:bookmarks")
	tm.wait("to /desk/lamp  (memo)")
	tm.moveTo("j", "memo://h:4004/desk/lamp")
	tm.typeKeys("\r")
	tm.wait("Switch it off.")
	tm.typeKeys("u")
	tm.wait("to /desk/door")
	tm.quit()
	if got, want := gofer("dump", "--format", "links", "about:bookmarks"), "about:bookmarks?\nmemo://h:4004/desk/lamp\n"; got != want {
		t.Errorf("the bookmarks are %q, want %q", got, want)
	}
	if got := gofer("history"); !strings.Contains(got, "memo://h:4004/desk/lamp") {
		t.Errorf("the history is\n%s\nwant memo://h:4004/desk/lamp in it", got)
	}
}
