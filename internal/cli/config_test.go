package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

func TestConfigCommand(t *testing.T) {
	home := t.TempDir()
	code, out, told := run(t, home, "", "config")
	path := filepath.Join(home, ".config/gofer/config.toml")
	for _, want := range []string{"# " + path + " (not there)\n", "mouse = false", "timeouts.connect = '15s'", "# default\n"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, %s\n%s\nlacks %q", code, told, out, want)
		}
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("it has made a folder")
	}
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	edit := func(script string) (code int, told string) {
		var o, e strings.Builder
		p := testProgram(home, new(Setup))
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
	if code, told := edit("tee -a"); code != 0 {
		t.Fatalf("edit: %d, %s", code, told)
	}
	if _, out, _ := run(t, home, "", "config"); !strings.Contains(out, "# "+path+"\n") || !strings.Contains(out, "mouse = true ") || !strings.Contains(out, "# "+path+":1\n") {
		t.Errorf("after the edit:\n%s", out)
	}
	if code, told := edit("echo 'mouse = 3' > '" + path + "'; true"); code != exitLocal || !strings.Contains(told, "config.toml:1:") {
		t.Errorf("a fault: %d, %s", code, told)
	}
	if code, told := edit("false"); code != exitLocal || !strings.Contains(told, "exit status 1") {
		t.Errorf("an editor that fails: %d, %s", code, told)
	}
}

// TestKeyBoundTwice names both lines and both actions, and keeps one of them.
func TestKeyBoundTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	fetchtest.NoError(t, os.WriteFile(path, []byte("[keys.page]\nreload = ['x']\n# mine\nopen = ['x', 'Enter']\n[keys.news]\nquit = ['x']\n"), 0o600))
	c, err := config.Load(path, func(string) string { return "" }, checkKeys)
	fetchtest.Equal(t, fmt.Sprint(err), path+`:2: the key "x" of "reload" is already bound to "open", at `+path+":4")
	if c.Keys.Page["reload"] != nil || len(c.Keys.Page["open"]) != 2 || len(c.Keys.News["quit"]) != 1 {
		t.Errorf("the keys are %v, %v", c.Keys.Page, c.Keys.News)
	}
}
