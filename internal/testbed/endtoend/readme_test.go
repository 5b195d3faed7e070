package endtoend

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
	"gofer/internal/userfile/config"
	"gofer/ui"
)

var update = flag.Bool("update", false, "write the keys and the screens into README.md and docs/screens")

// readmeBlock finds the block of code that the README has behind the comment
// <!-- name -->.
func readmeBlock(t *testing.T, name string) (before, block, after string) {
	t.Helper()
	data := fetchtest.Must(os.ReadFile(readme))(t)
	comment := "<!-- " + name + " -->\n"
	before, rest, ok := strings.Cut(string(data), comment)
	fence, rest, ok2 := strings.Cut(rest, "\n")
	block, after, ok3 := strings.Cut(rest, "```\n")
	if !ok || !ok2 || !ok3 || !strings.HasPrefix(fence, "```") {
		t.Fatalf("README.md has no block of code behind %s", comment)
	}
	return before + comment + fence + "\n", block, "```\n" + after
}

// checkReadme checks that the block of the README is want, or makes it so.
func checkReadme(t *testing.T, name, want string) {
	t.Helper()
	before, got, after := readmeBlock(t, name)
	switch {
	case got == want:
	case *update:
		writeFile(t, readme, before+want+after)
	default:
		t.Errorf("%q in README.md is out of date: run .ci/screens\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	fetchtest.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

// The README, and the folder of its pictures.
const (
	readme        = "../../../README.md"
	screensFolder = "../../../docs/screens"
)

// standIn takes the place of the demo's addresses on the screens of the README:
// a name that is as long as 127.0.0.1 with a port of five digits.
const standIn = "demo.gofer.test"

// TestReadmeScreens walks through the demo and compares the screens with those
// that the README shows.
func TestReadmeScreens(t *testing.T) {
	if !*update {
		t.Parallel()
	}
	world := fetchtest.Started(loopback.StartWorld())(t)
	hole, archive := "gopher://"+world.Gopher.Addr(), "ftp://"+world.FTP.Addr()
	home := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config/gofer"), 0o700))
	writeFile(t, filepath.Join(home, ".config/gofer/config.toml"), "theme = 'dark'\n")

	tm := open(t, home, world, hole+"/1")
	tm.here(hole+"/1", "")
	tm.wait("Welcome. This is a Gopher hole")
	tm.keys("j")
	tm.wait(hole + "/1/library ")
	checkReadme(t, "screen", tm.shot(world, "demo"))

	tm.keys("g\x15news:a-up-1@demo.example.invalid\x1b\r") // in a tab of its own
	tm.wait("Subject: Re: Going up", "/1/phlog")
	tm.to("\t", hole+"/1/phlog")
	tm.shot(world, "article")

	tm.keys("g\x15" + archive + "/pub/texts;type=d\x1b\r")
	tm.wait("usenet.txt")
	tm.keys("jp")
	tm.wait("─ gopher.txt ─", "The name did both.") // the last row of the pane, which loads later
	tm.shot(world, "peek")
	tm.quit()
}

// shot checks that the screen becomes the picture of that name, or makes the
// picture so; it returns the screen as text.
func (tm *terminal) shot(world *loopback.World, name string) (text string) {
	tm.t.Helper()
	file := filepath.Join(screensFolder, name+".svg")
	if *update {
		tm.whole()
		drawing, text := tm.draw(world)
		writeFile(tm.t, file, drawing)
		return text
	}
	want, err := os.ReadFile(file)
	if err != nil {
		tm.t.Fatal(err)
	}
	if !eventually(func() bool {
		var drawing string
		drawing, text = tm.draw(world)
		return drawing == string(want)
	}) {
		tm.t.Errorf("the screen never was that of %s: if this one is right run .ci/screens\n%s", file, text)
	}
	return text
}

// The settings of the README are all that there are, and can be used as they are.
func TestReadmeSettings(t *testing.T) {
	_, block, _ := readmeBlock(t, "settings")
	path := filepath.Join(t.TempDir(), "config.toml")
	writeFile(t, path, block)
	noEnv := func(string) string { return "" }
	if block != config.Example {
		t.Error("the settings of README.md are not internal/userfile/config/example.toml")
	}
	c := fetchtest.Must(config.Load(path, noEnv))(t)
	settings := fetchtest.Must(config.Settings(path, noEnv))(t)
	for _, s := range settings {
		if s.Source == "default" && !strings.HasPrefix(s.Key, "open.") { // of one program not all are needed
			t.Errorf("README.md does not name the setting %s", s.Key)
		}
	}
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Map && f.Len() == 0 {
			t.Errorf("README.md has no example for [%s]", v.Type().Field(i).Tag.Get("toml"))
		}
	}
}

// The README's cheat sheet is made from the table that the program uses.
func TestReadmeKeys(t *testing.T) {
	checkReadme(t, "keys", cheatSheet(ui.Keys(nil)))
}

// cheatSheet lists the keys of each section in two columns, in at most eighty
// characters a line; what needs more room has a line of its own.
func cheatSheet(keys []ui.KeyHelp) string {
	const column, keysWidth = 40, 19
	var b strings.Builder
	section, left := "", ""
	end := func() {
		if left != "" {
			b.WriteString(strings.TrimRight(left, " ") + "\n")
		}
		left = ""
	}
	for _, k := range keys {
		if k.Section != section {
			end()
			if section != "" {
				b.WriteString("\n")
			}
			section = k.Section
			b.WriteString(section + "\n")
		}
		labels := strings.Join(k.Keys, " ")
		entry := fmt.Sprintf("  %-*s  %s", keysWidth, labels, k.Name)
		switch {
		case len(labels) > keysWidth:
			end()
			b.WriteString(entry + "\n")
		case left == "":
			left = fmt.Sprintf("%-*s", column, entry)
		default:
			left += entry
			end()
		}
	}
	end()
	return b.String()
}
