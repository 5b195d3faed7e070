package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

func TestConfigCommand(t *testing.T) {
	home := t.TempDir()
	code, out, stderr := run(t, home, "", "config")
	path := filepath.Join(home, ".config/gofer/config.toml")
	for _, want := range []string{"# " + path + " (does not exist)\n", "mouse = false", "timeouts.connect = '15s'", "# default\n"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("config: exit %d, stderr %q, output\n%s\nwant 0 and %q", code, stderr, out, want)
		}
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("config created a folder")
	}
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	edit := func(script string) (code int, stderr string) {
		var o, e strings.Builder
		p := testProgram(home, new(app.Setup))
		env := p.Getenv
		p.In, p.Out, p.Err = strings.NewReader("mouse = true\n"), &o, &e
		p.Getenv = func(name string) string {
			if name == "EDITOR" {
				return script
			}
			return env(name)
		}
		return p.Run(t.Context(), []string{"config", "edit"}), e.String()
	}
	if code, stderr := edit("tee -a"); code != 0 {
		t.Fatalf("config edit: exit %d, stderr %q", code, stderr)
	}
	if _, out, _ := run(t, home, "", "config"); !strings.Contains(out, "# "+path+"\n") ||
		!strings.Contains(out, "mouse = true ") || !strings.Contains(out, "# "+path+":1\n") {
		t.Errorf("config after the edit printed\n%s\nwant mouse = true from line 1", out)
	}
	if code, stderr := edit("echo 'mouse = 3' > '" + path + "'; true"); code != exitLocal || !strings.Contains(stderr, "config.toml:1:") {
		t.Errorf("config edit with an error in the settings: exit %d, stderr %q; want %d and the line 1", code, stderr, exitLocal)
	}
	if code, stderr := edit("false"); code != exitLocal || !strings.Contains(stderr, "exit status 1") {
		t.Errorf("config edit with an editor that fails: exit %d, stderr %q; want %d and the exit status", code, stderr, exitLocal)
	}
}

// TestKeyBoundTwice checks that the error for a key with two actions names both lines and actions,
// and that one action keeps the key.
func TestKeyBoundTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	fetchtest.NoError(
		t,
		os.WriteFile(path, []byte("[keys.page]\nreload = ['x']\n# mine\nopen = ['x', 'Enter']\n[keys.news]\nquit = ['x']\n"), 0o600),
	)
	c, err := config.Load(path, func(string) string { return "" }, app.CheckKeys)
	fetchtest.Equal(t, fmt.Sprint(err), path+`:2: the key "x" of "reload" is already bound to "open", at `+path+":4")
	if c.Keys.Page["reload"] != nil || len(c.Keys.Page["open"]) != 2 || len(c.Keys.News["quit"]) != 1 {
		t.Errorf("got the keys %v for pages, %v for news; want none for reload, 2 for open and 1 for quit", c.Keys.Page, c.Keys.News)
	}
}
